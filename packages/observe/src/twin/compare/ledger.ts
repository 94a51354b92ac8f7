import type { Json, Micros } from '@syncloop/core/trace';
import type { Coverage, Decision, Difference } from '../base/types.js';
import { END, type Rule, rules } from './rules.js';
import type { Versions } from './versions.js';

/** The operations that the kill of a pod consists of. */
const KILLING = /^(killContainer|StopContainer|StopPodSandbox|ExecSync|FailedPreStopHook|Killing|terminating)$/;

export interface Pair {
  readonly seen: Decision;
  readonly twin: Decision;
}
/** A difference before it has words. `at` is on the observed run's clock. */
export interface Divergence {
  readonly how: Difference['how'];
  readonly seen: Decision | null;
  readonly twin: Decision | null;
  readonly at: Micros;
  readonly path?: string;
  readonly values?: { readonly seen: Json; readonly twin: Json };
  /** For `order`: the decision that it preceded in the observed run, and followed in the twin. */
  readonly other?: Decision;
  /** For `time`: the delay of the real kubelet in microseconds; negative: it was earlier. */
  readonly late?: number;
  chance?: Rule | undefined;
}

/** The state of the comparison of two runs: what agreed, what diverged, what was tolerated. */
export class Ledger {
  readonly pairs: Pair[] = [];
  /** The times at which containers of the compared pod started and ended between two relists. */
  merges: Micros[] = [];
  /** The removals of containers in both runs, of the compared pod. */
  removals: { readonly seen: readonly Decision[]; readonly twin: readonly Decision[] } = { seen: [], twin: [] };
  readonly divergences: Divergence[] = [];
  private readonly used = new Map<Rule, number>();
  /** Decisions that were not compared, each with the first rule that says why. */
  readonly aside = new Map<Decision, Rule>();

  constructor(
    readonly coverage: Coverage,
    /** The observed run's clock at time 0 of the twin. */
    readonly shift: Micros,
    /** The observed clock when the observation ended. */
    readonly until: Micros,
    readonly versions: Versions,
  ) {}

  isOfVersion(path: string, { seen, twin }: { readonly seen: Json; readonly twin: Json }): boolean {
    return this.versions.explain(path, seen === null || twin === null);
  }

  /** The time of the twin's decision on the observed run's clock. */
  at(twin: Decision): Micros {
    return twin.time + this.shift;
  }
  /** A container started and ended between two relists: its effects may not have been observed either. */
  merged(d: Decision, at: Micros): void {
    this.skip('pleg-merged', d);
    this.merges.push(at);
  }

  /** Records a decision of only one run as a divergence, except a second kill, which is left to chance before v1.27. */
  left(
    seen: readonly Decision[],
    twin: readonly Decision[],
    all: { seen: readonly Decision[]; twin: readonly Decision[] },
  ): void {
    const again = (d: Decision, list: readonly Decision[]) =>
      this.versions.maySecondKill &&
      KILLING.test(d.what) &&
      (d.what === 'FailedPreStopHook' || list.some((other) => other.time < d.time && unitKey(other) === unitKey(d)));
    for (const d of seen) again(d, all.seen) ? this.skip('second-kill', d) : this.missing(d);
    for (const d of twin) again(d, all.twin) ? this.skip('second-kill', d) : this.extra(d);
  }

  pass(rule: Rule, times = 1): void {
    if (times > 0) this.used.set(rule, (this.used.get(rule) ?? 0) + times);
  }
  /** Counts the use of a rule for each of these decisions, which are therefore not compared. */
  skip(rule: Rule, ...decisions: readonly Decision[]): void {
    this.pass(rule, decisions.length);
    this.leave(rule, decisions);
  }
  /** Notes why decisions are not compared, if the use of the rule is counted elsewhere. */
  leave(rule: Rule, decisions: readonly Decision[]): void {
    for (const d of decisions) if (!this.aside.has(d)) this.aside.set(d, rule);
  }
  match(seen: Decision, twin: Decision): void {
    this.pairs.push({ seen, twin });
  }
  missing(seen: Decision): void {
    if (seen.time > this.until - END) this.skip('end', seen);
    else this.divergences.push({ how: 'missing', seen, twin: null, at: seen.time });
  }
  extra(twin: Decision): void {
    if (this.coverage[twin.kind] === 'part') this.skip('not-told', twin);
    else if (this.at(twin) > this.until - END) this.skip('end', twin);
    else this.divergences.push({ how: 'extra', seen: null, twin, at: this.at(twin) });
  }
  value(seen: Decision, twin: Decision, path: string, values: { readonly seen: Json; readonly twin: Json }): void {
    this.divergences.push({ how: 'value', seen, twin, at: seen.time, path, values });
  }
  order(seen: Decision, twin: Decision, other: Decision): void {
    this.divergences.push({ how: 'order', seen, twin, at: seen.time, other });
  }
  late(seen: Decision, twin: Decision, late: number): void {
    this.divergences.push({ how: 'time', seen, twin, at: seen.time, late });
  }
  get tolerances(): { rule: Rule; text: (typeof rules)[Rule]; used: number }[] {
    return (Object.keys(rules) as Rule[])
      .filter((rule) => this.used.has(rule))
      .map((rule) => ({ rule, text: rules[rule], used: this.used.get(rule) ?? 0 }));
  }
}

export const unitKey = ({ what, container, attempt }: Decision): string =>
  `${what} ${container ?? ''} ${attempt ?? ''}`;
/** A field of the details of a decision; undefined if it is not known. */
export const detail = (of: Decision, name: string): Json | undefined =>
  (of.details as { readonly [key: string]: Json | undefined } | undefined)?.[name];
/** The rest of the longer one of two lists. */
export const surplus = <T>(a: readonly T[], b: readonly T[]): readonly T[] => [
  ...a.slice(b.length),
  ...b.slice(a.length),
];
/** Runs of equal neighbours, each with how many there are. */
export function runs<T>(list: readonly T[], same: (a: T, b: T) => boolean): { readonly first: T; readonly all: T[] }[] {
  const out: { first: T; all: T[] }[] = [];
  for (const one of list) {
    const last = out.at(-1);
    if (last && same(last.all.at(-1) as T, one)) last.all.push(one);
    else out.push({ first: one, all: [one] });
  }
  return out;
}
