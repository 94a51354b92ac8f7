/**
 * An observed run and its twin: the known facts about the run that is not shown, at the moment that corresponds to the
 * one on the screen.
 */
import type { TwinSide } from '@syncloop/core/debug';
import type { Micros, NodeState, PodView, Seq } from '@syncloop/core/trace';
import { create } from 'zustand';

export const factKinds = ['phase', 'worker', 'sandbox', 'container', 'restarts', 'ready'] as const;
/** A fact that both runs may report about a pod, or a container of it. */
export interface Fact {
  readonly what: (typeof factKinds)[number];
  /** '' if it is about the pod. */
  readonly container: string;
  readonly value: string;
}
/** The facts of each pod by `namespace/name`, of its incarnations in their order. */
export type Facts = Readonly<Record<string, readonly (readonly Fact[])[]>>;

export interface Counterpart {
  readonly side: TwinSide;
  readonly seq: Seq;
  readonly time: Micros;
  readonly facts: Facts;
}

/** A difference between both runs, and the decision that only one of them has, or that both have otherwise. */
export interface ShownDifference {
  readonly decision: DecisionPlace;
  /** The record of the run that is shown; null if that run does not have the decision. */
  readonly seq: Seq | null;
  readonly text: { readonly en: string; readonly zh: string };
}
/** The parts of a decision that say where it was made. */
export interface DecisionPlace {
  readonly kind: 'config' | 'pleg' | 'sync' | 'call' | 'kill' | 'restart' | 'status' | 'event';
  readonly what: string;
  /** `namespace/name`; '' if it is about the node. */
  readonly pod: string;
  /** Its number among the pods of that name, counted from 0. */
  readonly incarnation: number;
}

/** The decisions of both runs, for a picture on the clock of the one that is shown. */
export interface PairedRuns {
  /** By side: the record of its own run, and the time. */
  readonly seen: readonly PairedTick[];
  readonly twin: readonly PairedTick[];
  /** Decisions that are the same: their records. */
  readonly pairs: readonly { readonly seen: Seq; readonly twin: Seq }[];
  readonly differences: readonly { readonly side: TwinSide; readonly time: Micros; readonly here: boolean }[];
}
export interface PairedTick {
  readonly seq: Seq;
  readonly time: Micros;
}

export const useCounterpart = create<{
  readonly counterpart: Counterpart | null;
  /** The difference that the user went to last. */
  readonly difference: ShownDifference | null;
  /** Null: there is only one run, or the branch that is shown was not compared yet. */
  readonly paired: PairedRuns | null;
  /** It is laid over the graph. */
  readonly over: boolean;
}>(() => ({ counterpart: null, difference: null, paired: null, over: false }));

interface Statuses {
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
}
interface ContainerStatus {
  readonly name?: string;
  readonly restartCount?: number;
  readonly ready?: boolean;
}

/** Returns the reported facts about a pod; unknown ones are left out. */
export function factsOf(state: NodeState, uid: string): readonly Fact[] {
  const pod = state.pods[uid];
  if (!pod) return [];
  const facts: Fact[] = [];
  const add = (what: Fact['what'], value: string, container = '') => {
    if (value !== '') facts.push({ what, container, value });
  };
  add('phase', pod.phase);
  add('worker', pod.worker?.state ?? '');
  const sandbox = Object.values(state.sandboxes).findLast((s) => s.uid === uid && s.state !== 'removed');
  add('sandbox', sandbox?.state ?? '');
  const containers = new Map<string, NodeState['containers'][string]>();
  for (const c of Object.values(state.containers)) {
    const before = containers.get(c.name);
    if (c.uid === uid && c.state !== 'removed' && c.state !== 'unknown' && (before?.attempt ?? -1) <= c.attempt)
      containers.set(c.name, c);
  }
  for (const [name, c] of containers)
    add('container', c.state === 'exited' && c.exitCode !== null ? `exited (${c.exitCode})` : c.state, name);
  const { containerStatuses = [], initContainerStatuses = [] } = (pod.status ?? {}) as Statuses;
  for (const { name = '', restartCount, ready } of [...initContainerStatuses, ...containerStatuses]) {
    if (restartCount !== undefined) add('restarts', String(restartCount), name);
    if (ready !== undefined) add('ready', String(ready), name);
  }
  return facts;
}

const named = (state: NodeState, pod: string): PodView[] => Object.values(state.pods).filter((p) => p.pod === pod);

export function allFacts(state: NodeState): Facts {
  const facts: Record<string, (readonly Fact[])[]> = {};
  for (const pod of Object.values(state.pods)) {
    const list = facts[pod.pod] ?? [];
    list.push(factsOf(state, pod.uid));
    facts[pod.pod] = list;
  }
  return facts;
}

/** A fact that both runs report, with both values. */
export interface FactPair {
  readonly what: Fact['what'];
  readonly container: string;
  readonly here: string;
  readonly there: string;
}

/** Returns the other run's facts about a pod of the run that is shown. Null if it does not have it. */
function factsThere(state: NodeState, uid: string, facts: Facts): readonly Fact[] | null {
  const pod = state.pods[uid];
  if (!pod) return null;
  const of = facts[pod.pod] ?? [];
  // The newest ones belong together: earlier ones may be unknown.
  const own = named(state, pod.pod);
  const back = own.length - 1 - own.findIndex((p) => p.uid === uid);
  return of[of.length - 1 - back] ?? null;
}

/** Returns both runs' facts about a pod of the run that is shown. Null if the other one does not have it. */
export function factPairs(state: NodeState, uid: string, facts: Facts): readonly FactPair[] | null {
  const there = factsThere(state, uid, facts);
  if (!there) return null;
  return factsOf(state, uid).flatMap(({ what, container, value }) => {
    const other = there.find((f) => f.what === what && f.container === container);
    return other ? [{ what, container, here: value, there: other.value }] : [];
  });
}

/** The containers of a pod that only the other run has. */
export function onlyThere(state: NodeState, uid: string, facts: Facts): readonly Fact[] {
  const here = factsOf(state, uid);
  return (factsThere(state, uid, facts) ?? []).filter(
    ({ what, container }) =>
      what === 'container' && !here.some((f) => f.what === 'container' && f.container === container),
  );
}

/**
 * Counts the values of the run that is shown that differ from the other's. A pod that only one of them has counts as
 * one, and so does a container that only the other has.
 */
export function apartCount(state: NodeState, facts: Facts): number {
  let n = 0;
  for (const { uid, pod, desired } of Object.values(state.pods)) {
    const pairs = factPairs(state, uid, facts);
    if (pairs) n += pairs.filter(({ here, there }) => here !== there).length + onlyThere(state, uid, facts).length;
    else if (desired && !facts[pod]) n++;
  }
  for (const pod of Object.keys(facts)) if (named(state, pod).length === 0) n++;
  return n;
}
