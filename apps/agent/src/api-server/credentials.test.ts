/** A node's way in: a bootstrap token, a request that is approved and signed, and the certificate as identity. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kernel } from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CertificateAuthority } from '../tls/certificate.js';
import { newRequest } from '../tls/testing/new-request.js';
import { type OwnServer, startOwnServer } from './own-server.js';
import { serveAPI } from './serve.js';

const kernel = new Kernel({ clock: new RealClock() });
const driver = new RealDriver(kernel);
let folder: string;
let own: OwnServer;
let ca: string;
let admin: string;

interface Kubeconfig {
  clusters: { cluster: { 'certificate-authority-data': string } }[];
  users: { user: { token: string } }[];
}
beforeAll(async () => {
  driver.start();
  folder = await mkdtemp(join(tmpdir(), 'syncloop-credentials-'));
  const kubeconfig = join(folder, 'kubeconfig');
  own = await startOwnServer({ kernel, name: 'node1' }, { port: 0, kubeconfig });
  const { clusters, users } = JSON.parse(await readFile(kubeconfig, 'utf8')) as Kubeconfig;
  ca = Buffer.from(clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64').toString();
  admin = users[0]?.user.token ?? '';
});
afterAll(async () => {
  await own.close();
  driver.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Answer {
  readonly kind: string;
  readonly status: { readonly certificate?: string; readonly userInfo: { readonly username: string } };
  readonly message?: string;
}
interface With {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly json?: object;
  readonly headers?: Record<string, string>;
}
function ask(
  path: string,
  { token, cert, key, json, headers }: With,
  at: { readonly url: string; readonly ca: string } = { url: own.url, ca },
): Promise<{ code: number; body: Answer }> {
  return new Promise((resolve, reject) => {
    const sent = httpsRequest(`${at.url}${path}`, {
      ca: at.ca,
      agent: false,
      ...(cert && { cert, key }),
      method: json ? 'POST' : 'GET',
      headers: { ...headers, 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    });
    sent.on('error', reject);
    sent.on('response', async (response) => {
      let text = '';
      for await (const part of response.setEncoding('utf8')) text += part;
      resolve({ code: response.statusCode ?? 0, body: JSON.parse(text) as Answer });
    });
    sent.end(json && JSON.stringify(json));
  });
}
const whoAmI = (by: With) => ask('/apis/authentication.k8s.io/v1/selfsubjectreviews', { ...by, json: {} });
const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const node = { commonName: 'system:node:n2', organizations: ['system:nodes'] };

describe('credentials of a node', () => {
  it('begin with a bootstrap token and end with a certificate that the server knows', async () => {
    const stringData = {
      'token-id': 'abcdef',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
    };
    const made = await ask('/api/v1/namespaces/kube-system/secrets', {
      token: admin,
      json: { metadata: { name: 'bootstrap-token-abcdef' }, type: 'bootstrap.kubernetes.io/token', stringData },
    });
    expect(made.code).toBe(201);
    const token = 'abcdef.0123456789abcdef';
    expect((await whoAmI({ token })).body.status.userInfo.username).toBe('system:bootstrap:abcdef');
    expect((await ask('/api/v1/nodes', { token })).code).toBe(403);

    const { requestPem, keyPem } = newRequest(node);
    const asked = await ask(requests, {
      token,
      json: {
        metadata: { name: 'csr-n2' },
        spec: {
          request: Buffer.from(requestPem).toString('base64'),
          signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
          usages: ['digital signature', 'client auth'],
        },
      },
    });
    expect(asked.code).toBe(201);
    let cert: string | undefined;
    while (!cert) cert = (await ask(`${requests}/csr-n2`, { token })).body.status.certificate;
    const pair = { cert: Buffer.from(cert, 'base64').toString(), key: keyPem };
    expect((await whoAmI(pair)).body.status.userInfo).toMatchObject({
      username: 'system:node:n2',
      groups: ['system:nodes', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/)] },
    });
    // Only administrators may be somebody else.
    const other = await whoAmI({ ...pair, headers: { 'impersonate-user': 'jane' } });
    expect(other.body.status?.userInfo?.username).not.toBe('jane');
  });

  it('are none when another authority signed them, they are not for clients, or they have ended', async () => {
    const authority = new CertificateAuthority({ commonName: 'syncloop', days: 1 });
    const tls = authority.issue({ commonName: 'api', hosts: ['127.0.0.1'], days: 1, usage: 'server' });
    const served = await serveAPI({
      handle: ({ user }) => ({ kind: 'answer', code: 200, headers: {}, body: { kind: user?.name } }),
      token: 'admin',
      clientCA: authority.certPem,
      tls,
      host: '127.0.0.1',
      port: 0,
      remedy: '',
      forwarder: () => null,
    });
    onTestFinished(() => served.close());
    const { requestPem, keyPem } = newRequest({ commonName: 'jane', organizations: ['system:masters'] });
    const now = Date.now();
    const life = { notBefore: now - 7_200_000, notAfter: now + 3_600_000, usages: ['client auth'] };
    const stranger = new CertificateAuthority({ commonName: 'syncloop', days: 1 });
    const get = async (cert: string | null, token?: string) => {
      const by = { ...(cert && { cert, key: keyPem }), ...(token && { token }) };
      const { code, body } = await ask('/version', by, { url: served.url, ca: authority.certPem });
      return code === 200 ? body.kind : code;
    };
    const foreign = stranger.signRequest(requestPem, life);
    expect(await get(authority.signRequest(requestPem, life))).toBe('jane');
    expect(await get(foreign)).toBe(401);
    expect(await get(authority.signRequest(requestPem, { ...life, usages: ['server auth'] }))).toBe(401);
    expect(await get(authority.signRequest(requestPem, { ...life, notAfter: now - 1000 }))).toBe(401);
    expect(await get(authority.signRequest(newRequest({ commonName: '' }).requestPem, life)).catch(() => 401)).toBe(
      401,
    );
    expect(await get(null)).toBe(401);
    expect(await get(foreign, 'admin')).toBe('syncloop-admin');
  });
});
