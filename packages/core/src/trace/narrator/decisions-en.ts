/** Decisions in English, by rule and verdict. */
import { type About, type Rule, type Rules, roughly, type Words } from './decisions.js';
import { reasonOf, say } from './parts.js';

/** A decision's own reason. */
const why = ({ r }: About): string => reasonOf(r.values);

const restarted = (failed: string): Rule => ({
  'kill and restart': (a) => say`container ${a.container} of ${a.pod} ${failed}: it is killed and started again.`,
});
const goesOn: Words = (a) => say`${a.pod} has not ended (its phase is ${a.value('phase')}), so the sync goes on.`;

/** Reasons that are too short for a sentence. */
const PHASE_REASONS: { readonly [reason: string]: string | undefined } = {
  'terminal, all exited 0': 'it has ended, and its containers exited with 0',
  'terminal, not all exited 0': 'it has ended, and not all of its containers exited with 0',
};

export const decisionsEn: Rules = {
  canAdmitPod: {
    admit: (a) => say`the admission handler “${a.value('handler')}” admits ${a.pod}.`,
    else: (a) =>
      say`the admission handler “${a.value('handler')}” refuses ${a.pod} with ${a.r.verdict}: “${a.value('message')}”.`,
  },
  allowPodStart: {
    start: (a) => say`${a.pod} may start: no other pod of its name is in the way.`,
    'not yet': (a) => say`${a.pod} may not start yet: an earlier static pod of its name has not ended.`,
    never: (a) => say`${a.pod} will never start: its end was asked for before its turn came.`,
  },
  getPhase: {
    else: (a) => say`${a.pod} is ${a.r.verdict}${why(a) ? `, because ${PHASE_REASONS[why(a)] ?? why(a)}` : ''}.`,
  },
  PodSandboxChanged: {
    changed: (a) => say`${a.pod} needs a new sandbox, because ${why(a)}.`,
    unchanged: (a) => say`${a.pod} keeps its sandbox: ${why(a)}.`,
  },
  'SyncPod: terminal': {
    'goes on': goesOn,
    terminal: (a) => say`${a.pod} has ended (its phase is ${a.value('phase')}): nothing of it is started any more.`,
  },
  'syncPod: kill': {
    'goes on': goesOn,
    kill: (a) => say`${a.pod} should not run (any more): it is killed, and this sync ends.`,
  },
  'SyncPod: pod cgroup': {
    create: (a) => say`the cgroup of ${a.pod} is created unless it exists.`,
    'leave it': (a) => say`no cgroup is created for ${a.pod}: it was killed, and its restart policy is Never.`,
  },
  isSyncPodWorthy: {
    sync: (a) => say`${a.value('type')} is a reason for the worker of ${a.pod} to look again.`,
    ignore: (a) => say`${a.value('type')} does not require a sync of the pod: the event is ignored.`,
    'ignore: unknown pod': (a) => say`${a.value('type')} is about a pod that no source wants: the event is ignored.`,
  },
  updateStatusInternal: {
    unchanged: (a) => say`the status of ${a.pod} says nothing new, so it stays version ${a.value('version')}.`,
  },
  getPodsToSync: {
    due: (a) => say`${a.pod} is due to be looked at again, because of: ${why(a)}.`,
    'a handler wants it': (a) => say`${a.pod} is synced because a handler asks for it.`,
  },
  calculateEffectiveGracePeriod: {
    else: (a) => say`the containers of ${a.pod} have ${a.r.verdict} to end by themselves.`,
  },
  pastActiveDeadline: {
    evict: (a) =>
      say`${a.pod} has been active longer than its activeDeadlineSeconds of ${a.value('activeDeadlineSeconds')}: it is to fail.`,
  },
  dispatchWork: {
    UpdatePod: (a) => say`${a.pod} is handed to its worker.`,
  },
  checkAndUpdatePod: {
    UPDATE: (a) => say`the spec, labels or annotations of ${a.pod} differ from what PodConfig knew.`,
    RECONCILE: (a) => say`only the status of ${a.pod} differs from what PodConfig knew.`,
    DELETE: (a) => say`${a.pod} has a deletionTimestamp now: its deletion has begun.`,
  },
  imageGC: {
    'enough space': (a) =>
      say`images stay: ${a.value('usage')} % of their file system is used, and only above ${a.value('highThresholdPercent')} % are some removed.`,
  },
  containerSucceeded: {
    start: (a) => say`container ${a.container} of ${a.pod} has not run to success yet: it is to be started.`,
    'leave alone': (a) => say`container ${a.container} of ${a.pod} has succeeded: it is left as it ended.`,
  },
  computePodActions: {
    keep: (a) => say`container ${a.container} of ${a.pod} runs as its spec says: it is kept.`,
  },
  ShouldContainerBeRestarted: {
    start: (a) => say`container ${a.container} of ${a.pod} is to be started, because ${why(a)}.`,
    'leave alone': (a) => say`container ${a.container} of ${a.pod} is left as it ended, because ${why(a)}.`,
  },
  imagePullPrecheck: {
    present: (a) => say`the image ${a.value('image')} of container ${a.container} is on the node.`,
    absent: (a) => say`the image ${a.value('image')} of container ${a.container} is not on the node.`,
  },
  MustAttemptImagePull: {
    present: (a) => say`${a.pod} may use the image ${a.value('image')} as it is: nothing is pulled.`,
    pull: (a) => say`the image ${a.value('image')} is pulled: only so the registry checks the credentials of ${a.pod}.`,
  },
  calcRestartCountByLogDir: {
    '0': (a) => say`the log directory of container ${a.container} is empty: this is its first start.`,
    else: (a) => say`by the files in its log directory, container ${a.container} has restarted ${a.r.verdict} times.`,
  },
  restartCount: {
    else: (a) => say`container ${a.container} of ${a.pod} starts with restart count ${a.r.verdict}.`,
  },
  doBackOff: {
    start: (a) =>
      say`container ${a.container} of ${a.pod} may start: it ended ${roughly(a.value('elapsed'))} ago, and its back-off is ${a.value('backOff')}.`,
    'back off': (a) =>
      say`container ${a.container} of ${a.pod} has to wait: it ended ${roughly(a.value('elapsed'))} ago, and its back-off is ${a.value('backOff')}.`,
  },
  doProbe: {
    wait: (a) => say`the ${a.value('probeType')} probe of container ${a.container} of ${a.pod} waits: ${why(a)}.`,
    'new container': (a) =>
      say`the ${a.value('probeType')} probe of ${a.pod} begins anew with the new container ${a.container}: ${why(a)}.`,
    'below threshold': (a) =>
      say`the ${a.value('probeType')} probe of container ${a.container} of ${a.pod} reports ${why(a)} ${a.value('run')} of ${a.value('threshold')} times: its result stays.`,
  },
  setTerminationGracePeriod: {
    else: (a) => say`container ${a.container} of ${a.pod} has ${a.r.verdict} s to end, from ${why(a)}.`,
  },
  'new sandbox': {
    'start from the first init container': (a) =>
      say`${a.pod} begins anew with its first init container, ${a.container}.`,
  },
  computeInitContainerActions: {
    'not initialized': (a) => say`the init containers of ${a.pod} have not all succeeded yet.`,
    initialized: (a) => say`${a.pod} is initialized: init container ${a.container} does not run again.`,
    'skip: already done': (a) => say`init container ${a.container} of ${a.pod} is done.`,
    'skip: no status': (a) => say`container ${a.container} of ${a.pod} has not been started yet.`,
    'wait: running': (a) => say`init container ${a.container} of ${a.pod} runs, and all that follow have to wait.`,
    'wait: startup probe has not succeeded yet': (a) =>
      say`sidecar ${a.container} of ${a.pod} has not passed its startup probe, and all that follow have to wait.`,
    'keep: started': (a) => say`sidecar ${a.container} of ${a.pod} has started, and is kept.`,
    'start the first one': (a) => say`${a.container}, the first init container of ${a.pod}, is to be started.`,
    'start the next one': (a) =>
      say`init container ${a.container} of ${a.pod} has succeeded: the next one is to be started.`,
    restart: (a) => say`init container ${a.container} of ${a.pod} is to be started again, because ${why(a)}.`,
    'restart sidecar': (a) => say`sidecar ${a.container} of ${a.pod} has ended: it is to be started again.`,
  },
  containerChanged: restarted('no longer matches its spec'),
  livenessManager: restarted('failed its liveness probe'),
  startupManager: restarted('failed its startup probe'),
};
