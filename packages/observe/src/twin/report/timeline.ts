/** The timeline of a report: the main events of each pod, together with the differences. */
import type { Seq } from '@syncloop/core/trace';
import type { Decision, Difference, TwinText } from '../base/types.js';
import type { Teller } from './teller.js';
import type { ReportInput, StoryMark, StoryRow } from './types.js';

/** The most rows, and how many of them are kept around each difference. */
const MOST_ROWS = 80;
const BESIDE = 6;

/** Calls that say enough of a pod's life: a container that is created is started as well. */
const CALLS = new Set(['RunPodSandbox', 'StartContainer', 'StopContainer', 'StopPodSandbox']);

interface Item {
  readonly decision: Decision;
  readonly side: 'seen' | 'twin';
  /** On the observed run's clock. */
  readonly time: number;
  readonly difference: Difference | null;
  times: number;
  last: number;
}

/** The rows that are kept, in the order of time, and how many are not. */
export function timelineOf(
  { seen, verdict, scenario, coverage }: ReportInput,
  teller: Teller,
): { readonly rows: readonly StoryRow[]; readonly hidden: number } {
  const bySeen = new Map<Seq, Difference>();
  const differences = verdict.differences.flatMap((one) => [one, ...(one.followers ?? [])]);
  for (const one of differences) if (one.seen) bySeen.set(one.seen.seq, one);
  const items: Item[] = [];
  const add = (side: 'seen' | 'twin', decision: Decision, difference: Difference | null) => {
    const time = side === 'seen' ? decision.time : decision.time + scenario.seenFrom;
    items.push({ decision, side, time, difference, times: 1, last: time });
  };
  for (const decision of seen.decisions) {
    const difference = bySeen.get(decision.seq) ?? null;
    if (difference || tells(decision)) add('seen', decision, difference);
  }
  for (const one of differences) if (!one.seen && one.twin) add('twin', one.twin, one);
  items.sort((a, b) => a.time - b.time);
  const merged = merge(items);
  const kept = choose(merged);
  const compared = new Set(verdict.pairs.map((pair) => pair.seen));
  const rows = kept.map((item): StoryRow => {
    const { decision, side, difference, times, last } = item;
    const mark: StoryMark = difference
      ? difference.how
      : compared.has(decision.seq) || coverage[decision.kind] === 'whole'
        ? 'same'
        : 'open';
    const text: TwinText = teller.tell(side, decision);
    return {
      ...(side === 'seen' ? teller.moment(decision, difference?.twin ?? null) : teller.moment(null, decision)),
      pod: decision.pod,
      kind: decision.kind,
      what: decision.what,
      mark,
      text,
      ...(times > 1 && { times, until: teller.at(last) }),
    };
  });
  return { rows, hidden: merged.length - kept.length };
}

/** The kinds that tell the story to a reader; syncs and statuses follow from them. */
function tells({ kind, what }: Decision): boolean {
  switch (kind) {
    case 'config':
    case 'kill':
    case 'restart':
      return true;
    case 'pleg':
      return what === 'ContainerDied';
    case 'call':
      return CALLS.has(what);
    default:
      return false;
  }
}

/** Merges repetitions of the same event of one container into one row. */
function merge(items: readonly Item[]): Item[] {
  const out: Item[] = [];
  for (const item of items) {
    const last = out.at(-1);
    const { pod, container, kind, what } = item.decision;
    const was = last?.decision;
    if (
      last &&
      was &&
      !last.difference &&
      !item.difference &&
      was.pod === pod &&
      was.container === container &&
      was.kind === kind &&
      was.what === what
    ) {
      last.times += item.times;
      last.last = item.time;
    } else out.push(item);
  }
  return out;
}

/** All items if there are few; else those next to differences, the beginning and the end. */
function choose(items: readonly Item[]): readonly Item[] {
  if (items.length <= MOST_ROWS) return items;
  const kept = new Set<number>();
  const keep = (i: number) => {
    if (i >= 0 && i < items.length && kept.size < MOST_ROWS) kept.add(i);
  };
  const at = items.flatMap(({ difference }, i) => (difference ? [i] : []));
  const first = at[0] ?? Math.floor(items.length / 2);
  for (let i = first - 3 * BESIDE; i <= first + BESIDE; i++) keep(i);
  for (let i = 0; i < BESIDE; i++) keep(i);
  for (let i = items.length - BESIDE; i < items.length; i++) keep(i);
  for (const i of at) keep(i);
  for (let i = 0; kept.size < MOST_ROWS; i++) keep(i);
  return [...kept].sort((a, b) => a - b).map((i) => items[i] as Item);
}
