/** Signs of the same trouble at the same object are one problem, with its beginning, its end and its moments. */

import { parseDuration } from '../../base/index.js';
import type { Micros, TraceRecord } from '../../trace/index.js';
import { repeats } from '../findings/innermost.js';
import { errorKind } from '../findings/rules.js';
import type { Moment } from '../findings/types.js';
import { type IncidentKind, kindRows } from './kinds.js';
import type { Sign } from './sign.js';
import type { AffectedPod, EndHow, IncidentFacts } from './types.js';

/** Problems that are kept apart; of more only the number is known. */
const MOST = 2000;
/** Moments, pods and exit codes that are kept of a problem. */
export const MOST_MOMENTS = 64;
const MOST_PODS = 64;
const MOST_SPELLS = 64;
const MOST_FACTS = 24;
/** A trouble that comes back within this time is the same one. */
export const AGAIN: Micros = 30 * 60e6;
/** A report that a trouble is over may have been on its way when the trouble began. */
const LATE: Micros = 2e6;
/** Signs of the same thing within this time count once. */
const SAME: Micros = 1e6;

export interface Problem {
  readonly id: string;
  readonly kind: IncidentKind;
  pod: string;
  uid: string;
  readonly container: string;
  readonly part: string;
  what: string;
  alike: string;
  facts: IncidentFacts;
  count: number;
  begin: Moment;
  last: Moment;
  /** When the opposite was last reported before it began; null: never. */
  readonly goodAt: Micros | null;
  end: { readonly time: Micros; readonly how: EndHow } | null;
  /** Its times, if it came back after it was over; the last one has no end if it goes on. */
  readonly spells: { readonly from: Micros; to: Micros | null }[];
  /** The longest time between two signs, which says for how long silence means nothing. */
  pause: Micros;
  readonly moments: Moment[];
  readonly pods: Map<string, AffectedPod>;
  /** Every sign was concluded. */
  concluded: boolean;
}

export class Problems {
  private readonly open = new Map<string, Problem>();
  private readonly closed: Problem[] = [];
  /** Those that go on, by kind. */
  private readonly going = new Map<IncidentKind, Set<Problem>>();
  /** Those that go on, by the UID and by the name of their pod: a pod that ends looks at its own only. */
  private readonly ofPods = new Map<string, Set<Problem>>();
  /** When troubles of the node were last reported to be over: a line that is read late may be older. */
  private readonly healedAt = new Map<string, Micros>();
  more = 0;

  *all(): Iterable<Problem> {
    yield* this.closed;
    yield* this.open.values();
  }

  add(record: TraceRecord, sign: Sign): void {
    const { scope } = kindRows[sign.kind];
    const here = sign.at ?? { seq: record.seq, time: record.time };
    const container = scope === 'container' ? (sign.container ?? '') : '';
    // Most signs are of health, where nothing is wrong.
    if (sign.healed && sign.part === undefined) {
      if (scope === 'node') this.healedAt.set(`${sign.kind} `, here.time);
      const going = this.going.get(sign.kind);
      if (!going || going.size === 0) return;
      for (const one of scope === 'node' ? going : this.at(sign))
        if (one.kind === sign.kind && isOf(one, scope, sign, container)) this.finish(one, here.time, 'healed');
      return;
    }
    const subject = scope === 'node' ? '' : sign.pod || sign.uid || '';
    const key = [sign.kind, subject, container, sign.part ?? ''].join('|').slice(0, 400);
    if (sign.healed) {
      if (scope === 'node') this.healedAt.set(`${sign.kind} ${sign.part}`, here.time);
      this.finish(this.open.get(key), here.time, 'healed');
      return;
    }
    let problem = this.open.get(key);
    if (problem && isOver(problem, here.time)) {
      this.finish(problem, problem.last.time, 'quiet');
      this.closed.push(problem);
      this.open.delete(key);
      problem = undefined;
    }
    if (!problem) {
      if (this.open.size + this.closed.length >= MOST) {
        this.more++;
        return;
      }
      const good = scope === 'node' ? this.healedAt.get(`${sign.kind} ${sign.part ?? ''}`) : undefined;
      problem = begin(`${key}|${here.seq}`, sign, container, here, record.concluded === true, good ?? null);
      this.open.set(key, problem);
    } else extend(problem, sign, here, record.concluded === true);
    this.goesOnFor(problem);
    const over = this.healedAt.get(`${sign.kind} ${sign.part ?? ''}`);
    if (scope === 'node' && over !== undefined && over > here.time) this.finish(problem, over, 'healed');
    if (sign.pod || sign.uid) note(problem, sign.pod ?? '', sign.uid ?? '');
  }

  /** Ends what goes on at a pod and fits. */
  endAt(pod: Pick<Sign, 'pod' | 'uid'>, fits: (problem: Problem) => boolean, time: Micros, how: EndHow): void {
    for (const problem of this.at(pod)) if (fits(problem)) this.finish(problem, time, how);
  }
  isOpen(kind: IncidentKind): boolean {
    return (this.going.get(kind)?.size ?? 0) > 0;
  }
  /** Ends troubles of these kinds of which nothing was seen for a moment: something shows that they are over. */
  answered(kinds: readonly IncidentKind[], time: Micros): void {
    for (const kind of kinds)
      for (const going of this.going.get(kind) ?? [])
        if (time - going.last.time > LATE) this.finish(going, time, 'healed');
  }
  /** True if a trouble of this kind goes on at this pod. */
  goesOn(kind: IncidentKind, about: Pick<Sign, 'pod' | 'uid'>): boolean {
    for (const going of this.at(about)) if (going.kind === kind) return true;
    return false;
  }
  /** The problems that go on at a pod, by its UID or its name. */
  private at({ pod, uid }: Pick<Sign, 'pod' | 'uid'>): readonly Problem[] {
    if (this.ofPods.size === 0) return [];
    const byUid = uid ? this.ofPods.get(`uid ${uid}`) : undefined;
    const byName = pod ? this.ofPods.get(`pod ${pod}`) : undefined;
    if (!byUid) return byName ? [...byName] : [];
    return byName ? [...new Set([...byUid, ...byName])] : [...byUid];
  }
  private goesOnFor(problem: Problem): void {
    const { kind, uid, pod } = problem;
    setIn(this.going, kind).add(problem);
    if (uid !== '') setIn(this.ofPods, `uid ${uid}`).add(problem);
    if (pod !== '') setIn(this.ofPods, `pod ${pod}`).add(problem);
  }

  private finish(problem: Problem | undefined, time: Micros, how: EndHow): void {
    if (!problem || problem.end !== null) return;
    problem.end = { time, how };
    const spell = problem.spells.at(-1);
    if (spell) spell.to = time;
    this.going.get(problem.kind)?.delete(problem);
    for (const key of [`uid ${problem.uid}`, `pod ${problem.pod}`]) {
      const same = this.ofPods.get(key);
      same?.delete(problem);
      if (same?.size === 0) this.ofPods.delete(key);
    }
  }
}

function setIn<K, T>(map: Map<K, Set<T>>, key: K): Set<T> {
  const set = map.get(key) ?? new Set();
  map.set(key, set);
  return set;
}

const isOf = (p: Problem, scope: string, sign: Sign, container: string): boolean =>
  scope === 'node' ||
  (((p.uid !== '' && p.uid === sign.uid) || (p.pod !== '' && p.pod === sign.pod)) &&
    (container === '' || p.container === container));

/** True if a sign at this time begins another problem: it comes long after, or the kubelet's start lies between. */
function isOver(problem: Problem, time: Micros): boolean {
  const { end, last, kind } = problem;
  if (time - Math.max(last.time, end?.time ?? 0) > Math.max(AGAIN, quietOf(problem))) return true;
  return kindRows[kind].atStart === true && end?.how === 'healed' && time - end.time > SAME;
}

/** The longest that a kubelet waits before it tries something again. */
const LONGEST_WAIT: Micros = 5 * 60e6;

/** How long after its last sign a problem counts as over. */
export function quietOf(problem: Problem): Micros {
  const delay = ofDelay(problem);
  return Math.max(delay ?? kindRows[problem.kind].quiet ?? 5 * 60e6, 3 * Math.min(problem.pause, LONGEST_WAIT));
}
/** The operations of volumes say when they are tried again: silence long after that means that it went well. */
function ofDelay({ kind, facts: { delay } }: Problem): Micros | null {
  const retried = kind === 'volume-mount' || kind === 'config-missing';
  const wait = retried ? (parseDuration(String(delay ?? '')) ?? 0) : 0;
  return wait > 0 ? Math.max(60e6, 3 * wait) : null;
}

function begin(
  id: string,
  sign: Sign,
  container: string,
  here: Moment,
  concluded: boolean,
  goodAt: Micros | null,
): Problem {
  const { kind, pod = '', uid = '', what = '', part = '' } = sign;
  const node = kindRows[kind].scope === 'node';
  return {
    ...{ id, kind, container, part, what, alike: errorKind(what), concluded },
    pod: node ? '' : pod,
    uid: node ? '' : uid,
    facts: sign.facts ?? {},
    count: 1,
    begin: here,
    last: here,
    goodAt: goodAt !== null && goodAt <= here.time ? goodAt : null,
    end: null,
    spells: [{ from: here.time, to: null }],
    pause: 0,
    moments: [here],
    pods: new Map(),
  };
}

function extend(problem: Problem, sign: Sign, here: Moment, concluded: boolean): void {
  if (sign.facts) {
    const names = Object.keys(problem.facts);
    if (names.length < MOST_FACTS) problem.facts = { ...problem.facts, ...sign.facts };
  }
  // The first words about a node say best what it began with; of a pod the last ones say what it is like now. The same
  // words without their end say less.
  const cut = sign.what?.replace(/…$/, '');
  if (
    sign.what &&
    !(cut && problem.what.length > cut.length && (problem.what.startsWith(cut) || sign.what !== cut)) &&
    (problem.what === '' || (kindRows[problem.kind].scope !== 'node' && (!repeats(sign.what) || repeats(problem.what))))
  )
    problem.what = sign.what;
  if (!concluded) problem.concluded = false;
  problem.pod ||= kindRows[problem.kind].scope === 'node' ? '' : (sign.pod ?? '');
  if (problem.end !== null) problem.spells.push({ from: here.time, to: null });
  if (problem.spells.length > MOST_SPELLS) problem.spells.splice(1, 1);
  problem.end = null;
  if (here.time < problem.begin.time) problem.begin = here;
  const since = here.time - problem.last.time;
  if (since < SAME && problem.moments.length > 0 && sign.facts?.exitCode === undefined) return;
  problem.count++;
  problem.pause = Math.max(problem.pause, since);
  if (since >= 0) problem.last = here;
  problem.moments.push(here);
  // The first moments say when it began, the newest what it is now.
  if (problem.moments.length > MOST_MOMENTS) problem.moments.splice(MOST_MOMENTS / 2, 1);
}

function note(problem: Problem, pod: string, uid: string): void {
  const key = pod || uid;
  const known = problem.pods.get(key);
  if (known?.uid) return;
  if (known || problem.pods.size < MOST_PODS) problem.pods.set(key, { pod, uid: uid || (known?.uid ?? '') });
}
