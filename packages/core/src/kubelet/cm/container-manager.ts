import { type Chan, type Kernel, makeChan } from '../../kernel/index.js';
import type { PodContainerManager } from './pod-container-manager.js';

/** Pods whose devices changed. upstream: pkg/kubelet/cm/resourceupdates Update */
export interface ResourceUpdate {
  readonly podUIDs: readonly string[];
}

/**
 * The side of the container manager that the loop sees: a channel of device updates, and pods' cgroups. upstream: pkg/kubelet/cm/container_manager.go ContainerManager
 */
export class ContainerManager {
  private readonly ch: Chan<ResourceUpdate>;
  constructor(
    kernel: Kernel,
    readonly podContainers: PodContainerManager,
  ) {
    this.ch = makeChan<ResourceUpdate>(kernel, 'containerManager', 10, {
      describe: (u) => ({ podUIDs: [...u.podUIDs] }),
    });
  }
  updates(): Chan<ResourceUpdate> {
    return this.ch;
  }
}
