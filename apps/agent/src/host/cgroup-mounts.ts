/** Finds the mounts of this machine's cgroups. */
import { readFileSync } from 'node:fs';

/** Hierarchies of the cgroup file system: with version 2 one for all controllers. */
export interface CgroupMounts {
  readonly version: 1 | 2;
  /** Folder by controller; with version 2 the same for each. `systemd` is version 1's hierarchy without controllers. */
  readonly mountPoints: ReadonlyMap<string, string>;
}

/** The controllers that the kubelet uses, with version 2. upstream: getSupportedUnifiedControllers */
const unifiedControllers = ['cpu', 'cpuset', 'memory', 'hugetlb', 'pids'];

/** Octal escapes of mountinfo: a blank is \040. */
const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));

/** Mounts of cgroup file systems in the text of /proc/self/mountinfo. */
function* cgroupMountsIn(mountinfo: string): Generator<{ at: string; type: string; options: readonly string[] }> {
  for (const line of mountinfo.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const at = before.split(' ')[4];
    const [type = '', , options = ''] = after.split(' ');
    if (at !== undefined && (type === 'cgroup' || type === 'cgroup2'))
      yield { at: unescaped(at), type, options: options.split(',') };
  }
}

/**
 * Reads them from the text of /proc/self/mountinfo; `root` is the mount point of the cgroup file system. Of several
 * mounts of a controller the shortest path counts. Throws if there are none. upstream: cm.GetCgroupSubsystems
 */
export function readCgroupMounts(mountinfo: string, root = '/sys/fs/cgroup'): CgroupMounts {
  const mounts = [...cgroupMountsIn(mountinfo)];
  if (mounts.some((m) => m.type === 'cgroup2' && m.at === root)) {
    const available = readFileSync(`${root}/cgroup.controllers`, 'utf8').trim().split(/\s+/);
    const used = unifiedControllers.filter((c) => available.includes(c));
    return { version: 2, mountPoints: new Map(used.map((c) => [c, root])) };
  }
  const mountPoints = new Map<string, string>();
  const flags = new Set(['rw', 'ro', 'xattr', 'clone_children', 'noprefix', 'cpuset_v2_mode']);
  for (const { at, type, options } of mounts) {
    if (type !== 'cgroup') continue;
    for (const option of options) {
      if (flags.has(option) || option.startsWith('release_agent=')) continue;
      const controller = option.replace(/^name=/, '');
      const before = mountPoints.get(controller);
      if (before === undefined || at.length < before.length) mountPoints.set(controller, at);
    }
  }
  if (mountPoints.size === 0) throw new Error('failed to find cgroup mounts');
  return { version: 1, mountPoints };
}
