/**
 * Branches of a run as the page shows them: their tree, the differences between two of them, and the ways not taken.
 */
import type { BranchInfo, Change, Comparison, PodOutcome } from '@syncloop/core/debug';
import type { Json, NodeState, TraceRecord } from '@syncloop/core/trace';
import { shortId, shortPod } from '../../../units/text.js';

export interface BranchNode {
  readonly branch: BranchInfo;
  /** Its parent was dropped. */
  readonly orphan: boolean;
  readonly children: readonly BranchNode[];
}

/**
 * Returns the branches below those that they left, in the order of their begin. Those whose parent is gone are at the
 * top.
 */
export function branchTree(branches: readonly BranchInfo[]): readonly BranchNode[] {
  const known = new Set(branches.map((b) => b.id));
  const childrenOf = (parent: number): readonly BranchNode[] =>
    branches.filter((b) => b.parent === parent && b.id > parent).map((b) => nodeOf(b, false));
  const nodeOf = (branch: BranchInfo, orphan: boolean): BranchNode => ({
    branch,
    orphan,
    children: childrenOf(branch.id),
  });
  return branches.filter((b) => !known.has(b.parent) || b.parent >= b.id).map((b) => nodeOf(b, b.parent !== 0));
}

// --- differences ---------------------------------------------------------------------------------------------------

/** The order in which changes interest a reader; all others come last. */
const RANKS = ['pods', 'containers', 'sandboxes', 'images', 'events', 'runtime', 'sources'];
/** Counters and clocks: they differ between any two runs. */
const NOISE =
  /^(seq|time|counts|cri|channels|goroutines|loop)\b|(^|[.\]])(seq|lastSeq|lastTime|lastRelist|relists|since|time|due|newerThan|overwrites|syncs)$|^pods\[[^\]]*\]\.(steps|actions|cache)\b/;

export interface ShownChange {
  readonly path: string;
  readonly kind: Change['kind'];
  readonly old: string;
  readonly new: string;
}
export interface ShownChanges {
  readonly shown: readonly ShownChange[];
  /** The number of important changes that are not shown. */
  readonly more: number;
  /** Counters, clocks and plumbing that are left out. */
  readonly quiet: number;
}

/** The telling ones of many changes, at most `most`, those of pods first. */
export function changesToShow(changes: readonly Change[], names: Names, most = 30): ShownChanges {
  const telling = changes.filter((c) => !NOISE.test(c.path));
  const rank = ({ path }: Change): number => {
    const r = RANKS.indexOf(/^\w+/.exec(path)?.[0] ?? '');
    return r < 0 ? RANKS.length : r;
  };
  const sorted = telling.map((c, i) => ({ c, i, r: rank(c) })).sort((a, b) => a.r - b.r || a.i - b.i);
  return {
    shown: sorted.slice(0, most).map(({ c }) => ({
      path: pathText(c.path, names),
      kind: c.kind,
      old: c.kind === 'added' ? '' : valueText(c.old),
      new: c.kind === 'removed' ? '' : valueText(c.new),
    })),
    more: Math.max(0, sorted.length - most),
    quiet: changes.length - telling.length,
  };
}

/** Names by id, of pods, sandboxes and containers. */
export type Names = ReadonlyMap<string, string>;

export function namesOf(state: NodeState): Names {
  const names = new Map<string, string>();
  for (const { uid, pod } of Object.values(state.pods)) names.set(uid, shortPod(pod));
  for (const { id, pod } of Object.values(state.sandboxes)) names.set(id, shortPod(pod));
  for (const { id, name } of Object.values(state.containers)) names.set(id, name);
  return names;
}

/** `pods["8f…"].phase` with the pod's name instead of its uid. */
export function pathText(path: string, names: Names): string {
  return path.replace(/\["((?:[^"\\]|\\.)*)"\]/g, (_, key: string) => `[${names.get(key) ?? shortId(key)}]`);
}

/** A value in at most 80 characters. */
export function valueText(value: Json | undefined): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

export interface OutcomeRow {
  readonly pod: string;
  readonly ours: PodOutcome | null;
  readonly theirs: PodOutcome | null;
  readonly same: boolean;
}

/** Returns the ends of each pod in both runs: those that differ come first. */
export function outcomeRows([ours, theirs]: Comparison['outcomes']): readonly OutcomeRow[] {
  const pods = [...new Set([...ours, ...theirs].map((o) => o.pod))].sort();
  return pods
    .map((pod) => {
      const a = ours.find((o) => o.pod === pod) ?? null;
      const b = theirs.find((o) => o.pod === pod) ?? null;
      return { pod: shortPod(pod), ours: a, theirs: b, same: JSON.stringify(a) === JSON.stringify(b) };
    })
    .sort((x, y) => Number(x.same) - Number(y.same));
}

// --- the ways not taken --------------------------------------------------------------------------------------------

export interface ReadyCase {
  /** Its position in the select. */
  readonly case: number;
  readonly name: string;
  readonly taken: boolean;
}

/** The cases that were ready at a select; none if it had no choice. */
export function readyCases(record: TraceRecord | undefined, state: NodeState): readonly ReadyCase[] {
  if (record?.kind !== 'select' || record.ready === undefined || record.ready.length < 2) return [];
  return record.ready.map((index) => ({
    case: index,
    name: state.channels[record.cases[index] ?? 0]?.name ?? `case ${index}`,
    taken: index === record.chosen,
  }));
}
