import { Minute, Second, type TimerHandle } from '../../kernel/index.js';
import { groupVersion, type Resource, storageName } from '../registry/resource.js';
import { matches, parseFieldSelector, parseLabelSelector, type Requirement } from '../registry/selectors.js';
import { base64url, fromBase64url } from '../resources/base64.js';
import { badRequest, expired, invalid, StatusError } from '../status.js';
import type { Change } from '../storage/store.js';
import { setTimer } from '../storage/timers.js';
import type { ApiObject, ApiRequest, ApiWatch, ApiWatchEvent, WatchSink } from '../types.js';
import type { ServerCore } from './core.js';
import { Shaper } from './negotiate.js';
import { flag, param, type RequestInfo } from './request-info.js';

/** Which objects a list, a watch or a deletion of many means. */
export class Filter {
  private constructor(
    private readonly resource: Resource,
    readonly namespace: string,
    readonly labels: readonly Requirement[],
    readonly fields: readonly Requirement[],
  ) {}

  static of(resource: Resource, info: RequestInfo, request: ApiRequest): Filter {
    const allowed = [
      'metadata.name',
      ...(resource.namespaced ? ['metadata.namespace'] : []),
      ...Object.keys(resource.fields ?? {}),
    ];
    const fields = [...parseFieldSelector(param(request, 'fieldSelector'), allowed)];
    if (info.name) fields.push({ key: 'metadata.name', op: 'in', values: new Set([info.name]) });
    return new Filter(
      resource,
      resource.namespaced ? info.namespace : '',
      parseLabelSelector(param(request, 'labelSelector')),
      fields,
    );
  }
  get all(): boolean {
    return this.labels.length === 0 && this.fields.length === 0;
  }
  /** Of an object as it is stored. */
  takes(stored: ApiObject): boolean {
    const { metadata } = stored;
    if (this.namespace && metadata.namespace !== this.namespace) return false;
    if (!matches(this.labels, metadata.labels)) return false;
    return this.fields.every((f) => matches([f], { [f.key]: this.valueOf(stored, f.key) }));
  }
  private valueOf(stored: ApiObject, key: string): string {
    if (key === 'metadata.name') return stored.metadata.name;
    if (key === 'metadata.namespace') return stored.metadata.namespace ?? '';
    const { resource } = this;
    return resource.fields?.[key]?.(resource.view ? resource.view.read(stored) : stored) ?? '';
  }
}

const tooOldContinue =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

const versionNumber = (text: string): number => {
  if (!/^\d{1,15}$/.test(text))
    throw badRequest(
      `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  return Number(text);
};
const tooLarge = (asked: number, current: number): StatusError =>
  new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });

/** upstream: apiserver pkg/registry/generic/registry (*Store).ListPredicate */
export function list(server: ServerCore, resource: Resource, info: RequestInfo, request: ApiRequest): object {
  const { store } = server;
  const filter = Filter.of(resource, info, request);
  const shaper = new Shaper(resource, request, () => server.nowMillis());
  const name = storageName(resource);
  const asked = param(request, 'resourceVersion');
  const match = param(request, 'resourceVersionMatch');
  const limit = Number(param(request, 'limit') || 0);
  if (!Number.isInteger(limit) || limit < 0)
    throw badRequest(
      `limit: Invalid value: ${JSON.stringify(param(request, 'limit'))}: must be a whole number from 0 on`,
    );
  const token = param(request, 'continue');
  const wrong = listErrors({ asked, match, token, sendInitialEvents: param(request, 'sendInitialEvents') });
  if (wrong.length > 0) throw invalid('meta.k8s.io', 'ListOptions', '', wrong);
  let version = store.version;
  let after = '';
  let items: ApiObject[] | null;
  if (token) {
    const at = readToken(token);
    after = at.start;
    if (at.rv > 0) version = at.rv;
    items = store.listAt(name, version, filter.namespace);
    if (!items) throw expired(tooOldContinue);
  } else {
    const wanted = asked ? versionNumber(asked) : 0;
    if (wanted > store.version) throw tooLarge(wanted, store.version);
    const exact = match === 'Exact' && wanted > 0;
    if (exact) version = wanted;
    items = exact ? store.listAt(name, wanted, filter.namespace) : store.list(name, filter.namespace);
    if (!items) throw expired(`The resourceVersion for the provided list is too old.`);
  }
  let found = items.filter((o) => filter.takes(o));
  if (after) found = found.filter((o) => keyFor(o) > after);
  const metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number } = {
    resourceVersion: String(version),
  };
  // A list at any version comes whole from the cache, whatever its limit.
  const paged = limit > 0 && asked !== '0' && found.length > limit;
  if (paged) {
    const rest = found.length - limit;
    found = found.slice(0, limit);
    metadata.continue = base64url(
      JSON.stringify({ v: 'meta.k8s.io/v1', rv: version, start: keyFor(found.at(-1) as ApiObject) }),
    );
    if (filter.all) metadata.remainingItemCount = rest;
  }
  const seen = resource.view ? found.map(resource.view.read) : found;
  return shaper.list(seen, metadata);
}
const keyFor = (o: ApiObject): string =>
  o.metadata.namespace ? `${o.metadata.namespace}/${o.metadata.name}` : o.metadata.name;

function readToken(token: string): { rv: number; start: string } {
  try {
    const { v, rv, start } = JSON.parse(fromBase64url(token) ?? '') as { v: unknown; rv: unknown; start: unknown };
    if (v === 'meta.k8s.io/v1' && typeof rv === 'number' && typeof start === 'string') return { rv, start };
  } catch {
    // Said below.
  }
  throw badRequest('continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
}

/** upstream: apimachinery pkg/apis/meta/internalversion/validation ValidateListOptions */
function listErrors(o: { asked: string; match: string; token: string; sendInitialEvents: string }): string[] {
  const errors: string[] = [];
  if (o.match) {
    if (o.asked === '')
      errors.push(
        'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      );
    if (o.token)
      errors.push('resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided');
    if (o.match !== 'Exact' && o.match !== 'NotOlderThan')
      errors.push(
        `resourceVersionMatch: Unsupported value: ${JSON.stringify(o.match)}: supported values: "Exact", "NotOlderThan", ""`,
      );
    if (o.match === 'Exact' && o.asked === '0')
      errors.push('resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
  if (o.sendInitialEvents) errors.push('sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list');
  return errors;
}

/** A watch; what goes wrong after its beginning comes as an ERROR event. upstream: storage/cacher */
export function watch(server: ServerCore, resource: Resource, info: RequestInfo, request: ApiRequest): ApiWatch {
  const filter = Filter.of(resource, info, request);
  const shaper = new Shaper(resource, request, () => server.nowMillis());
  const asked = param(request, 'resourceVersion');
  const version = asked ? versionNumber(asked) : 0;
  const initial = param(request, 'sendInitialEvents');
  const bookmarks = flag(request, 'allowWatchBookmarks');
  const match = param(request, 'resourceVersionMatch');
  const errors: string[] = [];
  if (initial && match !== 'NotOlderThan')
    errors.push(
      match
        ? `resourceVersionMatch: Unsupported value: ${JSON.stringify(match)}: supported values: "NotOlderThan"`
        : 'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    );
  if (!initial && match)
    errors.push(
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    );
  if (errors.length > 0) throw invalid('meta.k8s.io', 'ListOptions', '', errors);
  const seconds = Number(param(request, 'timeoutSeconds') || 0);
  return {
    kind: 'watch',
    code: 200,
    headers: { 'content-type': 'application/json' },
    open(sink) {
      const w = new Watch(server, resource, filter, shaper, bookmarks, sink);
      const timeout = seconds > 0 ? seconds * Second : 30 * Minute + server.random.below(30 * 60) * Second;
      w.begin(version, asked, initial, timeout);
      return () => w.stop();
    },
  };
}

class Watch {
  private over = false;
  private readonly timers: TimerHandle[] = [];
  private unwatch: () => void = () => {};

  constructor(
    private readonly server: ServerCore,
    private readonly resource: Resource,
    private readonly filter: Filter,
    private readonly shaper: Shaper,
    private readonly bookmarks: boolean,
    private readonly sink: WatchSink,
  ) {}

  begin(version: number, asked: string, initial: string, timeout: number): void {
    const { store, kernel } = this.server;
    const name = storageName(this.resource);
    const state = initial ? initial === 'true' || initial === '1' : asked === '' || asked === '0';
    if (state) {
      for (const o of store.list(name, this.filter.namespace)) if (this.filter.takes(o)) this.send('ADDED', o);
      if (initial && this.bookmarks) this.bookmark({ 'k8s.io/initial-events-end': 'true' });
    } else if (version > 0) {
      const missed = store.since(name, version);
      if (!missed) {
        const { status } = expired(`too old resource version: ${version} (${store.oldest(name)})`);
        if (!this.over) this.sink.event({ type: 'ERROR', object: status });
        this.finish();
        return;
      }
      for (const c of missed) this.change(c);
    }
    if (this.over) return;
    this.unwatch = store.watch(name, { change: (c) => this.change(c) });
    this.timers.push(setTimer(kernel, timeout, () => this.finish()));
    if (this.bookmarks) this.beat();
  }
  private beat(): void {
    const { kernel } = this.server;
    const timer = setTimer(kernel, Minute, () => {
      this.timers.splice(this.timers.indexOf(timer), 1);
      this.bookmark();
      if (!this.over) this.beat();
    });
    this.timers.push(timer);
  }
  private bookmark(annotations?: Record<string, string>): void {
    const { resource, server } = this;
    const metadata = {
      resourceVersion: String(server.store.version),
      creationTimestamp: null,
      ...(annotations && { annotations }),
    };
    const object = { kind: resource.kind, apiVersion: groupVersion(resource), metadata };
    const plain = this.shaper.shape.as === 'object';
    // A bookmark's object has no name.
    this.emit({ type: 'BOOKMARK', object: plain ? object : this.shaper.event(object as unknown as ApiObject) });
  }

  private change({ type, object, before }: Change): void {
    const was = before !== null && this.filter.takes(before);
    const is = type !== 'DELETED' && this.filter.takes(object);
    if (is) this.send(was ? 'MODIFIED' : 'ADDED', object);
    else if (was)
      this.send('DELETED', {
        ...(before as ApiObject),
        metadata: { ...(before as ApiObject).metadata, resourceVersion: object.metadata.resourceVersion as string },
      });
  }
  private send(type: 'ADDED' | 'MODIFIED' | 'DELETED', stored: ApiObject): void {
    const { view } = this.resource;
    this.emit({ type, object: this.shaper.event(view ? view.read(stored) : stored) });
  }
  private emit(event: ApiWatchEvent): void {
    if (this.over) return;
    if (!this.sink.event(event)) this.finish();
  }
  private finish(): void {
    if (this.over) return;
    this.stop();
    this.sink.end();
  }
  stop(): void {
    this.over = true;
    this.unwatch();
    for (const t of this.timers) t.stop();
    this.timers.length = 0;
  }
}
