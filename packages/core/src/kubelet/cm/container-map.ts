import type { Logger } from '../klog.js';

/** One container as the runtime listed it. */
export interface ContainerMapEntry {
  readonly podUID: string;
  readonly containerName: string;
  readonly containerID: string;
  readonly running: boolean;
}

/**
 * The containers that the runtime had when the kubelet started. They distinguish a restart of the kubelet from one of
 * the node. upstream: pkg/kubelet/cm/containermap with the set of running containers
 */
export type InitialContainers = readonly ContainerMapEntry[];

/**
 * Returns true if a container ran already when the kubelet started.
 * upstream: pkg/kubelet/cm/devicemanager/manager.go (*ManagerImpl).isContainerAlreadyRunning
 */
export function isContainerAlreadyRunning(
  log: Logger,
  initialContainers: InitialContainers,
  podUID: string,
  containerName: string,
): boolean {
  const kv = { podUID, containerName };
  const known = initialContainers.filter((c) => c.podUID === podUID && c.containerName === containerName);
  const running = known.filter((c) => c.running);
  for (const { containerID } of running)
    log.info(4, 'Container found in the initial running set', { ...kv, containerID });
  if (known.length === 0) log.info(4, 'Container not found in the initial map, assumed NOT running', kv);
  else if (running.length === 0) log.info(4, 'Container found in map but not in running set', kv);
  return running.length > 0;
}
