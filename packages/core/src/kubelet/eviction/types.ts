import type { Quantity } from '../../base/index.js';
import type { Go } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';

/** The name of a measurement. upstream: pkg/kubelet/eviction/api Signal */
export type Signal =
  | 'memory.available'
  | 'allocatableMemory.available'
  | 'nodefs.available'
  | 'nodefs.inodesFree'
  | 'imagefs.available'
  | 'imagefs.inodesFree'
  | 'containerfs.available'
  | 'containerfs.inodesFree'
  | 'pid.available';

/**
 * Names under which `kubelet_evictions` counts what is not a threshold.
 * upstream: signalEmptyDirFsLimit and its siblings
 */
export type LimitSignal = 'emptydirfs.limit' | 'ephemeralpodfs.limit' | 'ephemeralcontainerfs.limit';

export type NodeConditionType = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure';
/** `inodes` and `pids` are names of the eviction manager's own. */
export type StarvedResource = 'memory' | 'ephemeral-storage' | 'inodes' | 'pids';

/** upstream: helpers.go signalToNodeCondition, signalToResource (fidelity 3:EV-01) */
export const signals: Readonly<Record<Signal, { condition: NodeConditionType; resource: StarvedResource }>> = {
  'memory.available': { condition: 'MemoryPressure', resource: 'memory' },
  'allocatableMemory.available': { condition: 'MemoryPressure', resource: 'memory' },
  'nodefs.available': { condition: 'DiskPressure', resource: 'ephemeral-storage' },
  'nodefs.inodesFree': { condition: 'DiskPressure', resource: 'inodes' },
  'imagefs.available': { condition: 'DiskPressure', resource: 'ephemeral-storage' },
  'imagefs.inodesFree': { condition: 'DiskPressure', resource: 'inodes' },
  'containerfs.available': { condition: 'DiskPressure', resource: 'ephemeral-storage' },
  'containerfs.inodesFree': { condition: 'DiskPressure', resource: 'inodes' },
  'pid.available': { condition: 'PIDPressure', resource: 'pids' },
};

/** An amount, or a part of the whole (0 to 1). upstream: evictionapi.ThresholdValue */
export type ThresholdValue = { readonly quantity: Quantity } | { readonly percentage: number };

/** Met while less than `value` is available. upstream: evictionapi.Threshold */
export interface Threshold {
  readonly signal: Signal;
  readonly value: ThresholdValue;
  /** The time for which it has to be met before anything is done; 0: a hard one. */
  readonly gracePeriod: Micros;
  /** The amount beyond the threshold that has to be reclaimed; null for none. */
  readonly minReclaim: ThresholdValue | null;
}

/** upstream: isHardEvictionThreshold */
export const isHard = (t: Threshold): boolean => t.gracePeriod === 0;

/** upstream: signalObservation */
export interface SignalObservation {
  readonly available: Quantity;
  readonly capacity: Quantity;
  /** The time at which the sample was taken. */
  readonly time: Micros;
}
export type SignalObservations = ReadonlyMap<Signal, SignalObservation>;

/** upstream: eviction.Config */
export interface EvictionConfig {
  readonly pressureTransitionPeriod: Micros;
  readonly maxPodGracePeriodSeconds: number;
  /** Seconds for a pod that has to go at once. upstream: immediateEvictionGracePeriodSeconds */
  readonly immediateGracePeriodSeconds: number;
  /** The message of an eviction has no threshold, as up to v1.25. */
  readonly plainMessage?: boolean;
  readonly thresholds: readonly Threshold[];
}

/** The part of the eviction manager that the node's status reads. upstream: eviction.Manager */
export interface PressureConditions {
  isUnderMemoryPressure(): boolean;
  isUnderDiskPressure(): boolean;
  isUnderPIDPressure(): boolean;
}

/** upstream: eviction.ImageGC, eviction.ContainerGC */
export interface Reclaimers {
  deleteUnusedImages(): Go<void>;
  deleteAllUnusedContainers(): Go<void>;
}
