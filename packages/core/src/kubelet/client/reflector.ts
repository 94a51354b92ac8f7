import { APIError, type APIErrorReason, errorFromResponse } from '../../api/client/api-error.js';
import type { RestWatch } from '../../api/client/transport.js';
import { messageOf } from '../../base/index.js';
import {
  type Context,
  formatDuration,
  frame,
  type Go,
  type Kernel,
  Millisecond,
  Minute,
  receive,
  recv,
  Second,
  select,
  Ticker,
  Timer,
} from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import { Logger } from '../klog.js';
import type { ListerWatcher } from './kube-client.js';
import { defaultPageSize } from './rest-kube-client.js';

/** upstream: client-go tools/cache/reflector.go */
export const defaultBackoffInit = 800 * Millisecond;
export const defaultBackoffMax = 30 * Second;
export const defaultBackoffReset = 2 * Minute;
export const minWatchTimeout = 5 * Minute;
/** A bookmark with this annotation ends the objects that exist already. upstream: metav1.InitialEventsAnnotationKey */
export const initialEventsEnd = 'k8s.io/initial-events-end';
const bookmarkWarningPeriod = 10 * Second;

/** The store that a reflector fills with the watched objects. upstream: cache.ReflectorStore */
export interface ReflectorStore<T> {
  /** Replaces all items. `version`: the resource version of the list. */
  replace(items: readonly T[], version: string): Go<void>;
  set(item: T, type: 'ADDED' | 'MODIFIED'): Go<void>;
  delete(item: T): Go<void>;
}

interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly resourceVersion?: string };
}

export interface ReflectorOptions<T extends Named> {
  readonly kernel: Kernel;
  readonly listerWatcher: ListerWatcher<T>;
  readonly store: ReflectorStore<T>;
  /** The place in the source that log lines name. */
  readonly name: string;
  /** The type that log lines name: `*v1.Pod`. */
  readonly type: string;
  /** Decodes an item from the wire; throws if it is not a valid one. Default: no decoding. */
  readonly decode?: (value: unknown) => T;
  /** The shortest timeout of a watch; the longest is twice this. Default: 5 to 10 minutes. */
  readonly minWatchTimeout?: Micros;
  /**
   * Streams the existing objects instead of listing them. Default: true. upstream: client-go feature WatchListClient
   */
  readonly useWatchList?: boolean;
}

/** upstream: cache.MetaNamespaceKeyFunc */
export const keyOf = ({ metadata: { name, namespace } }: Named): string => (namespace ? `${namespace}/${name}` : name);

/**
 * Keeps a store equal to the server's objects: lists them, watches for changes, and lists again on errors.
 * upstream: client-go tools/cache Reflector
 */
export class Reflector<T extends Named> {
  private readonly log: Logger;
  private readonly delay: () => Micros;
  /** Resource version of the store's content. */
  private lastSyncResourceVersion = '';
  /** The server does not know that version any more. */
  private unavailable = false;
  private paginated = false;

  constructor(private readonly o: ReflectorOptions<T>) {
    this.log = new Logger(o.kernel, 'reflector.go');
    this.delay = delayWithReset(o.kernel);
  }

  /** Runs until the context ends. upstream: (*Reflector).RunWithContext */
  *run(ctx: Context): Go<void> {
    const { name, type } = this.o;
    this.log.info(3, 'Starting reflector', { type, resyncPeriod: '0s', reflector: name });
    while (!ctx.err()) {
      try {
        yield* frame('ListAndWatch', { type }, () => this.listAndWatch(ctx));
      } catch (err) {
        this.watchError(err);
      }
      if (yield* this.sleep(ctx)) break;
    }
    this.log.info(3, 'Stopping reflector', { type, resyncPeriod: '0s', reflector: name });
  }

  /** upstream: DefaultWatchErrorHandler */
  private watchError(err: unknown): void {
    const { name, type } = this.o;
    if (isExpired(err)) this.log.info(4, 'Watch closed', { reflector: name, type, err: messageOf(err) });
    else this.log.error(err, 'Failed to watch', { logger: 'UnhandledError', reflector: name, type });
  }

  /** The next back-off; true when the context ended meanwhile. */
  private *sleep(ctx: Context): Go<boolean> {
    const timer = new Timer(this.o.kernel, this.delay(), { name: 'reflector backoff' });
    const done = ctx.done();
    if (done) yield* select({ time: recv(timer.c), done: recv(done) });
    else yield* receive(timer.c);
    timer.stop();
    return ctx.err() !== null;
  }

  /** upstream: staging/src/k8s.io/client-go/tools/cache/reflector.go (*Reflector).ListAndWatchWithContext */
  private *listAndWatch(ctx: Context): Go<void> {
    const { name, type } = this.o;
    this.log.info(3, 'Listing and watching', { type, reflector: name });
    let watch: RestWatch | null = null;
    let fallback = this.o.useWatchList === false;
    if (!fallback) {
      try {
        watch = yield* this.watchList(ctx);
        if (!watch) return;
      } catch (err) {
        this.log.info(
          4,
          "Data couldn't be fetched in watchlist mode. Falling back to regular list. This is expected if watchlist is not supported or disabled in kube-apiserver.",
          { err: messageOf(err) },
        );
        fallback = true;
      }
    }
    if (fallback) yield* this.list(ctx);
    if (ctx.err()) {
      watch?.stop();
      return;
    }
    this.log.info(2, 'Caches populated', { type, reflector: name });
    yield* this.watch(ctx, watch);
  }

  private watchTimeout(): number {
    const min = this.o.minWatchTimeout ?? minWatchTimeout;
    return Math.floor((min + this.o.kernel.random.float() * min) / Second);
  }

  /**
   * A stream of all there is, which then goes on as the watch; null when the context ended.
   * upstream: (*Reflector).watchList
   */
  private *watchList(ctx: Context): Go<RestWatch | null> {
    const { listerWatcher, name, type } = this.o;
    while (!ctx.err()) {
      const items = new Map<string, T>();
      let version = '';
      let watch: RestWatch | null = null;
      // Before the request is sent: some proxies hold the head of the answer back until there is an event.
      const start = this.o.kernel.now();
      try {
        watch = yield* listerWatcher.watch(ctx, {
          resourceVersion: this.unavailable ? '' : this.lastSyncResourceVersion,
          timeoutSeconds: this.watchTimeout(),
          sendInitialEvents: true,
        });
        const reading: Reading<T> = {
          initial: true,
          *set(item) {
            items.set(keyOf(item), item);
          },
          *delete(item) {
            items.delete(keyOf(item));
          },
          version(v, beyondAdded) {
            if (beyondAdded) version = v;
          },
        };
        const ended = yield* this.read(ctx, watch, reading, start);
        if (ended === 'stopped') {
          watch.stop();
          return null;
        }
        if (ended === 'closed') {
          watch.stop();
          continue;
        }
      } catch (err) {
        watch?.stop();
        if (isRetriable(err)) {
          this.log.info(2, 'watch-list failed - backing off', { reflector: name, type, err: messageOf(err) });
          if (yield* this.sleep(ctx)) return null;
          continue;
        }
        if (isExpired(err) || isTooLarge(err)) {
          this.unavailable = true;
          continue;
        }
        throw err;
      }
      this.unavailable = false;
      yield* this.o.store.replace([...items.values()], version);
      this.lastSyncResourceVersion = version;
      return watch;
    }
    return null;
  }

  /** upstream: (*Reflector).list */
  private *list(ctx: Context): Go<void> {
    const version = (): string => (this.unavailable ? '' : this.lastSyncResourceVersion || '0');
    const first = version();
    // The server answers a list from its cache without pages.
    const paged = this.paginated || first === '' || first === '0';
    let found: { items: readonly T[]; resourceVersion: string; pages: number };
    try {
      try {
        found = yield* this.pages(ctx, first, paged);
      } catch (err) {
        if (!isExpired(err) && !isTooLarge(err)) throw err;
        this.unavailable = true;
        found = yield* this.pages(ctx, version(), paged);
      }
    } catch (err) {
      const text = `failed to list ${this.o.type}: ${messageOf(err)}`;
      throw err instanceof APIError
        ? new APIError(err.reason, text, err.code, err.details)
        : new Error(text, { cause: err });
    }
    if (first === '0' && found.pages > 1) this.paginated = true;
    this.unavailable = false;
    yield* this.o.store.replace(found.items, found.resourceVersion);
    this.lastSyncResourceVersion = found.resourceVersion;
  }

  /** upstream: client-go tools/pager (*ListPager).ListWithAlloc */
  private *pages(
    ctx: Context,
    resourceVersion: string,
    paged: boolean,
  ): Go<{ items: readonly T[]; resourceVersion: string; pages: number }> {
    const items: T[] = [];
    let more = '';
    for (let pages = 1; ; pages++) {
      let page: { items: readonly T[]; resourceVersion: string; continue: string };
      try {
        page = yield* this.o.listerWatcher.list(ctx, {
          ...(more ? { continue: more } : { resourceVersion }),
          ...(paged && { limit: defaultPageSize }),
        });
      } catch (err) {
        // The version of the pages has expired: list without pages.
        if (pages === 1 || !isExpired(err)) throw err;
        const all = yield* this.o.listerWatcher.list(ctx, { resourceVersion });
        return { items: all.items.flatMap((i) => this.decode(i)), resourceVersion: all.resourceVersion, pages };
      }
      for (const item of page.items) items.push(...this.decode(item));
      if (!page.continue) return { items, resourceVersion: page.resourceVersion, pages };
      more = page.continue;
    }
  }

  /** Decodes an object; returns none if the server sent nonsense, which is logged. */
  private decode(value: unknown): T[] {
    try {
      const item = this.o.decode ? this.o.decode(value) : (value as T);
      if (typeof item !== 'object' || item === null || typeof item.metadata?.name !== 'string')
        throw new Error('it has no metadata.name');
      return [item];
    } catch (err) {
      this.log.error(err, 'Unable to understand watch event', { logger: 'UnhandledError', reflector: this.o.name });
      return [];
    }
  }

  /** Follows the changes; begins again where it ended as long as that can be done. upstream: (*Reflector).watch */
  private *watch(ctx: Context, given: RestWatch | null): Go<void> {
    const { kernel, listerWatcher, store, name, type } = this.o;
    let watch = given;
    while (!ctx.err()) {
      const start = kernel.now();
      let inOrder = true;
      if (!watch) {
        const resourceVersion = this.lastSyncResourceVersion;
        // Such a watch begins with the present objects, in no order.
        if (resourceVersion === '' || resourceVersion === '0') inOrder = false;
        try {
          watch = yield* listerWatcher.watch(ctx, { resourceVersion, timeoutSeconds: this.watchTimeout() });
        } catch (err) {
          if (!isRetriable(err)) throw err;
          this.log.info(4, 'Watch failed - backing off', { reflector: name, type, err: messageOf(err) });
          if (yield* this.sleep(ctx)) return;
          continue;
        }
      }
      const current: RestWatch = watch;
      watch = null;
      try {
        const reading: Reading<T> = {
          initial: false,
          set: (item, t) => store.set(item, t),
          delete: (item) => store.delete(item),
          version: (v, beyondAdded) => {
            if (inOrder || beyondAdded) this.lastSyncResourceVersion = v;
          },
        };
        yield* this.read(ctx, current, reading, start);
      } catch (err) {
        if (isExpired(err)) this.log.info(4, 'Watch closed', { reflector: name, type, err: messageOf(err) });
        else if (reasonOf(err) === 'TooManyRequests') {
          this.log.info(2, 'Watch returned 429 - backing off', { reflector: name, type });
          if (yield* this.sleep(ctx)) return;
          continue;
        } else this.log.info(0, 'Warning: watch ended with error', { reflector: name, type, err: messageOf(err) });
        return;
      } finally {
        current.stop();
      }
    }
  }

  /** upstream: handleAnyWatch */
  private *read(
    ctx: Context,
    watch: RestWatch,
    into: Reading<T>,
    start: Micros,
  ): Go<'closed' | 'stopped' | 'initial-events-end'> {
    const { kernel, name, type } = this.o;
    const warning = into.initial ? new Ticker(kernel, bookmarkWarningPeriod, { quiet: true }) : null;
    let beyondAdded = false;
    let count = 0;
    let last: Micros | null = null;
    try {
      for (;;) {
        const s = yield* select({
          done: recv(ctx.done()),
          event: recv(watch.events),
          late: recv(warning?.c ?? null),
        });
        if (s.case === 'done') return 'stopped';
        if (s.case === 'late') {
          const err = this.lateBookmark(start, last);
          if (err) this.log.info(0, 'Warning: event bookmark expired', { err });
          continue;
        }
        if (!s.ok) break;
        const { type: change, object } = s.value;
        if (change === 'ERROR') throw errorFromResponse(codeOf(object), object, 'watch', type);
        const meta = metaOf(object);
        const bookmark = change === 'BOOKMARK';
        const [item] = bookmark ? [null] : this.decode(object);
        if (item === undefined) continue;
        if (change !== 'ADDED') beyondAdded = true;
        if (item && (change === 'ADDED' || change === 'MODIFIED')) yield* into.set(item, change);
        else if (item && change === 'DELETED') yield* into.delete(item);
        into.version(meta.resourceVersion ?? '', beyondAdded);
        count++;
        last = kernel.now();
        if (into.initial && bookmark && meta.annotations?.[initialEventsEnd] === 'true') {
          this.log.info(4, 'Exiting watch because received the bookmark that marks the end of initial events stream', {
            reflector: name,
            totalItems: count,
            duration: formatDuration(kernel.now() - start),
          });
          return 'initial-events-end';
        }
      }
    } finally {
      warning?.stop();
    }
    if (kernel.now() - start < Second && count === 0)
      throw new Error(
        `very short watch: ${name}: Unexpected watch close - watch lasted less than a second and no items received`,
      );
    this.log.info(4, 'Watch close', { reflector: name, type, totalItems: count });
    return 'closed';
  }

  /** upstream: (*initialEventsEndBookmarkTicker).produceWarningIfExpired */
  private lateBookmark(start: Micros, last: Micros | null): string | null {
    const { kernel, name } = this.o;
    if (last === null)
      return `${name}: awaiting required bookmark event for initial events stream, no events received for ${formatDuration(kernel.now() - start)}`;
    const since = kernel.now() - last;
    if (since < bookmarkWarningPeriod) return null;
    return `${name}: hasn't received required bookmark event marking the end of initial events stream, received last event ${formatDuration(since)} ago`;
  }
}

/** The consumer of a watch's events. */
interface Reading<T> {
  /** The watch begins with the present objects, and reading ends at the bookmark after them. */
  readonly initial: boolean;
  set(item: T, type: 'ADDED' | 'MODIFIED'): Go<void>;
  delete(item: T): Go<void>;
  /** Takes a resource version. `beyondAdded`: the present objects, which come in no order, are all there. */
  version(version: string, beyondAdded: boolean): void;
}

/**
 * Delays that double up to the longest, each up to twice as long by chance. Whatever happens meanwhile, the first delay
 * that is asked for more than two minutes after the last beginning starts over: a server that stays away is asked in
 * rounds of two minutes, not every 30 to 60 seconds.
 * upstream: apimachinery pkg/util/wait/backoff.go (*backoffManager).Step, of Backoff.DelayWithReset
 */
export function delayWithReset(kernel: Kernel): () => Micros {
  let next = defaultBackoffInit;
  let lastStart = kernel.now();
  return () => {
    if (kernel.now() - lastStart > defaultBackoffReset) {
      next = defaultBackoffInit;
      lastStart = kernel.now();
    }
    const delay = Math.round(next * (1 + kernel.random.float()));
    next = Math.min(defaultBackoffMax, next * 2);
    return delay;
  };
}

const codeOf = (status: unknown): number => {
  const code = (status as { code?: unknown } | null)?.code;
  return typeof code === 'number' ? code : 500;
};

function metaOf(object: unknown): { resourceVersion?: string; annotations?: Record<string, string> } {
  const meta = (object as { metadata?: unknown } | null)?.metadata;
  return typeof meta === 'object' && meta !== null ? meta : {};
}

const reasonOf = (err: unknown): APIErrorReason | null => (err instanceof APIError ? err.reason : null);
/** upstream: isExpiredError */
const isExpired = (err: unknown): boolean => reasonOf(err) === 'Expired' || reasonOf(err) === 'Gone';
/** upstream: isTooLargeResourceVersionError */
const isTooLarge = (err: unknown): boolean =>
  err instanceof APIError &&
  ((err.details.causes ?? []).some((c) => c.reason === 'ResourceVersionTooLarge') ||
    (err.reason === 'Timeout' && /Too large resource version/.test(err.message)));
/**
 * True if the server is away or has too much to do: the watch can go on later where it was.
 * upstream: isWatchErrorRetriable, apimachinery pkg/util/net IsConnectionRefused
 */
const isRetriable = (err: unknown): boolean =>
  reasonOf(err) === 'TooManyRequests' ||
  (!(err instanceof APIError) && /connect: connection refused$/.test(causeOf(err)));

/** The text of the innermost error: those around it may quote an earlier attempt. */
const causeOf = (err: unknown): string =>
  err instanceof Error && err.cause !== undefined ? causeOf(err.cause) : messageOf(err);
