/** One container as the runtime listed it. */
export interface ContainerMapEntry {
  readonly podUID: string;
  readonly containerName: string;
  readonly containerID: string;
  readonly running: boolean;
}

/**
 * The containers that the runtime had when the kubelet started, by which a restart of the kubelet is told from one of
 * the node. upstream: pkg/kubelet/cm/containermap with the set of running containers
 */
export type InitialContainers = readonly ContainerMapEntry[];
