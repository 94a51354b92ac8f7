/** Groups the differences between two states by their subject. Pure. */
import type { Change, Path } from '@syncloop/core/debug/inspect';
import type { Json, NodeState } from '@syncloop/core/trace';
import type { Selection } from '../../../page/ui-store.js';
import { keyOfChannel } from '../../../run/loop.js';

/** A changed subject, as the page selects it, with its differences. */
export interface Group {
  readonly id: string;
  readonly name: string;
  readonly selection: Selection | null;
  readonly rows: readonly Row[];
}
export interface Row {
  /** The path below the subject: `worker.pending`, `status.conditions[Ready].status`. */
  readonly label: string;
  /** The last field of the path, which decides how values are shown. */
  readonly field: string;
  readonly path: string;
  readonly change: Change;
  /** The values before and after; numbers that refer to something are its name. */
  readonly old?: Json | undefined;
  readonly new?: Json | undefined;
  /** For a list that only grew and shrank: the numbers of elements, in place of single ones. */
  readonly counts?: { readonly added: number; readonly removed: number };
  readonly elements?: readonly Change[];
}

/** Elements of one list that came or went become one row when there are more than this. */
const ELEMENTS = 3;
const ORDER = ['pods', 'containers', 'sandboxes', 'loop', 'channels', 'pleg', 'sources', 'images', 'cri', 'runtime'];

/**
 * Groups differences by their subject, pods first. `parse` reads a path; `after` is the state they lead to, `before`
 * the one they come from, for names of subjects that are gone.
 */
export function groupChanges(
  changes: readonly Change[],
  parse: (path: string) => Path,
  before: NodeState,
  after: NodeState,
): Group[] {
  const groups = new Map<string, { group: Group; top: string; rows: Row[] }>();
  for (const change of changes) {
    const path = parse(change.path);
    const { id, rest, name, selection, top } = thingOf(path, before, after);
    let entry = groups.get(id);
    if (!entry) {
      entry = { group: { id, name, selection, rows: [] }, top, rows: [] };
      groups.set(id, entry);
    }
    entry.rows.push({
      label: labelOf(rest) || name,
      field: fieldOf(path),
      path: change.path,
      change,
      old: spoken(path, change.old, before),
      new: spoken(path, change.new, after),
    });
  }
  const rank = (top: string) => (ORDER.includes(top) ? ORDER.indexOf(top) : ORDER.length);
  return [...groups.values()]
    .sort((a, b) => rank(a.top) - rank(b.top))
    .map(({ group, rows }) => ({ ...group, rows: gather(rows, parse) }));
}

/** Many elements that came to or left one list, as one row. */
function gather(rows: readonly Row[], parse: (path: string) => Path): Row[] {
  const listOf = (row: Row): string => {
    if (row.change.kind === 'changed') return '';
    const path = parse(row.path);
    return typeof path.at(-1) === 'object' ? row.label.replace(/\[[^[]*\]$/, '') : '';
  };
  const by = new Map<string, Row[]>();
  for (const row of rows) {
    const key = listOf(row);
    if (key === '') continue;
    const all = by.get(key);
    if (all) all.push(row);
    else by.set(key, [row]);
  }
  const out: Row[] = [];
  const done = new Set<string>();
  for (const row of rows) {
    const key = listOf(row);
    const all = by.get(key) ?? [];
    if (all.length <= ELEMENTS) {
      out.push(row);
      continue;
    }
    if (done.has(key)) continue;
    done.add(key);
    const added = all.filter((r) => r.change.kind === 'added');
    const newest = added.at(-1) ?? (all.at(-1) as Row);
    const counts = { added: added.length, removed: all.length - added.length };
    out.push({ ...newest, label: key, counts, elements: all.map((r) => r.change) });
  }
  return out;
}

interface Thing {
  readonly id: string;
  readonly top: string;
  readonly name: string;
  readonly selection: Selection | null;
  readonly rest: Path;
}

function thingOf(path: Path, before: NodeState, after: NodeState): Thing {
  const [top, key] = path;
  const id = typeof key === 'string' ? key : '';
  const thing = (name: string, selection: Selection | null): Thing => ({
    id: `${String(top)}/${id}`,
    top: String(top),
    name,
    selection,
    rest: path.slice(2),
  });
  const named = <K extends 'pods' | 'containers' | 'sandboxes' | 'channels' | 'goroutines'>(map: K) =>
    (after[map][id] ?? before[map][id]) as NodeState[K][string] | undefined;
  if (id !== '')
    switch (top) {
      case 'pods':
        return thing(named('pods')?.pod ?? id, { kind: 'pod', uid: id });
      case 'containers':
        return thing(named('containers')?.name ?? id, { kind: 'container', id });
      case 'sandboxes':
        return thing(named('sandboxes')?.pod ?? id, { kind: 'sandbox', id });
      case 'channels': {
        const name = named('channels')?.name ?? id;
        return thing(name, { kind: 'channel', name: keyOfChannel(name) ?? name });
      }
      case 'goroutines':
        return thing(named('goroutines')?.name ?? id, { kind: 'goroutine', id: Number(id) });
    }
  const part = PARTS[String(top)];
  return {
    id: String(top),
    top: String(top),
    name: String(top),
    selection: part ? { kind: 'part', part } : null,
    rest: path.slice(1),
  };
}
const PARTS: Readonly<Record<string, 'loop' | 'pleg' | 'cri' | 'podConfig' | 'images' | undefined>> = {
  loop: 'loop',
  pleg: 'pleg',
  cri: 'cri',
  runtime: 'cri',
  sources: 'podConfig',
  images: 'images',
};

/** A path as people read it: `status.conditions[Ready].status`, `steps[#12]`. */
export function labelOf(path: Path): string {
  let out = '';
  for (const segment of path) {
    if (typeof segment === 'number') out += `[${segment}]`;
    else if (typeof segment === 'object') out += `[${segment.key === 'seq' ? '#' : ''}${shortKey(segment.value)}]`;
    else if (/^[\w$]+$/.test(segment)) out += out === '' ? segment : `.${segment}`;
    else out += `[${shortKey(segment)}]`;
  }
  return out;
}
const shortKey = (value: string | number): string =>
  typeof value === 'string' && value.length > 40 ? `${value.slice(0, 12)}…` : String(value);

function fieldOf(path: Path): string {
  const last = path.findLast((s) => typeof s === 'string');
  return typeof last === 'string' ? last : '';
}

/** Replaces numbers that refer to something by its name: channels that the loop chose, goroutines that wait. */
function spoken(path: Path, value: Json | undefined, state: NodeState): Json | undefined {
  const [top, second, third] = path;
  const each = (name: (n: number) => string) =>
    Array.isArray(value) && value.every((v) => typeof v === 'number')
      ? (value as readonly number[]).map(name)
      : typeof value === 'number'
        ? name(value)
        : value;
  if (top === 'loop' && path.length === 2 && (second === 'chosen' || second === 'ready'))
    return each((n) => state.loop.cases[n] ?? String(n));
  if (top === 'channels' && path.length === 3 && third === 'receivers')
    return each((g) => state.goroutines[g]?.name ?? String(g));
  return value;
}
