/**
 * The steps within calls of the loop and of the runtime manager, by upstream's name of what each step calls or
 * compares. A kubelet numbers its records (`call-step`) by this list, and the page shows it before the first is taken.
 */

/** A name, and the minor versions of those that can run (12, 21, 25, 32, 36) between which it holds, both included. */
type Row = string | readonly [name: string, since: number, until?: number];

const AFTER_ALL = 1_000;

const mirrorsUntil25: readonly Row[] = [['handleMirrorPod', 0, 25]];
const dispatch: readonly Row[] = [
  ['dispatchWork', 0, 25],
  ['podWorkers.UpdatePod', 32],
];
const takesIn: Row = ['CheckLimitsForResolvConf', 0, 12];

const rows = {
  // upstream: pkg/kubelet/kubelet_pods.go (*Kubelet).HandlePodCleanups
  HandlePodCleanups: [
    'GetAllPodsFromCgroups',
    'GetPodsAndMirrorPods',
    ['filterOutTerminatedPods', 0, 21],
    ['ForgetNonExistingPodWorkers', 0, 21],
    ['SyncKnownPods', 25],
    ['probeManager.CleanupPods', 0, 25],
    'runtimeCache.GetPods',
    ['podKillingCh', 0, 12],
    ['podKiller.KillPod', 21, 21],
    ['UpdatePod(SyncPodKill)', 25, 25],
    ['probeManager.CleanupPods', 32],
    'removeOrphanedPodStatuses',
    ['allocationManager.RemoveOrphanedPods', 36],
    ['containerRuntime.GetPods', 0, 25],
    ['CleanupOrphanedPodUsernsAllocations', 25],
    'cleanupOrphanedPodDirs',
    ['podManager.DeleteOrphanedMirrorPods', 0, 12],
    ['deleteOrphanedMirrorPods', 21, 25],
    ['DeleteMirrorPod', 32],
    ['filterOutInactivePods', 32],
    ['UpdatePod(SyncPodCreate)', 32],
    ['filterTerminalPodsToDelete', 32],
    ['UpdatePod(SyncPodKill)', 32],
    'cleanupOrphanedPodCgroups',
    ['backOff.GC', 0, 32],
    ['crashLoopBackOff.GC', 36],
    ['dispatchWork(SyncPodCreate)', 25, 25],
  ],
  // upstream: pkg/kubelet/kubelet.go (*Kubelet).HandlePodAdditions
  HandlePodAdditions: [
    'sort.Sort(PodsByCreationTime)',
    takesIn,
    ['podManager.GetPods', 0, 25],
    'podManager.AddPod',
    ...mirrorsUntil25,
    ['GetPodAndMirrorPod', 32],
    ['podIsTerminated', 0, 21],
    ['IsPodTerminationRequested', 25],
    ['filterOutTerminatedPods', 0, 21],
    ['filterOutInactivePods', 25, 25],
    ['getAllocatedPods', 32, 32],
    ['GetActivePods', 36],
    ['canAdmitPod', 0, 32],
    ['allocationManager.AddPod', 36],
    ['GetMirrorPodByPod', 0, 25],
    ...dispatch,
    ['probeManager.AddPod', 0, 21],
  ],
  // upstream: pkg/kubelet/kubelet.go (*Kubelet).HandlePodUpdates
  HandlePodUpdates: [
    takesIn,
    'podManager.UpdatePod',
    ...mirrorsUntil25,
    ['GetPodAndMirrorPod', 32],
    ['recordResizeOperations', 36],
    ['GetMirrorPodByPod', 0, 25],
    ...dispatch,
  ],
  // upstream: pkg/kubelet/kubelet.go (*Kubelet).HandlePodRemoves
  HandlePodRemoves: [
    ['podManager.DeletePod', 0, 25],
    ['podManager.RemovePod', 32],
    ['allocationManager.RemovePod', 36],
    ...mirrorsUntil25,
    ['GetPodAndMirrorPod', 32],
    'deletePod',
    ['probeManager.RemovePod', 0, 21],
  ],
  // upstream: pkg/kubelet/kubelet.go (*Kubelet).HandlePodReconcile
  HandlePodReconcile: [
    'podManager.UpdatePod',
    ['GetPodAndMirrorPod', 32],
    'NeedToReconcilePodReadiness',
    ...dispatch,
    'deleteContainersInPod',
  ],
  // upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go (*kubeGenericRuntimeManager).startContainer
  startContainer: [
    ['getPodRuntimeHandler', 32],
    ['getTargetID', 21],
    'generateContainerConfig',
    ['PreCreateContainer', 21],
    'PreStartContainer',
    'legacyLogSymlink',
  ],
} as const satisfies Readonly<Record<string, readonly Row[]>>;

/** A call whose steps are recorded. */
export type SteppedCall = keyof typeof rows;
export const steppedCalls = Object.keys(rows) as readonly SteppedCall[];

type NameOf<R> = R extends string ? R : R extends readonly [infer N, ...unknown[]] ? N : never;
/** A step of one of these calls, in any version. */
export type CallStepName<F extends SteppedCall = SteppedCall> = NameOf<(typeof rows)[F][number]>;

/** The steps of a call in a version of Kubernetes, by its minor number, in order. */
export const callSteps = (fn: SteppedCall, minor: number): readonly string[] =>
  (rows[fn] as readonly Row[]).flatMap((row) => {
    if (typeof row === 'string') return [row];
    const [name, since, until = AFTER_ALL] = row;
    return since <= minor && minor <= until ? [name] : [];
  });
