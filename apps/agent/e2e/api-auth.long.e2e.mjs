/**
 * Permissions on `syncloop kubelet --serve-api`, asked by the kubectl of this machine: rights, identities, tokens and
 * certificates. The node is one of the mock runtime, and goes by the node authorizer like any other.
 */
import assert from 'node:assert/strict';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { MockNode, podSpec } from './mock-node.mjs';
import { built } from './node-files.mjs';
import { Running, until } from './programs.mjs';

let node;
let kubeconfig;

before(async () => {
  node = await MockNode.create();
  kubeconfig = join(node.work, 'kubeconfig');
  await mkdir(join(node.work, 'home'));
  const kubelet = await node.start({ flags: ['--serve-api=0', '--serve-api-kubeconfig', kubeconfig] });
  await kubelet.says('the API server', /export KUBECONFIG=/);
});
after(async () => {
  // Its volume is a file system of its own, which nobody can delete while it is mounted.
  await run(['delete', 'pod', 'web', '--ignore-not-found', '--now']).catch(() => {});
  await node?.destroy();
});

/** Runs kubectl to its end. `by`: flags that identify the user; `input`: its standard input. */
async function run(args, { by = [], input } = {}) {
  const env = { PATH: process.env.PATH, HOME: join(node.work, 'home'), KUBECONFIG: kubeconfig, TZ: 'UTC' };
  const made = new Running(process.env.KUBECTL ?? 'kubectl', [...by, ...args], { cwd: node.work, env });
  node.running.push(made);
  made.child.stdin.end(input);
  const code = await made.exit;
  return { code, stdout: made.stdout.trim(), stderr: made.stderr.trim() };
}
async function kubectl(...args) {
  const options = typeof args.at(-1) === 'object' ? args.pop() : {};
  const { code, stdout, stderr } = await run(args, options);
  assert.equal(code, 0, `kubectl ${args.join(' ')}\n${stdout}\n${stderr}`);
  return stdout;
}
const json = async (...args) => JSON.parse(await kubectl(...args, '-o', 'json'));
const apply = (...objects) =>
  kubectl('apply', '-f', '-', { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }) });

describe('rights', () => {
  it('the node became Ready and runs pods with what the node authorizer gives it', async () => {
    await until('the node is Ready', async () =>
      (await kubectl('get', 'nodes', '--no-headers')).match(/^node1 +Ready /),
    );
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'own' }, stringData: { k: 'v' } };
    const other = { ...secret, metadata: { name: 'other' } };
    const spec = podSpec();
    spec.containers[0].envFrom = [{ secretRef: { name: 'own' } }];
    spec.serviceAccountName = 'default';
    spec.volumes = [
      { name: 'token', projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 600 } }] } },
    ];
    spec.containers[0].volumeMounts = [{ name: 'token', mountPath: '/token' }];
    await apply(secret, other, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec });
    await until('the pod runs', async () => (await kubectl('get', 'pod', 'web', '--no-headers')).includes('Running'), {
      describe: () => run(['describe', 'pod', 'web']).then((r) => r.stdout),
    });
    const by = ['--as=system:node:node1', '--as-group=system:nodes'];
    assert.match(await kubectl('get', 'secret', 'own', '--no-headers', { by }), /^own/);
    const { code, stderr } = await run(['get', 'secret', 'other'], { by });
    assert.equal(code, 1);
    assert.equal(
      stderr,
      'Error from server (Forbidden): secrets "other" is forbidden: User "system:node:node1" cannot get resource "secrets" in API group "" in the namespace "default": no relationship found between node \'node1\' and this object',
    );
  });

  it('kubectl auth can-i, and what a role gives and takes', async () => {
    const by = ['--as=jane'];
    const may = (...what) => run(['auth', 'can-i', ...what], { by });
    assert.deepEqual(await may('list', 'pods'), { code: 1, stdout: 'no', stderr: '' });
    assert.equal(await kubectl('auth', 'can-i', '*', '*'), 'yes');
    await kubectl('create', 'role', 'reader', '--verb=get,list', '--resource=pods,pods/log');
    await kubectl('create', 'rolebinding', 'jane-reads', '--role=reader', '--user=jane');
    assert.deepEqual(await may('list', 'pods'), { code: 0, stdout: 'yes', stderr: '' });
    assert.equal((await may('list', 'pods', '-n', 'kube-system')).stdout, 'no');
    assert.equal((await may('get', '/version')).stdout, 'yes');
    assert.match(await kubectl('auth', 'can-i', '--list', { by }), /pods\/log +\[\] +\[\] +\[get list\]/);
    assert.match(await kubectl('get', 'pods', { by }), /web/);
    const refused = await run(['delete', 'pod', 'web'], { by });
    assert.match(refused.stderr, /User "jane" cannot delete resource "pods" in API group ""/);
    assert.match(await kubectl('get', 'rolebindings', '-o', 'wide'), /jane-reads +Role\/reader +\S+ +jane/);
    assert.match(await kubectl('describe', 'clusterrole', 'view'), /pods\/log +\[\] +\[\] +\[get list watch\]/);
    await kubectl('delete', 'rolebinding', 'jane-reads');
    assert.equal((await may('list', 'pods')).stdout, 'no');
  });

  it('nobody grants more than he has', async () => {
    await kubectl('create', 'role', 'boss', '--verb=*', '--resource=roles.rbac.authorization.k8s.io');
    await kubectl('create', 'rolebinding', 'boss', '--role=boss', '--user=boss');
    await kubectl('create', 'role', 'none', '--verb=get', '--resource=pods');
    const { stderr } = await run(['create', 'role', 'more', '--verb=get', '--resource=secrets'], {
      by: ['--as=clerk'],
    });
    assert.match(stderr, /User "clerk" cannot create resource "roles"/);
    await kubectl('create', 'role', 'clerk', '--verb=create', '--resource=roles.rbac.authorization.k8s.io');
    await kubectl('create', 'rolebinding', 'clerk', '--role=clerk', '--user=clerk');
    const more = await run(['create', 'role', 'more', '--verb=get', '--resource=secrets'], { by: ['--as=clerk'] });
    assert.match(
      more.stderr,
      /user "clerk" \(groups=\["system:authenticated"\]\) is attempting to grant RBAC permissions not currently held:/,
    );
    assert.match(more.stderr, /\{APIGroups:\[""\], Resources:\["secrets"\], Verbs:\["get"\]\}/);
  });
});

describe('identities', () => {
  it('kubectl auth whoami', async () => {
    assert.match(
      await kubectl('auth', 'whoami'),
      /Username +syncloop-admin\nGroups +\[system:masters system:authenticated\]/,
    );
    assert.match(
      await kubectl('auth', 'whoami', { by: ['--as=jane', '--as-group=dev'] }),
      /Username +jane\nGroups +\[dev system:authenticated\]/,
    );
  });

  it('kubectl create token: signed, known to the server, and to whoever has the published key', async () => {
    const { metadata } = await json('get', 'pod', 'web');
    const bound = ['--bound-object-kind=Pod', '--bound-object-name=web', `--bound-object-uid=${metadata.uid}`];
    const token = await kubectl('create', 'token', 'default', '--duration=20m', ...bound);
    const [head, body, signature] = token.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url'));
    assert.equal(claims.exp - claims.iat, 1200);
    assert.deepEqual(claims['kubernetes.io'].pod, { name: 'web', uid: metadata.uid });
    assert.equal(claims['kubernetes.io'].node.name, 'node1');

    // A relying party has only what is published.
    const config = JSON.parse(await kubectl('get', '--raw', '/.well-known/openid-configuration'));
    assert.equal(config.issuer, claims.iss);
    const { keys } = JSON.parse(await kubectl('get', '--raw', new URL(config.jwks_uri).pathname));
    const { kid } = JSON.parse(Buffer.from(head, 'base64url'));
    const jwk = keys.find((k) => k.kid === kid);
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const signed = Buffer.from(`${head}.${body}`);
    assert.ok(verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')));
    const spki = key.export({ type: 'spki', format: 'der' });
    assert.equal(kid, createHash('sha256').update(spki).digest('base64url'));

    const as = await bare('--token', token);
    const who = await kubectl('auth', 'whoami', { by: as });
    assert.match(who, /Username +system:serviceaccount:default:default/);
    assert.match(who, /authentication.kubernetes.io\/credential-id +\[JTI=/);
    assert.match(who, /authentication.kubernetes.io\/node-name +\[node1\]/);
    assert.match(who, /authentication.kubernetes.io\/pod-name +\[web\]/);
    const short = await run(['create', 'token', 'default', '--duration=1m']);
    assert.match(short.stderr, /may not specify a duration less than 10 minutes/);
  });

  it('kubectl certificate approve and deny, and a certificate as identity', async () => {
    const { requestPem, keyPem } = await newRequest('jane', 'dev');
    const csr = (name) => ({
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name },
      spec: {
        request: Buffer.from(requestPem).toString('base64'),
        signerName: 'kubernetes.io/kube-apiserver-client',
        expirationSeconds: 3600,
        usages: ['client auth'],
      },
    });
    await apply(csr('jane'), csr('denied'));
    assert.match(
      await kubectl('get', 'csr', 'jane'),
      /jane +\S+ +kubernetes.io\/kube-apiserver-client +syncloop-admin +60m +Pending/,
    );
    await kubectl('certificate', 'deny', 'denied');
    await kubectl('certificate', 'approve', 'jane');
    await until('the certificate is issued', async () =>
      (await kubectl('get', 'csr', 'jane', '--no-headers')).endsWith('Approved,Issued'),
    );
    assert.match(await kubectl('get', 'csr', 'denied', '--no-headers'), /Denied$/);
    assert.match(await kubectl('describe', 'csr', 'jane'), /Common Name: +jane/);
    const { status } = await json('get', 'csr', 'jane');
    await writeFile(join(node.work, 'jane.crt'), Buffer.from(status.certificate, 'base64'));
    await writeFile(join(node.work, 'jane.key'), keyPem);
    const as = await bare(
      '--client-certificate',
      join(node.work, 'jane.crt'),
      '--client-key',
      join(node.work, 'jane.key'),
    );
    const who = await kubectl('auth', 'whoami', { by: as });
    assert.match(who, /Username +jane\nGroups +\[dev system:authenticated\]/);
    assert.match(who, /credential-id +\[X509SHA256=[0-9a-f]{64}\]/);
    const { stderr } = await run(['get', 'pods'], { by: as });
    assert.match(stderr, /User "jane" cannot list resource "pods"/);
  });
});

/** Flags for kubectl with these credentials and no others. */
async function bare(...credentials) {
  const { clusters } = JSON.parse(await kubectl('config', 'view', '--raw', '-o', 'json'));
  const [{ cluster }] = clusters;
  const ca = join(node.work, 'ca.crt');
  await writeFile(ca, Buffer.from(cluster['certificate-authority-data'], 'base64'));
  return ['--kubeconfig=/dev/null', '--server', cluster.server, '--certificate-authority', ca, ...credentials];
}

/** A key and a request for a certificate of it. */
async function newRequest(commonName, ...organizations) {
  const { nodeCrypto } = await built('tls/crypto.js');
  const keyPem = nodeCrypto.generateKey();
  return { requestPem: nodeCrypto.createRequest(keyPem, { commonName, organizations }), keyPem };
}
