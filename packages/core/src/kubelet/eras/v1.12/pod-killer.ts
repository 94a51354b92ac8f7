import { type Chan, frame, type Go, makeChan, range, send } from '../../../kernel/index.js';
import { Logger } from '../../klog.js';
import { type PodKillerDeps, podKillingChannelCapacity } from '../v1.21/pod-killer.js';
import type { PodKiller, PodPair } from '../v1.21/types.js';

/**
 * Kills pods next to their workers, which do not learn of it: handlers and housekeeping write into podKillingCh, and a
 * set of its own keeps the killer from killing a pod twice at the same time.
 * upstream: v1.12 pkg/kubelet/kubelet_pods.go (*Kubelet).podKiller
 */
export class PodKillerOfTheChannel implements PodKiller {
  private readonly podKillingCh: Chan<PodPair>;
  private readonly killing = new Set<string>();
  private readonly log: Logger;

  constructor(private readonly deps: PodKillerDeps) {
    this.log = new Logger(deps.kernel, 'kubelet_pods.go');
    this.podKillingCh = makeChan<PodPair>(deps.kernel, 'podKillingCh', podKillingChannelCapacity, {
      describe: ({ apiPod, runningPod }) => ({ api: apiPod !== null, pod: runningPod.name, uid: runningPod.id }),
    });
  }

  killPod(pair: PodPair): Go<void> {
    return send(this.podKillingCh, pair);
  }

  /**
   * Takes request after request, until the channel is closed.
   * upstream: v1.12 pkg/kubelet/kubelet_pods.go (*Kubelet).podKiller
   */
  performPodKillingWork(): Go<void> {
    return frame('podKiller', undefined, () => this.takeRequests());
  }

  private *takeRequests(): Go<void> {
    const { kernel, process } = this.deps;
    const { killing } = this;
    const kill = (pair: PodPair) => this.kill(pair);
    yield* range(this.podKillingCh, function* (pair) {
      const { id, namespace, name } = pair.runningPod;
      if (killing.has(id)) return;
      killing.add(id);
      kernel.go(`podKiller ${namespace}/${name}`, () => kill(pair), { place: 'pod/runtime', uid: id, process });
    });
  }

  private *kill({ apiPod, runningPod }: PodPair): Go<void> {
    const podName = runningPod.name;
    this.log.info(2, 'Killing unwanted pod', { podName });
    try {
      yield* this.deps.killPod(apiPod, runningPod);
    } catch (err) {
      this.log.error(err, 'Failed killing the pod', { podName });
    }
    this.killing.delete(runningPod.id);
  }

  // No other part could ask which pods are being killed.
  *isPodPendingTerminationByUID(): Go<boolean> {
    return false;
  }
  *isPodPendingTerminationByPodName(): Go<boolean> {
    return false;
  }
}
