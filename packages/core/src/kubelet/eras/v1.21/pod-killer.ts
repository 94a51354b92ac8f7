import { getPodFullName, type Pod } from '../../../api/types.js';
import {
  type Chan,
  frame,
  type Go,
  type Kernel,
  Mutex,
  makeChan,
  type Process,
  range,
  send,
} from '../../../kernel/index.js';
import type { RuntimePod } from '../../container/types.js';
import { Logger } from '../../klog.js';
import type { PodKiller, PodPair } from './types.js';

/** upstream: v1.21 pkg/kubelet/kubelet.go podKillingChannelCapacity */
export const podKillingChannelCapacity = 50;

export interface PodKillerDeps {
  readonly kernel: Kernel;
  readonly process: Process;
  /** Stops the pod's containers and sandboxes. Throws what failed. */
  readonly killPod: (pod: Pod | null, runningPod: RuntimePod) => Go<void>;
}

/**
 * Kills pods next to their workers: one goroutine for each request that comes through podKillingCh. Two maps remember
 * the pods that are being killed. A worker can ask for no more than that.
 * upstream: v1.21 pkg/kubelet/kubelet_pods.go podKillerWithChannel
 */
export class PodKillerWithChannel implements PodKiller {
  private readonly podKillingCh: Chan<PodPair>;
  private readonly lock: Mutex;
  /** Full names by UID. */
  private readonly mirrorPodTerminationMap = new Map<string, string>();
  /** Names, without a namespace, by UID. */
  private readonly podTerminationMap = new Map<string, string>();
  private readonly log: Logger;

  constructor(private readonly deps: PodKillerDeps) {
    const { kernel } = deps;
    this.log = new Logger(kernel, 'kubelet_pods.go');
    this.lock = new Mutex(kernel, 'podKillingLock');
    this.podKillingCh = makeChan<PodPair>(kernel, 'podKillingCh', podKillingChannelCapacity, {
      describe: ({ apiPod, runningPod }) => ({ api: apiPod !== null, pod: runningPod.name, uid: runningPod.id }),
    });
  }

  /** upstream: v1.21 pkg/kubelet/kubelet_pods.go (*podKillerWithChannel).IsPodPendingTerminationByUID */
  *isPodPendingTerminationByUID(uid: string): Go<boolean> {
    yield* this.lock.lock();
    try {
      return this.podTerminationMap.has(uid) || this.mirrorPodTerminationMap.has(uid);
    } finally {
      this.lock.unlock();
    }
  }

  /** upstream: v1.21 pkg/kubelet/kubelet_pods.go (*podKillerWithChannel).IsPodPendingTerminationByPodName */
  *isPodPendingTerminationByPodName(fullName: string): Go<boolean> {
    yield* this.lock.lock();
    try {
      for (const map of [this.mirrorPodTerminationMap, this.podTerminationMap])
        for (const name of map.values()) if (name === fullName) return true;
      return false;
    } finally {
      this.lock.unlock();
    }
  }

  /**
   * Marks a pod and asks for its end, once. Waits while the channel is full, and whoever asks about marks with it: the
   * lock is held.
   * upstream: v1.21 pkg/kubelet/kubelet_pods.go (*podKillerWithChannel).KillPod
   */
  *killPod(pair: PodPair): Go<void> {
    const { apiPod, runningPod } = pair;
    yield* frame('podKiller.KillPod', { uid: runningPod.id, api: apiPod !== null }, () =>
      this.mark(apiPod, runningPod),
    );
  }

  private *mark(apiPod: Pod | null, runningPod: RuntimePod): Go<void> {
    yield* this.lock.lock();
    try {
      let known = false;
      if (apiPod) {
        const { uid } = apiPod.metadata;
        known = this.mirrorPodTerminationMap.has(uid);
        if (!known)
          this.put(this.mirrorPodTerminationMap, 'Marking api pod pending termination', uid, getPodFullName(apiPod));
      }
      const runs = this.podTerminationMap.has(runningPod.id);
      if (!runs)
        this.put(this.podTerminationMap, 'Marking running pod pending termination', runningPod.id, runningPod.name);
      const apiPodUID = apiPod?.metadata.uid ?? '';
      if (known && runs)
        this.log.info(4, 'Api pod and running pod are pending termination', {
          apiPodUID,
          runningPodUID: runningPod.id,
        });
      else if (known) this.log.info(4, 'Api pod is pending termination', { podUID: apiPodUID });
      else if (runs) this.log.info(4, 'Running pod is pending termination', { podUID: runningPod.id });
      if (known || runs) return;
      yield* send(this.podKillingCh, { apiPod, runningPod });
    } finally {
      this.lock.unlock();
    }
  }

  private put(map: Map<string, string>, text: string, uid: string, name: string): void {
    this.log.info(4, text, { podName: name, podUID: uid });
    map.set(uid, name);
  }

  /** upstream: v1.21 pkg/kubelet/kubelet_pods.go (*podKillerWithChannel).markPodTerminated */
  private *markPodTerminated(uid: string): Go<void> {
    const { lock, log, mirrorPodTerminationMap, podTerminationMap } = this;
    yield* frame('markPodTerminated', { uid }, function* () {
      log.info(4, 'Marking pod termination', { podUID: uid });
      yield* lock.lock();
      mirrorPodTerminationMap.delete(uid);
      podTerminationMap.delete(uid);
      lock.unlock();
    });
  }

  /**
   * Takes request after request, until the channel is closed.
   * upstream: v1.21 pkg/kubelet/kubelet_pods.go (*podKillerWithChannel).PerformPodKillingWork
   */
  performPodKillingWork(): Go<void> {
    return frame('PerformPodKillingWork', undefined, () => this.takeRequests());
  }

  private *takeRequests(): Go<void> {
    const { kernel, process } = this.deps;
    const kill = (pair: PodPair) => this.kill(pair);
    yield* range(this.podKillingCh, function* (pair) {
      const { namespace, name } = pair.runningPod;
      kernel.go(`podKiller ${namespace}/${name}`, () => kill(pair), {
        place: 'pod/runtime',
        uid: pair.runningPod.id,
        process,
      });
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
    yield* this.markPodTerminated(runningPod.id);
  }
}
