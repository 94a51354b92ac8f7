import { toTime } from '../../api/time.js';
import type { Pod, PodCondition } from '../../api/types.js';
import { deepCopy, deepEqual } from '../../base/deep.js';
import type { Kernel } from '../../kernel/index.js';
import { metricsOf } from '../metrics/kubelet-metrics.js';

interface Conditions {
  PodResizePending?: PodCondition;
  PodResizeInProgress?: PodCondition;
}

/** A resize that cannot be, or not now. upstream: v1.PodReasonInfeasible, PodReasonDeferred, PodReasonError */
export const PodReasonInfeasible = 'Infeasible';
export const PodReasonDeferred = 'Deferred';
export const PodReasonError = 'Error';

/**
 * The progress of pods' resizes, as conditions.
 * upstream: pkg/kubelet/status/status_manager.go podResizeConditions and its methods
 */
export class PodResizeConditions {
  private readonly byUID = new Map<string, Conditions>();
  constructor(private readonly kernel: Kernel) {}

  /** Lists the conditions of a pod, Pending first. upstream: (*manager).GetPodResizeConditions */
  list(podUID: string): PodCondition[] {
    const { PodResizePending, PodResizeInProgress } = this.byUID.get(podUID) ?? {};
    return deepCopy([PodResizePending, PodResizeInProgress].filter((c) => c !== undefined));
  }
  isDeferred(podUID: string): boolean {
    return this.byUID.get(podUID)?.PodResizePending?.reason === PodReasonDeferred;
  }
  isInfeasible(podUID: string): boolean {
    return this.byUID.get(podUID)?.PodResizePending?.reason === PodReasonInfeasible;
  }

  /**
   * True when reason or generation changed. Whatever is not Infeasible is Deferred.
   * upstream: SetPodResizePendingCondition
   */
  setPending(podUID: string, given: string, message: string, observedGeneration: number): boolean {
    const reason = given === PodReasonInfeasible ? given : PodReasonDeferred;
    const before = this.byUID.get(podUID)?.PodResizePending;
    this.set(podUID, 'PodResizePending', reason, message, observedGeneration, before);
    return !before || before.reason !== reason || (before.observedGeneration ?? 0) !== observedGeneration;
  }

  /**
   * The generation of a condition that is there stays, and an empty reason does not clear it. True when reason, message
   * or generation changed.
   * upstream: SetPodResizeInProgressCondition
   */
  setInProgress(
    podUID: string,
    given: string,
    givenMessage: string,
    givenGeneration: number,
  ): { readonly generation: number; readonly changed: boolean } {
    const before = this.byUID.get(podUID)?.PodResizeInProgress;
    const keep = before !== undefined && given === '' && givenMessage === '';
    const reason = keep ? (before.reason ?? '') : given;
    const message = keep ? (before.message ?? '') : givenMessage;
    const generation = before?.observedGeneration ?? givenGeneration;
    const after = this.set(podUID, 'PodResizeInProgress', reason, message, generation, before);
    const without = ({ lastProbeTime, lastTransitionTime, ...rest }: PodCondition) => rest;
    return { generation, changed: !before || !deepEqual(without(before), without(after)) };
  }

  /** upstream: ClearPodResizePendingCondition */
  clearPending(podUID: string): void {
    const conditions = this.byUID.get(podUID);
    if (!conditions?.PodResizePending) return;
    delete conditions.PodResizePending;
    this.count();
  }
  /**
   * The generation of the condition that was there; null if there was none.
   * upstream: ClearPodResizeInProgressCondition
   */
  clearInProgress(podUID: string): number | null {
    const conditions = this.byUID.get(podUID);
    if (!conditions?.PodResizeInProgress) return null;
    const generation = conditions.PodResizeInProgress.observedGeneration ?? 0;
    delete conditions.PodResizeInProgress;
    this.count();
    return generation;
  }

  /** Takes over what the API shows. upstream: BackfillPodResizeConditions */
  backfill(pods: readonly Pod[]): void {
    for (const { metadata, status } of pods)
      for (const { type, reason = '', message = '', observedGeneration = 0 } of status.conditions ?? [])
        if (type === 'PodResizePending' || type === 'PodResizeInProgress')
          this.set(metadata.uid, type, reason, message, observedGeneration, undefined);
  }

  removeOrphaned(remaining: ReadonlySet<string>): void {
    for (const uid of this.byUID.keys()) if (!remaining.has(uid)) this.byUID.delete(uid);
    this.count();
  }

  /** upstream: updatedPodResizeCondition */
  private set(
    podUID: string,
    type: keyof Conditions,
    reason: string,
    message: string,
    observedGeneration: number,
    before: PodCondition | undefined,
  ): PodCondition {
    const now = toTime(this.kernel, this.kernel.now());
    const condition: PodCondition = {
      type,
      ...(observedGeneration ? { observedGeneration } : {}),
      status: 'True',
      lastProbeTime: now,
      lastTransitionTime: before && (before.reason ?? '') === reason ? (before.lastTransitionTime ?? null) : now,
      ...(reason ? { reason } : {}),
      ...(message ? { message } : {}),
    };
    this.byUID.set(podUID, { ...this.byUID.get(podUID), [type]: condition });
    this.count();
    return condition;
  }

  /** upstream: recordPendingResizeCount, recordInProgressResizeCount */
  private count(): void {
    const { podPendingResizes, podInProgressResizes } = metricsOf(this.kernel);
    const pending = new Map<string, number>();
    let inProgress = 0;
    for (const { PodResizePending, PodResizeInProgress } of this.byUID.values()) {
      const reason = PodResizePending?.reason?.toLowerCase();
      if (reason !== undefined) pending.set(reason, (pending.get(reason) ?? 0) + 1);
      if (PodResizeInProgress) inProgress++;
    }
    podPendingResizes.reset();
    for (const [reason, n] of pending) podPendingResizes.set(n, { reason });
    podInProgressResizes.set(inProgress);
  }
}
