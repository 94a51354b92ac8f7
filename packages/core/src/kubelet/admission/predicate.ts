import type { Go } from '../../kernel/index.js';
import { messageOf } from '../../kernel/index.js';
import { type ContainerPort, kObj, type Pod } from '../api/types.js';
import type { NodeInfo } from '../host.js';
import type { Logger } from '../klog.js';
import { isCriticalPod } from '../types/pod-update.js';
import { podRequests } from '../util/pod-resources.js';
import { isRestartableInitContainer } from '../util/podutil.js';
import { matchesNodeAffinity } from './node-affinity.js';
import { type AdmissionRequirement, resourceRequest } from './preemption.js';
import { no, type PodAdmitHandler, type PodAdmitResult } from './types.js';

export interface PredicateOptions {
  readonly maxPods: number;
  readonly nodeName: string;
  readonly nodeInfo: NodeInfo;
  readonly log: Logger;
  /** Memory that eviction keeps free, taken off what can be given out. Bytes. */
  readonly hardEvictionMemory: number;
  /** Makes room for a critical pod; throws where it cannot. */
  readonly evict: (pod: Pod, missing: readonly AdmissionRequirement[]) => Go<void>;
}

interface Reason {
  readonly reason: string;
  readonly message: string;
  /** What is missing, for a shortage. */
  readonly short?: AdmissionRequirement;
}

/**
 * Whether the pod fits on this node: its resources, affinity, name, host ports, operating system.
 * upstream: pkg/kubelet/lifecycle/predicate.go predicateAdmitHandler
 */
export function newPredicateAdmitHandler(options: PredicateOptions): PodAdmitHandler {
  const { log } = options;
  return {
    name: 'predicate',
    *admit({ pod, otherPods }): Go<PodAdmitResult> {
      const osLabel = pod.metadata.labels?.['kubernetes.io/os'];
      if (osLabel !== undefined && osLabel !== 'linux')
        return no(
          'PodOSSelectorNodeLabelDoesNotMatch',
          "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
        );
      if (pod.spec.os && pod.spec.os.name !== 'linux')
        return no('PodOSNotSupported', "Failed to admit pod as the OS field doesn't match node OS");
      const failures = generalFilter(options, pod, otherPods);
      if (failures.length === 0) return { admit: true };
      let reasons = failures;
      if (isCriticalPod(pod)) {
        // Others make room for a critical pod; what else is wrong stays wrong.
        reasons = failures.filter((r) => !r.short);
        if (reasons.length === 0) {
          try {
            yield* options.evict(
              pod,
              failures.flatMap((r) => (r.short ? [r.short] : [])),
            );
            return { admit: true };
          } catch (err) {
            log.info(0, 'Failed to admit pod, unexpected error while attempting to recover from admission failure', {
              pod: kObj(pod),
              err: messageOf(err),
            });
            return no(
              'UnexpectedAdmissionError',
              `Unexpected error while attempting to recover from admission failure: ${messageOf(err)}`,
            );
          }
        }
      }
      const first = reasons[0] as Reason;
      log.info(2, 'Predicate failed on Pod', { pod: kObj(pod), err: first.message });
      return no(first.reason, first.message);
    },
  };
}

/** upstream: predicate.go generalFilter, scheduler.AdmissionCheck */
function generalFilter(options: PredicateOptions, pod: Pod, others: readonly Pod[]): Reason[] {
  const { nodeInfo, nodeName } = options;
  const reasons: Reason[] = [];
  const short = (resource: string, capacity: number) => {
    const requested = resourceRequest(pod, resource);
    const used = others.reduce((n, p) => n + resourceRequest(p, resource), 0);
    if (requested <= capacity - used || requested === 0) return;
    reasons.push({
      reason: `OutOf${resource}`,
      message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
      short: { resource, amount: requested - (capacity - used) },
    });
  };
  short('pods', options.maxPods);
  short('cpu', nodeInfo.cpuMillis);
  short('memory', Math.max(0, nodeInfo.memoryCapacityBytes - options.hardEvictionMemory));
  if (nodeInfo.ephemeralStorageBytes !== undefined) short('ephemeral-storage', nodeInfo.ephemeralStorageBytes);
  // Extended resources that the node does not have are the cluster's matter; huge pages are the node's, and it has none.
  for (const name of Object.keys(podRequests(pod))) if (name.startsWith('hugepages-')) short(name, 0);

  if (!matchesNodeAffinity(pod, nodeName))
    reasons.push(predicate('NodeAffinity', "node(s) didn't match Pod's node affinity/selector"));
  if (pod.spec.nodeName && pod.spec.nodeName !== nodeName)
    reasons.push(predicate('NodeName', "node(s) didn't match the requested node name"));
  const taken = others.flatMap(hostPorts);
  if (hostPorts(pod).some((p) => taken.some((q) => conflict(p, q))))
    reasons.push(predicate('NodePorts', "node(s) didn't have free ports for the requested pod ports"));
  return reasons;
}

const predicate = (name: string, text: string): Reason => ({
  reason: name,
  message: `Predicate ${name} failed: ${text}`,
});

/** upstream: pkg/scheduler/util GetHostPorts */
const hostPorts = ({ spec }: Pod): ContainerPort[] =>
  [...spec.containers, ...(spec.initContainers ?? []).filter(isRestartableInitContainer)].flatMap((c) =>
    (c.ports ?? [])
      .map((p) => ({ ...p, hostPort: p.hostPort ?? (spec.hostNetwork ? p.containerPort : 0) }))
      .filter((p) => p.hostPort > 0),
  );

const anyIP = (ip: string | undefined): boolean => !ip || ip === '0.0.0.0';
/** upstream: HostPortInfo.CheckConflict */
const conflict = (a: ContainerPort, b: ContainerPort): boolean =>
  a.hostPort === b.hostPort &&
  (a.protocol ?? 'TCP') === (b.protocol ?? 'TCP') &&
  (anyIP(a.hostIP) || anyIP(b.hostIP) || a.hostIP === b.hostIP);
