import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Go, Kernel } from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostStats } from './stats.js';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'stats-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const put = (path: string, text: string) => {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
};
const meminfo = 'MemTotal:  1000 kB\nMemFree:    400 kB\nInactive(file):  100 kB\n';
const stats = () => hostStats({ cgroupsPerQOS: true, proc: join(dir, 'proc'), cgroups: join(dir, 'cgroup') });

function run<T>(work: Go<T>): Promise<T> {
  const kernel = new Kernel({ clock: new RealClock() });
  const driver = new RealDriver(kernel);
  driver.start();
  return new Promise<T>((resolve, reject) =>
    kernel.post(() =>
      kernel.go('test', function* () {
        try {
          resolve(yield* work);
        } catch (err) {
          reject(err);
        }
      }),
    ),
  ).finally(() => driver.stop());
}

describe('[3:EV-14] control groups', () => {
  it('of version 2, by either driver', async () => {
    put('cgroup/cgroup.controllers', 'cpu memory pids\n');
    const fill = (path: string, max: string) => {
      put(`cgroup/${path}/memory.current`, '5000\n');
      put(`cgroup/${path}/memory.max`, `${max}\n`);
      put(`cgroup/${path}/memory.stat`, 'anon 3000\ninactive_file 1500\npgfault 7\npgmajfault 2\n');
      put(`cgroup/${path}/cpu.stat`, 'usage_usec 12\nuser_usec 5\n');
      put(`cgroup/${path}/pids.current`, '3\n');
    };
    fill('kubepods/burstable/poda-b-c', '8000');
    fill('kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podd_e.slice', 'max');
    const wanted = {
      memory: { usageBytes: 5000, workingSetBytes: 3500, rssBytes: 3000, pageFaults: 7, majorPageFaults: 2 },
      cpu: { usageCoreNanoSeconds: 12_000 },
      processCount: 3,
    };
    expect(await run(stats().pod('a-b-c'))).toEqual({ ...wanted, memory: { ...wanted.memory, limitBytes: 8000 } });
    expect(await run(stats().pod('d-e'))).toEqual(wanted);
    expect(await run(stats().pod('gone'))).toBe(null);
    expect(await run(stats().pod('../../etc'))).toBe(null);
  });

  it('of version 1, where no limit is a very large one', async () => {
    for (const [file, text] of [
      ['memory.usage_in_bytes', '5000'],
      ['memory.limit_in_bytes', '9223372036854771712'],
      ['memory.stat', 'cache 1\ntotal_rss 3000\ntotal_inactive_file 1500\n'],
    ] as const)
      put(`cgroup/memory/kubepods/${file}`, text);
    put('cgroup/cpuacct/kubepods/cpuacct.usage', '77\n');
    put('cgroup/pids/kubepods/pids.current', '9\n');
    expect(await run(stats().pods())).toEqual({
      memory: { usageBytes: 5000, workingSetBytes: 3500, rssBytes: 3000 },
      cpu: { usageCoreNanoSeconds: 77 },
      processCount: 9,
    });
    expect(await run(hostStats({ cgroupsPerQOS: false, cgroups: join(dir, 'cgroup') }).pods())).toBe(null);
  });
});

describe('[3:EV-14] the machine', () => {
  it('from /proc where its root group does not say', async () => {
    put('cgroup/cgroup.controllers', 'memory\n');
    put('proc/meminfo', meminfo);
    put('proc/stat', 'cpu  100 20 30 9999 50 1 2 3 0 0\n');
    put('proc/loadavg', '0.1 0.2 0.3 2/345 999\n');
    put('proc/sys/kernel/pid_max', '4000\n');
    put('proc/sys/kernel/threads-max', '3000\n');
    put(
      'proc/net/dev',
      'Inter-| Receive\n face |bytes\n  eth0: 10 1 2 0 0 0 0 0 20 3 4 0 0 0 0 0\n    lo: 5 1 0 0 0 0 0 0 5 1 0 0 0 0 0 0\n',
    );
    put('proc/net/route', 'Iface\tDestination\tGateway\neth0\t00000000\t0101A8C0\t0003\n');
    expect(await run(stats().root())).toEqual({
      memory: { usageBytes: 600 * 1024, workingSetBytes: 500 * 1024 },
      cpu: { usageCoreNanoSeconds: 156 * 10_000_000 },
    });
    expect(await run(stats().processes())).toEqual({ running: 345, max: 3000 });
    expect(await run(stats().network())).toEqual({
      defaultInterface: 'eth0',
      interfaces: [
        { name: 'eth0', rxBytes: 10, rxErrors: 2, txBytes: 20, txErrors: 4 },
        { name: 'lo', rxBytes: 5, rxErrors: 0, txBytes: 5, txErrors: 0 },
      ],
    });
  });

  it('says nothing where there is nothing to read', async () => {
    const s = stats();
    expect(await run(s.root())).toBe(null);
    expect(await run(s.pods())).toBe(null);
    expect(await run(s.processes())).toBe(null);
    expect(await run(s.network())).toBe(null);
    expect(await run(s.directory(join(dir, 'none')))).toBe(null);
  });

  it('really is there, as far as this one goes', async () => {
    const real = hostStats({ cgroupsPerQOS: true });
    const memory = (await run(real.root()))?.memory;
    expect(memory?.workingSetBytes).toBeGreaterThan(1e6);
    const fs = await run(real.fileSystem(join(dir, 'not/yet/there')));
    expect(fs?.capacityBytes).toBeGreaterThanOrEqual(fs?.availableBytes ?? 0);
    expect((await run(real.kubelet()))?.memory?.workingSetBytes).toBeGreaterThan(1e6);
  });
});

describe('files', () => {
  it('counts blocks of everything once, and follows no links', async () => {
    put('d/a', 'x'.repeat(10_000));
    put('d/sub/b', 'x'.repeat(5000));
    linkSync(join(dir, 'd/a'), join(dir, 'd/again'));
    symlinkSync('/', join(dir, 'd/out'));
    const s = stats();
    const all = await run(s.directory(join(dir, 'd')));
    // Two folders, two files, a link.
    expect(all?.inodesUsed).toBe(5);
    expect(all?.usedBytes).toBeGreaterThanOrEqual(15_000);
    expect(all?.usedBytes).toBeLessThan(60_000);
    const files = await run(s.files(join(dir, 'd')));
    expect(files?.inodesUsed).toBe(2);
    expect((await run(s.files(join(dir, 'd/sub/b'))))?.inodesUsed).toBe(1);
  });
});
