import type { Json, Micros } from '@syncloop/core/trace';
import { objectOf } from '../base/json.js';
import type { Decision } from '../base/types.js';
import { align } from './align.js';
import type { Ledger } from './ledger.js';
import { RELIST, STABLE } from './rules.js';
import { divergences } from './scrub.js';

interface Shown {
  readonly d: Decision;
  /** How long it stood, with the ones alike that follow it. */
  took: Micros;
  readonly value: Json;
  readonly text: string;
}

/**
 * The statuses that a pod had, whole and in order. A status that lasted so short a time that it may not have been seen
 * may be in one run alone.
 */
export function compareStatuses(ledger: Ledger, seen: readonly Decision[], twin: readonly Decision[]): void {
  const whole = seen.some((d) => 'conditions' in objectOf(d.details));
  const known = new Set(seen.flatMap((d) => Object.keys(objectOf(objectOf(d.details).conditions))));
  const of = (list: readonly Decision[]) =>
    distinct(
      ledger,
      list.map((d) => shown(ledger, d, whole, known)),
    );
  const [all, others] = [of(seen), of(twin)];
  const a = calm(ledger, all, others);
  const b = calm(ledger, others, all);
  // No source reports how often statuses were polled: the smallest gap between two changes shows it.
  const gaps = seen.slice(1).map((d, i) => d.time - (seen[i] as Decision).time);
  const asked = Math.min(1e6, ...gaps.filter((gap) => gap > 0));
  const long = STABLE + RELIST + 2 * asked;
  let i = 0;
  let j = 0;
  for (const [x, y] of [...align(a, b, (p, q) => p.text === q.text), [a.length, b.length] as const]) {
    const between = b.slice(j, y);
    const left = news(ledger, a, i, x).filter((one) => isLong(ledger, one, one.d.time, STABLE));
    const right = news(ledger, b, j, y).filter((one) => isLong(ledger, one, ledger.at(one.d), long));
    const rest = new Set(between);
    for (const one of left) {
      // The most similar status in its place shows where the two runs diverge.
      const other = nearest(one, [...rest]);
      if (!other) {
        ledger.missing(one.d);
        continue;
      }
      rest.delete(other);
      ledger.match(one.d, other.d);
      const apart = divergences(one.value, other.value);
      const [first] = apart;
      if (apart.length > 0 && apart.every((d) => isRemoved(ledger, one.d, d))) ledger.pass('garbage-collection');
      else if (first) ledger.value(one.d, other.d, first.path, { seen: first.seen, twin: first.twin });
    }
    for (const one of right) if (rest.has(one)) ledger.extra(one.d);
    const [p, q] = [a[x], b[y]];
    if (p && q) ledger.match(p.d, q.d);
    i = x + 1;
    j = y + 1;
  }
}

/** True if only one run shows how a container ended before, and the runtime removed that one at about this time. */
function isRemoved(ledger: Ledger, d: Decision, { path, seen, twin }: ReturnType<typeof divergences>[number]): boolean {
  const container = /^containers\.([^.]+)\.lastState$/.exec(path)?.[1];
  if (container === undefined || (seen !== null) === (twin !== null)) return false;
  const near = (at: Micros) => Math.abs(at - d.time) <= RELIST;
  const { removals } = ledger;
  return (
    removals.seen.some((r) => r.container === container && near(r.time)) ||
    removals.twin.some((r) => r.container === container && near(ledger.at(r)))
  );
}

/** The number of statuses that are searched for the one most like another. */
const LOOK = 20;
function nearest(one: Shown, list: readonly Shown[]): Shown | undefined {
  let best: Shown | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const other of list.slice(0, LOOK)) {
    const apart = divergences(one.value, other.value).length;
    if (apart < least) [best, least] = [other, apart];
  }
  return best;
}

/** The statuses from `from` to `to` that say more than the one before them. */
function news(ledger: Ledger, list: readonly Shown[], from: number, to: number): Shown[] {
  const out: Shown[] = [];
  for (let n = from; n < to; n++) {
    const one = list[n] as Shown;
    const before = list[n - 1];
    if (before && isHeldBack(one.value) && withoutBackOff(one.value) === withoutBackOff(before.value))
      ledger.skip('backoff-status', one.d);
    else out.push(one);
  }
  return out;
}

const waitingOf = (container: unknown) => objectOf(objectOf(objectOf(container).state).waiting).reason;
const isHeldBack = (value: Json) =>
  Object.values(objectOf(objectOf(value).containers)).some((one) => waitingOf(one) === 'CrashLoopBackOff');

/** The status before anybody has checked a container that waits to be started again. */
function withoutBackOff(value: Json): string {
  const containers: { [key: string]: Json } = {};
  for (const [name, one] of Object.entries(objectOf(objectOf(value).containers))) {
    const { state, lastState, ...rest } = objectOf(one);
    containers[name] = { ...rest, state: (waitingOf(one) === undefined ? state : lastState) ?? null } as Json;
  }
  return JSON.stringify({ ...objectOf(value), containers });
}

function isLong(ledger: Ledger, { d, took }: Shown, at: number, least: number): boolean {
  // If the PLEG did not report a container that came and went, the status does not show it either.
  const merged = took <= RELIST && ledger.merges.some((merge) => merge >= at - RELIST && merge <= at + took + RELIST);
  if (took >= least && !merged) return true;
  ledger.skip(took >= least ? 'pleg-merged' : 'short-status', d);
  return false;
}

/** Returns the part of a status that is compared: all that a kubelet of the observed version writes. */
function shown(ledger: Ledger, d: Decision, whole: boolean, known: ReadonlySet<string>): Shown {
  const took = d.took ?? 0;
  if (!whole) return { d, took, value: { phase: d.what }, text: d.what };
  const details = objectOf(d.details);
  const conditions: { [key: string]: Json } = {};
  for (const [type, said] of Object.entries(objectOf(details.conditions))) {
    const path = `conditions.${type}`;
    const text = String(said);
    if (!known.has(type) && ledger.isOfVersion(path, { seen: null, twin: text })) ledger.pass('version');
    else if (known.has(type) && ledger.isOfVersion(path, { seen: text, twin: text }))
      conditions[type] = text.replace(/:.*$/s, '');
    else conditions[type] = text;
  }
  const value = { ...details, ...(details.conditions !== undefined && { conditions }) } as Json;
  return { d, took, value, text: JSON.stringify(value) };
}

/**
 * Returns the statuses without those that were so short between two alike ones that the other run need not have seen
 * them: the two become one.
 */
function calm(ledger: Ledger, list: readonly Shown[], other: readonly Shown[]): Shown[] {
  const there = new Set(other.map(({ text }) => text));
  const out: Shown[] = [];
  for (const one of list) {
    const [before, short] = out.slice(-2);
    if (before && short && before.text === one.text && short.took < STABLE && !there.has(short.text)) {
      out.pop();
      before.took = one.d.time + one.took - before.d.time;
      ledger.leave('short-status', [short.d, one.d]);
    } else out.push({ ...one });
  }
  return out;
}

/** Merges neighbours that are alike in their compared part: they differ only by version. */
function distinct(ledger: Ledger, list: readonly Shown[]): Shown[] {
  const out: Shown[] = [];
  for (const one of list) {
    const last = out.at(-1);
    if (last?.text === one.text) {
      last.took += one.took;
      ledger.leave('version', [one.d]);
    } else out.push({ ...one });
  }
  return out;
}
