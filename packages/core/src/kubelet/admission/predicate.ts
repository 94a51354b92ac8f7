import type { Pod } from '../api/types.js';
import { kObj } from '../api/types.js';
import type { NodeInfo } from '../host.js';
import type { Logger } from '../klog.js';
import { isCriticalPod } from '../types/pod-update.js';
import { isRestartableInitContainer } from '../util/podutil.js';
import { quantityMilliValue, quantityValue, resourceOf } from '../util/quantity.js';
import type { PodAdmitHandler, PodAdmitResult } from './types.js';

export interface PredicateOptions {
  readonly maxPods: number;
  readonly nodeName: string;
  readonly nodeInfo: NodeInfo;
  readonly log: Logger;
}

interface Reason {
  readonly reason: string;
  readonly message: string;
  /** What is missing, for a shortage. */
  readonly short?: { readonly resource: string; readonly amount: number };
}

/** Memory that hard eviction keeps free. upstream: eviction defaults memory.available<100Mi, taken off the allocatable */
const hardEvictionMemory = 100 * 1024 * 1024;

/**
 * Whether the pod fits on this node: pods, cpu, memory, node selector, host ports, operating system.
 * upstream: pkg/kubelet/lifecycle/predicate.go predicateAdmitHandler
 */
export function newPredicateAdmitHandler(options: PredicateOptions): PodAdmitHandler {
  const { log } = options;
  return {
    name: 'predicate',
    admit({ pod, otherPods }): PodAdmitResult {
      if (
        pod.metadata.labels?.['kubernetes.io/os'] !== undefined &&
        pod.metadata.labels['kubernetes.io/os'] !== 'linux'
      )
        return no(
          'PodOSSelectorNodeLabelDoesNotMatch',
          "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
        );
      if (pod.spec.os && pod.spec.os.name !== 'linux')
        return no('PodOSNotSupported', "Failed to admit pod as the OS field doesn't match node OS");
      const reasons = generalFilter(options, pod, otherPods);
      const first = reasons[0];
      if (!first) return { admit: true };
      // A critical pod may push others out; there is nobody to push out among static pods, all of them critical.
      if (isCriticalPod(pod) && reasons.every((r) => r.short)) {
        const missing = reasons.map((r) => `(res: ${r.short?.resource}, q: ${r.short?.amount}), `).join('');
        const err = `preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [${missing}]`;
        log.info(0, 'Failed to admit pod, unexpected error while attempting to recover from admission failure', {
          pod: kObj(pod),
          err,
        });
        return no(
          'UnexpectedAdmissionError',
          `Unexpected error while attempting to recover from admission failure: ${err}`,
        );
      }
      log.info(2, 'Predicate failed on Pod', { pod: kObj(pod), err: first.message });
      return no(first.reason, first.message);
    },
  };
}

const no = (reason: string, message: string): PodAdmitResult => ({ admit: false, reason, message });

/** upstream: predicate.go generalFilter, scheduler.AdmissionCheck */
function generalFilter(options: PredicateOptions, pod: Pod, others: readonly Pod[]): Reason[] {
  const reasons: Reason[] = [];
  const { nodeInfo } = options;
  const short = (resource: string, requested: number, used: number, capacity: number) => {
    if (requested <= capacity - used || requested === 0) return;
    reasons.push({
      reason: `OutOf${resource}`,
      message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
      short: { resource, amount: requested - (capacity - used) },
    });
  };
  short('pods', 1, others.length, options.maxPods);
  const sum = (of: (p: Pod) => number) => others.reduce((n, p) => n + of(p), 0);
  short('cpu', cpuRequest(pod), sum(cpuRequest), nodeInfo.cpuMillis);
  short(
    'memory',
    memoryRequest(pod),
    sum(memoryRequest),
    Math.max(0, nodeInfo.memoryCapacityBytes - hardEvictionMemory),
  );
  const labels: Record<string, string> = { 'kubernetes.io/hostname': options.nodeName, 'kubernetes.io/os': 'linux' };
  if (Object.entries(pod.spec.nodeSelector ?? {}).some(([k, v]) => labels[k] !== v))
    reasons.push(predicate('NodeAffinity', "node(s) didn't match Pod's node affinity/selector"));
  if (pod.spec.nodeName && pod.spec.nodeName !== options.nodeName)
    reasons.push(predicate('NodeName', "node(s) didn't match the requested node name"));
  const taken = new Set(others.flatMap(hostPorts));
  if (hostPorts(pod).some((p) => taken.has(p)))
    reasons.push(predicate('NodePorts', "node(s) didn't have free ports for the requested pod ports"));
  return reasons;
}

const predicate = (name: string, text: string): Reason => ({
  reason: name,
  message: `Predicate ${name} failed: ${text}`,
});

const hostPorts = (pod: Pod): string[] =>
  pod.spec.containers.flatMap((c) =>
    (c.ports ?? [])
      .filter((p) => (p.hostPort ?? (pod.spec.hostNetwork ? p.containerPort : 0)) > 0)
      .map((p) => `${p.protocol ?? 'TCP'} ${p.hostPort ?? p.containerPort}`),
  );

const cpuRequest = (pod: Pod): number => podRequest(pod, 'cpu', quantityMilliValue);
const memoryRequest = (pod: Pod): number => podRequest(pod, 'memory', quantityValue);

/** Largest that the pod needs at any time, sidecars running beside. upstream: component-helpers resource PodRequests */
function podRequest(pod: Pod, resource: string, value: (q: bigint) => number): number {
  const of = (requests: Record<string, string> | undefined) => value(resourceOf(requests, resource));
  let sidecars = 0;
  let init = 0;
  for (const c of pod.spec.initContainers ?? []) {
    const own = of(c.resources?.requests);
    if (isRestartableInitContainer(c)) {
      sidecars += own;
      init = Math.max(init, sidecars);
    } else init = Math.max(init, sidecars + own);
  }
  const running = pod.spec.containers.reduce((n, c) => n + of(c.resources?.requests), sidecars);
  return Math.max(running, init) + of(pod.spec.overhead);
}
