/**
 * A node that has nothing but a bootstrap token, as programs: one `syncloop kubelet --serve-api`, and another one that
 * joins it over TLS, is killed and comes back. The runtime is the mock: no rights are needed. The tests follow one
 * another.
 */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { checkServerIdentity, connect } from 'node:tls';
import { MockNode } from './mock-node.mjs';
import { until } from './programs.mjs';

/** An address as a name: so the node has an address on a machine without a network, too. */
const name = '10.9.8.7';
const controlName = '10.9.8.6';
const token = 'abcdef.0123456789abcdef';
const csrs = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
let control;
let worker;
let api;
let ca;
let admin;

/** Asks a server over TLS; resolves with the status, and the body, as JSON if possible. */
const ask = (url, { method = 'GET', bearer, body, ...tls } = {}) =>
  new Promise((resolve, reject) => {
    const headers = {
      ...(bearer && { Authorization: `Bearer ${bearer}` }),
      ...(body && { 'Content-Type': 'application/json' }),
    };
    const sent = request(url, { method, headers, ca, agent: false, ...tls }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.on('end', () => {
        const json = /json/.test(response.headers['content-type'] ?? '');
        resolve({ status: response.statusCode, body: json ? JSON.parse(text) : text });
      });
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
const asAdmin = (path, options) => ask(api + path, { bearer: admin, ...options });
const file = (name) => join(worker.work, name);
const pki = (name) => join(worker.work, 'root/pki', name);
const startWorker = () =>
  worker.start({
    flags: [
      ...['--bootstrap-kubeconfig', file('bootstrap.conf'), '--kubeconfig', file('kubelet.conf')],
      ...['--rotate-certificates', '--rotate-server-certificates', '--hostname-override', name],
      ...['--client-ca-file', file('ca.crt')],
    ],
  });
const nodeIsReady = async (since = 0) => {
  const { status, body } = await asAdmin(`/api/v1/nodes/${name}`);
  const ready = status === 200 && body.status.conditions?.find((c) => c.type === 'Ready');
  return ready && ready.status === 'True' && Date.parse(ready.lastHeartbeatTime) >= since;
};

before(
  async () => {
    control = await MockNode.create();
    await control.start({
      flags: ['--serve-api=0', '--rotate-server-certificates', '--hostname-override', controlName],
    });
    const kubeconfig = await until('a kubeconfig', () =>
      readFile(join(control.work, 'root/api/kubeconfig'), 'utf8').then(JSON.parse, () => null),
    );
    api = kubeconfig.clusters[0].cluster.server;
    ca = Buffer.from(kubeconfig.clusters[0].cluster['certificate-authority-data'], 'base64').toString();
    admin = kubeconfig.users[0].user.token;
    worker = await MockNode.create();
    await writeFile(file('ca.crt'), ca);
    const bootstrap = structuredClone(kubeconfig);
    bootstrap.users[0].user = { token };
    await writeFile(file('bootstrap.conf'), JSON.stringify(bootstrap));
    const stringData = {
      'token-id': 'abcdef',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
    };
    const metadata = { name: 'bootstrap-token-abcdef' };
    const made = await asAdmin('/api/v1/namespaces/kube-system/secrets', {
      method: 'POST',
      body: { metadata, type: 'bootstrap.kubernetes.io/token', stringData },
    });
    assert.equal(made.status, 201);
  },
  { timeout: 120_000 },
);

after(async () => {
  await worker?.destroy();
  await control?.destroy();
});

it('joins with the token alone: its certificate is signed, the node becomes Ready', { timeout: 120_000 }, async () => {
  await startWorker();
  await until('the node is Ready', nodeIsReady, { seconds: 90, describe: () => worker.tail() });
  const { body } = await asAdmin(csrs);
  const [client] = body.items.filter((r) => r.spec.signerName === 'kubernetes.io/kube-apiserver-client-kubelet');
  assert.equal(client.spec.username, 'system:bootstrap:abcdef');
  assert.equal((await stat(pki('kubelet-client-current.pem'))).mode & 0o777, 0o600);
  const kubeconfig = await readFile(file('kubelet.conf'), 'utf8');
  assert.ok(kubeconfig.includes('kubelet-client-current.pem') && !kubeconfig.includes(token));
  // No message contains a key.
  const pem = await readFile(pki('kubelet-client-current.pem'), 'utf8');
  const key = /PRIVATE KEY-----\n(.{40})/.exec(pem)[1];
  assert.ok(!worker.kubelet.stderr.includes(key) && !worker.kubelet.stderr.includes(token));
});

it('shows a certificate that the API server signed, and asks it who may come in', { timeout: 90_000 }, async () => {
  const config = await readFile(file('config.yaml'), 'utf8');
  const port = Number(/^port: (\d+)/m.exec(config)[1]);
  const shown = () =>
    new Promise((resolve) => {
      const identity = (_host, certificate) => checkServerIdentity(name, certificate);
      const socket = connect({ host: '127.0.0.1', port, ca, checkServerIdentity: identity }, () => {
        const { subject } = socket.getPeerCertificate();
        socket.end();
        resolve(socket.authorized && subject.CN);
      });
      socket.on('error', () => resolve(null));
    });
  await until('a signed certificate', async () => (await shown()) === `system:node:${name}`, {
    seconds: 60,
    describe: () => worker.tail(),
  });
  const atNode = { checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate) };
  const pods = `https://127.0.0.1:${port}/pods`;
  assert.equal((await ask(pods, atNode)).status, 401);
  assert.equal((await ask(pods, { ...atNode, bearer: 'somebody-elses-token' })).status, 401);
  const { body } = await asAdmin('/api/v1/namespaces/default/serviceaccounts/default/token', {
    method: 'POST',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 600 } },
  });
  const bearer = body.status.token;
  // Known, but without a right; a role gives it.
  assert.equal((await ask(pods, { ...atNode, bearer })).status, 403);
  const rbac = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
  const binding = {
    metadata: { name: 'kubelet-api' },
    subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:kubelet-api-admin' },
  };
  assert.equal((await asAdmin(rbac, { method: 'POST', body: binding })).status, 201);
  // A refusal is remembered for 30 s; another path is another question.
  assert.equal((await ask(`https://127.0.0.1:${port}/metrics`, { ...atNode, bearer })).status, 200);
  // The node's own certificate is from the authority of clients: known, too, and without a right.
  const pem = await readFile(pki('kubelet-client-current.pem'), 'utf8');
  assert.equal((await ask(pods, { ...atNode, cert: pem, key: pem })).status, 403);
});

it('is reached by the API server of its own node through the certificate that this one signed', {
  timeout: 60_000,
}, async () => {
  const proxied = () => asAdmin(`/api/v1/nodes/${controlName}/proxy/healthz`);
  await until('the kubelet answers', async () => (await proxied()).body === 'ok', {
    seconds: 45,
    describe: () => control.tail(),
  });
});

it('tells in its metrics how long both certificates are valid', { timeout: 60_000 }, async () => {
  const text = await fetch(`http://127.0.0.1:${worker.readOnly}/metrics`).then((response) => response.text());
  const day = 24 * 3600;
  for (const of of ['client', 'server']) {
    const found = new RegExp(`^kubelet_certificate_manager_${of}_ttl_seconds (\\S+)$`, 'm').exec(text);
    assert.ok(Number(found?.[1]) > 300 * day && Number(found?.[1]) <= 365 * day, `${of}: ${found?.[0]}`);
  }
  assert.match(text, /^kubelet_certificate_manager_client_expiration_renew_errors \d+$/m);
});

it('comes back after kill -9 with its certificates, without the token', { timeout: 120_000 }, async () => {
  const count = async () => (await asAdmin(csrs)).body.items.length;
  const [before, link] = [await count(), await readlink(pki('kubelet-client-current.pem'))];
  await worker.kubelet.kill('SIGKILL');
  await rm(file('bootstrap.conf'));
  const since = Date.now();
  await startWorker();
  await until('the node is Ready again', () => nodeIsReady(since - 1000), {
    seconds: 90,
    describe: () => worker.tail(),
  });
  assert.equal(await readlink(pki('kubelet-client-current.pem')), link);
  assert.equal(await count(), before);
  assert.equal(new X509Certificate(await readFile(link)).subject, `O=system:nodes\nCN=system:node:${name}`);
});
