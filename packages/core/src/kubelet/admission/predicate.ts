import { matchesNodeAffinity } from '../../api/pod/node-affinity.js';
import { podRequests } from '../../api/pod/pod-resources.js';
import { isRestartableInitContainer } from '../../api/pod/podutil.js';
import { findUntoleratedTaint } from '../../api/pod/taints.js';
import { type ContainerPort, kObj, type Pod, podRef, type ResourceList } from '../../api/types.js';
import { messageOf, quantityMilliValue, quantityValue, resourceOf } from '../../base/index.js';
import type { Go, Kernel } from '../../kernel/index.js';
import type { Logger } from '../klog.js';
import { isExtendedResource } from '../nodestatus/allocatable.js';
import { isCriticalPod, isStaticPod } from '../types/pod-update.js';
import type { AdmissionNode } from './node.js';
import { type AdmissionRequirement, resourceRequest } from './preemption.js';
import { no, type PodAdmitHandler, type PodAdmitResult } from './types.js';

export interface PredicateOptions {
  readonly kernel: Kernel;
  readonly log: Logger;
  /**
   * Returns the node from the cache, or with `useCache` false from the API server; throws if it cannot be read.
   * upstream: getNodeAnyWayFunc
   */
  readonly getNode: (useCache: boolean) => Go<AdmissionNode>;
  /** Adjusts the node's allocatable resources to the devices that the pod has already. Default: no change. */
  readonly updatePluginResources?: (pod: Pod, allocatable: ResourceList) => ResourceList;
  /** Makes room for a critical pod; throws if it cannot. */
  readonly evict: (pod: Pod, missing: readonly AdmissionRequirement[]) => Go<void>;
  /** Gate TaintTolerationComparisonOperators. */
  readonly comparisonOperators?: boolean;
}

interface Reason {
  readonly reason: string;
  readonly message: string;
  /** The missing amount, for a shortage. */
  readonly short?: AdmissionRequirement;
}

/**
 * Builds the handler that admits a pod if it fits on this node: its operating system, resources, affinity, name, host
 * ports, taints.
 * upstream: pkg/kubelet/lifecycle/predicate.go predicateAdmitHandler
 */
export function newPredicateAdmitHandler(options: PredicateOptions): PodAdmitHandler {
  const { log } = options;
  return {
    name: 'predicate',
    *admit({ pod, otherPods }): Go<PodAdmitResult> {
      let node: AdmissionNode;
      try {
        node = yield* options.getNode(true);
      } catch (err) {
        log.error(err, 'Cannot get Node info');
        return no('InvalidNodeInfo', 'Kubelet cannot get node info.');
      }
      // First what no preemption can help. The pod's labels are looked at, as upstream does, not its nodeSelector.
      const osLabel = pod.metadata.labels?.['kubernetes.io/os'];
      if (osLabel !== undefined && osLabel !== 'linux')
        return no(
          'PodOSSelectorNodeLabelDoesNotMatch',
          "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
        );
      if (pod.spec.os && pod.spec.os.name !== 'linux')
        return no('PodOSNotSupported', "Failed to admit pod as the OS field doesn't match node OS");
      if (pod.spec.securityContext?.supplementalGroupsPolicy === 'Strict' && !node.supplementalGroupsPolicy) {
        const message = 'SupplementalGroupsPolicy=Strict is not supported in this node';
        log.info(0, 'Failed to admit pod', { pod: kObj(pod), message });
        return no('SupplementalGroupsPolicyNotSupported', message);
      }
      const { updatePluginResources } = options;
      if (updatePluginResources) node = { ...node, allocatable: updatePluginResources(pod, node.allocatable) };
      let reasons = yield* filter(options, pod, otherPods, node);
      if (reasons.length > 0)
        try {
          reasons = yield* handleAdmissionFailure(options, pod, reasons);
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
      const [first] = reasons;
      if (!first) return { admit: true };
      log.info(2, 'Predicate failed on Pod', { pod: kObj(pod), err: first.message });
      return no(first.reason, first.message);
    },
  };
}

/**
 * Makes room for a critical pod by evicting others; other reasons stay.
 * upstream: preemption.go HandleAdmissionFailure
 */
function* handleAdmissionFailure(options: PredicateOptions, pod: Pod, reasons: readonly Reason[]): Go<Reason[]> {
  if (!isCriticalPod(pod)) return [...reasons];
  const others = reasons.filter((r) => !r.short);
  if (others.length > 0) return others;
  yield* options.evict(
    pod,
    reasons.flatMap((r) => (r.short ? [r.short] : [])),
  );
  return [];
}

/**
 * Repeats the filter with the node from the API server, if only its labels are in the way.
 * upstream: (*predicateAdmitHandler).generalFilter
 */
function* filter(options: PredicateOptions, pod: Pod, others: readonly Pod[], node: AdmissionNode): Go<Reason[]> {
  let reasons = generalFilter(options, pod, others, node);
  if (reasons.length > 0 && reasons.every((r) => r.reason === 'NodeAffinity')) {
    try {
      reasons = generalFilter(options, pod, others, yield* options.getNode(false));
    } catch (err) {
      options.log.error(err, 'Failed to synchronously fetch node info');
    }
  }
  if (reasons.length > 0)
    options.kernel.emit({
      kind: 'decision',
      rule: 'generalFilter',
      verdict: reasons[0]?.reason ?? '',
      // All reasons; only the first one is shown to the user.
      values: { failures: reasons.map((r) => r.message) },
      ...podRef(pod),
    });
  return reasons;
}

/** Resources that have a column of their own in what a node gives. */
const native = ['cpu', 'memory', 'ephemeral-storage'];

/**
 * Returns the resources besides cpu and memory that are counted: those that the node has, or would have to.
 * upstream: removeMissingExtendedResources, IsScalarResourceName
 */
function scalarResources(requests: Readonly<Record<string, string>>, node: AdmissionNode): string[] {
  return Object.keys(requests)
    .filter((name) => !native.includes(name) && name !== 'pods')
    .filter((name) => {
      if (isExtendedResource(name)) return Object.hasOwn(node.allocatable, name);
      return name.startsWith('hugepages-') || name.startsWith('attachable-volumes-') || name.includes('kubernetes.io/');
    })
    .sort();
}

/**
 * Returns all reasons against the pod, in order.
 * upstream: predicate.go generalFilter, scheduler.AdmissionCheck, noderesources fitsRequest
 */
function generalFilter(options: PredicateOptions, pod: Pod, others: readonly Pod[], node: AdmissionNode): Reason[] {
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
  const { allocatable } = node;
  const there = (name: string): number => {
    const q = Object.hasOwn(allocatable, name) ? resourceOf(allocatable, name) : 0n;
    return name === 'cpu' ? quantityMilliValue(q) : quantityValue(q);
  };
  short('pods', there('pods'));
  short('cpu', there('cpu'));
  short('memory', there('memory'));
  // A node that does not know its disk does not count what is taken of it.
  if (Object.hasOwn(allocatable, 'ephemeral-storage')) short('ephemeral-storage', there('ephemeral-storage'));
  for (const name of scalarResources(podRequests(pod), node)) short(name, there(name));

  if (!matchesNodeAffinity(pod, node))
    reasons.push(predicate('NodeAffinity', "node(s) didn't match Pod's node affinity/selector"));
  if (pod.spec.nodeName && pod.spec.nodeName !== node.name)
    reasons.push(predicate('NodeName', "node(s) didn't match the requested node name"));
  const taken = others.flatMap(hostPorts);
  if (hostPorts(pod).some((p) => taken.some((q) => conflict(p, q))))
    reasons.push(predicate('NodePorts', "node(s) didn't have free ports for the requested pod ports"));
  // A static pod has no scheduler that could place it elsewhere.
  if (!isStaticPod(pod)) {
    const counts = ({ effect }: { effect: string }) => effect === 'NoExecute';
    if (findUntoleratedTaint(node.taints, pod.spec.tolerations ?? [], counts, options.comparisonOperators))
      reasons.push(predicate('TaintToleration', "node(s) had taints that the pod didn't tolerate"));
  }
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
