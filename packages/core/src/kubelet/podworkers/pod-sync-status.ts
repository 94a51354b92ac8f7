import type { Pod, PodStatus } from '../../api/types.js';
import { sandboxState } from '../../cri/index.js';
import type { CancelFunc, Chan } from '../../kernel/index.js';
import type { Micros, PodRef } from '../../trace/index.js';
import type { RuntimePodStatus } from '../container/types.js';
import type { KillPodOptions, PodWorkerState, UpdatePodOptions } from './types.js';

/** Everything a worker's record holds. upstream: pod_workers.go podSyncStatus */
export class PodSyncStatus {
  /** Ends the context of the sync in flight. */
  cancelFn: CancelFunc | null = null;
  /** A goroutine works on the pod or has been notified. */
  working = false;
  pendingUpdate: UpdatePodOptions | null = null;
  activeUpdate: UpdatePodOptions | null = null;
  startedAt: Micros | null = null;
  terminatingAt: Micros | null = null;
  terminatedAt: Micros | null = null;
  /** Seconds; 0 is unset. Only ever shrinks. */
  gracePeriod = 0;
  notifyPostTerminating: Chan<never>[] = [];
  statusPostTerminating: ((status: PodStatus) => void)[] = [];
  startedTerminating = false;
  deleted = false;
  evicted = false;
  finished = false;
  restartRequested = false;
  observedRuntime = false;

  constructor(
    readonly ref: PodRef,
    readonly fullname: string,
    readonly syncedAt: Micros,
  ) {}

  get isTerminationRequested(): boolean {
    return this.terminatingAt !== null;
  }
  get isTerminated(): boolean {
    return this.terminatedAt !== null;
  }
  get isStarted(): boolean {
    return this.startedAt !== null;
  }

  /** upstream: (*podSyncStatus).WorkType */
  workType(): PodWorkerState {
    if (this.isTerminated) return 'terminated';
    return this.isTerminationRequested ? 'terminating' : 'sync';
  }

  /** Takes an update that the worker begins on into what it remembers. upstream: (*podSyncStatus).mergeLastUpdate */
  mergeLastUpdate(other: UpdatePodOptions): void {
    const old = this.activeUpdate;
    const kill = other.killPodOptions;
    const pod = !old?.pod || !other.runningPod ? other.pod : old.pod;
    const mirrorPod = other.mirrorPod ?? old?.mirrorPod;
    const killPodOptions: KillPodOptions | undefined = kill ? copyKillOptions(kill) : old?.killPodOptions;
    this.activeUpdate = {
      // The request kind is not remembered: upstream's zero value is sync.
      updateType: 'sync',
      ...(pod && { pod }),
      ...(other.runningPod && { runningPod: other.runningPod }),
      ...(mirrorPod && { mirrorPod }),
      ...(killPodOptions && { killPodOptions }),
    };
  }
}

const copyKillOptions = (kill: KillPodOptions): KillPodOptions => ({
  ...(kill.evict && { evict: true }),
  ...(kill.podTerminationGracePeriodSecondsOverride !== undefined && {
    podTerminationGracePeriodSecondsOverride: kill.podTerminationGracePeriodSecondsOverride,
  }),
});

/**
 * The shortest grace period asked for so far, in seconds, at least 1; and whether it changed one that was already
 * recorded. upstream: pod_workers.go calculateEffectiveGracePeriod
 */
export function calculateEffectiveGracePeriod(
  status: Pick<PodSyncStatus, 'gracePeriod'>,
  pod: Pod,
  options: KillPodOptions | null,
): { gracePeriod: number; shortened: boolean } {
  let gracePeriod = status.gracePeriod;
  let overridden = false;
  for (const override of [
    pod.metadata.deletionGracePeriodSeconds ?? undefined,
    options?.podTerminationGracePeriodSecondsOverride,
  ]) {
    if (override === undefined || (gracePeriod !== 0 && override >= gracePeriod)) continue;
    gracePeriod = override;
    overridden = true;
  }
  const own = pod.spec.terminationGracePeriodSeconds ?? null;
  if (!overridden && gracePeriod === 0 && own !== null) gracePeriod = own;
  if (gracePeriod < 1) gracePeriod = 1;
  return { gracePeriod, shortened: status.gracePeriod !== 0 && status.gracePeriod !== gracePeriod };
}

/**
 * Returns true if nothing runs and no sandbox is ready; also for a pod that the cache does not know.
 * upstream: pod_workers.go isPodStatusCacheTerminal
 */
export function isPodStatusCacheTerminal(status: RuntimePodStatus): boolean {
  return (
    status.containerStatuses.every((c) => c.state !== 'running') &&
    status.sandboxStatuses.every((s) => sandboxState(s) !== 'SANDBOX_READY')
  );
}
