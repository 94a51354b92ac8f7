import { frameSync, type Kernel } from '../../kernel/index.js';
import { kObj, type Pod, podRef } from '../api/types.js';
import { Logger } from '../klog.js';
import type { PodAdmitHandler, PodAdmitResult } from './types.js';

/** Asks the handlers in order; the first no counts. upstream: pkg/kubelet/allocation/allocation_manager.go canAdmitPod */
export class Admission {
  private readonly log: Logger;
  constructor(
    private readonly kernel: Kernel,
    private readonly handlers: readonly PodAdmitHandler[],
  ) {
    this.log = new Logger(kernel, 'allocation_manager.go');
  }

  /** upstream: (*manager).AddPod */
  addPod(activePods: readonly Pod[], pod: Pod): PodAdmitResult {
    const otherPods = activePods.filter((p) => p.metadata.uid !== pod.metadata.uid);
    return frameSync('canAdmitPod', podRef(pod), () => {
      for (const handler of this.handlers) {
        const result = handler.admit({ pod, otherPods, operation: 'add' });
        this.kernel.emit({
          kind: 'decision',
          rule: 'canAdmitPod',
          verdict: result.admit ? 'admit' : result.reason,
          values: {
            handler: handler.name,
            otherPods: otherPods.length,
            ...(result.admit ? {} : { message: result.message }),
          },
          ...podRef(pod),
        });
        if (result.admit) continue;
        this.log.info(0, 'Pod admission denied', {
          podUID: pod.metadata.uid,
          pod: kObj(pod),
          reason: result.reason,
          message: result.message,
          operation: 'add',
        });
        return result;
      }
      return { admit: true };
    });
  }
}
