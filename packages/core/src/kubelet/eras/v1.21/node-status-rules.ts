import type { NodeStatusRules } from '../../nodestatus/rules.js';

/** upstream: v1.21 pkg/kubelet/kubelet.go (*Kubelet).Run; kubelet_node_status.go (*Kubelet).tryUpdateNodeStatus */
export const nodeStatus: NodeStatusRules = {
  jitterFactor: 0,
  checksRuntimeFirst: false,
  fastUpdateWaitsFor: 'podCIDR',
  toleratesUnreadyRuntime: false,
  readsFromLister: false,
  spreadsReports: false,
};
