import type { RestRequest, RestResponse, RestTransport, RestWatch, WatchEvent } from '../../api/client/transport.js';
import type { NodeObject } from '../../api/cluster-types.js';
import type { Pod } from '../../api/types.js';
import { deepCopy } from '../../base/deep.js';
import { type Chan, type Context, type Go, type Kernel, Millisecond, makeChan, sleep } from '../../kernel/index.js';

interface Obj {
  kind?: string;
  apiVersion?: string;
  metadata: {
    name: string;
    generateName?: string;
    namespace?: string;
    uid?: string;
    resourceVersion?: string;
    annotations?: Record<string, string>;
  };
  [field: string]: unknown;
}
interface Watch {
  readonly resource: string;
  readonly selects: (o: Obj) => boolean;
  readonly events: Chan<WatchEvent>;
}
interface Path {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

const pattern = /^\/(?:api\/v1|apis\/[^/]+\/v1)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/;
const key = ({ namespace, name }: { namespace?: string; name: string }) => `${namespace ?? ''}/${name}`;
const kinds: { readonly [resource: string]: [kind: string, apiVersion: string] } = {
  pods: ['Pod', 'v1'],
  nodes: ['Node', 'v1'],
};

/** An API server of the crudest kind: objects by resource, in memory, with watches. Every call takes 1 ms. */
export class FakeAPI implements RestTransport {
  readonly host = 'https://192.0.2.9:6443';
  /** `create default/web-node1`, in order: writes of pods, and the lists and watches of them. */
  readonly log: string[] = [];
  /** Every request: `GET pods default/web`. */
  readonly requests: string[] = [];
  /** Bodies that were written, by `METHOD resource/subresource`, in order. */
  readonly bodies: { readonly what: string; readonly body: unknown }[] = [];
  /** The node is to be seen. */
  synced = true;
  /** False: nobody answers. */
  up = true;
  /** False: refuses to stream what there is, as older servers. */
  watchLists = true;
  /** False: a stream of what there is never says that this was all. */
  bookmarks = true;
  /** Answers in place of the usual, by `METHOD resource`, used up one by one; `throw` fails the connection. */
  readonly answers = new Map<string, (RestResponse | { readonly throw: string })[]>();
  private readonly store = new Map<string, Map<string, Obj>>();
  private watches: Watch[] = [];
  private version = 10;

  constructor(private readonly kernel: Kernel) {
    this.put('nodes', { metadata: { name: 'node1', uid: 'node-uid' } });
  }

  /** Returns the objects of one resource. */
  objects(resource: string): Map<string, Obj> {
    const map = this.store.get(resource) ?? new Map<string, Obj>();
    this.store.set(resource, map);
    return map;
  }
  /** By `default/web`. */
  get pods(): Map<string, Pod> {
    return this.objects('pods') as unknown as Map<string, Pod>;
  }
  get node(): NodeObject | null {
    return (this.objects('nodes').get('/node1') as NodeObject | undefined) ?? null;
  }
  set node(node: NodeObject | null) {
    if (node) this.put('nodes', node as unknown as Obj);
    else this.remove('nodes', '', 'node1');
  }

  /** Stores an object as another client would. */
  put(resource: string, object: object): Obj {
    const made = deepCopy(object) as Obj;
    const k = key(made.metadata);
    const [kind, apiVersion] = kinds[resource] ?? ['', ''];
    if (kind) Object.assign(made, { kind, apiVersion });
    made.metadata.resourceVersion = String(++this.version);
    const type = this.objects(resource).has(k) ? 'MODIFIED' : 'ADDED';
    this.objects(resource).set(k, made);
    this.notify(resource, type, made);
    return made;
  }
  putPod(pod: Pod): void {
    this.put('pods', pod);
  }
  remove(resource: string, namespace: string, name: string): void {
    const k = key({ namespace, name });
    const there = this.objects(resource).get(k);
    if (!there) return;
    this.objects(resource).delete(k);
    there.metadata.resourceVersion = String(++this.version);
    this.notify(resource, 'DELETED', there);
  }
  /** Ends all watches, or those of one resource. */
  hangUp(resource?: string): void {
    for (const w of this.watches) if (!resource || w.resource === resource) w.events.close();
    this.watches = this.watches.filter((w) => resource && w.resource !== resource);
  }
  /** Sends an event as it is. */
  say(resource: string, event: WatchEvent): void {
    for (const w of this.watches) if (w.resource === resource) w.events.trySend(deepCopy(event));
  }
  watching(resource: string): number {
    return this.watches.filter((w) => w.resource === resource).length;
  }

  private notify(resource: string, type: WatchEvent['type'], object: Obj): void {
    for (const w of this.watches)
      if (w.resource === resource && w.selects(object)) w.events.trySend({ type, object: deepCopy(object) });
  }

  private parse(path: string): Path {
    const [, namespace = '', resource = '', name = '', subresource = ''] = pattern.exec(path) ?? [];
    if (!resource) throw new Error(`FakeAPI: what path is ${path}?`);
    return { namespace, resource, name, subresource };
  }

  private *begin(what: string): Go<RestResponse | null> {
    yield* sleep(Millisecond);
    const answer = this.answers.get(what)?.shift();
    if (!this.up) throw new Error('dial tcp 192.0.2.9:6443: connect: connection refused');
    if (answer && 'throw' in answer) throw new Error(answer.throw);
    return answer ?? null;
  }

  *request(_ctx: Context, { method, path, query = {}, body }: RestRequest): Go<RestResponse> {
    if (path === '/healthz') return (yield* this.begin('GET /healthz')) ?? { code: 200, body: 'ok' };
    const at = this.parse(path);
    const { resource, namespace, name, subresource } = at;
    const full = `${namespace}${namespace && name && '/'}${name}`;
    this.requests.push(`${method} ${resource}${subresource && `/${subresource}`} ${full}`.trimEnd());
    if (body !== undefined)
      this.bodies.push({ what: `${method} ${resource}${subresource && `/${subresource}`}`, body: deepCopy(body) });
    this.note(method, at, body);
    const given = yield* this.begin(`${method} ${resource}`);
    if (given) return given;
    const objects = this.objects(resource);
    if (method === 'POST') return this.create(at, body as Obj);
    if (name === '') {
      const selects = selector(query, namespace);
      const items = [...objects.values()].filter(selects).map(({ kind: _k, apiVersion: _a, ...o }) => deepCopy(o));
      return { code: 200, body: { kind: 'List', metadata: { resourceVersion: String(this.version) }, items } };
    }
    const there = objects.get(key(at));
    if (!there) return status(404, 'NotFound', `${resource} "${name}" not found`);
    if (method === 'GET') return { code: 200, body: deepCopy(there) };
    if (method === 'DELETE') {
      const uid = (body as { preconditions?: { uid?: string } } | undefined)?.preconditions?.uid;
      if (uid && uid !== there.metadata.uid)
        return status(409, 'Conflict', `the UID in the precondition (${uid}) does not match`);
      this.remove(resource, namespace, name);
      return { code: 200, body: deepCopy(there) };
    }
    const changed = method === 'PUT' ? (body as Obj) : (merge(there, body) as Obj);
    return { code: 200, body: deepCopy(this.put(resource, changed)) };
  }

  private note(method: string, { resource, namespace, name }: Path, body: unknown): void {
    if (resource !== 'pods') return;
    const o = body as Obj & { gracePeriodSeconds?: number; preconditions?: { uid?: string } };
    if (method === 'POST') this.log.push(`create ${namespace}/${o.metadata.name}`);
    if (method === 'DELETE')
      this.log.push(`delete ${namespace}/${name} grace=${o.gracePeriodSeconds} uid=${o.preconditions?.uid ?? null}`);
    if (method === 'GET' && name === '') this.log.push('list');
  }

  private create({ resource, namespace, name, subresource }: Path, body: Obj): RestResponse {
    if (subresource) return { code: 201, body: deepCopy(body) };
    const made = deepCopy(body);
    if (namespace) made.metadata.namespace = namespace;
    const { generateName } = made.metadata;
    if (generateName && !made.metadata.name) made.metadata.name = `${generateName}${this.version}`;
    if (this.objects(resource).has(key(made.metadata)))
      return status(409, 'AlreadyExists', `${resource} "${made.metadata.name || name}" already exists`);
    made.metadata.uid = `api-${made.metadata.name}`;
    return { code: 201, body: deepCopy(this.put(resource, made)) };
  }

  *watch(_ctx: Context, { path, query = {} }: RestRequest): Go<RestWatch> {
    const { resource, namespace } = this.parse(path);
    const initial = query.sendInitialEvents === 'true';
    this.requests.push(
      `WATCH ${resource}${namespace && ` ${namespace}`} rv=${query.resourceVersion ?? ''}${initial ? ' initial' : ''}`,
    );
    if (resource === 'pods') this.log.push('watch');
    const events = makeChan<WatchEvent>(this.kernel, `watch ${resource}`, 100, { quiet: true });
    const refused = (answer: RestResponse): RestWatch => {
      events.close();
      return { ...answer, events, stop() {} };
    };
    const given = yield* this.begin(`WATCH ${resource}`);
    if (given) return refused(given);
    if (resource === 'nodes' && !this.synced) throw new Error('dial tcp 192.0.2.9:6443: connect: connection refused');
    if (initial && !this.watchLists)
      return refused(
        status(422, 'Invalid', 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled'),
      );
    const watch: Watch = { resource, selects: selector(query, namespace), events };
    const [kind, apiVersion] = kinds[resource] ?? ['', ''];
    if (initial) {
      for (const object of this.objects(resource).values())
        if (watch.selects(object)) events.trySend({ type: 'ADDED', object: deepCopy(object) });
      const annotations = { 'k8s.io/initial-events-end': 'true' };
      if (this.bookmarks)
        events.trySend({
          type: 'BOOKMARK',
          object: { kind, apiVersion, metadata: { resourceVersion: String(this.version), annotations } },
        });
    }
    this.watches.push(watch);
    const stop = () => {
      this.watches = this.watches.filter((w) => w !== watch);
    };
    return { code: 200, body: null, events, stop };
  }
}

/** An error as the server words it. */
export const status = (code: number, reason: string, message: string, details: object = {}): RestResponse => ({
  code,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code, details },
});

function selector(query: Readonly<Record<string, string>>, namespace: string): (o: Obj) => boolean {
  const [field, value] = (query.fieldSelector ?? '').split(/!?=/);
  return (o) =>
    (!namespace || o.metadata.namespace === namespace) && (field !== 'metadata.name' || o.metadata.name === value);
}

/** Maps are merged, conditions by type, other lists replaced: as far as tests need a strategic merge. */
function merge(before: unknown, patch: unknown): unknown {
  if (typeof before !== 'object' || before === null || Array.isArray(before)) return patch;
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const out: Record<string, unknown> = { ...before };
  for (const [k, v] of Object.entries(patch)) {
    if (k.startsWith('$')) continue;
    if (v === null) delete out[k];
    else if (k === 'conditions' && Array.isArray(v)) {
      const list = [...((out[k] as { type: string }[] | undefined) ?? [])];
      for (const c of v as { type: string }[]) {
        const i = list.findIndex((o) => o.type === c.type);
        if (i < 0) list.push(c);
        else list[i] = merge(list[i], c) as { type: string };
      }
      out[k] = list;
    } else out[k] = merge(out[k] ?? {}, v);
  }
  return out;
}
