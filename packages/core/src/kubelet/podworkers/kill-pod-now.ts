import type { Pod, PodStatus } from '../../api/types.js';
import { after, type Go, type Kernel, makeChan, recv, Second, select } from '../../kernel/index.js';
import { EventReason, type EventRecorder } from '../events.js';
import type { PodWorkers } from './types.js';

/** Kills a pod and waits for it. `gracePeriodOverride` in seconds. Throws on timeout. upstream: eviction.KillPodFunc */
export type KillPodFunc = (
  pod: Pod,
  isEvicted: boolean,
  gracePeriodOverride: number | null,
  statusFn?: (status: PodStatus) => void,
) => Go<void>;

/** upstream: pod_workers.go killPodNow */
export function killPodNow(
  kernel: Kernel,
  podWorkers: Pick<PodWorkers, 'updatePod'>,
  recorder: EventRecorder,
): KillPodFunc {
  return function* (pod, isEvicted, gracePeriodOverride, statusFn) {
    const gracePeriod = gracePeriodOverride ?? pod.spec.terminationGracePeriodSeconds ?? 0;
    const timeout = Math.max(10, gracePeriod + Math.trunc(gracePeriod / 2)) * Second;
    const ch = makeChan<never>(kernel, 'killPodNow', 1);
    podWorkers.updatePod({
      pod,
      updateType: 'kill',
      killPodOptions: {
        completedCh: ch,
        evict: isEvicted,
        ...(statusFn && { podStatusFunc: statusFn }),
        ...(gracePeriodOverride !== null && { podTerminationGracePeriodSecondsOverride: gracePeriodOverride }),
      },
    });
    const r = yield* select({ done: recv(ch), timeout: recv(after(kernel, timeout, { name: 'killPodNow timeout' })) });
    if (r.case === 'done') return;
    recorder.event(
      pod,
      'Warning',
      EventReason.ExceededGracePeriod,
      'Container runtime did not kill the pod within specified grace period.',
    );
    throw new Error('timeout waiting to kill pod');
  };
}
