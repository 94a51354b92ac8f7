import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../tls/certificate.js';
import { connectCluster } from './cluster.js';

const authority = new CertificateAuthority({ commonName: 'cluster', days: 1 });
const stranger = new CertificateAuthority({ commonName: 'stranger', days: 1 });
let folder: string;
let server: Server;
let answer: { code: number; body: string } = { code: 200, body: '{}' };
const asked: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syncloop-cluster-'));
  const { certPem, keyPem } = authority.issue({ commonName: 'api', hosts: ['127.0.0.1'], days: 1, usage: 'server' });
  server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['user-agent']}`);
    response.writeHead(answer.code).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true, force: true });
});

async function connect(url: string, caPem = authority.certPem): Promise<string[]> {
  const file = join(folder, 'kubeconfig');
  const cluster = { server: url, 'certificate-authority-data': Buffer.from(caPem).toString('base64') };
  const config = {
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'bob' } }],
    clusters: [{ name: 'k', cluster }],
    users: [{ name: 'bob', user: { token: 'canary' } }],
  };
  await writeFile(file, JSON.stringify(config));
  const said: string[] = [];
  const transport = await connectCluster(file, 'node1', (text) => said.push(text));
  expect(transport.host).toBe(url);
  transport.close();
  return said;
}
const url = () => `https://127.0.0.1:${(server.address() as AddressInfo).port}`;

describe('before a kubelet joins a cluster', () => {
  it('nothing is said where all is well, the Node object not being there included', async () => {
    expect(await connect(url())).toEqual([]);
    answer = { code: 404, body: '{"kind":"Status","code":404}' };
    expect(await connect(url())).toEqual([]);
    expect(asked.at(-1)).toMatch(/^GET \/api\/v1\/nodes\/node1 kubelet\/v1\.\d+ \(linux\/\w+\) syncloop\/[\d.]+$/);
  });

  it('a server that is away is worth a warning only', async () => {
    const [said = '', ...more] = await connect('https://127.0.0.1:1');
    expect(said).toBe(
      'the API server https://127.0.0.1:1 cannot be reached: dial tcp 127.0.0.1:1: connect: connection refused. ' +
        'The kubelet keeps trying, and meanwhile runs the pods that it knows',
    );
    expect(more).toEqual([]);
  });

  it('403 names the user and what it lacks', async () => {
    answer = { code: 403, body: '{"message":"nodes \\"node1\\" is forbidden: User \\"bob\\" cannot get resource"}' };
    const [said = ''] = await connect(url());
    expect(said).toContain('nodes "node1" is forbidden: User "bob" cannot get resource');
    expect(said).toContain('user system:node:node1 in group system:nodes');
  });

  it('401, another authority and plain HTTP are errors with a remedy, and none shows the token', async () => {
    answer = { code: 401, body: '' };
    const unknown = await connect(url()).catch((err: Error) => err.message);
    expect(unknown).toMatch(/does not know user "bob" of .*kubeconfig \(401 Unauthorized\): .*get another kubeconfig/);
    answer = { code: 200, body: '{}' };
    const foreign = await connect(url(), stranger.certPem).catch((err: Error) => err.message);
    expect(foreign).toMatch(
      /x509: certificate signed by unknown authority; put the cluster's own certificate authority/,
    );
    expect(`${unknown}${foreign}`).not.toContain('canary');
  });
});
