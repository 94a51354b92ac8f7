import type { Go } from '../../kernel/index.js';
import type { Pod } from '../api/types.js';
import { mergeResourceConfig, type ResourceConfig, resourceConfigForPod } from './helpers.js';

/** Cgroups of whole pods. Methods throw where the host refuses. upstream: pkg/kubelet/cm PodContainerManager */
export interface PodContainerManager {
  exists(pod: Pod): Go<boolean>;
  ensureExists(pod: Pod): Go<void>;
  destroy(pod: Pod): Go<void>;
  /** Pods that have a cgroup, by uid. upstream: GetAllPodsFromCgroups */
  getAllPodsFromCgroups(): Go<ReadonlySet<string>>;
  /** Removes what is left of a pod that nobody knows any more. */
  destroyByUID(uid: string): Go<void>;
  getPodCgroupConfig(pod: Pod, resource: 'cpu' | 'memory'): Go<ResourceConfig>;
  setPodCgroupConfig(pod: Pod, config: ResourceConfig): Go<void>;
}

/**
 * Pods' cgroups as a table: the runtime makes them where they are missing, so that one is there for every pod that is asked
 * about, as its spec says until something else is set. Stands in for the host's cgroup file system.
 */
export class PodContainersInMemory implements PodContainerManager {
  private readonly configs = new Map<string, ResourceConfig>();

  private of(pod: Pod): ResourceConfig {
    const { uid } = pod.metadata;
    const config = this.configs.get(uid) ?? resourceConfigForPod(pod);
    this.configs.set(uid, config);
    return config;
  }

  *exists(pod: Pod): Go<boolean> {
    this.of(pod);
    return true;
  }
  *ensureExists(pod: Pod): Go<void> {
    this.of(pod);
  }
  *destroy(pod: Pod): Go<void> {
    this.configs.delete(pod.metadata.uid);
  }
  *getAllPodsFromCgroups(): Go<ReadonlySet<string>> {
    return new Set(this.configs.keys());
  }
  *destroyByUID(uid: string): Go<void> {
    this.configs.delete(uid);
  }
  *getPodCgroupConfig(pod: Pod, resource: 'cpu' | 'memory'): Go<ResourceConfig> {
    const { memory, ...cpu } = this.of(pod);
    return resource === 'cpu' ? cpu : memory === undefined ? {} : { memory };
  }
  *setPodCgroupConfig(pod: Pod, config: ResourceConfig): Go<void> {
    this.configs.set(pod.metadata.uid, mergeResourceConfig(this.of(pod), config));
  }
}

/** Without cgroups per QoS class nobody looks at pods' cgroups. upstream: podContainerManagerNoop */
export const noPodContainers: PodContainerManager = {
  *exists() {
    return true;
  },
  *ensureExists() {},
  *destroy() {},
  *getAllPodsFromCgroups() {
    return new Set<string>();
  },
  *destroyByUID() {},
  *getPodCgroupConfig() {
    return {};
  },
  *setPodCgroupConfig() {},
};
