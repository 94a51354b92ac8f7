/** Differences between versions of the kubelet within the same steps. */
export interface RuntimeRules {
  /** Texts of events. */
  readonly texts: EventTexts;
  /** True if an override of the grace period replaces what the hook left of it, and may be below the minimum. */
  readonly overrideReplacesGrace: boolean;
  /** The steps of SyncPod by name, as upstream's comments number them. */
  readonly syncPodSteps: readonly SyncPodStep[];
  /** True if the runtime manager notifies the kubelet of a ready sandbox before containers start in it. */
  readonly tellsSandboxReady: boolean;
  /** True if the log files of a container without a status give the number of its starts. */
  readonly restartCountFromLogs: boolean;
  /** True if a sandbox that could not be created is not a failure if the pod was deleted meanwhile. */
  readonly excusesSandboxOfGonePod: boolean;
  /** The status of a pod is read from lists of that pod alone, not from the list in which it was seen. */
  readonly listsForStatus: boolean;
}

export type SyncPodStep =
  | 'compute sandbox and container changes'
  | 'kill pod'
  | 'kill unwanted containers'
  | 'create sandbox'
  | 'sandbox ready callback'
  | 'start ephemeral container'
  | 'start init container'
  | 'resize running containers'
  | 'start container';

/** Texts of container events, by the name of the container. */
export interface EventTexts {
  readonly created: (container: string) => string;
  readonly started: (container: string) => string;
  /** `pod` as logs have it: name_namespace(uid). */
  readonly backOff: (container: string, pod: string) => string;
  /** Says why the container waits, after its hook failed with this error. */
  readonly postStartReason: (cause: string) => string;
  /** `detail` says what the hook printed. */
  readonly postStartFailed: (detail: string) => string;
  readonly preStopFailed: (detail: string) => string;
  readonly sandboxFailed: (cause: string) => string;
}

/** The steps of v1.36. upstream: (*kubeGenericRuntimeManager).SyncPod */
const syncPodSteps: readonly SyncPodStep[] = [
  'compute sandbox and container changes',
  'kill pod',
  'kill unwanted containers',
  'create sandbox',
  'sandbox ready callback',
  'start ephemeral container',
  'start init container',
  'resize running containers',
  'start container',
];

/** The steps of v1.36 without those that came later. */
export const syncPodStepsWithout = (...later: readonly SyncPodStep[]): readonly SyncPodStep[] =>
  syncPodSteps.filter((step) => !later.includes(step));

/** v1.36. */
export const runtimeRules: RuntimeRules = {
  texts: {
    created: () => 'Container created',
    started: () => 'Container started',
    backOff: (container, pod) => `Back-off restarting failed container ${container} in pod ${pod}`,
    postStartReason: () => 'PostStartHookError',
    // Nothing of the output: it may hold secrets.
    postStartFailed: () => 'PostStartHook failed',
    preStopFailed: () => 'PreStopHook failed',
    sandboxFailed: (cause) => `Failed to create pod sandbox: ${cause}`,
  },
  syncPodSteps,
  overrideReplacesGrace: false,
  listsForStatus: false,
  tellsSandboxReady: true,
  restartCountFromLogs: true,
  excusesSandboxOfGonePod: true,
};
