import type { NodeObject, Taint } from '../../api/cluster-types.js';
import { nodeLabels } from '../../api/pod/node-affinity.js';
import type { ResourceList } from '../../api/types.js';
import { resourceOf } from '../../base/index.js';
import type { NodeInfo } from '../../host/os.js';
import type { KubeletConfig } from '../config.js';
import { formatAmount, nodeAllocatableReservation } from '../nodestatus/allocatable.js';

/** The facts of the node that admission looks at. */
export interface AdmissionNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly allocatable: ResourceList;
  readonly supplementalGroupsPolicy: boolean;
}

/** The part of a Node object that admission reads. */
export const admissionNodeOf = (node: NodeObject): AdmissionNode => ({
  name: node.metadata.name,
  labels: node.metadata.labels ?? {},
  taints: node.spec?.taints ?? [],
  allocatable: node.status?.allocatable ?? {},
  supplementalGroupsPolicy: node.status?.features?.supplementalGroupsPolicy ?? false,
});

/**
 * The node of a stand-alone kubelet, from the configuration and the machine.
 * upstream: initialNode, as far as admission reads it
 */
export function standaloneNode(
  config: KubeletConfig,
  nodeInfo: NodeInfo,
  capacity: ResourceList,
  eviction: ResourceList,
  supplementalGroupsPolicy: boolean,
): AdmissionNode {
  const { kubeReserved, systemReserved } = config;
  const reservation = nodeAllocatableReservation(capacity, { kubeReserved, systemReserved, eviction });
  const allocatable: ResourceList = Object.create(null);
  for (const [name, there] of Object.entries(capacity)) {
    const reserved = reservation.get(name);
    if (reserved === undefined) allocatable[name] = there;
    else {
      const left = resourceOf(capacity, name) - reserved;
      allocatable[name] = formatAmount(name, left > 0n ? left : 0n);
    }
  }
  const cores = Math.floor(nodeInfo.cpuMillis / 1000);
  const { podsPerCore, maxPods } = config;
  allocatable.pods = String(podsPerCore > 0 ? Math.min(cores * podsPerCore, maxPods) : maxPods);
  return {
    name: config.nodeName,
    labels: { ...nodeLabels(config.nodeName, nodeInfo.architecture), ...config.nodeLabels },
    taints: config.registerWithTaints,
    allocatable,
    supplementalGroupsPolicy,
  };
}
