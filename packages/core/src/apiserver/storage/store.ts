import type { TimerHandle } from '../../kernel/index.js';
import type { ApiObject } from '../types.js';

/** One change of one object. Objects are never changed once they are stored. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly version: number;
  /** After it; of a deletion the last state, with the version of the deletion. */
  readonly object: ApiObject;
  readonly before: ApiObject | null;
}

/** Told of each change of a resource as it happens. */
export interface Watcher {
  change(change: Change): void;
  /** Set by who opened it. */
  timers?: TimerHandle[];
}

/** `namespace/name`, or the name alone. */
export const keyOf = (namespace: string | undefined, name: string): string =>
  namespace ? `${namespace}/${name}` : name;
const keyOfObject = (o: ApiObject): string => keyOf(o.metadata.namespace, o.metadata.name);

class Table {
  readonly objects = new Map<string, ApiObject>();
  /** The newest changes, oldest first. */
  history: Change[] = [];
  /** Changes up to this version are forgotten. */
  floor = 0;
  readonly watchers = new Set<Watcher>();
  /** Keys in order; null when it is to be made anew. */
  sorted: string[] | null = null;
}

/** All objects in memory, with one version counter over them all, as etcd has. upstream: apiserver pkg/storage */
export class Store {
  private readonly tables = new Map<string, Table>();
  private counter = 1;

  /** `window`: changes per resource that a watch may go back. */
  constructor(private readonly window = 1000) {}

  /** The version of the newest change of anything. */
  get version(): number {
    return this.counter;
  }
  private table(resource: string): Table {
    let table = this.tables.get(resource);
    if (!table) {
      table = new Table();
      this.tables.set(resource, table);
    }
    return table;
  }

  get(resource: string, key: string): ApiObject | undefined {
    return this.tables.get(resource)?.objects.get(key);
  }
  /** In the order of their keys. */
  list(resource: string, namespace = ''): ApiObject[] {
    const table = this.table(resource);
    table.sorted ??= [...table.objects.keys()].sort();
    const prefix = `${namespace}/`;
    const keys = namespace ? table.sorted.filter((k) => k.startsWith(prefix)) : table.sorted;
    return keys.map((k) => table.objects.get(k) as ApiObject);
  }
  /** As it was at a version; null where that is forgotten. */
  listAt(resource: string, version: number, namespace = ''): ApiObject[] | null {
    const table = this.table(resource);
    if (version < table.floor) return null;
    const objects = new Map(table.objects);
    for (const c of [...table.history].reverse()) {
      if (c.version <= version) break;
      if (c.before) objects.set(keyOfObject(c.object), c.before);
      else objects.delete(keyOfObject(c.object));
    }
    return [...objects]
      .filter(([k]) => !namespace || k.startsWith(`${namespace}/`))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, o]) => o);
  }

  /** Stores it under a new version and tells the watchers. Returns what is stored. */
  put(resource: string, object: ApiObject): ApiObject {
    const table = this.table(resource);
    const key = keyOfObject(object);
    const before = table.objects.get(key) ?? null;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.counter) } };
    if (!before) table.sorted = null;
    table.objects.set(key, stored);
    this.record(table, { type: before ? 'MODIFIED' : 'ADDED', version: this.counter, object: stored, before });
    return stored;
  }
  /** Returns its last state, with the version of the deletion; undefined where it is not there. */
  delete(resource: string, key: string): ApiObject | undefined {
    const table = this.table(resource);
    const before = table.objects.get(key);
    if (!before) return undefined;
    table.objects.delete(key);
    table.sorted = null;
    const object = { ...before, metadata: { ...before.metadata, resourceVersion: String(++this.counter) } };
    this.record(table, { type: 'DELETED', version: this.counter, object, before });
    return object;
  }

  private record(table: Table, change: Change): void {
    table.history.push(change);
    if (table.history.length >= this.window * 2) {
      const dropped = table.history.splice(0, table.history.length - this.window);
      table.floor = (dropped.at(-1) as Change).version;
    }
    for (const w of [...table.watchers]) w.change(change);
  }

  /** Changes after a version; null where they are forgotten. */
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
  /** As a compaction does: what was before is forgotten. */
  forget(): void {
    for (const table of this.tables.values()) {
      table.history = [];
      table.floor = this.counter;
    }
  }

  /** Returns the function that ends it. */
  watch(resource: string, watcher: Watcher): () => void {
    const table = this.table(resource);
    table.watchers.add(watcher);
    return () => void table.watchers.delete(watcher);
  }
  /** Objects of all resources, for what looks after owners. */
  *all(): Generator<readonly [resource: string, object: ApiObject]> {
    for (const [resource, table] of this.tables) for (const o of table.objects.values()) yield [resource, o];
  }
}
