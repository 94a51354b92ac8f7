/** Pods whose devices changed. upstream: pkg/kubelet/cm/resourceupdates Update */
export interface ResourceUpdate {
  readonly podUIDs: readonly string[];
}
