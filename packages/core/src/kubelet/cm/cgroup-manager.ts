import { messageOf } from '../../base/index.js';
import { frame, type Go, type Kernel } from '../../kernel/index.js';
import type { Json } from '../../trace/index.js';
import type { KubeletConfig } from '../config.js';
import { Logger } from '../klog.js';
import {
  type CgroupName,
  cgroupNameText,
  parseCgroupfs,
  parseSystemd,
  quotedCgroupName,
  toCgroupfs,
  toSystemd,
} from './cgroup-name.js';
import { MinShares, type ResourceConfig } from './helpers.js';

/**
 * The host's cgroups, by path from the root of the cgroup file system (`/kubepods/burstable`). With version 1 a path
 * stands for a folder in every hierarchy. Methods throw an Error that says what the host said.
 */
export interface CgroupFS {
  readonly version: 1 | 2;
  /**
   * Returns null if the cgroup is whole, else what it lacks, in upstream's words with `{name}` for the cgroup: `cgroup
   * {name} has some missing paths: /sys/fs/cgroup/cpu/x`.
   */
  missing(path: string): Go<string | null>;
  /** Returns a warning about this host's cgroups with that driver; null for none. */
  caveat?(driver: 'cgroupfs' | 'systemd'): string | null;
  /** Creates a cgroup with everything above it; one that is there already is not an error. */
  create(path: string): Go<void>;
  /**
   * Sets what the config names and leaves the rest; huge pages of sizes that it does not name are forbidden, as
   * upstream does.
   */
  set(path: string, config: ResourceConfig): Go<void>;
  /** Removes a cgroup with everything below it; one that is not there is not an error. */
  destroy(path: string): Go<void>;
  /** Names of the cgroups directly below, of any hierarchy; none if there is no such cgroup. */
  children(path: string): Go<string[]>;
  /** Processes in it and below it, ascending. */
  pids(path: string): Go<number[]>;
  /** Sends SIGKILL; a process that has ended is not an error. */
  kill(pid: number): Go<void>;
  read(path: string, resource: 'cpu' | 'memory'): Go<ResourceConfig>;
  /** Bytes. */
  memoryUsage(path: string): Go<number>;
}

/**
 * Cgroups by name, in the spelling of the driver in use.
 * upstream: pkg/kubelet/cm/cgroup_manager_linux.go cgroupCommon
 */
export class CgroupManager {
  private readonly log: Logger;
  /** The last record of each path, so that an update without a change makes no record. */
  private readonly lastRecords = new Map<string, string>();

  constructor(
    private readonly kernel: Kernel,
    readonly fs: CgroupFS,
    /** Read each time, because the runtime may name another driver than the configuration. */
    private readonly config: Pick<KubeletConfig, 'cgroupDriver'>,
  ) {
    this.log = new Logger(kernel, 'cgroup_manager_linux.go');
  }

  get version(): 1 | 2 {
    return this.fs.version;
  }

  /** The path on the host. upstream: (*cgroupCommon).Name */
  name(name: CgroupName): string {
    return this.config.cgroupDriver === 'systemd' ? toSystemd(name) : toCgroupfs(name);
  }
  /** upstream: (*cgroupCommon).CgroupName */
  cgroupName(path: string): CgroupName {
    return this.config.cgroupDriver === 'systemd' ? parseSystemd(path) : parseCgroupfs(path);
  }

  /** Throws if a part of the cgroup is missing. upstream: Validate */
  *validate(name: CgroupName): Go<void> {
    const missing = yield* this.fs.missing(this.name(name));
    if (missing !== null) throw new Error(missing.replace('{name}', () => quotedCgroupName(name)));
  }
  /** upstream: Exists */
  *exists(name: CgroupName): Go<boolean> {
    return (yield* this.fs.missing(this.name(name))) === null;
  }

  /**
   * Creates a cgroup. If its values cannot be set, that is only logged.
   * upstream: pkg/kubelet/cm/cgroup_manager_linux.go (*cgroupCommon).Create
   */
  *create(name: CgroupName, config: ResourceConfig): Go<void> {
    const path = this.name(name);
    yield* frame('cgroupManager.Create', { path }, () => this.fs.create(path));
    try {
      yield* this.fs.set(path, config);
    } catch (err) {
      this.log.error(new Error(`cgroup manager.Set failed: ${messageOf(err)}`), 'Unhandled Error');
    }
    this.tell('create', name, config);
  }

  /** upstream: (*cgroupCommon).Update */
  *update(name: CgroupName, config: ResourceConfig): Go<void> {
    yield* this.fs.set(this.name(name), config);
    this.tell('update', name, config);
  }

  /** upstream: (*cgroupCommon).Destroy */
  *destroy(name: CgroupName): Go<void> {
    const path = this.name(name);
    // Upstream destroys without a check; a cgroup that did not exist makes no record.
    const there = this.lastRecords.has(path) || (yield* this.fs.missing(path)) === null;
    try {
      yield* this.fs.destroy(path);
    } catch (err) {
      throw new Error(`unable to destroy cgroup paths for cgroup ${cgroupNameText(name)} : ${messageOf(err)}`, {
        cause: err,
      });
    }
    if (there) this.tell('destroy', name, {});
  }

  pids(name: CgroupName): Go<number[]> {
    return this.fs.pids(this.name(name));
  }

  /** upstream: (*cgroupCommon).ReduceCPULimits */
  reduceCPULimits(name: CgroupName): Go<void> {
    return this.update(name, { cpuShares: MinShares });
  }

  memoryUsage(name: CgroupName): Go<number> {
    return this.fs.memoryUsage(this.name(name));
  }
  /** upstream: GetCgroupConfig */
  getCgroupConfig(name: CgroupName, resource: 'cpu' | 'memory'): Go<ResourceConfig> {
    return this.fs.read(this.name(name), resource);
  }

  private tell(op: 'create' | 'update' | 'destroy', name: CgroupName, config: ResourceConfig): void {
    const path = this.name(name);
    // An unlimited value is left out.
    const { hugePageLimit: _unbounded, ...shown } = config;
    const text = JSON.stringify(shown);
    if (op === 'destroy') this.lastRecords.delete(path);
    else {
      if (op === 'update' && (text === '{}' || this.lastRecords.get(path) === text)) return;
      this.lastRecords.set(path, text);
    }
    this.kernel.emit({
      kind: 'cgroup',
      op,
      path,
      ...(op === 'destroy' ? {} : { config: shown as unknown as Json }),
    });
  }
}
