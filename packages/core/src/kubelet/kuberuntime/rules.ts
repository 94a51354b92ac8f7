import { formatDuration, Millisecond } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';

/** Differences between versions of the kubelet within the same steps. */
export interface RuntimeRules {
  /** Texts of events. */
  readonly texts: EventTexts;
  /** True if an override of the grace period replaces what the hook left of it, and may be below the minimum. */
  readonly overrideReplacesGrace: boolean;
  /** True if the event of a kill comes after the container has stopped, not before its hook runs. */
  readonly killingEventAfterStop: boolean;
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

/** An image that was pulled. */
export interface PulledImage {
  readonly image: string;
  readonly pullDuration: Micros;
  /** From the request on: with the time that it waited for other pulls. */
  readonly waited: Micros;
  /** In bytes. */
  readonly size: number | string;
}

/** Texts of container events, by the name of the container. */
export interface EventTexts {
  readonly pulling: (image: string) => string;
  readonly pulled: (pulled: PulledImage) => string;
  /** Why the container waits for its image; `previous`: what the pull before failed with, if it is known. */
  readonly pullBackOff: (image: string, previous: string | undefined) => string;
  /** Why a running container is killed; `hashes` in decimal, that of the running one first. */
  readonly definitionChanged: (container: string, hashes: readonly [running: string, wanted: string]) => string;
  readonly failedProbe: (container: string, probe: 'liveness' | 'startup') => string;
  /** The same of a container that is started again. */
  readonly toBeRestarted: (why: string) => string;
  /** `id` with its type; `why` is '' for the usual reason. */
  readonly killing: (container: string, id: string, why: string) => string;
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

const toMillis = (duration: Micros): string => formatDuration(Math.trunc(duration / Millisecond) * Millisecond);

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
    pulling: (image) => `Pulling image "${image}"`,
    pulled: ({ image, pullDuration, waited, size }) =>
      `Successfully pulled image "${image}" in ${toMillis(pullDuration)} (${toMillis(waited)} including waiting). Image size: ${size} bytes.`,
    pullBackOff: (image, previous) =>
      `Back-off pulling image "${image}"${previous === undefined ? '' : `: ${previous}`}`,
    definitionChanged: (container) => `Container ${container} definition changed`,
    failedProbe: (container, probe) => `Container ${container} failed ${probe} probe`,
    toBeRestarted: (why) => `${why}, will be restarted`,
    killing: (container, _id, why) => why || `Stopping container ${container}`,
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
  killingEventAfterStop: false,
  listsForStatus: false,
  tellsSandboxReady: true,
  restartCountFromLogs: true,
  excusesSandboxOfGonePod: true,
};
