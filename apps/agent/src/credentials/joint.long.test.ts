/**
 * A kubelet and our own API server on virtual time, with real keys and certificates of ten minutes: the way of a node
 * that has nothing but a bootstrap token.
 */
import { X509Certificate } from 'node:crypto';
import type { RestTransport } from '@syncloop/core/api';
import { type ApiRequest, ApiServer, inProcessTransport, type UserInfo } from '@syncloop/core/apiserver';
import { inProcessClient } from '@syncloop/core/cri';
import { background, Kernel, Minute } from '@syncloop/core/kernel';
import { defaultKubeletConfig, newKubelet } from '@syncloop/core/kubelet';
import {
  followRotation,
  type KeyPair,
  newCertificatesClient,
  newKubeletClientCertificateManager,
} from '@syncloop/core/kubelet/certificate';
import { newMockRuntime } from '@syncloop/core/mock';
import { describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../tls/certificate.js';
import { nodeCrypto } from '../tls/crypto.js';
import { checkCertificates, readRequest } from '../tls/request.js';

const admin: UserInfo = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const nobody: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
const token = 'abcdef.0123456789abcdef';
const csrPath = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const certDirectory = '/var/lib/kubelet/pki';

interface CSR {
  metadata: { name: string };
  spec: { signerName: string; username: string };
  status: { certificate?: string; conditions?: { type: string }[] };
}

function world() {
  const logs: string[] = [];
  const kernel = new Kernel({ seed: 5, sink: (r) => void (r.kind === 'log' && logs.push(r.msg)) });
  const authority = new CertificateAuthority({ commonName: 'cluster', days: 20 * 365 });
  const line = { up: true };
  const server = new ApiServer(kernel, {
    certificates: { readRequest, checkCertificates, sign: (pem, policy) => authority.signRequest(pem, policy) },
    signingDuration: 600,
    approveKubeletServing: true,
    schedulePods: true,
    authorizationModes: ['Node', 'RBAC'],
  });
  const ask = (method: ApiRequest['method'], path: string, json?: object) => {
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    const answer = server.handle({ method, path, query: {}, headers, user: admin, ...(json && { json }) });
    if (answer.kind !== 'answer' || answer.code >= 400) throw new Error(JSON.stringify(answer));
    return answer.body as never;
  };
  const stringData = {
    'token-id': 'abcdef',
    'token-secret': '0123456789abcdef',
    'usage-bootstrap-authentication': 'true',
  };
  ask('POST', '/api/v1/namespaces/kube-system/secrets', {
    metadata: { name: 'bootstrap-token-abcdef' },
    type: 'bootstrap.kubernetes.io/token',
    stringData,
  });
  /** Returns the user of a certificate, as a server over TLS finds it out. */
  const userOf = (pair: KeyPair | null): UserInfo => {
    if (!pair || !new X509Certificate(pair.certPem).verify(new X509Certificate(authority.certPem).publicKey))
      return nobody;
    if (pair.leaf.notAfterMillis < kernel.clock.epochMillis + kernel.now() / 1000) return nobody;
    return { name: pair.leaf.commonName, groups: [...pair.leaf.organizations, 'system:authenticated'] };
  };
  const ways = new Map<string, ReturnType<typeof inProcessTransport>>();
  const as = (user: () => UserInfo): RestTransport => {
    const way = () => {
      const who = user();
      const found = ways.get(who.name) ?? inProcessTransport(kernel, server, { user: who, reachable: () => line.up });
      ways.set(who.name, found);
      return found;
    };
    return {
      host: 'https://10.96.0.1:443',
      request: (ctx, request) => way().request(ctx, request),
      watch: (ctx, request) => way().watch(ctx, request),
    };
  };
  const bootstrap = as(() => server.userOfToken(token) ?? nobody);
  const mock = newMockRuntime(kernel, {});
  let failures = 0;
  const shared = { kernel, os: mock.fs, crypto: nodeCrypto, nodeName: 'node1', certDirectory };
  const manager = newKubeletClientCertificateManager({
    ...shared,
    certFile: '',
    keyFile: '',
    bootstrap: null,
    onRenewFailure: () => failures++,
    client: (current) => newCertificatesClient(kernel, current ? transport : bootstrap),
  });
  const transport = as(() => userOf(manager.current()));
  const rotated = { closed: 0, exited: '' };
  kernel.go('client certificate', function* () {
    yield* manager.load();
    manager.start();
    yield* followRotation(background, {
      kernel,
      certificates: manager,
      closeConnections() {
        rotated.closed++;
        for (const way of ways.values()) way.disconnect();
      },
      exit: (why) => {
        rotated.exited = why;
      },
    });
  });
  const client = inProcessClient({ ...mock.runtime, ...mock.image });
  const kubelet = newKubelet({
    kernel,
    config: { ...defaultKubeletConfig(), nodeName: 'node1', failCgroupV1: false },
    runtimeService: client,
    imageService: client,
    os: mock.fs,
    probeTransport: mock.probeTransport,
    nodeInfo: mock.nodeInfo,
    transport,
    serving: { crypto: nodeCrypto, certDirectory, certFile: '', keyFile: '', serverTLSBootstrap: true },
    clientCertificate: { ttlSeconds: () => manager.ttlSeconds(), renewFailures: () => failures },
  });
  kernel.post(() => kubelet.run());
  const requests = (signer: string): CSR[] =>
    (ask('GET', csrPath) as { items: CSR[] }).items.filter((r) => r.spec.signerName.endsWith(signer));
  const figure = (name: string) =>
    Number(
      new RegExp(`^kubelet_${name} (.*)$`, 'm').exec(kubelet.metrics.registry.text())?.[1]?.replace('+Inf', 'Infinity'),
    );
  return {
    kernel,
    kubelet,
    manager,
    line,
    ask,
    rotated,
    logs,
    requests,
    figure,
    server,
    files: mock.fs,
    serving: () => kubelet.serverCertificateManager?.current() ?? null,
    at: (time: number) => kernel.run({ until: time }),
    ready(): boolean {
      const { status } = ask('GET', '/api/v1/nodes/node1') as {
        status: { conditions: { type: string; status: string }[] };
      };
      return status.conditions.some((c) => c.type === 'Ready' && c.status === 'True');
    },
  };
}

describe('a node with only a bootstrap token', () => {
  it('[3:CERT-03, CERT-08] gets its client certificate, becomes Ready, and has its serving certificate signed', () => {
    const w = world();
    w.at(2 * Minute);
    const [client = expect.fail('no request')] = w.requests('kube-apiserver-client-kubelet');
    expect(client.spec.username).toBe('system:bootstrap:abcdef');
    expect(w.manager.current()?.leaf).toMatchObject({
      commonName: 'system:node:node1',
      organizations: ['system:nodes'],
    });
    expect(w.ready()).toBe(true);
    const [serving = expect.fail('no request')] = w.requests('kubelet-serving');
    expect(serving.spec.username).toBe('system:node:node1');
    const { addresses } = (w.ask('GET', '/api/v1/nodes/node1') as { status: { addresses: { address: string }[] } })
      .status;
    expect([...(w.serving()?.leaf.ipAddresses ?? []), ...(w.serving()?.leaf.dnsNames ?? [])].sort()).toEqual(
      [...new Set(addresses.map((a) => a.address))].sort(),
    );
    expect(w.figure('certificate_manager_client_ttl_seconds')).toBeGreaterThan(400);
    expect(w.figure('certificate_manager_server_ttl_seconds')).toBeGreaterThan(400);
  });

  it('[3:CERT-04, CERT-06, CERT-09] has both renewed before they expire, again and again, and stays Ready', () => {
    const w = world();
    const seen = new Set<string>();
    let valid = true;
    for (let t = 2; t <= 25; t++) {
      w.at(t * Minute);
      valid &&= w.manager.current() !== null && w.serving() !== null && w.ready();
      for (const pair of [w.manager.current(), w.serving()]) if (pair) seen.add(pair.certPem);
    }
    expect(valid).toBe(true);
    // Each of the two every 5.5 to 8.5 minutes: they are valid from 5 minutes before they are signed.
    expect(seen.size).toBeGreaterThanOrEqual(2 * 3);
    expect(seen.size).toBeLessThanOrEqual(2 * 5);
    expect(w.rotated.closed).toBeGreaterThanOrEqual(3);
    expect(w.figure('certificate_manager_client_expiration_renew_errors')).toBe(0);
    expect(w.figure('server_expiration_renew_errors')).toBe(0);
  });

  it('[3:CERT-05] outlives a denied request: the old certificate serves until the next one is signed', () => {
    const w = world();
    w.at(2 * Minute);
    const before = w.manager.current();
    // Nobody approves renewals by itself any more.
    const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
    const binding = w.ask('GET', `${bindings}/auto-approve-renewals-for-nodes`) as {
      subjects: object[];
      roleRef: object;
    };
    w.ask('DELETE', `${bindings}/auto-approve-renewals-for-nodes`);
    const pending = () => w.requests('client-kubelet').find((r) => !r.status.conditions?.length);
    for (let t = 3; !pending() && t < 20; t++) w.at(t * Minute);
    const denied = pending() as CSR;
    const condition = { type: 'Denied', status: 'True', reason: 'Policy', message: 'not now' };
    w.ask('PUT', `${csrPath}/${denied.metadata.name}/approval`, { ...denied, status: { conditions: [condition] } });
    w.at(w.kernel.now() + Minute / 60);
    expect(w.figure('certificate_manager_client_expiration_renew_errors')).toBe(1);
    expect(w.manager.current()).toBe(before);
    expect(w.ready()).toBe(true);
    const { subjects, roleRef } = binding;
    w.ask('POST', bindings, { metadata: { name: 'auto-approve-renewals-for-nodes' }, subjects, roleRef });
    w.at(w.kernel.now() + Minute);
    expect(w.manager.current()).not.toBe(before);
    expect(w.manager.current()).not.toBeNull();
  });

  it('[3:CERT-05, CERT-06] outlives a server that is away while its certificate expires, by its bootstrap token', () => {
    const w = world();
    w.at(2 * Minute);
    w.line.up = false;
    w.at(17 * Minute);
    expect(w.manager.current()).toBeNull();
    expect(w.serving()).toBeNull();
    expect(w.rotated.exited).toBe('');
    expect(w.figure('certificate_manager_client_ttl_seconds')).toBe(Number.POSITIVE_INFINITY);
    expect(w.figure('certificate_manager_client_expiration_renew_errors')).toBeGreaterThan(5);
    w.line.up = true;
    w.at(20 * Minute);
    expect(w.manager.current()).not.toBeNull();
    expect(w.serving()).not.toBeNull();
    expect(w.ready()).toBe(true);
  });

  it('gives a pod tokens that are bound to it, and another one before each expires', () => {
    const w = world();
    w.at(2 * Minute);
    w.ask('POST', '/api/v1/namespaces/default/pods', {
      metadata: { name: 'web' },
      spec: {
        serviceAccountName: 'default',
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'app',
            image: 'busybox:1.37',
            command: ['sh', '-c', 'while true; do sleep 1; done'],
            volumeMounts: [{ name: 'token', mountPath: '/token' }],
          },
        ],
        volumes: [
          {
            name: 'token',
            projected: {
              sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 600, audience: 'vault' } }],
            },
          },
        ],
      },
    });
    w.at(3 * Minute);
    const { metadata, status } = w.ask('GET', '/api/v1/namespaces/default/pods/web') as {
      metadata: { uid: string };
      status: { phase: string };
    };
    expect(status.phase).toBe('Running');
    const folder = `/var/lib/kubelet/pods/${metadata.uid}/volumes/kubernetes.io~projected/token`;
    const read = () => w.files.readFileSync(`${folder}/token`);
    const first = read();
    expect(w.server.userOfToken(first, ['vault'])).toMatchObject({
      name: 'system:serviceaccount:default:default',
      extra: {
        'authentication.kubernetes.io/pod-name': ['web'],
        'authentication.kubernetes.io/pod-uid': [metadata.uid],
      },
    });
    expect(w.server.userOfToken(first, ['somebody-else'])).toBeNull();
    let valid = true;
    for (let t = 4; t <= 14; t++) {
      w.at(t * Minute);
      valid &&= w.server.userOfToken(read(), ['vault']) !== null;
    }
    expect(valid).toBe(true);
    expect(read()).not.toBe(first);
    expect(w.server.userOfToken(first, ['vault'])).toBeNull();
    const last = read();
    w.ask('DELETE', '/api/v1/namespaces/default/pods/web');
    w.at(15 * Minute);
    // It dies with its pod.
    expect(w.server.userOfToken(last, ['vault'])).toBeNull();
  });
});
