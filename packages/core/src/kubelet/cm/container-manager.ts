import { type Chan, type Kernel, makeChan } from '../../kernel/index.js';
import type { Pod } from '../api/types.js';

/** Pods whose devices changed. upstream: pkg/kubelet/cm/resourceupdates Update */
export interface ResourceUpdate {
  readonly podUIDs: readonly string[];
}

/** upstream: pkg/kubelet/cm PodContainerManager */
export interface PodContainerManager {
  exists(pod: Pod): boolean;
  /** Throws where it cannot be made. */
  ensureExists(pod: Pod): void;
  destroy(pod: Pod): void;
}

/**
 * The side of the container manager that the loop sees: a channel of device updates, and pods' cgroups, which the
 * runtime makes by itself here and so are always present. upstream: pkg/kubelet/cm/container_manager.go ContainerManager
 */
export class ContainerManager {
  private readonly ch: Chan<ResourceUpdate>;
  readonly podContainers: PodContainerManager;
  constructor(kernel: Kernel, podContainers: PodContainerManager = alwaysThere) {
    this.ch = makeChan<ResourceUpdate>(kernel, 'containerManager', 10, {
      describe: (u) => ({ podUIDs: [...u.podUIDs] }),
    });
    this.podContainers = podContainers;
  }
  updates(): Chan<ResourceUpdate> {
    return this.ch;
  }
}

const alwaysThere: PodContainerManager = { exists: () => true, ensureExists: () => {}, destroy: () => {} };
