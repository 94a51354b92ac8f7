import type { Json } from '@syncloop/core/trace';
import type { Decision } from '../base/types.js';
import { byKey, growing } from './align.js';
import { detail, type Ledger, type Pair, runs, surplus, unitKey } from './ledger.js';
import { divergences } from './scrub.js';

const REMOVALS = new Set(['RemoveContainer', 'RemovePodSandbox', 'RemoveImage']);
/** The garbage collection stops a sandbox once more before it removes it. */
const GC_STOP = 2e6;

export function compareCalls(ledger: Ledger, seen: readonly Decision[], twin: readonly Decision[]): void {
  compareRemovals(ledger, seen, twin);
  const a = withoutGC(ledger, seen);
  const b = withoutGC(ledger, twin);
  // A log does not tell which attempt a call was for.
  const attempts = a.every((d) => d.attempt !== undefined || d.what === 'PullImage');
  const keyOf = (d: Decision) =>
    `${attempts ? unitKey(d) : `${d.what} ${d.container ?? ''}`} ${detail(d, 'image') ?? ''}`;
  const same = (x: Decision, y: Decision) => keyOf(x) === keyOf(y) && failed(x) && failed(y);
  const { pairs, onlyA, onlyB } = byKey(runs(a, same), runs(b, same), ({ first }) => keyOf(first));
  const matched: Pair[] = [];
  for (const [x, y] of pairs) {
    x.all.forEach((d, i) => {
      const other = y.all[i];
      if (other) matched.push({ seen: d, twin: other });
    });
    ledger.skip('retries', ...surplus(x.all, y.all));
  }
  const only = (list: readonly { readonly all: readonly Decision[] }[]) => list.flatMap(({ all }) => all);
  ledger.left(only(onlyA), only(onlyB), { seen: a, twin: b });
  for (const pair of matched) {
    ledger.match(pair.seen, pair.twin);
    compareRequest(ledger, pair);
  }
  compareOrder(ledger, matched);
}

const failed = (d: Decision) => detail(d, 'code') !== undefined;

function compareRequest(ledger: Ledger, { seen, twin }: Pair): void {
  // Without the socket no source says what was asked.
  if (seen.details === undefined && ledger.coverage.call === 'part') return;
  const of = (d: Decision) => {
    const { error: _, ...rest } = (d.details ?? {}) as { readonly [key: string]: Json };
    return rest as Json;
  };
  for (const { path, ...values } of divergences(of(seen), of(twin)))
    if (ledger.isOfVersion(path, values)) ledger.pass('version');
    else ledger.value(seen, twin, path, values);
  if (failed(seen) && failed(twin) && detail(seen, 'error') !== detail(twin, 'error')) ledger.pass('error-words');
}

/** Containers and sandboxes that are removed while their pod lives: whether, not when. */
function compareRemovals(ledger: Ledger, seen: readonly Decision[], twin: readonly Decision[]): void {
  const removals = (list: readonly Decision[]) => list.filter((d) => d.what === 'RemoveContainer' && !failed(d));
  const stopOf = (list: readonly Decision[]) =>
    list.find((d) => d.what === 'StopPodSandbox')?.time ?? Number.POSITIVE_INFINITY;
  const stops = { seen: stopOf(seen), twin: stopOf(twin) };
  const { pairs, onlyA, onlyB } = byKey(removals(seen), removals(twin), unitKey);
  for (const [a, b] of pairs) {
    if (a.time < stops.seen && b.time < stops.twin) ledger.match(a, b);
    else {
      ledger.pass('garbage-collection');
      ledger.leave('garbage-collection', [a, b]);
    }
  }
  // The next garbage collection may make a removal in place of the end of the pod.
  for (const d of onlyA)
    if (d.time < stops.seen - GC_STOP) ledger.missing(d);
    else ledger.skip('garbage-collection', d);
  for (const d of onlyB)
    if (d.time < stops.twin - GC_STOP) ledger.extra(d);
    else ledger.skip('garbage-collection', d);
}

function withoutGC(ledger: Ledger, list: readonly Decision[]): Decision[] {
  const out = [...list];
  for (const d of list) {
    if (d.what !== 'RemovePodSandbox') continue;
    const stops = out.filter((s) => s.what === 'StopPodSandbox' && s.attempt === d.attempt && s.time <= d.time);
    const last = stops.at(-1);
    if (stops.length > 1 && last && d.time - last.time < GC_STOP) {
      out.splice(out.indexOf(last), 1);
      ledger.skip('garbage-collection', last);
    }
  }
  const isRemoval = (d: Decision) => REMOVALS.has(d.what);
  ledger.leave('garbage-collection', out.filter(isRemoval));
  return out.filter((d) => !isRemoval(d));
}

/** The number of calls before and after one that are looked at. */
const BESIDE = 200;

/** Calls come in one order, but for those that were under way together, in either run. */
function compareOrder(ledger: Ledger, pairs: readonly Pair[]): void {
  const list = [...pairs].sort((a, b) => a.seen.time - b.seen.time || a.seen.seq - b.seen.seq);
  const place = new Map(
    [...list].sort((a, b) => a.twin.time - b.twin.time || a.twin.seq - b.twin.seq).map((p, i) => [p, i]),
  );
  const order = list.map((p) => place.get(p) as number);
  const inOrder = growing(order);
  const ends = { seen: endsOf(list, 'seen'), twin: endsOf(list, 'twin') };
  const together = (p: Pair, q: Pair) =>
    (['seen', 'twin'] as const).some(
      (of) => p[of].time <= (ends[of].get(q) as number) && q[of].time <= (ends[of].get(p) as number),
    );
  list.forEach((p, i) => {
    if (inOrder.has(i)) return;
    // The neighbour with which it changed places, other than by chance.
    const from = Math.max(0, i - BESIDE);
    const other = list.slice(from, i + BESIDE).find((q, n) => {
      const k = from + n;
      return k !== i && k < i !== (order[k] as number) < (order[i] as number) && !together(p, q);
    });
    if (other) ledger.order(p.seen, p.twin, other.seen);
    else ledger.pass('call-order');
  });
}

/**
 * Returns the end of each call. A hook belongs to the end of its container: several containers are killed at the same
 * time.
 */
function endsOf(pairs: readonly Pair[], of: 'seen' | 'twin'): Map<Pair, number> {
  const ends = new Map<Pair, number>();
  const stopped = new Map<string, number>();
  for (const p of [...pairs].reverse()) {
    const d = p[of];
    let end = d.time + (d.took ?? 0);
    const key = `${d.container} ${d.attempt}`;
    if (d.what === 'StopContainer') stopped.set(key, end);
    else if (d.what === 'ExecSync') end = Math.max(end, stopped.get(key) ?? 0);
    ends.set(p, end);
  }
  return ends;
}
