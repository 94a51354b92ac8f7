/** Differences between versions of the kubelet in when and how it writes its node's status. */
export interface NodeStatusRules {
  /** The share of its period by which a regular update may come later; 0: it never does. upstream: wait.JitterUntil */
  readonly jitterFactor: number;
  /** True if the goroutine of regular updates checks the runtime before its first one. */
  readonly checksRuntimeFirst: boolean;
  /**
   * The condition that the goroutine of the first update waits for: a node that has just become ready, or a node that
   * has been given addresses for its pods.
   */
  readonly fastUpdateWaitsFor: 'ready' | 'podCIDR';
  /** True if a runtime that is not ready is logged at verbosity 4 until a fast update has succeeded or given up. */
  readonly toleratesUnreadyRuntime: boolean;
  /** True if an update reads the node from the watch first; else each is read from the API server. */
  readonly readsFromLister: boolean;
  /** True if the next report of an unchanged status is moved by up to half a period after a change. */
  readonly spreadsReports: boolean;
}

/** v1.36. upstream: pkg/kubelet/kubelet.go (*Kubelet).Run, pkg/kubelet/kubelet_node_status.go */
export const nodeStatusRules: NodeStatusRules = {
  jitterFactor: 0.04,
  checksRuntimeFirst: true,
  fastUpdateWaitsFor: 'ready',
  toleratesUnreadyRuntime: true,
  readsFromLister: true,
  spreadsReports: true,
};
