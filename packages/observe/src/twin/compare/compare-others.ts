import type { Decision } from '../base/types.js';
import { align, byKey } from './align.js';
import { detail, type Ledger, runs, surplus, unitKey } from './ledger.js';
import { RELIST } from './rules.js';

export function compareConfig(ledger: Ledger, seen: readonly Decision[], twin: readonly Decision[]): void {
  const keyOf = (d: Decision) => `${d.what} ${detail(d, 'source') ?? ''}`;
  const mayMerge = new Set(['UPDATE', 'RECONCILE']);
  const merged = (list: readonly Decision[]) => runs(list, (a, b) => keyOf(a) === keyOf(b) && mayMerge.has(a.what));
  const { pairs, onlyA, onlyB } = byKey(merged(seen), merged(twin), ({ first }) => keyOf(first));
  for (const [a, b] of pairs) {
    a.all.forEach((d, i) => {
      const other = b.all[i];
      if (other) ledger.match(d, other);
    });
    ledger.skip('config-merged', ...surplus(a.all, b.all));
  }
  // The API server's echo of the kubelet's own status may arrive alone, or merged with another update.
  const isEcho = (d: Decision) => d.what === 'RECONCILE';
  for (const { all } of onlyA) for (const d of all) isEcho(d) ? ledger.skip('config-merged', d) : ledger.missing(d);
  for (const { all } of onlyB) for (const d of all) isEcho(d) ? ledger.skip('config-merged', d) : ledger.extra(d);
}

/** From the first work of a starting kubelet to the loop's turn at what its first relist saw. */
const START = 500_000;
const sameUnit = (a: Decision, b: Decision): boolean => a.container === b.container && a.attempt === b.attempt;

export function comparePleg(ledger: Ledger, seen: readonly Decision[], twin: readonly Decision[]): void {
  const isKnown = (d: Decision) => detail(d, 'of') !== 'unknown';
  // The loop ignores events of a pod that has gone; so does a log.
  const isIgnored = (d: Decision) => detail(d, 'ignored') === true;
  const known = byKey(seen.filter(isKnown), twin.filter(isKnown), unitKey);
  for (const [a, b] of known.pairs) ledger.match(a, b);
  const died = (list: readonly Decision[]) =>
    new Map(list.filter((d) => d.what === 'ContainerDied').map((d) => [unitKey(d), d]));
  const [diedSeen, diedTwin] = [died(seen), died(twin)];
  const isShort = (d: Decision, here: ReadonlyMap<string, Decision>, there: ReadonlyMap<string, Decision>) => {
    const key = unitKey({ ...d, what: 'ContainerDied' });
    const end = here.get(key);
    return d.what === 'ContainerStarted' && end !== undefined && there.has(key) && end.time - d.time <= RELIST;
  };
  // A log alone does not always report whose event it is: then it stands for the nearest one that is left.
  const onlySeen = [...known.onlyA];
  const onlyTwin = new Set([...known.onlyB, ...twin.filter((d) => !isKnown(d))]);
  for (const d of seen.filter((one) => !isKnown(one))) {
    const like = [...onlyTwin].filter((other) => other.what === d.what && !isIgnored(other));
    // A container that came and went between two relists has no event of its start in one of the runs.
    const far = (other: Decision) =>
      Math.abs(ledger.at(other) - d.time) + (isShort(other, diedTwin, diedSeen) ? Number.MAX_SAFE_INTEGER : 0);
    const [first] = like;
    if (first) {
      const nearest = like.reduce((best, other) => (far(other) < far(best) ? other : best), first);
      onlyTwin.delete(nearest);
      ledger.match(d, nearest);
    } else onlySeen.push(d);
  }
  // At its start a kubelet removes dead containers while its first relist looks: it may see them, or not.
  const isRemoved = (d: Decision, removals: readonly Decision[]) =>
    d.what === 'ContainerDied' &&
    removals.some((r) => sameUnit(r, d) && Math.abs(r.time - d.time) <= START && r.time <= d.time);
  const { removals } = ledger;
  for (const d of onlySeen)
    if (isIgnored(d)) ledger.skip('not-told', d);
    else if (isRemoved(d, removals.seen)) ledger.skip('garbage-collection', d);
    else if (isShort(d, diedSeen, diedTwin)) ledger.merged(d, d.time);
    else ledger.missing(d);
  for (const d of onlyTwin)
    if (isIgnored(d)) ledger.skip('not-told', d);
    else if (isRemoved(d, removals.twin)) ledger.skip('garbage-collection', d);
    else if (isShort(d, diedTwin, diedSeen)) ledger.merged(d, ledger.at(d));
    else ledger.extra(d);
}

export function compareKills(ledger: Ledger, seen: readonly Decision[], twin: readonly Decision[]): void {
  const known = byKey(seen, twin, unitKey);
  // Calls and statuses number containers; where neither is reported, the attempt is only counted by what was seen.
  const { status, call } = ledger.coverage;
  const numbered = status !== 'none' || call === 'whole';
  const rest = byKey(known.onlyA, known.onlyB, ({ what, container }) => `${what} ${container ?? ''}`);
  const { onlyA, onlyB } = numbered ? known : rest;
  for (const [a, b] of numbered ? known.pairs : [...known.pairs, ...rest.pairs]) {
    ledger.match(a, b);
    const [x, y] = [detail(a, 'gracePeriod') ?? null, detail(b, 'gracePeriod') ?? null];
    if (x !== y) ledger.value(a, b, 'gracePeriod', { seen: x, twin: y });
  }
  ledger.left(onlyA, onlyB, { seen, twin });
}

export function compareRestarts(ledger: Ledger, seen: readonly Decision[], twin: readonly Decision[]): void {
  const containers = new Set([...seen, ...twin].map(({ container }) => container));
  for (const container of containers) {
    const of = (list: readonly Decision[], restart: boolean) =>
      list.filter((d) => d.container === container && (d.what === 'restart') === restart);
    const restarts = byKey(of(seen, true), of(twin, true), unitKey);
    for (const [a, b] of restarts.pairs) ledger.match(a, b);
    for (const d of restarts.onlyA) ledger.missing(d);
    for (const d of restarts.onlyB) ledger.extra(d);
    compareBackoffs(ledger, of(seen, false), of(twin, false));
  }
}

/** Each length of a back-off in its order; how often a worker looked while it lasted goes by chance. */
function compareBackoffs(ledger: Ledger, seen: readonly Decision[], twin: readonly Decision[]): void {
  const delay = (d: Decision) => detail(d, 'delaySeconds');
  // A log does not report how long the back-off of an image is.
  const reported = new Set(seen.filter((d) => delay(d) !== undefined).map(({ what }) => what));
  const same = (a: Decision, b: Decision) => a.what === b.what && (!reported.has(a.what) || delay(a) === delay(b));
  const a = runs(seen, same);
  const b = runs(twin, same);
  let i = 0;
  let j = 0;
  for (const [x, y] of [...align(a, b, (p, q) => same(p.first, q.first)), [a.length, b.length] as const]) {
    const left = a.slice(i, x);
    const right = b.slice(j, y);
    for (const [n, run] of left.entries()) {
      const other = right[n];
      if (!other) {
        ledger.missing(run.first);
        continue;
      }
      ledger.match(run.first, other.first);
      if (run.first.what === other.first.what)
        ledger.value(run.first, other.first, 'delaySeconds', {
          seen: delay(run.first) ?? null,
          twin: delay(other.first) ?? null,
        });
      else ledger.value(run.first, other.first, 'what', { seen: run.first.what, twin: other.first.what });
    }
    for (const run of right.slice(left.length)) ledger.extra(run.first);
    for (const { all } of [...left, ...right]) ledger.leave('retries', all.slice(1));
    const [p, q] = [a[x], b[y]];
    if (p && q) {
      ledger.match(p.first, q.first);
      ledger.pass('retries', Math.abs(p.all.length - q.all.length));
      ledger.leave('retries', [...p.all.slice(1), ...q.all.slice(1)]);
    }
    i = x + 1;
    j = y + 1;
  }
}

export function compareEvents(ledger: Ledger, seen: readonly Decision[], twin: readonly Decision[]): void {
  // Kubelets before 1.25 do not say in their log which container an event is about.
  const named = seen.some((d) => d.container !== undefined) || seen.length === 0;
  const keyOf = (d: Decision) => `${detail(d, 'type')} ${d.what} ${named ? (d.container ?? '') : ''}`;
  const { pairs, onlyA, onlyB } = byKey(seen, twin, keyOf);
  for (const [a, b] of pairs) {
    ledger.match(a, b);
    const [x, y] = [detail(a, 'message') ?? null, detail(b, 'message') ?? null];
    if (x !== y) ledger.value(a, b, 'message', { seen: x, twin: y });
  }
  const has = (list: readonly (readonly [Decision, Decision])[]) => new Set(list.map(([a]) => keyOf(a)));
  const both = has(pairs);
  const isRepeat = (d: Decision) => detail(d, 'type') === 'Warning' && both.has(keyOf(d));
  const once = (list: readonly Decision[]) => {
    ledger.skip('event-aggregation', ...list.filter(isRepeat));
    return list.filter((d) => !isRepeat(d));
  };
  ledger.left(once(onlyA), once(onlyB), { seen, twin });
}
