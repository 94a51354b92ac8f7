/** This machine's cgroups for the kubelet: folders and files of the cgroup file system, version 1 or 2. */
import * as sync from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { call, type Go, Millisecond, sleep } from '@syncloop/core/kernel';
import {
  type CgroupFS,
  cpuSharesToWeight,
  cpuWeightToShares,
  hugePageUnitSize,
  type ResourceConfig,
} from '@syncloop/core/kubelet';
import { type CgroupMounts, readCgroupMounts } from './cgroup-mounts.js';

/** Options of {@link nodeCgroups}, for tests. */
export interface NodeCgroupsOptions {
  /** Default: the machine's own. */
  readonly mounts?: CgroupMounts;
  /** Sizes of huge pages as the kernel names them in its files: `2MB`. Default: the machine's own. */
  readonly hugePageSizes?: readonly string[];
  /** Default: signal 9. */
  readonly kill?: (pid: number) => void;
}

/**
 * Hierarchies of version 1 that have to have a cgroup for it to be whole; others do not matter.
 * upstream: (*cgroupV1impl).Validate
 */
const allowlistControllers = new Set(['cpu', 'cpuacct', 'cpuset', 'memory', 'systemd', 'pids', 'hugetlb']);
/** Removal is tried so often, each time after twice the wait. upstream: opencontainers/cgroups RemovePath */
const removeTries = 5;
const firstWait = 10 * Millisecond;
/** The CFS period by default, microseconds. */
const defaultPeriod = 100_000;

/** Exact: 2 to the 62 has more digits than a number prints. */
const whole = (n: number): string => BigInt(Math.trunc(n)).toString();

const codeOf = (err: unknown): string => (err as NodeJS.ErrnoException).code ?? '';
const gone = (err: unknown): boolean => codeOf(err) === 'ENOENT' || codeOf(err) === 'ENODEV';
/** Like Go's errors of files read. */
function goError(err: unknown, op: string, path: string): Error {
  const reason = /^[A-Z0-9]+: ([^,]+),/.exec((err as Error).message)?.[1] ?? (err as Error).message;
  return Object.assign(new Error(`${op} ${path}: ${reason}`, { cause: err }), { code: codeOf(err) });
}

function read(file: string): string {
  try {
    return sync.readFileSync(file, 'utf8').trim();
  } catch (err) {
    throw goError(err, 'open', file);
  }
}
function number(file: string): number {
  const text = read(file);
  if (text === 'max') return -1;
  if (!/^-?\d+$/.test(text)) throw new Error(`unable to parse "${text}" as a uint from Cgroup file "${file}"`);
  return Number(text);
}
/** Aside: to lower a limit of memory may take the kernel long. */
function* write(folder: string, name: string, value: string): Go<void> {
  const file = join(folder, name);
  try {
    // A missing file is not created: a file that the kernel did not make does not belong to a cgroup.
    yield* call(`write ${name}`, () => writeFile(file, value, { flag: 'r+' }));
  } catch (err) {
    throw goError(err, 'write', file);
  }
}

function subfolders(folder: string): string[] {
  try {
    return sync
      .readdirSync(folder, { withFileTypes: true })
      .filter((e) => e.isDirectory())
      .map((e) => e.name);
  } catch (err) {
    if (gone(err)) return [];
    throw new Error(`failed to read the cgroup directory ${folder} : ${goError(err, 'open', folder).message}`);
  }
}

function procsBelow(folder: string, into: Set<number>): void {
  let text = '';
  try {
    text = sync.readFileSync(join(folder, 'cgroup.procs'), 'utf8');
  } catch {
    // It was removed meanwhile, or has no processes of its own.
  }
  for (const line of text.split('\n')) if (line !== '') into.add(Number(line));
  for (const child of subfolders(folder)) procsBelow(join(folder, child), into);
}

/** Removes a cgroup with those in it; waits for busy ones. */
function* removeTree(folder: string): Go<void> {
  for (let attempt = 1, wait = firstWait; ; attempt++, wait *= 2) {
    try {
      sync.rmdirSync(folder);
      return;
    } catch (err) {
      if (gone(err)) return;
      for (const child of subfolders(folder)) yield* removeTree(join(folder, child));
      try {
        sync.rmdirSync(folder);
        return;
      } catch (again) {
        if (gone(again)) return;
        if (attempt === removeTries) throw goError(again, 'unlinkat', folder);
      }
    }
    yield* sleep(wait);
  }
}

/** Kills a process, but not pid 0: that is one of another namespace, and the signal would go to ourselves. */
function killProcess(pid: number): void {
  if (!(pid > 1) || pid === process.pid) throw new Error(`process ${pid} is not ours to end`);
  try {
    process.kill(pid, 'SIGKILL');
  } catch (err) {
    if (codeOf(err) !== 'ESRCH') throw err;
  }
}

function ownHugePageSizes(): string[] {
  return subfolders('/sys/kernel/mm/hugepages').flatMap((name) => {
    const kb = /^hugepages-(\d+)kB$/.exec(name)?.[1];
    return kb === undefined ? [] : [hugePageUnitSize(Number(kb) * 1024)];
  });
}

/** Throws if the machine has no cgroups. */
export function nodeCgroups(options: NodeCgroupsOptions = {}): CgroupFS {
  const mounts = options.mounts ?? readCgroupMounts(sync.readFileSync('/proc/self/mountinfo', 'utf8'));
  const shared = {
    hugePageSizes: options.hugePageSizes ?? ownHugePageSizes(),
    kill: options.kill ?? killProcess,
  };
  return mounts.version === 2 ? new CgroupsV2(mounts, shared) : new CgroupsV1(mounts, shared);
}

interface Shared {
  readonly hugePageSizes: readonly string[];
  readonly kill: (pid: number) => void;
}

abstract class Cgroups implements CgroupFS {
  abstract readonly version: 1 | 2;
  constructor(
    protected readonly mounts: CgroupMounts,
    protected readonly shared: Shared,
  ) {}

  abstract missing(path: string): Go<string | null>;
  abstract create(path: string): Go<void>;
  abstract set(path: string, config: ResourceConfig): Go<void>;
  abstract read(path: string, resource: 'cpu' | 'memory'): Go<ResourceConfig>;
  abstract memoryUsage(path: string): Go<number>;

  /** Folders of a cgroup, one for each hierarchy. */
  protected folders(path: string): string[] {
    return [...new Set(this.mounts.mountPoints.values())].map((at) => join(at, path));
  }
  protected folder(controller: string, path: string): string {
    const at = this.mounts.mountPoints.get(controller);
    if (at === undefined) throw new Error(`failed to build ${controller} cgroup fs path for cgroup ${path}`);
    return join(at, path);
  }
  protected has(controller: string): boolean {
    return this.mounts.mountPoints.has(controller);
  }

  caveat(driver: 'cgroupfs' | 'systemd'): string | null {
    if (driver !== 'systemd') return null;
    return (
      'Cgroups are created in the cgroup file system under the names that systemd gives to slices, not by systemd: ' +
      'systemd may set or remove them. Give the runtime the cgroupfs driver to be sure'
    );
  }

  *destroy(path: string): Go<void> {
    const errors: string[] = [];
    for (const folder of this.folders(path)) {
      try {
        yield* removeTree(folder);
      } catch (err) {
        errors.push((err as Error).message);
      }
    }
    if (errors.length > 0) throw new Error(`Failed to remove paths: ${errors.join(', ')}`);
  }
  *children(path: string): Go<string[]> {
    return [...new Set(this.folders(path).flatMap(subfolders))].sort();
  }
  *pids(path: string): Go<number[]> {
    const found = new Set<number>();
    for (const folder of this.folders(path)) procsBelow(folder, found);
    return [...found].sort((a, b) => a - b);
  }
  *kill(pid: number): Go<void> {
    this.shared.kill(pid);
  }

  /** Sets the limit of each huge page size of the kernel; 0 if the config names none. upstream: maybeSetHugetlb */
  protected *setHugePages(path: string, config: ResourceConfig, file: (size: string) => string): Go<void> {
    if (!this.has('hugetlb')) return;
    const limits = new Map(
      Object.entries(config.hugePageLimit ?? {}).map(([size, n]) => [hugePageUnitSize(Number(size)), n]),
    );
    for (const size of this.shared.hugePageSizes)
      yield* write(this.folder('hugetlb', path), file(size), whole(limits.get(size) ?? 0));
  }
}

class CgroupsV1 extends Cgroups {
  readonly version = 1;

  *missing(path: string): Go<string | null> {
    const missing = [...this.mounts.mountPoints]
      .filter(([controller, at]) => allowlistControllers.has(controller) && !sync.existsSync(join(at, path)))
      .map(([, at]) => join(at, path))
      .sort();
    return missing.length === 0 ? null : `cgroup {name} has some missing paths: ${missing.join(', ')}`;
  }

  *create(path: string): Go<void> {
    for (const [controller, at] of this.mounts.mountPoints) {
      const folder = join(at, path);
      try {
        sync.mkdirSync(folder, { recursive: true, mode: 0o755 });
      } catch (err) {
        throw goError(err, 'mkdir', folder);
      }
      if (controller === 'cpuset') yield* this.copyCpuset(at, folder);
    }
  }
  /** A new cpuset is empty, and nothing can be put into it before its CPUs and memory nodes are named: the parent's. */
  private *copyCpuset(top: string, folder: string): Go<void> {
    if (folder === top || folder.length <= top.length) return;
    const parent = dirname(folder);
    yield* this.copyCpuset(top, parent);
    for (const name of ['cpuset.cpus', 'cpuset.mems']) {
      if (!sync.existsSync(join(folder, name)) || read(join(folder, name)) !== '') continue;
      yield* write(folder, name, read(join(parent, name)));
    }
  }

  *set(path: string, config: ResourceConfig): Go<void> {
    const { cpuShares, cpuQuota, cpuPeriod, memory, pidsLimit } = config;
    if (memory) yield* this.setMemory(this.folder('memory', path), memory);
    const cpu = this.folder('cpu', path);
    if (cpuShares) yield* write(cpu, 'cpu.shares', String(cpuShares));
    if (cpuPeriod && cpuQuota) {
      // The order may matter: a parent's share must not be exceeded in between.
      try {
        yield* write(cpu, 'cpu.cfs_period_us', String(cpuPeriod));
        yield* write(cpu, 'cpu.cfs_quota_us', String(cpuQuota));
      } catch (err) {
        if (codeOf(err) !== 'EINVAL') throw err;
        yield* write(cpu, 'cpu.cfs_quota_us', String(cpuQuota));
        yield* write(cpu, 'cpu.cfs_period_us', String(cpuPeriod));
      }
    } else if (cpuPeriod) yield* write(cpu, 'cpu.cfs_period_us', String(cpuPeriod));
    else if (cpuQuota) yield* write(cpu, 'cpu.cfs_quota_us', String(cpuQuota));
    if (pidsLimit !== undefined && this.has('pids'))
      yield* write(this.folder('pids', path), 'pids.max', pidsLimit > 0 ? whole(pidsLimit) : 'max');
    yield* this.setHugePages(path, config, (size) => `hugetlb.${size}.limit_in_bytes`);
  }
  private *setMemory(folder: string, memory: number): Go<void> {
    try {
      yield* write(folder, 'memory.limit_in_bytes', whole(memory));
    } catch (err) {
      if (codeOf(err) !== 'EBUSY') throw err;
      const usage = number(join(folder, 'memory.usage_in_bytes'));
      const peak = number(join(folder, 'memory.max_usage_in_bytes'));
      throw new Error(`unable to set memory limit to ${whole(memory)} (current usage: ${usage}, peak usage: ${peak})`);
    }
  }

  *read(path: string, resource: 'cpu' | 'memory'): Go<ResourceConfig> {
    const folder = this.folder(resource, path);
    if (resource === 'memory') return { memory: number(join(folder, 'memory.limit_in_bytes')) };
    return {
      cpuShares: number(join(folder, 'cpu.shares')),
      cpuQuota: number(join(folder, 'cpu.cfs_quota_us')),
      cpuPeriod: number(join(folder, 'cpu.cfs_period_us')),
    };
  }
  *memoryUsage(path: string): Go<number> {
    return number(join(this.folder('memory', path), 'memory.usage_in_bytes'));
  }
}

class CgroupsV2 extends Cgroups {
  readonly version = 2;

  private get root(): string {
    const [at] = this.mounts.mountPoints.values();
    if (at === undefined) throw new Error('the cgroup file system has no controllers');
    return at;
  }

  *missing(path: string): Go<string | null> {
    let enabled: string[];
    try {
      enabled = read(join(this.root, path, 'cgroup.controllers')).split(/\s+/);
    } catch (err) {
      return `could not read controllers for cgroup {name}: ${(err as Error).message}`;
    }
    const missing = [...this.mounts.mountPoints.keys()].filter((c) => !enabled.includes(c)).sort();
    return missing.length === 0 ? null : `cgroup {name} has some missing controllers: ${missing.join(', ')}`;
  }

  /** Controllers are handed down from the top: a folder has those that its parent's subtree_control names. */
  *create(path: string): Go<void> {
    let folder = this.root;
    for (const part of path.split('/').filter(Boolean)) {
      yield* this.handDown(folder);
      folder = join(folder, part);
      try {
        sync.mkdirSync(folder, { mode: 0o755 });
      } catch (err) {
        if (codeOf(err) !== 'EEXIST') throw goError(err, 'mkdir', folder);
      }
    }
  }
  private *handDown(folder: string): Go<void> {
    const file = join(folder, 'cgroup.subtree_control');
    const now = new Set(sync.existsSync(file) ? read(file).split(/\s+/) : []);
    for (const controller of this.mounts.mountPoints.keys()) {
      if (now.has(controller)) continue;
      try {
        yield* write(folder, 'cgroup.subtree_control', `+${controller}`);
      } catch {
        // The validation of the cgroup reports the controllers that are missing in the end.
      }
    }
  }

  *set(path: string, config: ResourceConfig): Go<void> {
    const folder = join(this.root, path);
    const { cpuShares, cpuQuota, cpuPeriod, memory, pidsLimit } = config;
    if (pidsLimit !== undefined) yield* write(folder, 'pids.max', pidsLimit > 0 ? whole(pidsLimit) : 'max');
    if (memory) yield* write(folder, 'memory.max', memory < 0 ? 'max' : whole(memory));
    if (cpuShares) yield* write(folder, 'cpu.weight', String(cpuSharesToWeight(cpuShares)));
    if (cpuQuota || cpuPeriod) {
      const quota = cpuQuota !== undefined && cpuQuota > 0 ? String(cpuQuota) : 'max';
      yield* write(folder, 'cpu.max', `${quota} ${cpuPeriod || defaultPeriod}`);
    }
    yield* this.setHugePages(path, config, (size) => `hugetlb.${size}.max`);
  }

  *read(path: string, resource: 'cpu' | 'memory'): Go<ResourceConfig> {
    const folder = join(this.root, path);
    if (resource === 'memory') return { memory: number(join(folder, 'memory.max')) };
    const text = read(join(folder, 'cpu.max'));
    const [quota, period] = text.split(' ');
    const [q, p] = [quota === 'max' ? -1 : Number(quota), Number(period)];
    if (!Number.isInteger(q) || !Number.isInteger(p))
      throw new Error(`failed to correctly parse content of cpu.max file ('${text}') for cgroup ${folder}`);
    return { cpuShares: cpuWeightToShares(number(join(folder, 'cpu.weight'))), cpuQuota: q, cpuPeriod: p };
  }
  *memoryUsage(path: string): Go<number> {
    return number(join(this.root, path, 'memory.current'));
  }
}
