/** Long texts from outside take linear time: each of these took quadratic time once, half a minute for this length. */
import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InterfaceStats } from '@syncloop/core/kubelet';
import { afterAll, describe, expect, it } from 'vitest';
import { loadKubeconfig } from '../api-client/kubeconfig.js';
import { nodeInfo } from '../host/node-info.js';
import { hostStats } from '../host/stats.js';
import { parseTarget } from '../telemetry/target.js';
import { selfSigned } from '../tls/certificate.js';

const n = 200_000;
const folder = mkdtempSync(join(tmpdir(), 'syncloop-long-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const write = (path: string, text: string): string => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
  return join(folder, path);
};
const network = (text: string) => {
  write('proc/net/dev', text);
  write('proc/net/route', 'Iface\tDestination\neth0\t00000000\tx\n');
  const found = hostStats({ proc: join(folder, 'proc'), cgroups: folder, cgroupsPerQOS: true })
    .network()
    .next();
  const { interfaces } = found.value as unknown as { interfaces: InterfaceStats[] };
  return interfaces.map((i) => [i.name, i.rxBytes, i.txErrors]);
};

describe('a long text', () => {
  it.each<[string, () => unknown, unknown]>([
    ['of slashes in an address', () => parseTarget(`http://h${'/'.repeat(n)}x`, 'here').protocol, 'http'],
    [
      'in the zone of an IPv6 address',
      () => {
        const { certPem } = selfSigned({ commonName: 'n1', hosts: [`fe80::1%${'x'.repeat(n)}`], days: 1 });
        return new X509Certificate(certPem).subjectAltName;
      },
      'DNS:n1, IP Address:FE80:0:0:0:0:0:0:1',
    ],
    [
      'of empty lines before the network interfaces',
      () => network(`${'\n'.repeat(n)}x\n  eth0: 1 2 3 4 5 6 7 8 9 10 11\nlo:\n${' '.repeat(n)}x\n`),
      [['eth0', 1, 11]],
    ],
    [
      'of zeros at the end of a line of the machine’s files',
      () => nodeInfo('h', write('resolv.conf', `${'\0'.repeat(n)}x\0\0`)).resolvConf?.length,
      n + 1,
    ],
  ])('%s', (_, read, wanted) => {
    expect(read()).toEqual(wanted);
  });
  it('of slashes in the server of a kubeconfig', async () => {
    const file = write(
      'kubeconfig',
      `current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters: [{name: k, cluster: {server: "http://h${'/'.repeat(n)}x"}}]
users: [{name: u, user: {}}]
`,
    );
    const access = await loadKubeconfig(file, { env: {} });
    expect(access.url.length).toBe('http://h'.length + n + 1);
    access.close();
  });
});
