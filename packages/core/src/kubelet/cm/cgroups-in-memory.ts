import type { Go } from '../../kernel/index.js';
import type { CgroupFS } from './cgroup-manager.js';
import { mergeResourceConfig, quotaPeriod, type ResourceConfig } from './helpers.js';

/**
 * A host's cgroups as data, for a simulation: they outlive a kubelet as the real ones do, so one object belongs to one
 * machine. Nothing runs in them: containers of a simulated runtime are not processes.
 */
export class CgroupsInMemory implements CgroupFS {
  private readonly configs = new Map<string, ResourceConfig>([['/', {}]]);
  /** By the cgroup that they are in, until one comes or goes: housekeeping asks every 2 s. */
  private readonly below = new Map<string, string[]>();
  constructor(readonly version: 1 | 2 = 2) {}

  *missing(path: string): Go<string | null> {
    return this.configs.has(path) ? null : `cgroup {name} has some missing paths: /sys/fs/cgroup${path}`;
  }
  *create(path: string): Go<void> {
    const parts = path.split('/').filter(Boolean);
    for (let n = 1; n <= parts.length; n++) {
      const at = `/${parts.slice(0, n).join('/')}`;
      if (this.configs.has(at)) continue;
      this.configs.set(at, {});
      this.below.clear();
    }
  }
  *set(path: string, config: ResourceConfig): Go<void> {
    const now = this.configs.get(path);
    if (!now) throw new Error(`open /sys/fs/cgroup${path}: no such file or directory`);
    this.configs.set(path, mergeResourceConfig(now, config));
  }
  *destroy(path: string): Go<void> {
    this.remove(path);
  }
  *children(path: string): Go<string[]> {
    let found = this.below.get(path);
    if (!found) {
      const prefix = path === '/' ? '/' : `${path}/`;
      found = [];
      for (const at of this.configs.keys())
        if (at !== '/' && at.startsWith(prefix) && !at.includes('/', prefix.length))
          found.push(at.slice(prefix.length));
      this.below.set(path, found);
    }
    return [...found];
  }
  *pids(): Go<number[]> {
    return [];
  }
  *kill(): Go<void> {}
  /** A limit that was never set reads as the kernel writes no limit. */
  *read(path: string, resource: 'cpu' | 'memory'): Go<ResourceConfig> {
    const config = this.configs.get(path);
    if (!config) throw new Error(`open /sys/fs/cgroup${path}: no such file or directory`);
    const { cpuShares = 1024, cpuQuota = -1, cpuPeriod = quotaPeriod, memory } = config;
    return resource === 'cpu' ? { cpuShares, cpuQuota, cpuPeriod } : memory === undefined ? {} : { memory };
  }
  *memoryUsage(): Go<number> {
    return 0;
  }

  /** Removes a cgroup behind the kubelet's back. */
  remove(path: string): void {
    for (const at of this.configs.keys()) if (at === path || at.startsWith(`${path}/`)) this.configs.delete(at);
    this.below.clear();
  }
  /** Returns all settings, by path. */
  snapshot(): ReadonlyMap<string, ResourceConfig> {
    return new Map(this.configs);
  }
}
