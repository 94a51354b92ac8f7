import { countBefore } from '../../base/index.js';
import type { TimerHandle } from '../../kernel/index.js';
import { sizeJSON } from '../json.js';
import { type StatusError, storageError } from '../status.js';
import type { ApiObject } from '../types.js';
import type { Journal, Kept, StoredChange } from './journal.js';

/** One change of one object. Objects are never changed once they are stored. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly version: number;
  /** The object after the change; for a deletion its last state, with the version of the deletion. */
  readonly object: ApiObject;
  readonly before: ApiObject | null;
}

/** Called for each change of a resource as it happens. */
export interface Watcher {
  change(change: Change): void;
  /** Set by the code that opened the watch. */
  timers?: TimerHandle[];
}

/** `namespace/name`, or the name alone. */
export const keyOf = (namespace: string | undefined, name: string): string =>
  namespace ? `${namespace}/${name}` : name;
const keyOfObject = (o: ApiObject): string => keyOf(o.metadata.namespace, o.metadata.name);

/** The limits of one store, in bytes of its objects as JSON. */
export interface StoreLimits {
  /**
   * The largest size of one object. Default: 1.5 MiB. upstream: etcd --max-request-bytes, which counts the shorter
   * protobuf
   */
  readonly object: number;
  /**
   * The largest size of all objects together. Default: 64 MiB. upstream: etcd --quota-backend-bytes, which is 2 GiB on
   * disk
   */
  readonly quota: number;
  /**
   * On top of the quota, for what keeps the cluster going: nodes, leases, statuses and what deletes. Default: 16 MiB.
   */
  readonly reserve: number;
  /** The largest size of all kept changes, which a watch may replay; the oldest are dropped. Default: 32 MiB. */
  readonly history: number;
  /** The largest size of all events together; the oldest are deleted early. Default: 8 MiB. */
  readonly events: number;
}
/** Written as etcd says it. */
const requestTooLarge = 'etcdserver: request is too large';
const MiB = 1024 * 1024;
export const defaultLimits: StoreLimits = {
  object: 1.5 * MiB,
  quota: 64 * MiB,
  reserve: 16 * MiB,
  history: 32 * MiB,
  events: 8 * MiB,
};

class Table {
  readonly objects = new Map<string, ApiObject>();
  /** Bytes of its objects. */
  size = 0;
  /** The newest changes, oldest first. */
  history: Change[] = [];
  readonly watchers = new Set<Watcher>();
  /** Keys in order; null when it is to be made again. */
  sorted: string[] | null = null;
  /** The lists of each namespace since the last change: many callers share one list. */
  readonly lists = new Map<string, readonly ApiObject[]>();
  /** The committed objects of keys with changes that are not committed yet; null: the object is not there. */
  readonly committed = new Map<string, ApiObject | null>();

  /** Keys of objects that name an owner or have a finalizer: few of many. */
  readonly linked = new Set<string>();

  constructor(
    readonly name: string,
    /** Changes up to this version are forgotten. */
    public floor: number,
  ) {}

  set(key: string, object: ApiObject): void {
    this.objects.set(key, object);
    const { ownerReferences = [], finalizers = [] } = object.metadata;
    if (ownerReferences.length > 0 || finalizers.length > 0) this.linked.add(key);
    else this.linked.delete(key);
  }
  delete(key: string): void {
    this.objects.delete(key);
    this.linked.delete(key);
  }
}
/** A change that the journal has not committed. */
interface Uncommitted {
  readonly table: Table;
  readonly change: Change;
  readonly cause: number;
}
/** A caller that waits until the change of that version is committed. */
interface Waiting {
  readonly version: number;
  readonly cause: number;
  done(error: StatusError | null): void;
}

/** Sizes of stored objects, which never change. */
const sizes = new WeakMap<ApiObject, number>();
/** Bytes of a stored object as JSON. */
export const sizeOf = (stored: ApiObject): number => {
  let size = sizes.get(stored);
  if (size === undefined) {
    size = sizeJSON(stored);
    sizes.set(stored, size);
  }
  return size;
};
/** Returns the bytes that a change alone keeps in memory: those of the state before it, and for a deletion no more. */
const heldBy = ({ before }: Change): number => (before ? sizeOf(before) : 0) + 200;

/** Records the causes of changes, such as a kernel with a trace. */
export interface Causes {
  /** The record that causes what happens now. */
  readonly cause: number;
  /** Runs `fn` as something that this has caused. */
  because(cause: number, fn: () => void): void;
}
const noCauses: Causes = { cause: 0, because: (_cause, fn) => fn() };

/** Options of a store. */
export interface StoreOptions {
  /** The number of changes per resource that a watch may replay. Default: 1000. */
  readonly window?: number | undefined;
  /** Default: {@link defaultLimits}. */
  readonly limits?: StoreLimits | undefined;
  /** Keeps the changes where a restart does not lose them. Default: none, everything is in memory only. */
  readonly journal?: Journal | undefined;
  /** The state that a journal kept from an earlier run. */
  readonly kept?: Kept | undefined;
  /** With a journal: keeps the cause of a change for its later effects. Default: they have no cause. */
  readonly causes?: Causes | undefined;
}

/**
 * All objects in memory, with one version counter over them all, as etcd has. upstream: apiserver pkg/storage
 *
 * With a journal a change is visible at once to the next write, and to readers and watchers only when the journal has
 * committed it. A change that the journal cannot commit is taken back, and nobody outside has seen it.
 */
export class Store {
  private readonly tables = new Map<string, Table>();
  private counter = 1;
  /** The version of the newest change that is committed. */
  private committedVersion = 1;
  private readonly window: number;
  readonly limits: StoreLimits;
  private readonly journal: Journal | null;
  /** Versions up to this one are of an earlier run: a watch cannot begin before it. */
  private readonly beginning: number;
  /** The newest version that was given when changes were taken back last. */
  private aborted: { readonly version: number; readonly error: StatusError } | null = null;
  /** Called when changes were taken back: who wrote them without waiting has to write them again. */
  onAbort: (() => void) | null = null;
  /** Oldest first. */
  private uncommitted: Uncommitted[] = [];
  /** The number of them that the journal has taken. */
  private taken = 0;
  /** Oldest first. */
  private waiting: Waiting[] = [];
  private readonly causes: Causes;

  /** Makes the next version come after this one; a version that is past stays as it is. */
  advance(version: number): void {
    if (!Number.isSafeInteger(version)) return;
    this.counter = Math.max(this.counter, version);
    if (!this.journal) this.committedVersion = this.counter;
  }

  private bytes = 0;
  private remembered = 0;
  private reserveOpen = 0;

  constructor({ window = 1000, limits = defaultLimits, journal, kept, causes = noCauses }: StoreOptions = {}) {
    this.causes = causes;
    this.window = window;
    this.limits = limits;
    this.journal = journal ?? null;
    this.beginning = kept?.version ?? 0;
    if (!kept) return;
    this.counter = Math.max(this.counter, kept.version);
    this.committedVersion = this.counter;
    for (const { resource, key, object } of kept.objects) {
      const table = this.table(resource);
      table.set(key, object);
      this.resize(table, sizeOf(object));
    }
  }

  /** Bytes of all objects, as JSON. */
  get size(): number {
    return this.bytes;
  }
  /** Bytes of one resource's objects. */
  sizeOf(resource: string): number {
    return this.tables.get(resource)?.size ?? 0;
  }
  /** Bytes of what only the history holds. */
  get historySize(): number {
    return this.remembered;
  }
  /** Runs `write` with the reserve open: the cluster's own work must go on when clients have filled the store. */
  withReserve<T>(write: () => T): T {
    this.reserveOpen++;
    try {
      return write();
    } finally {
      this.reserveOpen--;
    }
  }

  /** The version of the newest change of anything that is committed. */
  get version(): number {
    return this.committedVersion;
  }
  private table(resource: string): Table {
    let table = this.tables.get(resource);
    if (!table) {
      table = new Table(resource, this.beginning);
      this.tables.set(resource, table);
    }
    return table;
  }

  /** The newest state, committed or not. The next write builds on it. */
  get(resource: string, key: string): ApiObject | undefined {
    return this.tables.get(resource)?.objects.get(key);
  }
  /** The newest committed state. Readers see this one. */
  getCommitted(resource: string, key: string): ApiObject | undefined {
    const before = this.tables.get(resource)?.committed.get(key);
    return before === undefined ? this.get(resource, key) : (before ?? undefined);
  }
  /** The same of a whole resource, in the order of the keys. */
  listCommitted(resource: string, namespace = ''): readonly ApiObject[] {
    const { committed, objects } = this.table(resource);
    const newest = this.list(resource, namespace);
    if (committed.size === 0) return newest;
    const listed: ApiObject[] = [];
    for (const object of newest) {
      const before = committed.get(keyOfObject(object));
      if (before !== null) listed.push(before ?? object);
    }
    // Objects whose deletion is not committed yet.
    const gone = [...committed].flatMap(([key, object]) =>
      object && !objects.has(key) && isWithin(key, namespace) ? [object] : [],
    );
    return gone.length === 0 ? listed : [...listed, ...gone].sort(byKey);
  }
  /** The newest states, committed or not, in the order of their keys. */
  list(resource: string, namespace = ''): readonly ApiObject[] {
    const table = this.table(resource);
    let listed = table.lists.get(namespace);
    if (!listed) {
      table.sorted ??= [...table.objects.keys()].sort();
      const keys = namespace ? within(table.sorted, namespace) : table.sorted;
      listed = keys.map((k) => table.objects.get(k) as ApiObject);
      // Names of namespaces that are not there cost nothing.
      if (listed.length > 0) table.lists.set(namespace, listed);
    }
    return listed;
  }
  /** The object as it was at a committed version; null if that version is forgotten. */
  listAt(resource: string, version: number, namespace = ''): readonly ApiObject[] | null {
    const table = this.table(resource);
    if (version < table.floor) return null;
    // Pages of a list that nothing has changed since are the list's own.
    if ((table.history.at(-1)?.version ?? 0) <= version) return this.listCommitted(resource, namespace);
    const objects = committedOf(table);
    for (const c of [...table.history].reverse()) {
      if (c.version <= version) break;
      if (c.before) objects.set(keyOfObject(c.object), c.before);
      else objects.delete(keyOfObject(c.object));
    }
    return sortedList(objects, namespace);
  }

  /**
   * Throws if an object has so many parts that it is larger than any may be. Long texts count little: they cost next
   * to nothing until the object is stored, and what is said of them before, such as that a ConfigMap is too long, says
   * more.
   */
  checkSize(object: ApiObject): void {
    if (sizeJSON(object, this.limits.object, 256) > this.limits.object) throw storageError(requestTooLarge);
  }
  /** Throws the 500 of a server on etcd if the object or all of them would be too large. */
  private admit(before: ApiObject | null, stored: ApiObject): void {
    const { object, quota, reserve } = this.limits;
    const size = sizeJSON(stored, object);
    if (size > object) throw storageError(requestTooLarge);
    sizes.set(stored, size);
    const grows = size - (before ? sizeOf(before) : 0);
    if (grows > 0 && this.bytes + grows > quota + (this.reserveOpen > 0 ? reserve : 0))
      throw storageError('etcdserver: mvcc: database space exceeded');
  }

  /**
   * Stores it under a new version and tells the watchers. Returns what is stored. Throws a 500 if there is no room.
   */
  put(resource: string, object: ApiObject): ApiObject {
    const table = this.table(resource);
    const key = keyOfObject(object);
    const before = table.objects.get(key) ?? null;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.counter + 1) } };
    this.admit(before, stored);
    this.counter++;
    if (!before && table.sorted) insert(table.sorted, key);
    table.set(key, stored);
    this.resize(table, sizeOf(stored) - (before ? sizeOf(before) : 0));
    this.changed(table, { type: before ? 'MODIFIED' : 'ADDED', version: this.counter, object: stored, before });
    return stored;
  }
  /** Returns its last state, with the version of the deletion; undefined if it is not there. */
  delete(resource: string, key: string): ApiObject | undefined {
    const table = this.table(resource);
    const before = table.objects.get(key);
    if (!before) return undefined;
    table.delete(key);
    if (table.sorted) withdraw(table.sorted, key);
    this.resize(table, -sizeOf(before));
    const object = { ...before, metadata: { ...before.metadata, resourceVersion: String(++this.counter) } };
    this.changed(table, { type: 'DELETED', version: this.counter, object, before });
    return object;
  }

  private changed(table: Table, change: Change): void {
    if (!this.journal) {
      this.committedVersion = change.version;
      this.record(table, change);
      return;
    }
    const key = keyOfObject(change.object);
    if (!table.committed.has(key)) table.committed.set(key, change.before);
    this.uncommitted.push({ table, change, cause: this.causes.cause });
    this.journal.wake();
  }

  // --- what the journal calls ----------------------------------------------------------------------------------------

  /** The changes that it has not taken yet, oldest first. It answers with {@link commit} or {@link abort}. */
  takeChanges(): readonly StoredChange[] {
    const fresh = this.uncommitted.slice(this.taken);
    this.taken = this.uncommitted.length;
    return fresh.map(({ table, change: { type, version, object } }) => ({
      resource: table.name,
      key: keyOfObject(object),
      version,
      object: type === 'DELETED' ? null : object,
    }));
  }
  /** Commits all changes up to this version: calls the watchers, and answers the requests that waited. */
  commit(version: number): void {
    let count = 0;
    while (count < this.taken && (this.uncommitted[count] as Uncommitted).change.version <= version) count++;
    const done = this.uncommitted.splice(0, count);
    this.taken -= count;
    for (const { table, change, cause } of done) {
      const key = keyOfObject(change.object);
      const now = change.type === 'DELETED' ? null : change.object;
      // The newest change of the object, or others wait behind it.
      if ((table.objects.get(key) ?? null) === now) table.committed.delete(key);
      else table.committed.set(key, now);
      this.committedVersion = change.version;
      this.causes.because(cause, () => this.record(table, change));
    }
    this.answer((w) => w.version <= version, null);
  }
  /**
   * Takes back all changes that are not committed, also those that the journal has not taken: they build on those that
   * it could not keep. Requests that waited for them get a 500 with the message.
   */
  abort(message: string): void {
    for (const { table, change } of this.uncommitted.reverse()) {
      const { before, object, type } = change;
      const key = keyOfObject(object);
      if (before) table.set(key, before);
      else table.delete(key);
      table.sorted = null;
      table.committed.clear();
      this.resize(table, (before ? sizeOf(before) : 0) - (type === 'DELETED' ? 0 : sizeOf(object)));
    }
    this.uncommitted = [];
    this.taken = 0;
    // The counter stays where it is: a version is not given twice.
    const error = storageError(message);
    this.aborted = { version: this.counter, error };
    this.answer(() => true, error);
    this.onAbort?.();
  }

  /** The version of the newest change, committed or not. A write that begins passes it to {@link whenCommitted}. */
  get newest(): number {
    return this.counter;
  }
  /**
   * Calls back when all changes so far are committed, at once if none waits; or with the error to answer if any change
   * after the version `since` was taken back.
   */
  whenCommitted(since: number, done: (error: StatusError | null) => void): void {
    if (this.aborted && this.aborted.version > since) {
      done(this.aborted.error);
      return;
    }
    const last = this.uncommitted.at(-1);
    if (last) this.waiting.push({ version: last.change.version, cause: this.causes.cause, done });
    else done(null);
  }
  private answer(which: (waiter: Waiting) => boolean, error: StatusError | null): void {
    const answered = this.waiting.filter(which);
    this.waiting = this.waiting.filter((w) => !which(w));
    for (const waiter of answered) this.causes.because(waiter.cause, () => waiter.done(error));
  }

  private resize(table: Table, by: number): void {
    table.lists.clear();
    table.size += by;
    this.bytes += by;
  }

  private record(table: Table, change: Change): void {
    table.history.push(change);
    this.remembered += heldBy(change);
    if (table.history.length >= this.window * 2) this.drop(table, table.history.length - this.window);
    while (this.remembered > this.limits.history) {
      // The resource that holds most forgets, by halves: a client that writes much does not end the watches of others.
      let most = table;
      let size = 0;
      for (const t of this.tables.values()) {
        const held = t.history.reduce((n, c) => n + heldBy(c), 0);
        if (held > size) [most, size] = [t, held];
      }
      this.drop(most, Math.ceil(most.history.length / 2));
    }
    for (const w of [...table.watchers]) w.change(change);
  }

  private drop(table: Table, count: number): void {
    const dropped = table.history.splice(0, count);
    for (const c of dropped) this.remembered -= heldBy(c);
    table.floor = (dropped.at(-1) as Change).version;
  }

  /** Changes after a version; null if they are forgotten. */
  since(resource: string, version: number): readonly Change[] | null {
    const table = this.table(resource);
    if (version < table.floor) return null;
    let from = table.history.length;
    while (from > 0 && (table.history[from - 1] as Change).version > version) from--;
    return table.history.slice(from);
  }
  /** The oldest version that a watch of the resource may begin at. */
  oldest(resource: string): number {
    return this.table(resource).floor;
  }
  /** Forgets earlier changes, as a compaction does. */
  forget(): void {
    for (const table of this.tables.values()) {
      table.history = [];
      table.floor = this.version;
    }
    this.remembered = 0;
  }

  /** Returns the function that ends it. */
  watch(resource: string, watcher: Watcher): () => void {
    const table = this.table(resource);
    table.watchers.add(watcher);
    return () => void table.watchers.delete(watcher);
  }
  /** Objects that name an owner or have a finalizer, of all resources. */
  *linked(): Generator<readonly [resource: string, object: ApiObject]> {
    for (const [resource, table] of this.tables)
      for (const key of table.linked) {
        const object = table.objects.get(key);
        if (object) yield [resource, object];
      }
  }
  /** Objects of all resources, for what looks after owners. */
  *all(): Generator<readonly [resource: string, object: ApiObject]> {
    for (const [resource, table] of this.tables) for (const o of table.objects.values()) yield [resource, o];
  }
}

const isWithin = (key: string, namespace: string): boolean => !namespace || key.startsWith(`${namespace}/`);
const byKey = (a: ApiObject, b: ApiObject): number => (keyOfObject(a) < keyOfObject(b) ? -1 : 1);
/** The objects of a table as they are committed. */
function committedOf(table: Table): Map<string, ApiObject> {
  const objects = new Map(table.objects);
  for (const [key, object] of table.committed) {
    if (object) objects.set(key, object);
    else objects.delete(key);
  }
  return objects;
}
/** The objects of one namespace, or of all namespaces, sorted by key. */
const sortedList = (objects: ReadonlyMap<string, ApiObject>, namespace: string): readonly ApiObject[] =>
  [...objects]
    .filter(([k]) => isWithin(k, namespace))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, o]) => o);

/** The place of the first key that is not before this one. */
function placeOf(sorted: readonly string[], key: string): number {
  return countBefore(sorted.length, (i) => (sorted[i] as string) < key);
}
const insert = (sorted: string[], key: string): void => void sorted.splice(placeOf(sorted, key), 0, key);
function withdraw(sorted: string[], key: string): void {
  const at = placeOf(sorted, key);
  if (sorted[at] === key) sorted.splice(at, 1);
}
/** The keys of one namespace. `0` comes next to `/`. */
const within = (sorted: readonly string[], namespace: string): string[] =>
  sorted.slice(placeOf(sorted, `${namespace}/`), placeOf(sorted, `${namespace}0`));
