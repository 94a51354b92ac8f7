import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTLSServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer as createSocketServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../testing/harness.js';
import { selfSigned } from '../tls/certificate.js';
import { refuseOtherKubelet, refuseUsedRootDir } from './other-kubelet.js';

const endpoint = 'unix:///run/containerd/containerd.sock';

async function listening(server: Server, where?: string): Promise<number> {
  await new Promise<void>((resolve) =>
    where ? server.listen(where, resolve) : server.listen(0, '127.0.0.1', resolve),
  );
  onTestFinished(() => void server.close());
  return where ? 0 : (server.address() as AddressInfo).port;
}

/** A machine with these processes, and nobody on the ports unless given. */
async function machine(processes: Record<number, { comm: string; cmdline: readonly string[]; elsewhere?: true }> = {}) {
  const folder = await tempFolder();
  const proc = join(folder, 'proc');
  await mkdir(join(proc, 'self/ns'), { recursive: true });
  await symlink('mnt:[1]', join(proc, 'self/ns/mnt'));
  for (const [pid, { comm, cmdline, elsewhere }] of Object.entries(processes)) {
    await mkdir(join(proc, pid, 'ns'), { recursive: true });
    await symlink(elsewhere ? 'mnt:[2]' : 'mnt:[1]', join(proc, pid, 'ns/mnt'));
    await writeFile(join(proc, pid, 'comm'), `${comm}\n`);
    await writeFile(join(proc, pid, 'cmdline'), cmdline.map((word) => `${word}\0`).join(''));
  }
  const rootDir = join(folder, 'root');
  await mkdir(rootDir);
  return { proc, rootDir, endpoint, ports: { healthz: 0, server: 0 } };
}

describe('where another kubelet works', () => {
  it.each([
    ['has the root directory', ['/usr/bin/kubelet', '--root-dir=ROOT'], /process 7 \(kubelet\) has the root directory/],
    ['has it in two words', ['/usr/bin/kubelet', '--root-dir', 'ROOT'], /process 7 \(kubelet\) has the root directory/],
    [
      'has the runtime',
      ['/usr/bin/kubelet', '--root-dir=/other', `--container-runtime-endpoint=${endpoint}`],
      /process 7 \(kubelet\) has the runtime unix:/,
    ],
  ])('it does not start: a process %s', async (_what, words, message) => {
    const at = await machine();
    const cmdline = words.map((word) => word.replace('ROOT', at.rootDir));
    const { proc } = await machine({ 7: { comm: 'kubelet', cmdline } });
    await expect(refuseOtherKubelet({ ...at, proc })).rejects.toThrow(message);
    await expect(refuseOtherKubelet({ ...at, proc })).rejects.toThrow(
      /systemctl stop kubelet.*--share-node.*--adopt-pods/,
    );
  });

  it('it starts beside one of another node on the same machine, as kind has them', async () => {
    const at = await machine();
    const cmdline = ['/usr/bin/kubelet', `--root-dir=${at.rootDir}`];
    const { proc } = await machine({
      7: { comm: 'kubelet', cmdline, elsewhere: true },
      8: { comm: 'kubelet', cmdline: ['kubelet', '--root-dir=/other'] },
      9: { comm: 'bash', cmdline: ['kubelet', `--root-dir=${at.rootDir}`] },
    });
    await expect(refuseOtherKubelet({ ...at, proc })).resolves.toBeUndefined();
  });

  it('it does not start: a socket of one in the root directory', async () => {
    const at = await machine();
    await mkdir(join(at.rootDir, 'device-plugins'));
    const path = join(at.rootDir, 'device-plugins/kubelet.sock');
    await writeFile(path, '');
    await expect(refuseOtherKubelet(at)).resolves.toBeUndefined();
    const other = await machine();
    await mkdir(join(other.rootDir, 'pod-resources'));
    const server = createSocketServer();
    await listening(server, join(other.rootDir, 'pod-resources/kubelet.sock'));
    await expect(refuseOtherKubelet(other)).rejects.toThrow(/it listens at .*pod-resources\/kubelet\.sock/);
  });

  it.each([
    ['is well', 200, 'ok'],
    ['is not', 500, '[+]ping ok\n[-]syncloop failed: reason withheld\nhealthz check failed\n'],
  ])('it does not start: a health port that says it %s', async (_how, status, body) => {
    const at = await machine();
    const healthz = await listening(createServer((_request, response) => response.writeHead(status).end(body)));
    await expect(refuseOtherKubelet({ ...at, ports: { healthz, server: 0 } })).rejects.toThrow(
      `its /healthz answers at 127.0.0.1:${healthz}`,
    );
  });

  it('it does not start: a kubelet’s server', async () => {
    const at = await machine();
    const { certPem, keyPem } = selfSigned({ commonName: 'node1', hosts: [], days: 1 });
    const tls = createTLSServer({ cert: certPem, key: keyPem }, (_request, response) => {
      response.writeHead(401).end('Unauthorized');
    });
    const server = await listening(tls);
    await expect(refuseOtherKubelet({ ...at, ports: { healthz: 0, server } })).rejects.toThrow(
      `its server answers at 127.0.0.1:${server}`,
    );
  });

  it('programs of other kinds on those ports are none of its business, and cannot hold it up', async () => {
    const at = await machine();
    const web = await listening(createServer((_request, response) => response.writeHead(404).end('no')));
    const silent = await listening(createSocketServer((socket) => void socket.on('error', () => {})));
    await expect(refuseOtherKubelet({ ...at, ports: { healthz: web, server: web } })).resolves.toBeUndefined();
    await expect(refuseOtherKubelet({ ...at, ports: { healthz: silent, server: 0 } })).resolves.toBeUndefined();
  });

  it('what another kubelet left in a root directory is not cleared away', async () => {
    const { rootDir } = await machine();
    await expect(refuseUsedRootDir(rootDir)).resolves.toBeUndefined();
    await mkdir(join(rootDir, 'pods/some-uid'), { recursive: true });
    await expect(refuseUsedRootDir(rootDir)).rejects.toThrow(
      /pods that another kubelet left there: some-uid\. Choose another/,
    );
  });
});
