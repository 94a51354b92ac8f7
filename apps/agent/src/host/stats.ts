/**
 * Usage of this machine: /proc, control groups of version 1 and 2, statfs. upstream: what cAdvisor does for the
 * kubelet
 */
import { existsSync, readFileSync, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { call, type Go } from '@syncloop/core/kernel';
import type { HostCgroup, HostFileSystem, HostStats, HostUsage, InterfaceStats } from '@syncloop/core/kubelet';

/** Options of {@link hostStats}. */
export interface HostStatsOptions {
  /** The parent of the pods' cgroups, as in the configuration; '' for the root. */
  readonly cgroupRoot?: string;
  /** Pods have cgroups of their own. */
  readonly cgroupsPerQOS: boolean;
  /** For tests: folders in place of /proc and /sys/fs/cgroup. */
  readonly proc?: string;
  readonly cgroups?: string;
}

/** The kernel's value for no limit: a multiple of the page size near 2^63. upstream: maxMemorySize */
const unlimited = 2 ** 62;

const read = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};
const numberIn = (path: string): number | undefined => {
  const text = read(path)?.trim();
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
};
/** `name value` or `name: value kB`, a line each. */
function table(path: string): ReadonlyMap<string, number> | null {
  const text = read(path);
  if (text === null) return null;
  return new Map(
    [...text.matchAll(/^([^\s:]+):?\s+(\d+)(?: (kB))?/gm)].map((m) => [
      m[1] as string,
      Number(m[2]) * (m[3] ? 1024 : 1),
    ]),
  );
}
const put = <K extends string>(key: K, value: number | undefined): { [P in K]?: number } =>
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: number };

/** Returns the figures of the machine that this runs on; unknown ones are null. */
export function hostStats(options: HostStatsOptions): HostStats {
  const { proc = '/proc', cgroups: top = '/sys/fs/cgroup', cgroupRoot = '', cgroupsPerQOS } = options;
  const v2 = existsSync(join(top, 'cgroup.controllers'));
  /** The folder of a cgroup for a controller; one for all in version 2. */
  const folder = (controller: string, path: string) => (v2 ? join(top, path) : join(top, controller, path));
  const pods = new Map<string, string>();

  const memoryOf = (path: string): HostCgroup['memory'] | undefined => {
    const dir = folder('memory', path);
    const usage = numberIn(join(dir, v2 ? 'memory.current' : 'memory.usage_in_bytes'));
    const stat = table(join(dir, 'memory.stat'));
    if (usage === undefined || !stat) return undefined;
    const of = (name: string, total: string) => stat.get(v2 ? name : total);
    const limit = numberIn(join(dir, v2 ? 'memory.max' : 'memory.limit_in_bytes'));
    return {
      usageBytes: usage,
      workingSetBytes: Math.max(0, usage - (of('inactive_file', 'total_inactive_file') ?? 0)),
      ...put('rssBytes', of('anon', 'total_rss')),
      ...put('pageFaults', of('pgfault', 'total_pgfault')),
      ...put('majorPageFaults', of('pgmajfault', 'total_pgmajfault')),
      ...(limit !== undefined && limit < unlimited && { limitBytes: limit }),
    };
  };
  const cpuOf = (path: string): HostCgroup['cpu'] | undefined => {
    const micros = v2 ? table(join(folder('cpu', path), 'cpu.stat'))?.get('usage_usec') : undefined;
    const nanos = v2 ? undefined : numberIn(join(folder('cpuacct', path), 'cpuacct.usage'));
    const total = micros === undefined ? nanos : micros * 1000;
    return total === undefined ? undefined : { usageCoreNanoSeconds: total };
  };
  const cgroup = (path: string): HostCgroup | null => {
    const memory = memoryOf(path);
    const cpu = cpuOf(path);
    if (!memory && !cpu) return null;
    return {
      ...(memory && { memory }),
      ...(cpu && { cpu }),
      ...put('processCount', numberIn(join(folder('pids', path), 'pids.current'))),
    };
  };
  const exists = (path: string) => existsSync(folder('memory', path));

  /** Finds it under either driver's name, in whichever tier. */
  const podPath = (uid: string): string | null => {
    const known = pods.get(uid);
    if (known !== undefined && exists(known)) return known;
    pods.delete(uid);
    const escaped = uid.replaceAll('-', '_');
    const found = [
      ...['', 'burstable/', 'besteffort/'].map((tier) => `kubepods/${tier}pod${uid}`),
      ...['', 'burstable', 'besteffort'].map((tier) =>
        tier === ''
          ? `kubepods.slice/kubepods-pod${escaped}.slice`
          : `kubepods.slice/kubepods-${tier}.slice/kubepods-${tier}-pod${escaped}.slice`,
      ),
    ]
      .map((path) => join(cgroupRoot, path))
      .find(exists);
    if (found === undefined) return null;
    pods.set(uid, found);
    return found;
  };

  return {
    *root() {
      const info = table(join(proc, 'meminfo'));
      const total = info?.get('MemTotal');
      const free = info?.get('MemFree');
      // The root of version 2 has no memory.current.
      const used = total !== undefined && free !== undefined ? total - free : undefined;
      const memory =
        (v2 ? undefined : memoryOf('')) ??
        (used === undefined
          ? undefined
          : { usageBytes: used, workingSetBytes: Math.max(0, used - (info?.get('Inactive(file)') ?? 0)) });
      const cpu = cpuOf('') ?? cpuOfMachine(read(join(proc, 'stat')));
      if (!memory && !cpu) return null;
      // The machine is bounded by its memory alone.
      const { limitBytes: _, ...rest } = memory ?? { usageBytes: 0, workingSetBytes: 0 };
      return { ...(memory && { memory: rest }), ...(cpu && { cpu }) };
    },
    *pods() {
      if (!cgroupsPerQOS) return null;
      const path = ['kubepods', 'kubepods.slice'].map((name) => join(cgroupRoot, name)).find(exists);
      return path === undefined ? null : cgroup(path);
    },
    *pod(uid) {
      // A name of a cgroup, and nothing else.
      const path = /^[A-Za-z0-9-]{1,128}$/.test(uid) ? podPath(uid) : null;
      return path === null ? null : cgroup(path);
    },
    *kubelet() {
      const { rss } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      return {
        memory: { usageBytes: rss, workingSetBytes: rss, rssBytes: rss },
        cpu: { usageCoreNanoSeconds: (user + system) * 1000 },
      };
    },
    fileSystem: (path) => quietly('statfs', () => fileSystem(path)),
    directory: (path) => quietly('du', () => usage(path, true)),
    files: (path) => quietly('du', () => usage(path, false)),
    *processes() {
      // All tasks, threads too: they share the numbers.
      const running = /^\S+ \S+ \S+ \d+\/(\d+)/.exec(read(join(proc, 'loadavg')) ?? '')?.[1];
      const limits = ['pid_max', 'threads-max'].map((name) => numberIn(join(proc, 'sys/kernel', name)));
      const known = limits.filter((n) => n !== undefined);
      return running === undefined || known.length === 0 ? null : { running: Number(running), max: Math.min(...known) };
    },
    *network() {
      const interfaces = interfacesOf(read(join(proc, 'net/dev')));
      const route = /^(\S+)\t00000000\t/m.exec(read(join(proc, 'net/route')) ?? '')?.[1];
      return route === undefined || interfaces.length === 0 ? null : { defaultInterface: route, interfaces };
    },
  };
}

/** All but idle and waiting, of all cores; a tick is 10 ms. */
function cpuOfMachine(stat: string | null): HostCgroup['cpu'] | undefined {
  const ticks = /^cpu ([\d ]+)$/m
    .exec(stat ?? '')?.[1]
    ?.split(' ')
    .filter(Boolean)
    .map(Number);
  if (!ticks) return undefined;
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = ticks;
  return { usageCoreNanoSeconds: (user + nice + system + irq + softirq + steal) * 10_000_000 };
}

function interfacesOf(text: string | null): InterfaceStats[] {
  return (text ?? '').split('\n').flatMap((line) => {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim();
    const numbers = line.slice(colon + 1).trim();
    if (name === '' || /\s/.test(name) || numbers === '') return [];
    const n = numbers.split(/\s+/).map(Number);
    return [
      {
        name,
        ...put('rxBytes', n[0]),
        ...put('rxErrors', n[2]),
        ...put('txBytes', n[8]),
        ...put('txErrors', n[10]),
      },
    ];
  });
}

function* quietly<T>(name: string, work: () => Promise<T | null>): Go<T | null> {
  try {
    return yield* call(`stats ${name}`, work);
  } catch {
    return null;
  }
}

/** The file system of a path, or of the nearest existing folder above it. */
async function fileSystem(path: string): Promise<HostFileSystem | null> {
  for (let at = path; ; at = dirname(at)) {
    try {
      const [{ bsize, blocks, bavail, files, ffree }, { dev }] = await Promise.all([fs.statfs(at), fs.stat(at)]);
      return {
        device: String(dev),
        capacityBytes: blocks * bsize,
        availableBytes: bavail * bsize,
        // btrfs and its like make inodes as they need them.
        ...(files > 0 && { inodes: files, inodesFree: ffree }),
      };
    } catch (err) {
      if ((err as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(at) === at) return null;
    }
  }
}

/**
 * Blocks on the disk, of everything once; links are not followed. `deep` false: the files of the folder itself only.
 */
async function usage(path: string, deep: boolean): Promise<HostUsage | null> {
  const total = { usedBytes: 0, inodesUsed: 0 };
  const seen = new Set<string>();
  const add = ({ dev, ino, nlink, blocks }: Stats, folder: boolean) => {
    if (nlink > 1 && !folder) {
      const id = `${dev} ${ino}`;
      if (seen.has(id)) return;
      seen.add(id);
    }
    total.usedBytes += blocks * 512;
    total.inodesUsed++;
  };
  /** It may go while it is looked at. */
  const statOf = (at: string) => fs.lstat(at).catch(() => null);
  const visit = async (at: string, stat: Stats): Promise<void> => {
    if (stat.isDirectory()) {
      const dir = await fs.opendir(at).catch(() => null);
      for await (const { name } of dir ?? []) {
        const inside = await statOf(join(at, name));
        if (inside) await visit(join(at, name), inside);
      }
    }
    add(stat, stat.isDirectory());
  };
  try {
    const top = await fs.lstat(path);
    if (deep) await visit(path, top);
    else if (!top.isDirectory()) add(top, false);
    else {
      // Each pod's logs are looked at every few seconds: one way to the disk for all names.
      for (const entry of await fs.readdir(path, { withFileTypes: true })) {
        const stat = entry.isDirectory() ? null : await statOf(join(path, entry.name));
        if (stat && !stat.isDirectory()) add(stat, false);
      }
    }
  } catch {
    return null;
  }
  return total;
}
