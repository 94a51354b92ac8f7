/**
 * Names in the source of a version of Kubernetes, for parts to which the trace and the page give the name of v1.36 or
 * one of their own.
 */
import type { EraVersion } from '@syncloop/core/kubelet';
import { SYNC_POD_TYPES, type TraceRecord, type UpdateType } from '@syncloop/core/trace';
import type { Selection } from '../page/ui-store.js';
import { minorOf } from './loop.js';

/** A name of the trace, by the last minor version that had another one. */
interface Renamed {
  readonly until: number;
  readonly name: string;
}
/** Functions of the kubelet that had another name. */
const FUNCTIONS: Readonly<Record<string, Renamed>> = {
  Relist: { until: 25, name: 'relist' },
  SyncPod: { until: 26, name: 'syncPod' },
  SyncTerminatingPod: { until: 26, name: 'syncTerminatingPod' },
  SyncTerminatedPod: { until: 26, name: 'syncTerminatedPod' },
  createAndInitKubelet: { until: 12, name: 'CreateAndInitKubelet' },
};

/** The statement that starts a goroutine, which has a name here and none in Go. */
const GOROUTINES: Readonly<Record<string, string>> = {
  imageDetector: 'realImageGCManager.Start, detectImages',
  imageCache: 'realImageGCManager.Start, imageCache',
  containerGC: 'Kubelet.StartGarbageCollection',
  imageGC: 'Kubelet.StartGarbageCollection',
  nodeStatus: 'Kubelet.syncNodeStatus',
};

/** The type behind the kubelet's field, for managers whose record has another name. */
export const MANAGER_SOURCE: Readonly<Record<string, string>> = {
  imageManager: 'realImageGCManager',
  nodeStatus: 'syncNodeStatus',
};

/** Returns a function's name in a version, if it was another one; null if it was the same, or is not known. */
export function functionThen(fn: string, era: EraVersion | undefined): string | null {
  const renamed = Object.hasOwn(FUNCTIONS, fn) ? FUNCTIONS[fn] : undefined;
  return renamed && era !== undefined && minorOf(era) <= renamed.until ? renamed.name : null;
}

/** The field with the update that waits while its pod's worker works; null if the version is not known. */
export const pendingField = (era: EraVersion | undefined): string | null =>
  era === undefined ? null : minorOf(era) <= 26 ? 'lastUndeliveredWorkUpdate' : 'pendingUpdate';

/** The constant of a kind of update, as `SyncPodCreate`; '' if there is no update. */
export const updateConstant = (type: string): string =>
  Object.hasOwn(SYNC_POD_TYPES, type) ? SYNC_POD_TYPES[type as UpdateType] : '';

/** The source's names for a selection that goes by other names here. `goroutine`: the name of the selected one. */
export function sourceNames(
  selection: Selection,
  record: TraceRecord | undefined,
  goroutine: string,
  era: EraVersion | undefined,
): readonly string[] {
  if (selection.kind === 'goroutine') {
    if (goroutine.startsWith('podWorker '))
      return era === undefined ? [] : [minorOf(era) <= 26 ? 'podWorkers.managePodLoop' : 'podWorkers.podWorkerLoop'];
    return Object.hasOwn(GOROUTINES, goroutine) ? [GOROUTINES[goroutine] as string] : [];
  }
  if (selection.kind === 'part')
    return selection.part === 'images'
      ? ['realImageGCManager']
      : selection.part === 'pleg'
        ? [`GenericPLEG.${functionThen('Relist', era) ?? 'Relist'}`]
        : [];
  switch (record?.kind) {
    case 'enter':
    case 'exit': {
      const then = functionThen(record.fn, era);
      return then === null ? [] : [then];
    }
    case 'pod-update': {
      const names = record.updateType === undefined ? [] : [updateConstant(record.updateType)];
      const waits = record.overwrote ? pendingField(era) : null;
      return waits === null ? names : [...names, waits];
    }
    case 'work-start':
      return record.updateType === undefined ? [] : [updateConstant(record.updateType)];
    case 'relist':
      return [`GenericPLEG.${functionThen('Relist', era) ?? 'Relist'}`];
    case 'manager':
      return Object.hasOwn(MANAGER_SOURCE, record.name) ? [MANAGER_SOURCE[record.name] as string] : [];
    default:
      return [];
  }
}
