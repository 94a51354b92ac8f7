/** Records of one pod: its worker, its probes, its volumes, its status. */
import {
  aboutPod,
  type KillReason,
  type ProbeType,
  type UpdateType,
  type WorkerState,
  type WorkType,
} from './common.js';
import { boolean, json, maybe, micros, number, text, word } from './field.js';
import { kind } from './kind.js';

export const pod = {
  /** podWorkers.UpdatePod took an update. */
  'pod-update': kind(
    {
      /** Absent if a log does not tell it: kubelets before 1.36 do not. */
      updateType: maybe(word<UpdateType>()),
      workType: maybe(word<WorkType>()),
      /** It replaced an update that was still pending. */
      overwrote: maybe(boolean),
      /** It was ignored, and why. */
      dropped: maybe(text),
      ...aboutPod,
    },
    { touches: ['pods'], importance: 2, place: 'pod/worker', mark: ['desired', 'dot'] },
  ),
  worker: kind(
    { state: word<WorkerState>(), from: maybe(word<WorkerState>()), reason: text, ...aboutPod },
    { touches: ['pods'], importance: 3, place: 'pod/worker', mark: ['desired', 'square'] },
  ),
  /** A worker waits in cache.GetNewerThan for a status newer than `newerThan`. */
  'cache-wait': kind(
    { newerThan: micros, ...aboutPod },
    { touches: ['pods'], importance: 2, place: 'pod/worker', mark: ['time', 'ring'] },
  ),
  'work-start': kind(
    { workType: word<WorkType>(), updateType: maybe(word<UpdateType>()), ...aboutPod },
    { touches: ['pods'], importance: 2, place: 'pod/worker', mark: ['desired', 'dot'] },
  ),
  'work-done': kind(
    { workType: word<WorkType>(), error: maybe(text), ...aboutPod },
    {
      touches: ['pods'],
      importance: 2,
      place: 'pod/worker',
      mark: ['desired', 'dot'],
      failed: (r) => r.error !== undefined,
    },
  ),
  /** Numbered step of SyncPod and its siblings; `n` counts from 1 in the order of upstream's own comments. */
  step: kind(
    { fn: text, n: number, name: text, container: maybe(text), ...aboutPod },
    {
      touches: ['pods'],
      importance: 2,
      place: (r) => (r.fn.startsWith('Sync') ? 'pod/worker' : 'pod/runtime'),
      mark: ['plain', 'dot'],
    },
  ),
  'pod-actions': kind(
    { actions: json, ...aboutPod },
    {
      touches: ['pods'],
      importance: (r) => (isNothing(r.actions) ? 2 : 3),
      place: 'pod/runtime',
      mark: ['decision', 'diamond'],
    },
  ),
  queue: kind(
    { due: micros, why: text, ...aboutPod },
    { touches: ['pods'], importance: 1, place: 'pod/worker', mark: ['time', 'ring'] },
  ),
  probe: kind(
    {
      container: text,
      probeType: word<ProbeType>(),
      outcome: word<'success' | 'warning' | 'failure' | 'unknown'>(),
      output: text,
      /** Equal outcomes in a row, and how many of them make a result. Absent in an observed run. */
      run: maybe(number),
      threshold: maybe(number),
      ...aboutPod,
    },
    {
      touches: ['pods'],
      importance: 2,
      place: 'probes',
      mark: ['time', 'dot'],
      failed: (r) => r.outcome === 'failure',
    },
  ),
  'probe-result': kind(
    { container: text, probeType: word<ProbeType>(), result: word<'Success' | 'Failure' | 'Unknown'>(), ...aboutPod },
    {
      touches: ['pods'],
      importance: 3,
      place: 'probes',
      mark: ['decision', 'square'],
      failed: (r) => r.result === 'Failure',
    },
  ),
  /** The kubelet has the runtime stop a container. The record's cause is the order. */
  kill: kind(
    {
      container: text,
      /** The container's id; absent if no source names it. */
      id: maybe(text),
      /** Seconds between the stop signal and SIGKILL; absent if no source reports it. */
      gracePeriod: maybe(number),
      /** Absent if its pod ends or its definition has changed, and if no source reports it. */
      reason: maybe(word<KillReason>()),
      ...aboutPod,
    },
    { touches: ['pods'], importance: 3, place: 'pod/runtime', mark: ['decision', 'cross'] },
  ),
  backoff: kind(
    {
      of: word<'crash-loop' | 'image-pull'>(),
      container: text,
      /** Absent if no source says it. */
      delay: maybe(micros),
      until: maybe(micros),
      active: boolean,
      ...aboutPod,
    },
    { touches: ['pods'], importance: 3, place: 'pod/runtime', mark: ['time', 'diamond'], failed: (r) => r.active },
  ),
  /**
   * Work on one volume of a pod, by the name that upstream's metrics have for it. `pod` is '' if only the disk tells
   * of it. The record never holds what is in the volume.
   */
  volume: kind(
    {
      volume: text,
      plugin: text,
      /** `reconstruct`: it was there on disk after a restart. */
      op: word<'verify_controller_attached_volume' | 'volume_mount' | 'volume_unmount' | 'reconstruct'>(),
      phase: word<'start' | 'done'>(),
      /** It is there already and is brought up to date. */
      remount: maybe(boolean),
      took: maybe(micros),
      error: maybe(text),
      ...aboutPod,
    },
    {
      touches: ['pods'],
      importance: 1,
      place: 'pod/worker',
      mark: ['actual', 'diamond'],
      failed: (r) => r.error !== undefined,
    },
  ),
  status: kind(
    {
      /** The status manager's version. Absent if a log reports only a change. */
      version: maybe(number),
      status: json,
      ...aboutPod,
    },
    { touches: ['pods'], importance: 3, place: 'status', mark: ['actual', 'square'] },
  ),
  'status-removed': kind(aboutPod, {
    touches: ['pods'],
    importance: 1,
    place: 'status',
    mark: ['actual', 'ring'],
  }),
};

const LISTS = [
  'containersToKill',
  'containersToReset',
  'initContainersToStart',
  'containersToStart',
  'ephemeralContainersToStart',
];
/** Returns true if the result of computePodActions leaves everything as it is. */
function isNothing(actions: unknown): boolean {
  if (typeof actions !== 'object' || actions === null) return false;
  const a = actions as { readonly [key: string]: unknown };
  return (
    a.createSandbox !== true &&
    a.killPod !== true &&
    LISTS.every((name) => !Array.isArray(a[name]) || a[name].length === 0)
  );
}
