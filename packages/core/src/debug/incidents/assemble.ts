/** Problems become incidents: each goes below what caused it; what remains is a root. */
import type { Micros } from '../../trace/index.js';
import { NEVER_CHECKED } from '../findings/rules.js';
import type { Moment } from '../findings/types.js';
import { causeOf, type Item, ItemIndex } from './causes.js';
import { conclude } from './conclude.js';
import { type KindRow, kindRows, rankOf } from './kinds.js';
import { quietOf } from './problems.js';
import { rejoined } from './same.js';
import { sentenceOf } from './sentences.js';
import type { IncidentState } from './state.js';
import type { AffectedPod, Consequence, Incident, IncidentFacts } from './types.js';
import { workloadOf } from './workload.js';

const RECREATED = 4;
/** A kubelet that starts may have its troubles for this long. */
const START: Micros = 180e6;
/** A trouble that is seen within this time after a start, and then no more for a while, is of the start. */
const FIRST: Micros = 90e6;
/** A run goes on for at least this long after it, so that its silence means something. */
const AFTER: Micros = 8e6;
/** Troubles at the very start may be reported before anything shows that it is one. */
const NEAR: Micros = 10e6;
const MOST_PODS = 50;
const MOST_SEQS = 64;

/** Returns the incidents of a run. `to`: the time of its last record. */
export function assemble(state: IncidentState, to: Micros): Incident[] {
  const all = conclude(state, itemsOf(state, to), to);
  for (const item of all) item.expected = isExpected(item, state, to);
  const items = rejoined(all);
  const index = new ItemIndex(items);
  // Each moment goes to the cause in whose time it lies; a problem with several causes is a consequence of each.
  const roots: { readonly item: Item; readonly of: Item }[] = [];
  const below = new Map<Item, { readonly item: Item; readonly moments: readonly Moment[] }[]>();
  for (const item of items) {
    const shares = new Map<Item | null, Moment[]>();
    for (const moment of item.moments) {
      const cause = causeOf(item, moment, index);
      shares.set(cause, [...(shares.get(cause) ?? []), moment]);
    }
    const own = shares.get(null);
    for (const [cause, moments] of shares)
      if (cause) below.set(cause, [...(below.get(cause) ?? []), { item, moments }]);
    if (!own) continue;
    const caused = item.moments.length - own.length;
    roots.push({ of: item, item: caused === 0 ? item : { ...item, ...cut(item, own, caused) } });
  }
  const incidents = roots.map(({ item, of }) => incidentOf(item, consequencesOf(of, below)));
  return together(incidents).sort(order);
}

function itemsOf(state: IncidentState, to: Micros): Item[] {
  return [...state.problems.all()].map((problem): Item => {
    const quiet = problem.end === null && to - problem.last.time > quietOf(problem);
    return {
      ...problem,
      uid: problem.uid || state.past.uidOf(problem.pod),
      pod: problem.pod || state.past.shownName(problem.uid),
      pods: [...problem.pods.values()].map(({ pod, uid }) => ({
        pod: pod || state.past.shownName(uid),
        uid: uid || state.past.uidOf(pod),
      })),
      end: quiet ? { time: problem.last.time, how: 'quiet' } : problem.end,
      confidence: problem.concluded ? 'concluded' : 'seen',
      expected: false,
    };
  });
}
function cut(item: Item, own: readonly Moment[], caused: number) {
  const begin = own[0] as Moment;
  return { moments: own, begin, last: own.at(-1) as Moment, count: Math.max(own.length, item.count - caused) };
}

function isExpected(item: Item, state: IncidentState, to: Micros): boolean {
  const row = kindRows[item.kind];
  if (item.kind === 'starting') return (item.end?.time ?? to) - item.begin.time < START;
  if (row.weight === 0) return true;
  // A pod of a StatefulSet, or a static pod with another manifest, comes back under its name: in a loop it is wrong.
  if (item.kind === 'pod-recreated') return item.count < RECREATED;
  // Up to v1.13 a kubelet that starts reports that the runtime is down, because it has not asked yet.
  const unasked = item.kind === 'runtime-down' && item.what.replace(/^\[|\]$/g, '') === NEVER_CHECKED;
  if (row.atFirst === true) return ofFirst(item, state);
  if (row.atStart !== true && !unasked) return false;
  const known = state.starts.findLast(({ time }) => time <= item.begin.time + NEAR)?.time;
  const start = known ?? (unasked && item.begin.time - state.begin < NEAR ? state.begin : undefined);
  // A log that begins a moment before may have begun with the start.
  if (start === undefined) return item.end?.how === 'healed' && item.end.time - state.begin < FIRST;
  if (item.begin.time - start > START) return false;
  // It was well since the start: then it is a trouble of its own.
  if (item.goodAt !== null && item.goodAt >= start) return false;
  if (item.end?.how === 'healed') return item.end.time - start < START;
  // No source reports its end, but it was only there at first.
  return item.last.time - start < FIRST && to - item.last.time > AFTER;
}

/** A kubelet that starts has not read all objects yet: what was missing for a moment, and then no more, is of that. */
function ofFirst(item: Item, state: IncidentState): boolean {
  const start = state.starts.findLast(({ time }) => time <= item.begin.time + NEAR)?.time;
  return start !== undefined && item.end !== null && item.end.how !== 'gone' && item.last.time - start < FIRST;
}

function consequencesOf(
  root: Item,
  below: ReadonlyMap<Item, readonly { readonly item: Item; readonly moments: readonly Moment[] }[]>,
): Consequence[] {
  const groups = new Map<
    string,
    { item: Item; from: Item; moments: Moment[]; pods: Map<string, AffectedPod>; count: number }
  >();
  const seen = new Set<Item>([root]);
  const visit = (from: Item) => {
    for (const { item, moments } of below.get(from) ?? []) {
      const key = `${item.kind} ${from.kind}`;
      const known = groups.get(key) ?? { item, from, moments: [] as Moment[], pods: new Map(), count: 0 };
      groups.set(key, known);
      known.moments.push(...moments);
      known.count += moments.length === item.moments.length ? item.count : moments.length;
      for (const pod of podsOf(item)) known.pods.set(pod.pod || pod.uid, pod);
      if (seen.has(item)) continue;
      seen.add(item);
      visit(item);
    }
  };
  visit(root);
  return [...groups.values()]
    .map(({ item, from, moments, pods, count }): Consequence => {
      moments.sort((a, b) => a.seq - b.seq);
      const affected = [...pods.values()].slice(0, MOST_PODS);
      return {
        kind: item.kind,
        from: from.kind,
        text: sentenceOf({ ...item, pods: affected, count }),
        count,
        pods: affected,
        begin: moments[0] as Moment,
        last: moments.at(-1) as Moment,
        seqs: moments.slice(0, MOST_SEQS).map(({ seq }) => seq),
      };
    })
    .sort((a, b) => a.begin.time - b.begin.time || a.begin.seq - b.begin.seq);
}

const podsOf = (item: Item): readonly AffectedPod[] =>
  item.pods.length > 0 ? item.pods : item.pod || item.uid ? [{ pod: item.pod, uid: item.uid }] : [];

function incidentOf(item: Item, consequences: readonly Consequence[]): Incident {
  const pods = new Map<string, AffectedPod>();
  for (const pod of [...podsOf(item), ...consequences.flatMap((c) => c.pods)]) pods.set(pod.pod || pod.uid, pod);
  const { id, kind, confidence, expected, pod, uid, container, what, count, begin, last, end, facts } = item;
  return {
    ...{ id, kind, confidence, expected, pod, uid, container, what, count, begin, last, end, facts },
    text: sentenceOf(item),
    seqs: item.moments.map(({ seq }) => seq),
    pods: [...pods.values()].slice(0, MOST_PODS),
    consequences,
  };
}

/**
 * Incidents with the same error at several pods become one; so do those of a container in the pods of one workload,
 * and those of one kind that were expected.
 */
function together(incidents: readonly Incident[]): Incident[] {
  const groups = new Map<string, Incident[]>();
  for (const one of incidents) {
    const key = groupOf(one);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].map((group) => (group.length === 1 ? (group[0] as Incident) : joined(group)));
}
function groupOf({ id, kind, pod, container, what, facts, expected }: Incident): string {
  const { weight, together, scope } = kindRows[kind] as KindRow;
  if (weight === 0) return kind === 'deadline' || kind === 'force-deleted' ? `alone ${id}` : kind;
  if (together) return `${kind} ${expected} ${alikeAtPods(what, pod)}`;
  if (scope !== 'container' || pod === '') return `alone ${id}`;
  return [kind, expected, workloadOf(pod), container, facts.exitCode, facts.reason, alikeAtPods(what, pod)].join(' ');
}
const alikeAtPods = (what: string, pod: string): string => {
  const name = pod.slice(pod.indexOf('/') + 1);
  return (name.length < 4 ? what : what.replaceAll(name, ''))
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|0x[0-9a-f]+|[0-9a-f]{8,}|(\d+h)?(\d+m)?\d+s\b|\d+/g, '#')
    .slice(0, 160);
};
function joined(group: readonly Incident[]): Incident {
  const first = group.reduce((a, b) => (b.begin.time < a.begin.time ? b : a));
  const last = group.reduce((a, b) => (b.last.time > a.last.time ? b : a));
  const pods = new Map(group.flatMap((one) => one.pods).map((pod) => [pod.pod || pod.uid, pod]));
  const count = group.reduce((sum, one) => sum + one.count, 0);
  const open = group.some((one) => one.end === null);
  const ends = group.flatMap((one) => one.end ?? []).sort((a, b) => b.time - a.time);
  const affected = [...pods.values()].slice(0, MOST_PODS);
  const facts = factsOf(group);
  return {
    ...{ ...first, count, facts },
    last: last.last,
    end: open ? null : (ends[0] ?? null),
    pods: affected,
    seqs: group
      .flatMap((one) => one.seqs)
      .sort((a, b) => a - b)
      .slice(0, MOST_SEQS),
    consequences: group.flatMap((one) => one.consequences).sort((a, b) => a.begin.time - b.begin.time),
    text: sentenceOf({ ...first, count, facts, pods: affected.length > 1 ? affected : [] }),
  };
}

/** The facts of all: what is the same in each, and the sum of what is counted. */
function factsOf(group: readonly Incident[]): IncidentFacts {
  const [{ facts }] = group as [Incident];
  const same = Object.entries(facts).filter(([name, value]) => group.every((one) => one.facts[name] === value));
  const exits = group.reduce((sum, one) => sum + Number(one.facts.exits ?? 0), 0);
  return { ...Object.fromEntries(same), ...(exits > 0 && { exits }) };
}

/** Troubles first; then those that go on; then the graver kind; then the longer one. */
function order(a: Incident, b: Incident): number {
  const weight = (i: Incident) => kindRows[i.kind].weight;
  const goesOn = (i: Incident) => (i.end === null ? 1 : 0);
  return (
    Number(a.expected) - Number(b.expected) ||
    goesOn(b) * (weight(b) > 1 ? 1 : 0) - goesOn(a) * (weight(a) > 1 ? 1 : 0) ||
    weight(b) - weight(a) ||
    (rankOf.get(a.kind) ?? 0) - (rankOf.get(b.kind) ?? 0) ||
    b.last.time - b.begin.time - (a.last.time - a.begin.time) ||
    a.begin.seq - b.begin.seq
  );
}
