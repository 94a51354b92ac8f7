import type { Pod } from '../../api/types.js';
import { cmpQuantity, newQuantity } from '../../base/index.js';
import type { Micros } from '../../trace/index.js';
import type { FsStats, MemoryStats, PodStats, Summary } from '../stats/types.js';
import { thresholdWithReclaim } from './thresholds.js';
import {
  type NodeConditionType,
  type Signal,
  type SignalObservation,
  type SignalObservations,
  signals,
  type Threshold,
} from './types.js';

/** Returns a pod's usage; undefined if unknown. upstream: statsFunc */
export type StatsFunc = (pod: Pod) => PodStats | undefined;

/** upstream: cachedStatsFunc */
export function cachedStatsFunc(pods: readonly PodStats[]): StatsFunc {
  const byUID = new Map(pods.map((p) => [p.podRef.uid, p]));
  return (pod) => byUID.get(pod.metadata.uid);
}

function ofMemory(memory: MemoryStats | undefined): SignalObservation | null {
  if (memory?.availableBytes === undefined || memory.workingSetBytes === undefined) return null;
  return {
    available: newQuantity(memory.availableBytes, 'BinarySI'),
    capacity: newQuantity(memory.availableBytes + memory.workingSetBytes, 'BinarySI'),
    time: memory.time,
  };
}

function ofFs(fs: FsStats | undefined, what: 'available' | 'inodesFree'): SignalObservation | null {
  const [available, capacity] =
    what === 'available' ? [fs?.availableBytes, fs?.capacityBytes] : [fs?.inodesFree, fs?.inodes];
  if (!fs || available === undefined || capacity === undefined) return null;
  const format = what === 'available' ? 'BinarySI' : 'DecimalSI';
  return { available: newQuantity(available, format), capacity: newQuantity(capacity, format), time: fs.time };
}

/**
 * Returns the summary's value of each signal; a signal without one is missing. `onMissingPods` is called if the pods'
 * own cgroup has none.
 * upstream: makeSignalObservations (fidelity 3:EV-14)
 */
export function makeSignalObservations(summary: Summary, onMissingPods: (err: Error) => void): SignalObservations {
  const { node } = summary;
  const result = new Map<Signal, SignalObservation>();
  const note = (signal: Signal, observed: SignalObservation | null) => {
    if (observed) result.set(signal, observed);
  };
  note('memory.available', ofMemory(node.memory));
  const pods = node.systemContainers.find((c) => c.name === 'pods');
  if (pods) note('allocatableMemory.available', ofMemory(pods.memory));
  else onMissingPods(new Error('system container "pods" not found in metrics'));
  for (const [name, fs] of [
    ['nodefs', node.fs],
    ['imagefs', node.runtime?.imageFs],
    ['containerfs', node.runtime?.containerFs],
  ] as const) {
    note(`${name}.available`, ofFs(fs, 'available'));
    note(`${name}.inodesFree`, ofFs(fs, 'inodesFree'));
  }
  const { rlimit } = node;
  if (rlimit?.maxpid !== undefined && rlimit.curproc !== undefined)
    note('pid.available', {
      available: newQuantity(rlimit.maxpid - rlimit.curproc, 'DecimalSI'),
      capacity: newQuantity(rlimit.maxpid, 'DecimalSI'),
      time: rlimit.time,
    });
  return result;
}

/**
 * Returns the thresholds whose signal was measured and that hold; `onMissing` is called with each unmeasured signal.
 */
const filterMeasured = (
  thresholds: readonly Threshold[],
  observations: SignalObservations,
  onMissing: (signal: Signal) => void,
  holds: (t: Threshold, observed: SignalObservation) => boolean,
): Threshold[] =>
  thresholds.filter((t) => {
    const observed = observations.get(t.signal);
    if (!observed) onMissing(t.signal);
    return observed !== undefined && holds(t, observed);
  });

/**
 * Returns the thresholds of whose signal strictly less is available; `onMissing` gets each unmeasured signal.
 * upstream: thresholdsMet (fidelity 3:EV-04)
 */
export function thresholdsMet(
  thresholds: readonly Threshold[],
  observations: SignalObservations,
  enforceMinReclaim: boolean,
  onMissing: (signal: Signal) => void = () => {},
): Threshold[] {
  return filterMeasured(
    thresholds,
    observations,
    onMissing,
    (t, { capacity, available }) => cmpQuantity(thresholdWithReclaim(t, capacity, enforceMinReclaim), available) > 0,
  );
}

/** Returns the thresholds whose sample is newer than at the last pass. upstream: thresholdsUpdatedStats */
export function thresholdsUpdatedStats(
  thresholds: readonly Threshold[],
  observations: SignalObservations,
  last: SignalObservations,
  onMissing: (signal: Signal) => void = () => {},
): Threshold[] {
  return filterMeasured(thresholds, observations, onMissing, (t, observed) => {
    const before = last.get(t.signal);
    return !before || observed.time > before.time;
  });
}

/** upstream: thresholdsFirstObservedAt */
export const thresholdsFirstObservedAt = (
  thresholds: readonly Threshold[],
  last: ReadonlyMap<Threshold, Micros>,
  now: Micros,
): Map<Threshold, Micros> => new Map(thresholds.map((t) => [t, last.get(t) ?? now]));

/** upstream: mergeThresholds */
export const mergeThresholds = (a: readonly Threshold[], b: readonly Threshold[]): Threshold[] => [
  ...a,
  ...b.filter((t) => !a.includes(t)),
];

/** upstream: nodeConditions */
export const nodeConditions = (thresholds: readonly Threshold[]): NodeConditionType[] => [
  ...new Set(thresholds.map((t) => signals[t.signal].condition)),
];

const conditionOrder: readonly NodeConditionType[] = ['MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** Returns the time at which each condition was seen last. upstream: nodeConditionsLastObservedAt */
export const nodeConditionsLastObservedAt = (
  conditions: readonly NodeConditionType[],
  last: ReadonlyMap<NodeConditionType, Micros>,
  now: Micros,
): Map<NodeConditionType, Micros> => new Map([...last, ...conditions.map((c) => [c, now] as const)]);

/**
 * Returns the conditions seen less than `period` ago. Upstream's order is that of a Go map; ours is always the same.
 * upstream: nodeConditionsObservedSince (fidelity 3:EV-05)
 */
export const nodeConditionsObservedSince = (
  observedAt: ReadonlyMap<NodeConditionType, Micros>,
  period: Micros,
  now: Micros,
): NodeConditionType[] =>
  conditionOrder.filter((c) => {
    const at = observedAt.get(c);
    return at !== undefined && now - at < period;
  });

const isMemory = (t: Threshold): boolean => signals[t.signal].resource === 'memory';

/** Memory before all else. upstream: byEvictionPriority (fidelity 3:EV-07) */
export const byEvictionPriority = (a: Threshold, b: Threshold): number => Number(isMemory(b)) - Number(isMemory(a));
