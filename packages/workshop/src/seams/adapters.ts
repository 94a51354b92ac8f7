import { Millisecond } from '@syncloop/core/kernel';
import type { KubeletParts, PartName } from '@syncloop/core/kubelet/parts';
import type { Json } from '@syncloop/core/trace';
import type { Message } from '../messages/index.js';
import { backOffArgs } from './back-off.js';
import { dispatchWorkArgs } from './dispatch-work.js';
import { evictionRankArgs, rankProblem } from './eviction-rank.js';
import { imageGCArgs, imagesProblem } from './image-gc.js';
import { killContainerArgs } from './kill-container.js';
import { podOfList } from './pleg-events.js';
import { planProblem, podActionsArgs } from './pod-actions.js';
import { cleanupsProblem, podCleanupsArgs } from './pod-cleanups.js';
import { podStatusArgs } from './pod-status.js';
import { podWorkerArgs } from './pod-worker.js';
import { probeResultArgs } from './probe-result.js';
import type { PartOutput } from './seams.js';
import { knownPodsProblem, syncKnownPodsArgs } from './sync-known-pods.js';
import { channelProblem, syncLoopIterationArgs } from './sync-loop-iteration.js';

export interface About {
  readonly pod?: string;
  readonly uid?: string;
}

/** Code that stands for a part. */
export interface Caller<Out> {
  /**
   * Calls the code. `check` finds what is wrong with a result of the right shape; `quiet`: a result that needs no
   * record. Ends the run and throws a PartError if the call fails.
   */
  call(
    args: readonly Json[],
    about?: About,
    check?: (value: Out) => Message | null,
    quiet?: (value: Out) => boolean,
  ): Out;
}

/** Makes the kubelet's function of a part's code. */
type Adapters = {
  readonly [K in PartName]: (part: Caller<PartOutput[K]>) => NonNullable<KubeletParts[K]>;
};

export const adapters: Adapters = {
  plegEvents: (part) => (uid, old, pod) => {
    const args = [podOfList(old), podOfList(pod)];
    const same = JSON.stringify(args[0]) === JSON.stringify(args[1]);
    // Most pods are as they were at most times: that leaves no record.
    return part.call(args, { uid, pod: nameOf(pod ?? old) }, undefined, (events) => same && events.length === 0);
  },
  podActions: (part) => (input) =>
    part.call(podActionsArgs(input), aboutPod(input.pod), (plan) => planProblem(input, plan)),
  backOff: (part) => (state, input) => {
    const { state: next, output } = part.call(backOffArgs(state, input));
    return { state: next, wait: output.wait, delay: output.delaySeconds * 1000 * Millisecond };
  },
  probeResult: (part) => (state, input) => {
    const { state: next, output } = part.call(probeResultArgs(state, input));
    return { state: next, ...output };
  },
  podStatus: (part) => (input) => part.call(podStatusArgs(input), aboutPod(input.pod)),
  killContainer: (part) => (state, input) => {
    const { state: next, output } = part.call(killContainerArgs(state, input));
    return { state: next, ...output };
  },
  // Housekeeping comes every two seconds, and mostly nothing is to be done: that leaves no record.
  syncKnownPods: (part) => (input) =>
    part.call(syncKnownPodsArgs(input), undefined, (plan) => knownPodsProblem(input, plan), allEmpty),
  podCleanups: (part) => (input) =>
    part.call(podCleanupsArgs(input), undefined, (plan) => cleanupsProblem(input, plan), allEmpty),
  imageGC: (part) => (input) => part.call(imageGCArgs(input), undefined, (ids) => imagesProblem(input, ids)),
  evictionRank: (part) => (input) =>
    part.call(evictionRankArgs(input), undefined, (names) => rankProblem(input, names)),
  podWorker: (part) => (state, event, pod) => {
    const { state: next, output } = part.call(podWorkerArgs(state, event), pod);
    return { state: next, ...output };
  },
  dispatchWork: (part) => (input, pod) => part.call(dispatchWorkArgs(input), pod),
  syncLoopIteration: (part) => (state, ready) => {
    const { state: next, output } = part.call(
      syncLoopIterationArgs(state, ready),
      undefined,
      (result) => channelProblem(ready, result),
      // One ready channel leaves no choice, and no record.
      () => ready.length === 1,
    );
    return { state: next, ...output };
  },
};

const allEmpty = (lists: object): boolean =>
  Object.values(lists as { readonly [field: string]: readonly string[] }).every((list) => list.length === 0);

const nameOf = (pod: { readonly namespace: string; readonly name: string } | null): string =>
  pod ? (pod.namespace ? `${pod.namespace}/${pod.name}` : pod.name) : '';

const aboutPod = ({
  metadata,
}: {
  readonly metadata: { readonly namespace: string; readonly name: string; readonly uid: string };
}): About => ({ pod: nameOf(metadata), uid: metadata.uid });
