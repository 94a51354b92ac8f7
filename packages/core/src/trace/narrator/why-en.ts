/** The narrator's second, quieter line in English: why it is so, if a rule knows. */
import { isAdmitted } from '../kinds/common.js';
import { stepsEn } from './steps-en.js';
import { known, stepWhy, type WhyRules } from './why.js';

const functions: { readonly [name: string]: string } = {
  syncLoopIteration:
    'One iteration takes exactly one message from one channel and handles it before it looks again. syncLoop stores the time in syncLoopMonitor before and after it; by that /healthz sees a loop that hangs.',
  HandlePodAdditions:
    'Pods are taken oldest first, so that on conflict the older pod is admitted and the newer refused.',
  HandlePodUpdates: 'An update is not admitted again; it only goes to the worker of its pod.',
  HandlePodRemoves: 'The pod is no longer wanted; its worker is asked to end it.',
  HandlePodSyncs: 'Something about the pod may have changed; its worker looks again.',
  HandlePodCleanups:
    'Housekeeping compares workers and containers with the wanted pods, and ends what nobody wants any more.',
  SyncPod:
    'It brings one pod closer to its spec. It may run at any time and any number of times, because each step first looks at what is already done.',
  SyncTerminatingPod: 'Containers are stopped within the grace period; nothing is started any more.',
  SyncTerminatedPod: 'All containers are gone; volumes, cgroups and the status are cleaned up.',
  computePodActions:
    'It compares the spec with the last status and says what to kill and what to start; it changes nothing itself.',
  Relist: 'PLEG has no subscription here: it lists everything and compares that with the previous list.',
};

const decisions: { readonly [name: string]: string } = {
  isSyncPodWorthy: 'Every event but ContainerRemoved makes the worker of a known pod look again.',
  canAdmitPod: 'A pod is admitted once, when it is added. The first handler that says no decides.',
  allowPodStart: 'Two static pods of one name may not run at once: the later one waits for the earlier to end.',
  PodSandboxChanged:
    'Without exactly one ready sandbox of the right network mode the pod gets a new one, and all its containers are created anew in it.',
  computePodActions:
    'Its spec hash, its probes and the restart policy decide whether a container is kept, restarted or left as it ended.',
  ShouldContainerBeRestarted: 'The restart policy of the pod and the exit code decide, nothing else.',
  getPodsToSync: 'Once a second the loop takes the pods whose time in the work queue has come.',
  updateStatusInternal: 'A status that says nothing new gets no new version and is not written.',
  calculateEffectiveGracePeriod: 'The shortest of the grace periods asked for so far counts, and it may only shrink.',
  doBackOff:
    'The wait counts from when the container last ended, and is forgotten after a run twice as long as the longest back-off.',
  livenessManager: 'A container that fails its liveness probe is killed; the restart policy brings it back.',
  getPhase: 'The phase sums up all containers; it is computed anew at each sync.',
  deletePod: 'Nothing is deleted before all sources have reported: one that has not reported yet might want the pod.',
};

export const whyEn: WhyRules = {
  enter: (r) => known(functions, r.fn),
  decision: (r) => known(decisions, r.rule),
  step: (r) => stepWhy(stepsEn, r),
  'call-step': (r) => (isAdmitted(r) ? decisions.canAdmitPod : undefined),
  select: (r) =>
    r.ready !== undefined && r.ready.length > 1
      ? `${r.ready.length} were ready: Go picks one at random, no channel comes before another.`
      : undefined,
  'pod-config': (r) =>
    r.op === 'DELETE'
      ? 'DELETE means a deletion with grace has begun: the loop handles it as an update.'
      : r.op === 'RECONCILE'
        ? 'Only the status differs: no worker needs to act on it.'
        : undefined,
  'pod-update': (r) =>
    r.overwrote
      ? 'A worker has one slot for what comes next: a newer update replaces an older one, nothing queues up.'
      : undefined,
  worker: (r) =>
    r.state === 'terminating'
      ? 'There is no way back: a pod that terminates never runs again under this uid.'
      : undefined,
  'cache-wait': () => 'With an older status it would repeat what its own last sync has already done.',
  relist: (r) =>
    r.scope === 'global' && r.changed === 0 ? 'No difference, no event: an idle node is quiet.' : undefined,
  'pleg-event': (r) =>
    r.dropped
      ? 'The loop did not keep up. The next sync of the pod, at the latest by syncFrequency, sees the change anyway.'
      : undefined,
  probe: (r) =>
    r.run !== undefined && r.threshold !== undefined && r.run < r.threshold
      ? 'The result changes only when the threshold is reached.'
      : undefined,
  'probe-result': (r) =>
    r.probeType === 'liveness' && r.result === 'Failure'
      ? 'The container will be killed and started again by the next sync.'
      : r.probeType === 'readiness'
        ? 'It decides whether the pod gets traffic; the container itself is left alone.'
        : r.probeType === 'startup' && r.result === 'Success'
          ? 'From now on liveness and readiness are probed.'
          : undefined,
  backoff: (r) =>
    r.of === 'crash-loop'
      ? 'The wait doubles with each crash, from 10 s up to 5 min, so that a broken container does not take the node with it.'
      : 'The wait doubles with each failed pull, from 10 s up to 5 min.',
  volume: (r) =>
    r.error !== undefined
      ? 'It is tried again, later each time: after half a second at first, at most after 2 min 2 s. Meanwhile the pod cannot start.'
      : r.op === 'volume_mount' && r.remount
        ? 'Each sync of the pod writes the files again if what they come from has changed.'
        : undefined,
  'runtime-state': (r) =>
    r.errors.length > 0
      ? 'While there is an error the loop reads no channel at all; it tries again after ever longer pauses, up to 5 s.'
      : undefined,
  'sources-ready': (r) =>
    r.all
      ? 'Only now may the kubelet remove what no source wants: before that, a source might just not have reported yet.'
      : undefined,
  deadlock: () => 'Each of them waits for something that only another one could do.',
};
