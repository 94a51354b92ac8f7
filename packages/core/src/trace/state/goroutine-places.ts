/**
 * The places of goroutines in recordings that were made before goroutines had one: by the beginning of their names.
 * A goroutine that is started today names its place itself (`GoOptions.place`).
 */
import type { Place } from '../kinds/kind.js';
import type { NodeState } from './state.js';

const PLACES: readonly (readonly [RegExp, Place])[] = [
  [/^syncLoop/, 'select'],
  [/^mux /, 'podConfig'],
  [/^sourceFile/, 'file'],
  [/^source(HTTP|URL)/i, 'http'],
  [/^sourceApiserver/, 'api'],
  [/PLEG$/i, 'pleg'],
  [/^statusManager/, 'status'],
  [/^probe /, 'probes'],
  [/^podKiller$/, 'podKiller'],
  [/^updateRuntimeUp/, 'runtimeUp'],
  [/^(imageGC|imageDetector|imageCache|processImagePullRequests|pullImage)/, 'images'],
  [/^containerGC/, 'containerGC'],
  [/^(desiredStateOfWorldPopulator|volumeReconciler|volume_(un)?mount|verify_controller_attached_volume)$/, 'volumes'],
  [/^((configmap|secret) recycleIdleWatch|token cleanup)$/, 'volumes'],
  [/^podContainerDeletor/, 'deletor'],
  [/^containerLogManager/, 'logs'],
  [/^allocationManager/, 'allocation'],
  [/^evictionManager/, 'eviction'],
  [/^resourceAnalyzer/, 'stats'],
  [/^oomWatcher/, 'oom'],
  [/^(nodeShutdownManager|shutdown(Pod|Group))/, 'shutdown'],
  [/^(qosContainerManager|enforceNodeAllocatable|destroy pod cgroup)/, 'cgroups'],
  [
    /^(devicePlugin(Registration|Client)|Register$|resourceUpdates|plugin(Manager|Watcher|Reconciler)|(un)?registerPlugin)/,
    'devices',
  ],
  [/^(nodeStatus|fastStatusUpdateOnce)$/, 'node'],
  [/^nodeLease$/, 'lease'],
  [/^eventBroadcaster/, 'events'],
  [/^informer /, 'apiServer'],
  [/^(kubelet$|fastStaticPodsRegistration|initializeCSINode$)/, 'startup'],
];

/**
 * Finds the place of a goroutine by its name; null if the name says neither a part of the kubelet nor a pod that is
 * known.
 */
export function placeByName(state: NodeState, name: string): { at: Place; uid: string } | null {
  for (const [test, at] of PLACES) if (test.test(name)) return { at, uid: '' };
  const full = name.match(/\S+\/\S+/)?.[0];
  if (!full) return null;
  // `podWorker default/web`: the newest pod of that name.
  const pod = Object.values(state.pods).findLast((p) => full === p.pod || full.startsWith(`${p.pod}/`));
  return pod ? { at: name.startsWith('podWorker') ? 'pod/worker' : 'pod/runtime', uid: pod.uid } : null;
}
