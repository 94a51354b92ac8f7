import { spawn } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Go } from '@syncloop/core/kernel';
import { Kernel } from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import type { CgroupFS } from '@syncloop/core/kubelet';
import { afterEach, describe, expect, it } from 'vitest';
import { refuseForeignCgroups, usableCgroups } from './cgroup-check.js';
import { type CgroupMounts, readCgroupMounts } from './cgroup-mounts.js';
import { nodeCgroups } from './cgroups.js';

const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0).reverse()) step();
});

/** Runs a goroutine to its end on a real clock. */
async function go<T>(body: () => Go<T>): Promise<T> {
  const kernel = new Kernel({ clock: new RealClock(), seed: 1 });
  const driver = new RealDriver(kernel);
  driver.start();
  try {
    return await new Promise<T>((resolve, reject) => {
      kernel.post(() =>
        kernel.go('test', function* () {
          try {
            resolve(yield* body());
          } catch (err) {
            reject(err);
          }
        }),
      );
    });
  } finally {
    driver.stop();
  }
}

const folder = (): string => {
  const at = mkdtempSync(join(tmpdir(), 'syncloop-cgroups-'));
  undo.push(() => rmSync(at, { recursive: true, force: true }));
  return at;
};
const text = (...path: string[]) => readFileSync(join(...path), 'utf8');

/** Makes the files that the kernel would create in each folder below `root` if they are missing. */
function populate(root: string, path: string, files: Record<string, string>): void {
  for (const [name, value] of Object.entries(files))
    if (!existsSync(join(root, path, name))) writeFileSync(join(root, path, name), value);
}

function version1() {
  const root = folder();
  const controllers = ['cpu', 'cpuacct', 'cpuset', 'memory', 'pids', 'hugetlb', 'blkio'];
  for (const c of controllers) mkdirSync(join(root, c));
  writeFileSync(join(root, 'cpuset', 'cpuset.cpus'), '0-3');
  writeFileSync(join(root, 'cpuset', 'cpuset.mems'), '0');
  const mounts: CgroupMounts = { version: 1, mountPoints: new Map(controllers.map((c) => [c, join(root, c)])) };
  const kernelMakes = (path: string) => {
    populate(join(root, 'cpu'), path, {
      'cpu.shares': '1024',
      'cpu.cfs_quota_us': '-1',
      'cpu.cfs_period_us': '100000',
    });
    populate(join(root, 'memory'), path, {
      'memory.limit_in_bytes': '9223372036854771712',
      'memory.usage_in_bytes': '4096',
    });
    populate(join(root, 'pids'), path, { 'pids.max': 'max' });
    populate(join(root, 'hugetlb'), path, { 'hugetlb.2MB.limit_in_bytes': 'x', 'hugetlb.1GB.limit_in_bytes': 'x' });
  };
  return { root, cgroups: nodeCgroups({ mounts, hugePageSizes: ['2MB', '1GB'] }), kernelMakes };
}

function version2(controllers = ['cpu', 'cpuset', 'memory', 'pids']) {
  const root = folder();
  writeFileSync(join(root, 'cgroup.controllers'), controllers.join(' '));
  writeFileSync(join(root, 'cgroup.subtree_control'), '');
  const mounts: CgroupMounts = { version: 2, mountPoints: new Map(controllers.map((c) => [c, root])) };
  const kernelMakes = (path: string) =>
    populate(root, path, {
      'cgroup.controllers': controllers.join(' '),
      'cgroup.subtree_control': '',
      'cpu.weight': '100',
      'cpu.max': 'max 100000',
      'memory.max': 'max',
      'memory.current': '4096',
      'pids.max': 'max',
    });
  return { root, cgroups: nodeCgroups({ mounts, hugePageSizes: [] }), kernelMakes };
}

describe('cgroups, version 1', () => {
  it('[3:QOS-07] makes a folder in every hierarchy, its cpuset filled from above', async () => {
    const { root, cgroups } = version1();
    expect(await go(() => cgroups.missing('/kubepods/burstable'))).toMatch(
      new RegExp(
        `^cgroup \\{name\\} has some missing paths: ${root}/cpu/kubepods/burstable, .*/pids/kubepods/burstable$`,
      ),
    );
    // Of hierarchies that the kubelet does not use nothing is wanted.
    expect(await go(() => cgroups.missing('/kubepods/burstable'))).not.toContain('blkio');
    for (const path of ['/kubepods', '/kubepods/burstable']) {
      mkdirSync(join(root, 'cpuset', path));
      populate(join(root, 'cpuset'), path, { 'cpuset.cpus': '', 'cpuset.mems': '' });
    }
    await go(() => cgroups.create('/kubepods/burstable'));
    expect(await go(() => cgroups.missing('/kubepods/burstable'))).toBeNull();
    expect(text(root, 'cpuset/kubepods/burstable/cpuset.cpus')).toBe('0-3');
    expect(text(root, 'cpuset/kubepods/cpuset.mems')).toBe('0');
    expect(existsSync(join(root, 'blkio/kubepods/burstable'))).toBe(true);
    expect(await go(() => cgroups.children('/kubepods'))).toEqual(['burstable']);
    expect(await go(() => cgroups.children('/nothing'))).toEqual([]);
  });

  it('[3:QOS-08] [3:QOS-09] writes shares, quota and period, memory and pids', async () => {
    const { root, cgroups, kernelMakes } = version1();
    await go(() => cgroups.create('/a'));
    kernelMakes('/a');
    await go(() =>
      cgroups.set('/a', {
        cpuShares: 512,
        cpuQuota: 50_000,
        cpuPeriod: 100_000,
        memory: 2 ** 26,
        pidsLimit: 100,
        hugePageLimit: { 2097152: 2 ** 62 },
      }),
    );
    expect(text(root, 'cpu/a/cpu.shares')).toMatch(/^512/);
    expect(text(root, 'cpu/a/cpu.cfs_quota_us')).toMatch(/^50000/);
    expect(text(root, 'memory/a/memory.limit_in_bytes')).toMatch(/^67108864/);
    expect(text(root, 'pids/a/pids.max')).toBe('100');
    // To the last digit; sizes that nobody names are forbidden.
    expect(text(root, 'hugetlb/a/hugetlb.2MB.limit_in_bytes')).toBe('4611686018427387904');
    expect(text(root, 'hugetlb/a/hugetlb.1GB.limit_in_bytes')).toBe('0');
    writeFileSync(join(root, 'memory/a/memory.limit_in_bytes'), '67108864\n');
    writeFileSync(join(root, 'cpu/a/cpu.shares'), '512\n');
    writeFileSync(join(root, 'cpu/a/cpu.cfs_quota_us'), '50000\n');
    expect(await go(() => cgroups.read('/a', 'cpu'))).toEqual({ cpuShares: 512, cpuQuota: 50_000, cpuPeriod: 100_000 });
    expect(await go(() => cgroups.read('/a', 'memory'))).toEqual({ memory: 2 ** 26 });
    expect(await go(() => cgroups.memoryUsage('/a'))).toBe(4096);
    await expect(go(() => cgroups.set('/gone', { cpuShares: 2 }))).rejects.toThrow(
      `write ${root}/cpu/gone/cpu.shares: no such file or directory`,
    );
  });

  it('[3:QOS-11] finds processes in it and below it, and removes it with what is below', async () => {
    const { root, cgroups } = version1();
    await go(() => cgroups.create('/kubepods/podx/c1'));
    writeFileSync(join(root, 'cpu/kubepods/podx/cgroup.procs'), '12\n7\n');
    writeFileSync(join(root, 'memory/kubepods/podx/c1/cgroup.procs'), '7\n31\n');
    expect(await go(() => cgroups.pids('/kubepods/podx'))).toEqual([7, 12, 31]);
    for (const c of ['cpu/kubepods/podx', 'memory/kubepods/podx/c1']) rmSync(join(root, c, 'cgroup.procs'));
    await go(() => cgroups.destroy('/kubepods/podx'));
    expect(await go(() => cgroups.children('/kubepods'))).toEqual([]);
    await go(() => cgroups.destroy('/kubepods/podx'));
  });

  it('[3:QOS-11] what cannot be removed after five tries is said', async () => {
    const { root, cgroups } = version1();
    await go(() => cgroups.create('/a'));
    // A file plays the part of what keeps a cgroup busy.
    writeFileSync(join(root, 'cpu/a/busy'), '');
    await expect(go(() => cgroups.destroy('/a'))).rejects.toThrow(
      /^Failed to remove paths: unlinkat .*\/cpu\/a: directory not empty$/,
    );
    expect(existsSync(join(root, 'memory/a'))).toBe(false);
  });
});

describe('cgroups, version 2', () => {
  it('[3:QOS-07] hands controllers down from the top, and says which are missing', async () => {
    const { root, cgroups, kernelMakes } = version2();
    mkdirSync(join(root, 'kubepods'));
    kernelMakes('/kubepods');
    await go(() => cgroups.create('/kubepods/besteffort'));
    for (const at of ['', 'kubepods']) expect(text(root, at, 'cgroup.subtree_control')).toMatch(/^\+/);
    expect(await go(() => cgroups.missing('/kubepods/besteffort'))).toBe(
      `could not read controllers for cgroup {name}: open ${root}/kubepods/besteffort/cgroup.controllers: no such file or directory`,
    );
    writeFileSync(join(root, 'kubepods/besteffort/cgroup.controllers'), 'cpu memory');
    expect(await go(() => cgroups.missing('/kubepods/besteffort'))).toBe(
      'cgroup {name} has some missing controllers: cpuset, pids',
    );
    writeFileSync(join(root, 'kubepods/besteffort/cgroup.controllers'), 'cpuset cpu io memory pids\n');
    expect(await go(() => cgroups.missing('/kubepods/besteffort'))).toBeNull();
  });

  it('[3:QOS-08] [3:QOS-09] writes weight, cpu.max, memory.max and pids.max', async () => {
    const { root, cgroups, kernelMakes } = version2();
    mkdirSync(join(root, 'a'));
    kernelMakes('/a');
    await go(() =>
      cgroups.set('/a', { cpuShares: 1024, cpuQuota: 50_000, cpuPeriod: 100_000, memory: 2 ** 26, pidsLimit: -1 }),
    );
    expect(text(root, 'a/cpu.weight')).toMatch(/^39/);
    expect(text(root, 'a/cpu.max')).toBe('50000 100000');
    expect(text(root, 'a/memory.max')).toBe('67108864');
    expect(await go(() => cgroups.read('/a', 'cpu'))).toMatchObject({ cpuQuota: 50_000, cpuPeriod: 100_000 });
    await go(() => cgroups.set('/a', { cpuQuota: -1, cpuPeriod: 100_000 }));
    expect(text(root, 'a/cpu.max')).toMatch(/^max 100000/);
    writeFileSync(join(root, 'a/cpu.max'), 'max 100000\n');
    writeFileSync(join(root, 'a/memory.max'), 'max\n');
    expect(await go(() => cgroups.read('/a', 'cpu'))).toMatchObject({ cpuQuota: -1 });
    expect(await go(() => cgroups.read('/a', 'memory'))).toEqual({ memory: -1 });
    writeFileSync(join(root, 'a/cpu.max'), 'nonsense');
    await expect(go(() => cgroups.read('/a', 'cpu'))).rejects.toThrow(
      "failed to correctly parse content of cpu.max file ('nonsense')",
    );
  });
});

describe('where cgroups are', () => {
  const line = (at: string, type: string, options: string) =>
    `31 23 0:26 / ${at} rw,nosuid shared:9 - ${type} ${type} ${options}`;

  it('reads the mounts of version 1: the shortest path of several', () => {
    const info = [
      line('/sys/fs/cgroup', 'tmpfs', 'ro,mode=755'),
      line('/mnt/with\\040blank/cpu', 'cgroup', 'rw,cpu,cpuacct'),
      line('/sys/fs/cgroup/cpu,cpuacct', 'cgroup', 'rw,cpu,cpuacct'),
      line('/m', 'cgroup', 'rw,memory'),
      line('/sys/fs/cgroup/systemd', 'cgroup', 'rw,xattr,name=systemd'),
      line('/sys/fs/cgroup/unified', 'cgroup2', 'rw'),
    ].join('\n');
    const { version, mountPoints } = readCgroupMounts(info);
    expect(version).toBe(1);
    expect(Object.fromEntries(mountPoints)).toEqual({
      cpu: '/mnt/with blank/cpu',
      cpuacct: '/mnt/with blank/cpu',
      memory: '/m',
      systemd: '/sys/fs/cgroup/systemd',
    });
    expect(() => readCgroupMounts('')).toThrow('failed to find cgroup mounts');
  });

  it('reads the one mount of version 2 and the controllers that the kubelet uses', () => {
    const root = folder();
    writeFileSync(join(root, 'cgroup.controllers'), 'cpuset cpu io memory rdma pids misc\n');
    const { version, mountPoints } = readCgroupMounts(line(root, 'cgroup2', 'rw'), root);
    expect([version, [...mountPoints.keys()]]).toEqual([2, ['cpu', 'cpuset', 'memory', 'pids']]);
  });

  it('says what to do where there are none, or not enough', () => {
    expect(() => usableCgroups('')).toThrow(
      /cgroups cannot be found: failed to find cgroup mounts\. Run as root .* or give cgroupsPerQOS: false/,
    );
    expect(() => usableCgroups(line('/sys/fs/cgroup/cpu', 'cgroup', 'rw,cpu,cpuacct'))).toThrow(
      /lack cpuset, memory \(system validation failed - Following Cgroup subsystem not mounted: \[cpuset memory\]\)/,
    );
    const all = line('/nowhere', 'cgroup', 'rw,cpu,cpuacct,cpuset,memory');
    expect(() => usableCgroups(all)).toThrow(/cgroups cannot be created below \/nowhere: ENOENT.*cgroupsPerQOS: false/);
  });

  it('refuses a root in which pods of others run', async () => {
    const { root, cgroups } = version1();
    const rootDirectory = folder();
    const check = (cgroupRoot = '') => go(() => refuseForeignCgroups(cgroups, { cgroupRoot, rootDirectory }));
    const paths = [
      '/kubepods/burstable/podother',
      '/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podaa_bb.slice',
    ];
    for (const path of paths) await go(() => cgroups.create(path));
    // Empty ones are remains.
    await check();
    for (const path of paths) writeFileSync(join(root, 'cpu', path, 'cgroup.procs'), '4242\n');
    await expect(check()).rejects.toThrow(
      /^processes run in cgroups of pods .*podother, .*podaa_bb\.slice\. .*cgroupRoot of its own/,
    );
    await check('/elsewhere');
    mkdirSync(join(rootDirectory, 'pods/other'), { recursive: true });
    mkdirSync(join(rootDirectory, 'pods/aa-bb'));
    await check();
  });
});

describe('processes', () => {
  it('[3:QOS-11] never signals pid 0, 1 or itself; one that has ended is no error', async () => {
    const { cgroups } = version1();
    for (const pid of [0, 1, process.pid, Number.NaN])
      await expect(go(() => cgroups.kill(pid))).rejects.toThrow(/is not ours/);
    await go(() => cgroups.kill(2 ** 22 + 7));
  });
});

/** Returns this machine's own cgroups; null if they cannot be written. */
function own(): CgroupFS | null {
  try {
    const cgroups = usableCgroups();
    accessSync('/proc/self/mountinfo', constants.R_OK);
    return cgroups;
  } catch {
    return null;
  }
}

describe.runIf(own() !== null)("this machine's cgroups", () => {
  it('[3:QOS-07] [3:QOS-11] are made, set, read, emptied and removed', async () => {
    const cgroups = own() as CgroupFS;
    const path = `/syncloop-test-${process.pid}`;
    undo.push(() => void go(() => cgroups.destroy(path)).catch(() => {}));
    await go(() => cgroups.create(`${path}/inner`));
    expect(await go(() => cgroups.missing(`${path}/inner`))).toBeNull();
    await go(() =>
      cgroups.set(path, { cpuShares: 512, cpuQuota: 50_000, cpuPeriod: 100_000, memory: 2 ** 27, pidsLimit: 64 }),
    );
    const cpu = await go(() => cgroups.read(path, 'cpu'));
    expect([cpu.cpuQuota, cpu.cpuPeriod]).toEqual([50_000, 100_000]);
    // Version 2 rounds on the way through weights.
    expect(Math.abs((cpu.cpuShares ?? 0) - 512)).toBeLessThan(30);
    expect(await go(() => cgroups.read(path, 'memory'))).toEqual({ memory: 2 ** 27 });
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    const ended = new Promise<string | null>((resolve) => child.on('exit', (_, signal) => resolve(signal)));
    undo.push(() => void child.kill('SIGKILL'));
    const at = cgroups.version === 2 ? '/sys/fs/cgroup' : '/sys/fs/cgroup/memory';
    writeFileSync(join(at, path, 'inner', 'cgroup.procs'), String(child.pid));
    expect(await go(() => cgroups.pids(path))).toEqual([child.pid]);
    await go(() => cgroups.kill(child.pid as number));
    expect(await ended).toBe('SIGKILL');
    await go(() => cgroups.destroy(path));
    expect(existsSync(join(at, path))).toBe(false);
  });
});
