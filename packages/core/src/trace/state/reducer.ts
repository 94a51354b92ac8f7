/**
 * The reducer: what a record changes in the visible state of the node. A function of the records alone, so that a live
 * stream, a recording and a simulation's past all show the same.
 */

import { families } from '../kinds/index.js';
import type { RecordKind, RecordOf, TraceRecord } from '../records.js';
import { reduceConfig } from './config.js';
import { endLoop, type GoroutineView, reduceKernel, wake } from './kernel.js';
import { emptyMap } from './maps.js';
import { endNode, reduceNode } from './node.js';
import { reduceObserved } from './observed.js';
import { endPod, reducePod } from './pods.js';
import { push, RING } from './ring.js';
import { initialRuntime, reduceActual, reduceRuntime } from './runtime.js';
import { endStartup, initialStartup } from './startup.js';
import { initialState, type NodeState } from './state.js';
import { SWEEP_EVERY, sweep } from './sweep.js';

/** Folds a record of one family; `g` is the goroutine that made it. */
type Fold<R> = (state: NodeState, record: R, g: GoroutineView | undefined) => void;
type Families = typeof families;
type KindsOf<F extends keyof Families> = Extract<keyof Families[F], RecordKind>;
/** Each family has its fold, and each fold has every kind of its family: the compiler holds both. */
const folds: { readonly [F in keyof Families]: Fold<RecordOf<KindsOf<F>>> } = {
  kernel: reduceKernel,
  log: (state, record) => {
    if (record.kind === 'kube-event') push(state.events, record, RING.events);
  },
  config: reduceConfig,
  pod: reducePod,
  runtime: reduceRuntime,
  node: reduceNode,
  actual: reduceActual,
  session: (state, record) => {
    if (record.kind !== 'process') return;
    state.processes[record.process] = record.state;
    if (record.state === 'started' || record.state === 'running') {
      state.startedLast = record.process;
      if (record.process === 'kubelet') state.startup = initialStartup();
    } else endProcess(state, record.process);
  },
  observed: reduceObserved,
};
const foldOf = new Map<string, Fold<never>>(
  (Object.keys(families) as (keyof Families)[]).flatMap((family) =>
    Object.keys(families[family]).map((kind): [string, Fold<never>] => [kind, folds[family]]),
  ),
);

/** Folds `record` into `state`, in place. Records come in order; records in a gap are not guessed. */
export function reduce(state: NodeState, record: TraceRecord): void {
  state.seq = record.seq;
  state.time = record.time;
  state.counts.records++;
  const g = record.g === 0 ? undefined : state.goroutines[record.g];
  if (g && record.kind !== 'wait' && g.state !== 'dead') wake(state, g, record.time);
  // A record of a kind that only a newer writer knows changes nothing.
  foldOf.get(record.kind)?.(state, record as never, g);
  const { records, nextSweep = 0 } = state.counts;
  if (records % SWEEP_EVERY === 0 && records >= nextSweep) sweep(state);
}

/** Folds all records, in order. */
export function foldAll(records: Iterable<TraceRecord>, state: NodeState = initialState()): NodeState {
  for (const record of records) reduce(state, record);
  return state;
}

/** Clears all that a process had in memory. */
function endProcess(state: NodeState, process: string): void {
  for (const id of Object.keys(state.channels)) if (state.channels[id]?.process === process) delete state.channels[id];
  if (process !== 'kubelet') return;
  endLoop(state.loop);
  endStartup(state.startup, state.time);
  endNode(state);
  state.sources = emptyMap();
  state.cri.inFlight = emptyMap();
  state.runtime = initialRuntime();
  for (const uid of Object.keys(state.pods)) {
    const pod = state.pods[uid];
    if (pod) endPod(pod);
  }
}
