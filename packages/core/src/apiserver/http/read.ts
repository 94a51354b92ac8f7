import { base64urlBytes, base64urlEncode, utf8Text } from '../../base/index.js';
import { Minute, Second, type TimerHandle } from '../../kernel/index.js';
import { groupVersion, type Resource, storageName } from '../registry/resource.js';
import { matches, parseFieldSelector, parseLabelSelector, type Requirement } from '../registry/selectors.js';
import { badRequest, expired, invalid, StatusError } from '../status.js';
import { type Change, sizeOf } from '../storage/store.js';
import { setTimer } from '../storage/timers.js';
import type { ApiAnswer, ApiObject, ApiRequest, ApiWatch, ApiWatchEvent, WatchReader, WatchSink } from '../types.js';
import type { ServerCore } from './core.js';
import { Shaper } from './negotiate.js';
import { flag, param, type RequestInfo } from './request-info.js';

/** Selects the objects of a list, a watch or a deletion of many. */
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
    return new Filter(
      resource,
      resource.namespaced ? info.namespace : '',
      parseLabelSelector(param(request, 'labelSelector')),
      parseFieldSelector(param(request, 'fieldSelector'), allowed),
    );
  }
  get all(): boolean {
    return this.labels.length === 0 && this.fields.length === 0;
  }
  /** Returns true if an object, in its stored form, passes the filter. */
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
export function list(server: ServerCore, resource: Resource, info: RequestInfo, request: ApiRequest): ApiAnswer {
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
  let items: readonly ApiObject[] | null;
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
    items = exact ? store.listAt(name, wanted, filter.namespace) : store.listCommitted(name, filter.namespace);
    if (!items) throw expired(`The resourceVersion for the provided list is too old.`);
  }
  const from = after ? items.findIndex((o) => keyFor(o) > after) : 0;
  const rest = from < 0 ? [] : from === 0 ? items : items.slice(from);
  // A list at any version comes whole from the cache, whatever its limit.
  const most = limit > 0 && asked !== '0' ? limit : Number.POSITIVE_INFINITY;
  const metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number } = {
    resourceVersion: String(version),
  };
  /** Yields the objects found, undefined for each that is not wanted. */
  function* found(): Generator<ApiObject | undefined> {
    let taken = 0;
    let last: ApiObject | undefined;
    for (const [i, o] of (rest as readonly ApiObject[]).entries()) {
      if (!filter.takes(o)) {
        yield undefined;
        continue;
      }
      if (taken === most) {
        metadata.continue = base64urlEncode(
          JSON.stringify({ v: 'meta.k8s.io/v1', rv: version, start: keyFor(last as ApiObject) }),
        );
        if (filter.all) metadata.remainingItemCount = (rest as readonly ApiObject[]).length - i;
        return;
      }
      taken++;
      last = o;
      yield resource.view ? resource.view.read(o) : o;
    }
  }
  return {
    kind: 'answer',
    code: 200,
    headers: { 'content-type': 'application/json' },
    get body() {
      const all = [...found()].filter((o) => o !== undefined);
      return shaper.list(all, metadata);
    },
    parts: () => shaper.parts(found(), () => metadata),
  };
}
const keyFor = (o: ApiObject): string =>
  o.metadata.namespace ? `${o.metadata.namespace}/${o.metadata.name}` : o.metadata.name;

function readToken(token: string): { rv: number; start: string } {
  try {
    const { v, rv, start } = JSON.parse(utf8Text(base64urlBytes(token) ?? new Uint8Array())) as {
      v: unknown;
      rv: unknown;
      start: unknown;
    };
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

/** Begins a watch; an error after its beginning comes as an ERROR event. upstream: storage/cacher */
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
      const w = start({
        wake() {},
        maxBehind: Number.POSITIVE_INFINITY,
      });
      return push(w, sink);
    },
    read: (wake, maxBehind) => start({ wake, maxBehind }),
  };
  function start(reading: Reading): Watch {
    const w = new Watch(server, resource, filter, shaper, bookmarks, reading);
    const timeout = seconds > 0 ? seconds * Second : 30 * Minute + server.random.below(30 * 60) * Second;
    w.begin(version, asked, initial, timeout);
    return w;
  }
}

/** Gives the events to a sink as they come. */
function push(w: Watch, sink: WatchSink): () => void {
  let busy = false;
  const give = () => {
    // An event's way out may be the cause of the next one.
    if (busy) return;
    busy = true;
    for (let e = w.take(); e; e = w.take()) {
      if (sink.event(w.shaped(e))) continue;
      w.stop();
      sink.end();
      return;
    }
    busy = false;
    if (w.over && !w.stopped) {
      w.stop();
      sink.end();
    }
  };
  w.reading.wake = give;
  give();
  return () => w.stop();
}

interface Reading {
  wake: () => void;
  readonly maxBehind: number;
}
/** An event that waits: an object as it is stored, or what is sent as it is. */
interface Pending {
  readonly type: ApiWatchEvent['type'];
  readonly stored?: ApiObject;
  readonly object?: unknown;
}

/** Texts of events that several watches send, the newest ones. */
class Encoded {
  private readonly texts = new Map<ApiObject, Map<string, string>>();
  private size = 0;

  get(o: ApiObject, key: string, make: () => string): string {
    let known = this.texts.get(o);
    if (!known) {
      known = new Map();
      this.texts.set(o, known);
    }
    let text = known.get(key);
    if (text === undefined) {
      text = make();
      known.set(key, text);
      this.size += text.length;
      for (const [oldest, all] of this.texts) {
        if (this.size <= mostEncoded || oldest === o) break;
        this.texts.delete(oldest);
        for (const t of all.values()) this.size -= t.length;
      }
    }
    return text;
  }
}
/** Characters of such texts. */
const mostEncoded = 1024 * 1024;
const encodedOf = new WeakMap<ServerCore, Encoded>();

class Watch implements WatchReader {
  /** Nothing more will be queued. */
  over = false;
  stopped = false;
  private readonly timers: TimerHandle[] = [];
  private unwatch: () => void = () => {};
  /** The objects at the start of the watch, converted as they are read. */
  private first: Iterator<Pending> | null = null;
  private queue: Pending[] = [];
  private at = 0;
  /** Bytes of the objects in the queue. They are the store's own, not copies. */
  private behind = 0;

  constructor(
    private readonly server: ServerCore,
    private readonly resource: Resource,
    private readonly filter: Filter,
    private readonly shaper: Shaper,
    private readonly bookmarks: boolean,
    readonly reading: Reading,
  ) {}

  begin(version: number, asked: string, initial: string, timeout: number): void {
    const { store, kernel } = this.server;
    const name = storageName(this.resource);
    const state = initial ? initial === 'true' || initial === '1' : asked === '' || asked === '0';
    if (state) {
      this.first = this.state(store.listCommitted(name, this.filter.namespace));
      if (initial && this.bookmarks) this.bookmark({ 'k8s.io/initial-events-end': 'true' });
    } else if (version > 0) {
      const missed = store.since(name, version);
      if (!missed) {
        const { status } = expired(`too old resource version: ${version} (${store.oldest(name)})`);
        this.emit({ type: 'ERROR', object: status });
        this.finish();
        return;
      }
      this.first = this.changes(missed);
    }
    this.unwatch = store.watch(name, {
      change: (c) => {
        const pending = this.pending(c);
        if (pending) this.emit(pending);
      },
    });
    this.timers.push(setTimer(kernel, timeout, () => this.finish()));
    if (this.bookmarks) this.beat();
  }
  private *state(objects: readonly ApiObject[]): Generator<Pending> {
    for (const stored of objects) if (this.filter.takes(stored)) yield { type: 'ADDED', stored };
  }
  private *changes(missed: readonly Change[]): Generator<Pending> {
    for (const c of missed) {
      const pending = this.pending(c);
      if (pending) yield pending;
    }
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

  private pending({ type, object, before }: Change): Pending | null {
    const was = before !== null && this.filter.takes(before);
    const is = type !== 'DELETED' && this.filter.takes(object);
    if (is) return { type: was ? 'MODIFIED' : 'ADDED', stored: object };
    if (!was) return null;
    if (type === 'DELETED') return { type, stored: object };
    const resourceVersion = object.metadata.resourceVersion as string;
    return { type: 'DELETED', stored: { ...before, metadata: { ...before.metadata, resourceVersion } } };
  }
  private emit(pending: Pending): void {
    if (this.over) return;
    this.queue.push(pending);
    if (pending.stored) this.behind += sizeOf(pending.stored);
    // upstream: cacheWatcher, which is ended if its buffer is full
    if (this.behind > this.reading.maxBehind || this.queue.length - this.at > mostBehind) {
      this.finish();
      this.drop();
    }
    this.reading.wake();
  }

  /** The next event as it waits; null: none now. */
  take(): Pending | null {
    if (this.first) {
      const { value, done } = this.first.next();
      if (!done) return value;
      this.first = null;
    }
    const pending = this.queue[this.at];
    if (!pending) return null;
    this.at++;
    if (pending.stored) this.behind -= sizeOf(pending.stored);
    if (this.at === this.queue.length || this.at > 256) {
      this.queue.splice(0, this.at);
      this.at = 0;
    }
    return pending;
  }
  shaped({ type, stored, object }: Pending): ApiWatchEvent {
    if (!stored) return { type, object };
    const { view } = this.resource;
    return { type, object: this.shaper.event(view ? view.read(stored) : stored) };
  }
  next(): string | null {
    const pending = this.take();
    if (!pending) return null;
    const text = () => `${JSON.stringify(this.shaped(pending))}\n`;
    const { key } = this.shaper;
    if (!pending.stored || key === null) return text();
    let encoded = encodedOf.get(this.server);
    if (!encoded) {
      encoded = new Encoded();
      encodedOf.set(this.server, encoded);
    }
    return encoded.get(pending.stored, `${pending.type} ${key}`, text);
  }

  private finish(): void {
    if (this.over) return;
    this.over = true;
    this.unwatch();
    for (const t of this.timers) t.stop();
    this.timers.length = 0;
    this.reading.wake();
  }
  private drop(): void {
    this.first = null;
    this.queue = [];
    this.at = 0;
    this.behind = 0;
  }
  stop(): void {
    this.stopped = true;
    this.reading.wake = () => {};
    this.finish();
    this.drop();
  }
}
/** Events that a watch may be behind. */
const mostBehind = 10_000;
