import { getPodQOS } from '../../api/pod/qos.js';
import { type Pod, podRef } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import { frame, type Go, type Kernel } from '../../kernel/index.js';
import type { KubeletConfig } from '../config.js';
import { Logger } from '../klog.js';
import type { CgroupManager } from './cgroup-manager.js';
import {
  type CgroupName,
  cgroupNameText,
  newCgroupName,
  podCgroupNamePrefix,
  podCgroupNameSuffix,
} from './cgroup-name.js';
import { microsecondsPeriod, type ResourceConfig, resourceConfigForPod } from './helpers.js';
import type { QOSContainersInfo } from './qos-container-manager.js';

/** Cgroups of whole pods. Methods throw if the host refuses. upstream: pkg/kubelet/cm PodContainerManager */
export interface PodContainerManager {
  exists(pod: Pod): Go<boolean>;
  ensureExists(pod: Pod): Go<void>;
  /** The name, and the path on the host: a sandbox' cgroup_parent. '' without cgroups per QoS class. */
  getPodContainerName(pod: Pod): { readonly name: CgroupName; readonly path: string };
  /** Ends what still runs in it, then removes it. */
  destroy(name: CgroupName): Go<void>;
  /** Reduces the CPU limits to the minimum. */
  reduceCPULimits(name: CgroupName): Go<void>;
  /** Returns the pods that have a cgroup, by uid. */
  getAllPodsFromCgroups(): Go<ReadonlyMap<string, CgroupName>>;
  getPodCgroupConfig(pod: Pod, resource: 'cpu' | 'memory'): Go<ResourceConfig>;
  setPodCgroupConfig(pod: Pod, config: ResourceConfig): Go<void>;
}

/** Rounds of signals before the rest is given up for now. upstream: within tryKillingCgroupProcesses */
const killRounds = 5;

/** A cgroup below that of a QoS class, and the pod that it belongs to. */
interface PodCgroup {
  readonly name: CgroupName;
  readonly uid: string | undefined;
  /** Its name looks like a pod's, and has no UID of one. */
  readonly unexpected: boolean;
}

function podCgroup(name: CgroupName): PodCgroup {
  const base = name[name.length - 1] ?? '';
  const isPod = base.includes(podCgroupNamePrefix);
  const parts = base.split(podCgroupNamePrefix);
  const uid = isPod && parts.length === 2 ? parts[1] : undefined;
  return { name, uid, unexpected: isPod && uid === undefined };
}

/** upstream: pkg/kubelet/cm/pod_container_manager_linux.go podContainerManagerImpl */
export class PodContainerManagerImpl implements PodContainerManager {
  private readonly log: Logger;
  /** The cgroups of the last list by their paths, so that the next one need not parse every path again. */
  private known: ReadonlyMap<string, PodCgroup> = new Map();
  constructor(
    kernel: Kernel,
    private readonly cgroupManager: CgroupManager,
    private readonly config: Pick<KubeletConfig, 'podPidsLimit' | 'cpuCFSQuota' | 'cpuCFSQuotaPeriod'>,
    private readonly qosContainersInfo: () => QOSContainersInfo,
  ) {
    this.log = new Logger(kernel, 'pod_container_manager_linux.go');
  }

  exists(pod: Pod): Go<boolean> {
    return this.cgroupManager.exists(this.getPodContainerName(pod).name);
  }

  /** upstream: pkg/kubelet/cm/pod_container_manager_linux.go (*podContainerManagerImpl).EnsureExists */
  *ensureExists(pod: Pod): Go<void> {
    if (yield* this.exists(pod)) return;
    const { name } = this.getPodContainerName(pod);
    const { podPidsLimit = -1, cpuCFSQuota = true } = this.config;
    const config: ResourceConfig = {
      ...resourceConfigForPod(pod, { enforceCPULimits: cpuCFSQuota, cpuPeriod: microsecondsPeriod(this.config) }),
      ...(podPidsLimit > 0 && { pidsLimit: podPidsLimit }),
    };
    try {
      yield* frame('podContainerManager.EnsureExists', podRef(pod), () => this.cgroupManager.create(name, config));
    } catch (err) {
      throw new Error(`failed to create container for ${cgroupNameText(name)} : ${messageOf(err)}`, { cause: err });
    }
  }

  /** upstream: GetPodContainerName */
  getPodContainerName(pod: Pod): { name: CgroupName; path: string } {
    const info = this.qosContainersInfo();
    const qos = getPodQOS(pod);
    const parent = qos === 'Guaranteed' ? info.guaranteed : qos === 'Burstable' ? info.burstable : info.bestEffort;
    const name = newCgroupName(parent, podCgroupNameSuffix(pod.metadata.uid));
    return { name, path: this.cgroupManager.name(name) };
  }

  /** upstream: pkg/kubelet/cm/pod_container_manager_linux.go (*podContainerManagerImpl).Destroy */
  *destroy(name: CgroupName): Go<void> {
    const cgroupName = [...name];
    try {
      yield* this.tryKillingCgroupProcesses(name);
    } catch (err) {
      this.log.info(0, 'Failed to kill all the processes attached to cgroup', { cgroupName, err: messageOf(err) });
      throw new Error(
        `failed to kill all the processes attached to the ${cgroupNameText(name)} cgroups : ${messageOf(err)}`,
        { cause: err },
      );
    }
    try {
      yield* this.cgroupManager.destroy(name);
    } catch (err) {
      this.log.info(0, 'Failed to delete cgroup paths', { cgroupName, err: messageOf(err) });
      throw new Error(`failed to delete cgroup paths for ${cgroupNameText(name)} : ${messageOf(err)}`, { cause: err });
    }
  }

  /** upstream: tryKillingCgroupProcesses. The list is made once: what is started meanwhile lets the removal fail. */
  private *tryKillingCgroupProcesses(name: CgroupName): Go<void> {
    const cgroupName = [...name];
    let left = yield* this.cgroupManager.pids(name);
    if (left.length === 0) return;
    let errors: Error[] = [];
    for (let attempt = 0; attempt < killRounds; attempt++) {
      if (attempt > 0)
        this.log.info(3, 'Attempt failed to kill all unwanted process from cgroup, retrying', { attempt, cgroupName });
      errors = [];
      const failed: number[] = [];
      for (const pid of left) {
        this.log.info(3, 'Attempting to kill process from cgroup', { pid, cgroupName });
        try {
          yield* this.cgroupManager.fs.kill(pid);
        } catch (err) {
          this.log.info(3, 'Failed to kill process from cgroup', { pid, cgroupName, err: messageOf(err) });
          errors.push(err instanceof Error ? err : new Error(String(err)));
          failed.push(pid);
        }
      }
      if (failed.length === 0) {
        this.log.info(3, 'Successfully killed all unwanted processes from cgroup', { cgroupName });
        return;
      }
      left = failed;
    }
    const texts = errors.map((e) => e.message);
    throw new Error(texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`);
  }

  reduceCPULimits(name: CgroupName): Go<void> {
    return this.cgroupManager.reduceCPULimits(name);
  }

  /** upstream: GetAllPodsFromCgroups. One that is left in a single hierarchy counts, too. */
  *getAllPodsFromCgroups(): Go<ReadonlyMap<string, CgroupName>> {
    const { bestEffort, burstable, guaranteed } = this.qosContainersInfo();
    const found = new Map<string, CgroupName>();
    const known = new Map<string, PodCgroup>();
    for (const tier of [bestEffort, burstable, guaranteed]) {
      const parent = this.cgroupManager.name(tier);
      for (const child of yield* this.cgroupManager.fs.children(parent)) {
        const path = `${parent === '/' ? '' : parent}/${child}`;
        const cgroup = this.known.get(path) ?? podCgroup(this.cgroupManager.cgroupName(path));
        known.set(path, cgroup);
        if (cgroup.uid !== undefined) found.set(cgroup.uid, cgroup.name);
        else if (cgroup.unexpected)
          this.log.info(0, 'Pod cgroup manager ignored unexpected cgroup because it is not a pod', { path });
      }
    }
    this.known = known;
    return found;
  }

  getPodCgroupConfig(pod: Pod, resource: 'cpu' | 'memory'): Go<ResourceConfig> {
    return this.cgroupManager.getCgroupConfig(this.getPodContainerName(pod).name, resource);
  }
  setPodCgroupConfig(pod: Pod, config: ResourceConfig): Go<void> {
    return this.cgroupManager.update(this.getPodContainerName(pod).name, config);
  }
}

/** The manager without cgroups per QoS class, which leaves pods' cgroups alone. upstream: podContainerManagerNoop */
export const noPodContainers: PodContainerManager = {
  *exists() {
    return true;
  },
  *ensureExists() {},
  getPodContainerName: () => ({ name: [], path: '' }),
  *destroy() {},
  *reduceCPULimits() {},
  *getAllPodsFromCgroups() {
    return new Map<string, CgroupName>();
  },
  *getPodCgroupConfig() {
    return {};
  },
  *setPodCgroupConfig() {},
};
