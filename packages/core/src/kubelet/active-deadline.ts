import { fromTime } from '../api/time.js';
import { type Pod, podRef } from '../api/types.js';
import { type Kernel, Second } from '../kernel/index.js';
import type { EventRecorder } from './events.js';
import type { StatusManager } from './status/types.js';

/** Says that a pod wants a sync now. upstream: pkg/kubelet/lifecycle/interfaces.go PodSyncLoopHandler */
export interface PodSyncLoopHandler {
  shouldSync(pod: Pod): boolean;
}

/** Says that a pod must fail. upstream: lifecycle/interfaces.go PodSyncHandler, ShouldEvictResponse */
export interface PodSyncHandler {
  shouldEvict(pod: Pod): { readonly evict: boolean; readonly reason: string; readonly message: string };
}

const reason = 'DeadlineExceeded';
const message = 'Pod was active on the node longer than the specified deadline';

/** Fails pods that outlive activeDeadlineSeconds. upstream: active_deadline.go activeDeadlineHandler */
export class ActiveDeadlineHandler implements PodSyncLoopHandler, PodSyncHandler {
  constructor(
    private readonly kernel: Kernel,
    private readonly statusManager: Pick<StatusManager, 'getPodStatus'>,
    private readonly recorder: EventRecorder,
  ) {}

  shouldSync(pod: Pod): boolean {
    return this.pastActiveDeadline(pod);
  }

  shouldEvict(pod: Pod): { evict: boolean; reason: string; message: string } {
    if (!this.pastActiveDeadline(pod)) return { evict: false, reason: '', message: '' };
    this.recorder.event(pod, 'Normal', reason, message);
    return { evict: true, reason, message };
  }

  /** upstream: (*activeDeadlineHandler).pastActiveDeadline */
  private pastActiveDeadline(pod: Pod): boolean {
    const seconds = pod.spec.activeDeadlineSeconds;
    if (seconds === undefined || seconds === null) return false;
    const status = this.statusManager.getPodStatus(pod.metadata.uid) ?? pod.status;
    const start = fromTime(this.kernel, status.startTime);
    if (start === null) return false;
    const past = this.kernel.now() - start >= seconds * Second;
    if (past)
      this.kernel.emit({
        kind: 'decision',
        rule: 'pastActiveDeadline',
        verdict: 'evict',
        values: { startTime: start, now: this.kernel.now(), activeDeadlineSeconds: seconds },
        ...podRef(pod),
      });
    return past;
  }
}
