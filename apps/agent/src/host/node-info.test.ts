import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { nodeInfo } from './node-info.js';

const root = mkdtempSync(join(tmpdir(), 'node-info-'));
afterAll(() => rmSync(root, { recursive: true }));

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

describe('facts of the machine', () => {
  it('[3:NODE-04] [3:NODE-07] are read where the kernel and the system keep them', () => {
    put('/etc/machine-id', 'abc123\n');
    put('/sys/class/dmi/id/product_uuid', '00000000-1111\n');
    put('/proc/sys/kernel/random/boot_id', 'b-1\n');
    put('/proc/sys/kernel/pid_max', '4194304\n');
    put('/etc/os-release', 'NAME=x\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n');
    put('/proc/meminfo', 'MemTotal: 1 kB\nSwapTotal:       2048 kB\n');
    put('/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages', '3\n');
    put('/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages', '0\n');
    put('/sys/fs/cgroup/cgroup.controllers', 'cpu memory\n');
    put('/resolv.conf', 'nameserver 10.0.0.1\n');
    expect(nodeInfo('n', join(root, 'resolv.conf'), undefined, { root, rootDirectory: root })).toMatchObject({
      hostname: 'n',
      machineID: 'abc123',
      systemUUID: '00000000-1111',
      bootID: 'b-1',
      maxPID: 4194304,
      osImage: 'Debian GNU/Linux 12 (bookworm)',
      swapCapacityBytes: 2048 * 1024,
      hugePages: [
        { pageSizeKB: 2048, pages: 3 },
        { pageSizeKB: 1048576, pages: 0 },
      ],
      cgroupVersion: 2,
      resolvConf: 'nameserver 10.0.0.1\n',
    });
  });

  it('[3:NODE-04] of the disk that the kubelet’s folder is on, though it is not there yet', () => {
    const { ephemeralStorageBytes } = nodeInfo('n', '', undefined, { rootDirectory: join(root, 'a/b/c') });
    expect(ephemeralStorageBytes).toBeGreaterThan(2 ** 20);
  });

  it('[3:NODE-02] the given address comes in place of its own', () => {
    const info = nodeInfo('n', '', '192.0.2.3');
    expect(info.addresses).toEqual(['192.0.2.3']);
    expect(info.interfaceAddresses).not.toContain('192.0.2.3');
    expect(info.interfaceAddresses).toContain('127.0.0.1');
    expect(nodeInfo('n', '', '0.0.0.0').addresses).toEqual(nodeInfo('n', '').addresses);
    for (const address of nodeInfo('n', '').addresses) expect(address).not.toMatch(/^(127\.|169\.254\.|fe80:|::1$)/);
  });

  it('where there is nothing it says nothing', () => {
    const empty = mkdtempSync(join(tmpdir(), 'node-info-'));
    const info = nodeInfo('n', '/nowhere', undefined, { root: empty });
    rmSync(empty, { recursive: true });
    expect(info).toMatchObject({
      machineID: '',
      bootID: '',
      osImage: 'Linux',
      hugePages: [],
      cgroupVersion: 1,
      resolvConf: '',
    });
    expect(info).not.toHaveProperty('maxPID');
  });
});
