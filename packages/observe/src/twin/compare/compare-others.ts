import { countBefore } from '@syncloop/core/base';
import type { Micros } from '@syncloop/core/trace';
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

const isKnown = (d: Decision): boolean => detail(d, 'of') !== 'unknown';
/** The loop ignores events of a pod that has gone; so does a log. */
const isIgnored = (d: Decision): boolean => detail(d, 'ignored') === true;
const STARTED = 'ContainerStarted';

export function comparePleg(ledger: Ledger, seen: readonly Decision[], twin: readonly Decision[]): void {
  const { onlySeen, onlyTwin } = seen.every(isKnown)
    ? matchUnits(ledger, seen, twin)
    : matchUnnamed(ledger, seen, twin);
  // At its start a kubelet removes dead containers while its first relist looks: it may see them, or not.
  const isRemoved = (d: Decision, removals: readonly Decision[]) =>
    d.what === 'ContainerDied' &&
    removals.some((r) => sameUnit(r, d) && Math.abs(r.time - d.time) <= START && r.time <= d.time);
  const { removals } = ledger;
  for (const d of onlySeen)
    if (isIgnored(d)) ledger.skip('not-told', d);
    else if (isRemoved(d, removals.seen)) ledger.skip('garbage-collection', d);
    else ledger.missing(d);
  for (const d of onlyTwin)
    if (isIgnored(d)) ledger.skip('not-told', d);
    else if (isRemoved(d, removals.twin)) ledger.skip('garbage-collection', d);
    else ledger.extra(d);
}

interface Rest {
  readonly onlySeen: readonly Decision[];
  readonly onlyTwin: readonly Decision[];
}

/** Ends by the container that ended. */
const deaths = (list: readonly Decision[]): ReadonlyMap<string, Decision> =>
  new Map(list.filter((d) => d.what === 'ContainerDied').map((d) => [unitKey(d), d]));
const deathOf = (d: Decision, among: ReadonlyMap<string, Decision>): Decision | undefined =>
  among.get(unitKey({ ...d, what: 'ContainerDied' }));
/** A container that started and ended within two relists: its start may have no event of its own. */
const isShort = (d: Decision, here: ReadonlyMap<string, Decision>): boolean => {
  const end = deathOf(d, here);
  return d.what === STARTED && end !== undefined && end.time - d.time <= RELIST;
};

/** Every event says whose it is: each has the counterpart of the same container and attempt. */
function matchUnits(ledger: Ledger, seen: readonly Decision[], twin: readonly Decision[]): Rest {
  const { pairs, onlyA, onlyB } = byKey(seen, twin.filter(isKnown), unitKey);
  for (const [a, b] of pairs) ledger.match(a, b);
  const [diedSeen, diedTwin] = [deaths(seen), deaths(twin)];
  const left = (d: Decision, at: Micros, here: typeof diedSeen, there: typeof diedSeen): boolean => {
    if (isIgnored(d) || !isShort(d, here) || !deathOf(d, there)) return true;
    ledger.merged(d, at);
    return false;
  };
  return {
    onlySeen: onlyA.filter((d) => left(d, d.time, diedSeen, diedTwin)),
    onlyTwin: [...onlyB, ...twin.filter((d) => !isKnown(d))].filter((d) => left(d, ledger.at(d), diedTwin, diedSeen)),
  };
}

/**
 * A log alone does not always report whose event it is, and what it names it does not number: an event stands for the
 * nearest one that it can be.
 */
function matchUnnamed(ledger: Ledger, seen: readonly Decision[], twin: readonly Decision[]): Rest {
  const [diedSeen, diedTwin] = [deaths(seen.filter(isKnown)), deaths(twin)];
  const isBrief = (d: Decision) => detail(d, 'short') === true || isShort(d, diedSeen) || isShort(d, diedTwin);
  const onlySeen = new Set(seen);
  const onlyTwin = new Set(twin);
  for (const named of [true, false]) {
    const mine = [...onlySeen].filter((d) => isKnown(d) === named);
    const theirs = [...onlyTwin].filter((d) => named || !isIgnored(d));
    const pairs = nearest(ledger, mine, theirs, { isBrief, keyOf: named ? nameOf : () => '' });
    for (const [a, b] of pairs) {
      onlySeen.delete(a);
      onlyTwin.delete(b);
      ledger.match(a, b);
    }
  }
  const endsAlone = (list: readonly Decision[], died: ReadonlyMap<string, Decision>) => {
    const started = new Set(list.filter(({ what }) => what === STARTED).map(unitKey));
    return [...died.values()].filter((d) => !started.has(unitKey({ ...d, what: STARTED }))).length;
  };
  /** The number of containers of which only the end has an event, in each run. */
  const merged = {
    seen: endsAlone(seen, diedSeen) + seen.filter((d) => detail(d, 'alone') === true).length,
    twin: endsAlone(twin, diedTwin),
  };
  for (const d of onlySeen)
    if (isBrief(d) && !isIgnored(d) && merged.twin-- > 0) {
      ledger.merged(d, d.time);
      onlySeen.delete(d);
    }
  for (const d of onlyTwin)
    if (isBrief(d) && !isIgnored(d) && merged.seen-- > 0) {
      ledger.merged(d, ledger.at(d));
      onlyTwin.delete(d);
    }
  return { onlySeen: [...onlySeen], onlyTwin: [...onlyTwin] };
}
const nameOf = (d: Decision): string => `${d.container} ${detail(d, 'of')}`;

/** How many of the twin's decisions are weighed for an observed one at once: a crash loop has thousands alike. */
const WEIGHED = 32;

/**
 * Yields pairs of decisions that have the same key, the nearest in time first; those of which one alone may have no
 * counterpart come last.
 */
function* nearest(
  ledger: Ledger,
  seen: readonly Decision[],
  twin: readonly Decision[],
  { isBrief, keyOf }: { isBrief: (d: Decision) => boolean; keyOf: (d: Decision) => string },
): Iterable<readonly [Decision, Decision]> {
  const groupOf = (d: Decision, brief: boolean) => `${d.what} ${brief} ${keyOf(d)}`;
  const grouped = (list: readonly Decision[]) => {
    const groups = new Map<string, Set<Decision>>();
    for (const d of list) {
      const key = groupOf(d, isBrief(d));
      groups.set(key, (groups.get(key) ?? new Set()).add(d));
    }
    return groups;
  };
  const mine = grouped(seen);
  const theirs = grouped([...twin].sort((a, b) => ledger.at(a) - ledger.at(b)));
  for (const odd of [false, true])
    for (const left of mine.values()) {
      const [first] = left;
      const right = first && theirs.get(groupOf(first, isBrief(first) !== odd));
      if (right) yield* nearestOfGroup(ledger, left, right);
    }
}

/** Takes pairs out of two groups, of which `right` is in order of time. */
function* nearestOfGroup(
  ledger: Ledger,
  left: Set<Decision>,
  right: Set<Decision>,
): Iterable<readonly [Decision, Decision]> {
  // Each round pairs what is nearest; whoever lost its counterpart to another one is weighed again.
  for (let paired = true; paired; ) {
    paired = false;
    for (const { a, b } of [...near(ledger, left, [...right])].sort((p, q) => p.far - q.far)) {
      if (!left.has(a) || !right.has(b)) continue;
      left.delete(a);
      right.delete(b);
      paired = true;
      yield [a, b];
    }
  }
}

/** Yields each decision of `left` with the nearest ones of `right`, which is in order of time. */
function* near(
  ledger: Ledger,
  left: Iterable<Decision>,
  right: readonly Decision[],
): Iterable<{ readonly a: Decision; readonly b: Decision; readonly far: number }> {
  const farFrom = (a: Decision, place: number): number => {
    const b = right[place];
    return b ? Math.abs(ledger.at(b) - a.time) : Number.POSITIVE_INFINITY;
  };
  for (const a of left) {
    let after = countBefore(right.length, (i) => ledger.at(right[i] as Decision) < a.time);
    let before = after - 1;
    for (let n = Math.min(WEIGHED, right.length); n > 0; n--) {
      const place = farFrom(a, before) <= farFrom(a, after) ? before-- : after++;
      yield { a, b: right[place] as Decision, far: farFrom(a, place) };
    }
  }
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
