import { detail, type Ledger, type Pair } from './ledger.js';
import { RELIST, RESYNC } from './rules.js';

/** Decisions that come some time after their cause. */
const TIMED = new Set(['RunPodSandbox', 'CreateContainer', 'killContainer', 'StopContainer', 'restart']);
/** The kinds of decisions that another one is timed from. */
const ANCHORS = new Set(['config', 'pleg', 'call', 'restart']);

/**
 * Compares how long after its cause each decision came: it may differ by upstream's jitter, and no more. `pairs` are
 * those of one pod, in the order of the observed run.
 */
export function compareTimes(ledger: Ledger, pairs: readonly Pair[]): void {
  const list = [...pairs].sort((a, b) => a.seen.time - b.seen.time || a.seen.seq - b.seen.seq);
  const waiting = new Map<string, Pair>();
  let anchor: Pair | undefined;
  for (const pair of list) {
    const { seen } = pair;
    const container = seen.container ?? '';
    if (TIMED.has(seen.what) && anchor && !(seen.kind === 'restart' && ledger.coverage.call !== 'none')) {
      const wait = waiting.get(container);
      const back = wait && seen.what === 'CreateContainer' ? wait : undefined;
      compareTime(ledger, pair, back ?? anchor, back !== undefined);
      if (back) waiting.delete(container);
    }
    if (seen.kind === 'restart' && seen.what !== 'restart') {
      if (!waiting.has(container)) waiting.set(container, pair);
    }
    if (ANCHORS.has(seen.kind)) anchor = pair;
  }
}

/** Kinds that make each other happen, and how far apart two have to be for their order to be no matter of clocks. */
const ORDERED = new Set(['config', 'kill', 'call']);
const APART = 1e6;

/**
 * Compares the order of decisions about a container, or its pod, across the kinds: a kill after the operation that
 * asked for it, a call after the kill. Calls among themselves are compared elsewhere.
 */
export function compareAcross(ledger: Ledger, pairs: readonly Pair[]): void {
  const list = pairs.filter(({ seen }) => ORDERED.has(seen.kind) && !/^Remove|^RECONCILE/.test(seen.what));
  list.sort((a, b) => a.seen.time - b.seen.time || a.seen.seq - b.seen.seq);
  /** The twin's last decision before, by container, '' for the pod. */
  const last = new Map<string, Pair>();
  for (const pair of list) {
    const container = pair.seen.container ?? '';
    for (const key of container === '' ? last.keys() : ['', container]) {
      const before = last.get(key);
      if (!before || before.seen.kind === pair.seen.kind) continue;
      const [a, b] = [pair.seen.time - before.seen.time, before.twin.time - pair.twin.time];
      if (a > APART && b > APART) ledger.order(pair.seen, pair.twin, before.seen);
    }
    const latest = last.get(container);
    if (!latest || latest.twin.time < pair.twin.time) last.set(container, pair);
  }
}

const endOf = (d: Pair['seen']) => d.time + (d.kind === 'call' ? (d.took ?? 0) : 0);

function compareTime(ledger: Ledger, { seen, twin }: Pair, after: Pair, backoff: boolean): void {
  const a = Math.max(0, seen.time - endOf(after.seen));
  const b = Math.max(0, twin.time - endOf(after.twin));
  const apart = Math.abs(a - b);
  if (backoff) {
    const delay = detail(after.seen, 'delaySeconds') ?? detail(after.twin, 'delaySeconds');
    const least = (typeof delay === 'number' ? delay * 1e6 : 0) - RELIST;
    const fits = (gap: number) => gap >= least && (typeof delay !== 'number' || gap <= delay * 1e6 + RESYNC);
    if (apart <= RESYNC && fits(a) === fits(b)) {
      if (apart > RELIST) ledger.pass('backoff-time');
    } else ledger.late(seen, twin, a - b);
    return;
  }
  // If only statuses report a restart, no source reports the back-off before it.
  const slack = seen.what === 'restart' ? RESYNC : RELIST;
  // Upstream's jitter makes a wait up to half as long again.
  if (apart <= slack + Math.min(a, b) / 2) {
    if (apart > RELIST / 2) ledger.pass('relist-time');
  } else ledger.late(seen, twin, a - b);
}
