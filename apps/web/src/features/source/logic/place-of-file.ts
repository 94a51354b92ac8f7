/** The places of the map at which the code of a file works. */
import type { MapPlace } from '../../../selection/map-place.js';

/**
 * Beginnings of paths below packages/core/src/kubelet, those of older kubelets without their version; the first that
 * fits counts.
 */
const PLACES: readonly (readonly [string, MapPlace])[] = [
  ['pleg/', 'pleg'],
  ['volumemanager/', 'volumes'],
  ['status/', 'status'],
  ['status-manager', 'status'],
  ['pod-killer', 'podKiller'],
  ['prober/', 'probes'],
  ['config/file', 'source-file'],
  ['config/http', 'source-http'],
  ['config/', 'podConfig'],
  ['client/', 'source-api'],
  ['images/', 'images'],
  ['eviction/', 'eviction'],
  ['nodelease/', 'lease'],
  ['nodeshutdown/', 'shutdown'],
  ['cm/devicemanager/', 'devices'],
  ['cm/', 'cgroups'],
  ['oom/', 'oom'],
  ['metrics/', 'stats'],
  ['kubelet-gc', 'images'],
  ['kubelet-node', 'node'],
  ['csi/', 'node'],
  ['kubelet-run', 'managers'],
  ['kubelet-modules', 'managers'],
  ['cri-paced', 'cri'],
  ['kubelet-pods-cleanup', 'loop'],
  ['handlers', 'loop'],
  ['sync-loop', 'loop'],
  ['allocation/', 'loop'],
  ['kubelet.ts', 'podConfig'],
  // The pod workers, what they call, and what is done for one pod or container.
  ['podworkers/', 'workers'],
  ['pod-worker', 'workers'],
  ['dispatch-work', 'workers'],
  ['generate-api-pod-status', 'workers'],
  ['kuberuntime/', 'workers'],
  ['kubelet-pods', 'workers'],
  ['sync-pod', 'workers'],
  ['container/', 'workers'],
  ['lifecycle/', 'workers'],
  ['logs/', 'workers'],
  ['server/', 'workers'],
];

/** Files whose functions work in the column of the container runtime's manager, of those of the pod workers. */
const RUNTIME = /^(kuberuntime|container|lifecycle|logs)\//;

/** True if a function of the file works in a lane's column of the container runtime's manager. */
export const isOfRuntime = (file: string): boolean => RUNTIME.test(inKubelet(file));

const inKubelet = (file: string): string => file.replace(/^kubelet\/(eras\/(v[\d.]+\/)?)?/, '');

/** `file`: below packages/core/src. Null if the map has no place for it. */
export function placeOfFile(file: string): MapPlace | null {
  const path = inKubelet(file);
  return PLACES.find(([start]) => path.startsWith(start))?.[1] ?? null;
}
