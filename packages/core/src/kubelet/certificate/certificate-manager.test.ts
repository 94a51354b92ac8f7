import { describe, expect, it } from 'vitest';
import { epochMillis } from '../../api/time.js';
import { background, Kernel, Minute, Second } from '../../kernel/index.js';
import type { TraceRecord } from '../../trace/index.js';
import { KubeletMetrics } from '../metrics/kubelet-metrics.js';
import { FakeAPI } from '../testing/fake-api.js';
import { MemOS } from '../testing/mem-os.js';
import {
  addressesToHostnamesAndIPs,
  clientSigner,
  type NodeAddress,
  newKubeletClientCertificateManager,
  newKubeletServerCertificateManager,
  servingSigner,
} from './managers.js';
import { followRotation } from './rotation.js';
import { clientOf, FakeCrypto, keyIn, Signer } from './testing/fake-certificates.js';

const dir = '/var/lib/kubelet/pki';

function world({ seed = 1 } = {}) {
  const logs: string[] = [];
  const sink = (r: TraceRecord) => void (r.kind === 'log' && logs.push(`${r.msg} ${JSON.stringify(r.kv)}`));
  const kernel = new Kernel({ seed, sink });
  const api = new FakeAPI(kernel);
  const os = new MemOS(kernel);
  const crypto = new FakeCrypto();
  const signer = new Signer(kernel, api);
  const client = clientOf(kernel, api);
  const failures = { count: 0 };
  const common = { kernel, os, crypto, nodeName: 'node1', certDirectory: dir, certFile: '', keyFile: '' };
  const newClient = (more: { os?: MemOS; bootstrap?: { certPem: string; keyPem: string } } = {}) =>
    newKubeletClientCertificateManager({
      ...common,
      client: () => client,
      bootstrap: null,
      onRenewFailure: () => failures.count++,
      ...more,
    });
  return {
    kernel,
    api,
    os,
    crypto,
    signer,
    client,
    failures,
    logs,
    common,
    newClient,
    start(manager: ReturnType<typeof newClient>, ctx = background): void {
      kernel.go('start', function* () {
        yield* manager.load();
        manager.start(ctx);
      });
    },
    at: (time: number) => kernel.run({ until: time }),
    current: () => os.links.get(`${dir}/kubelet-client-current.pem`),
  };
}

describe('the client certificate', () => {
  it('[3:CERT-03] is asked for at once where there is none, and kept behind a link', () => {
    const w = world();
    const manager = w.newClient();
    w.start(manager);
    w.at(5 * Second);
    const [{ metadata, spec } = expect.fail('no request')] = w.signer.requests;
    expect(metadata).toMatchObject({ generateName: 'csr-' });
    expect(spec.signerName).toBe('kubernetes.io/kube-apiserver-client-kubelet');
    expect(spec.usages).toEqual(['digital signature', 'client auth']);
    expect(w.signer.asked()).toMatchObject({ commonName: 'system:node:node1', organizations: ['system:nodes'] });
    expect(manager.current()?.leaf.commonName).toBe('system:node:node1');
    expect(w.current()).toMatch(/^\/var\/lib\/kubelet\/pki\/kubelet-client-\d{4}(-\d\d){5}\.pem$/);
    expect(keyIn(w.os.text(`${dir}/kubelet-client-current.pem`) ?? '')).toBe('key-1');
    expect(clientSigner).toBe(spec.signerName);
  });

  it('[3:CERT-04] is renewed with a new key when 70 to 90 % of its life are over, at a time of chance', () => {
    const parts: number[] = [];
    for (let seed = 1; seed <= 20; seed++) {
      const w = world({ seed });
      w.start(w.newClient());
      w.at(5 * Second);
      const [first] = w.os.files.keys();
      const began = epochMillis(w.kernel) / 1000;
      while (w.signer.requests.length < 2 && w.kernel.now() < 100 * Minute) w.at(w.kernel.now() + 10 * Second);
      parts.push((epochMillis(w.kernel) / 1000 - began) / 6000);
      w.at(w.kernel.now() + Second);
      expect(w.current()).not.toBe(first);
      expect(keyIn(w.os.text(`${dir}/kubelet-client-current.pem`) ?? '')).toBe('key-2');
    }
    expect(Math.min(...parts)).toBeGreaterThan(0.69);
    expect(Math.max(...parts)).toBeLessThan(0.91);
    expect(Math.max(...parts) - Math.min(...parts)).toBeGreaterThan(0.05);
  });

  it('[3:CERT-04] is taken from the disk after a restart, without another request', () => {
    const w = world();
    w.start(w.newClient());
    w.at(5 * Second);
    const again = w.newClient();
    w.start(again);
    w.at(60 * Second);
    expect(again.current()?.certPem).toContain('CERTIFICATE');
    expect(w.signer.requests).toHaveLength(1);
  });

  it('[3:CERT-04] that somebody gave with more rights is used, and replaced at once', () => {
    const w = world();
    const keyPem = w.crypto.generateKey();
    const certPem = w.signer.certificate({
      key: 'key-1',
      commonName: 'kubernetes-admin',
      organizations: ['system:masters'],
    });
    const manager = w.newClient({ bootstrap: { certPem, keyPem } });
    w.signer.does = 'nothing';
    w.start(manager);
    w.at(Second);
    expect(manager.current()?.leaf.commonName).toBe('kubernetes-admin');
    w.signer.does = 'approve';
    w.at(5 * Second);
    expect(manager.current()?.leaf.commonName).toBe('system:node:node1');
  });

  it('[3:CERT-05] is asked for 2, 4, 8 and 16 s later while the server is away, and then every 32 s', () => {
    const times: number[] = [];
    const w = world();
    w.api.up = false;
    w.start(w.newClient());
    for (let t = 0; t <= 130; t++) {
      w.at(t * Second);
      while (times.length < w.failures.count) times.push(t);
    }
    const gaps = times.slice(1).map((t, i) => t - (times[i] as number));
    expect(times[0]).toBe(1);
    [2, 4, 8, 16, 32, 32].forEach((want, i) => {
      expect(gaps[i]).toBeGreaterThanOrEqual(want);
      expect(gaps[i]).toBeLessThanOrEqual(Math.ceil(want * 1.1) + 1);
    });
    expect(w.logs.join('\n')).toContain('Reached backoff limit, still unable to rotate certs');
    w.api.up = true;
    w.at(200 * Second);
    expect(w.current()).toBeDefined();
  });

  it('[3:CERT-05] is waited for while the watch of the request breaks and the server is away', () => {
    const w = world();
    w.signer.does = 'nothing';
    const manager = w.newClient();
    w.start(manager);
    w.at(10 * Second);
    expect(w.api.watching('certificatesigningrequests')).toBe(1);
    w.api.up = false;
    w.api.hangUp();
    w.at(3 * Minute);
    expect(manager.current()).toBeNull();
    w.api.up = true;
    w.at(4 * Minute);
    w.signer.does = 'approve';
    w.at(5 * Minute);
    expect(manager.current()).not.toBeNull();
    expect(w.signer.requests).toHaveLength(1);
    expect(w.failures.count).toBe(0);
  });

  it.each([
    ['deny', 'certificate signing request is denied, reason: Test, message: by the test'],
    ['fail', 'certificate signing request failed, reason: Test, message: by the test'],
    ['wrong key', 'tls: private key does not match public key'],
    ['nonsense', 'invalid certificate data: data does not contain any valid RSA or ECDSA certificates'],
  ] as const)('[3:CERT-05] stays what it was where the server does "%s"; another request follows', (does, why) => {
    const w = world();
    const manager = w.newClient();
    w.start(manager);
    w.at(5 * Second);
    const [kept, before] = [w.current(), manager.current()];
    w.signer.does = does;
    w.at(95 * Minute);
    expect(w.logs.join('\n')).toContain(why);
    expect([w.current(), manager.current()]).toEqual([kept, before]);
    expect(w.failures.count).toBeGreaterThan(1);
    expect([...w.os.files.keys()]).toEqual([kept]);
    w.signer.does = 'approve';
    w.at(96 * Minute);
    expect(w.current()).not.toBe(kept);
    expect(manager.current()).not.toEqual(before);
  });

  it('[3:CERT-05] is asked for anew where the request is deleted, and after 15 minutes without an answer', () => {
    const w = world();
    w.signer.does = 'nothing';
    w.start(w.newClient());
    w.at(10 * Second);
    const [name = ''] = [...w.api.objects('certificatesigningrequests').keys()];
    w.api.remove('certificatesigningrequests', '', name.slice(1));
    w.at(20 * Second);
    expect(w.logs.join('\n')).toContain(`csr \\"${name.slice(1)}\\" was deleted`);
    expect(w.signer.requests).toHaveLength(2);
    w.at(16 * Minute);
    expect(w.signer.requests).toHaveLength(3);
    expect(w.logs.join('\n')).toContain('timed out waiting for the condition');
  });

  it('[3:CERT-06] makes the kubelet close its connections when it is renewed', () => {
    const w = world();
    const manager = w.newClient();
    let closed = 0;
    w.start(manager);
    const exit = () => expect.fail('it must not end');
    w.kernel.go('rotation', () =>
      followRotation(background, { kernel: w.kernel, certificates: manager, exit, closeConnections: () => closed++ }),
    );
    w.at(5 * Second);
    expect(closed).toBe(1);
    w.at(92 * Minute);
    expect(closed).toBe(2);
    expect(w.logs.join('\n')).toContain('Certificate rotation detected, shutting down client connections');
  });

  it('[3:CERT-06] ends the kubelet 5 minutes after it has expired, where the server answers, and only there', () => {
    const w = world();
    const manager = w.newClient();
    w.start(manager);
    let why = '';
    w.kernel.go('rotation', () =>
      followRotation(background, {
        kernel: w.kernel,
        certificates: manager,
        closeConnections() {},
        exit: (text) => {
          why = text;
        },
      }),
    );
    w.at(10 * Second);
    w.api.up = false;
    w.at(3 * 60 * Minute);
    expect(manager.current()).toBeNull();
    expect(why).toBe('');
    expect(w.logs.join('\n')).toContain('A restart may be necessary to retrieve new initial credentials.');
    w.api.up = true;
    w.api.answers.set(
      'POST certificatesigningrequests',
      Array.from({ length: 9 }, () => ({ code: 401, body: { kind: 'Status', reason: 'Unauthorized', message: 'no' } })),
    );
    w.at(3 * 60 * Minute + 2 * Minute);
    expect(why).toBe('No valid client certificate is found and the server is responsive, exiting.');
  });

  it('[3:CERT-07] has its figures: seconds until it expires, and failures', () => {
    const w = world();
    const manager = w.newClient();
    w.start(manager);
    const metrics = new KubeletMetrics(w.kernel);
    metrics.clientCertificate({ ttlSeconds: () => manager.ttlSeconds(), renewFailures: () => w.failures.count });
    const figure = (name: string) => new RegExp(`^kubelet_${name} (.*)$`, 'm').exec(metrics.registry.text())?.[1];
    expect(figure('certificate_manager_client_ttl_seconds')).toBe('+Inf');
    w.at(5 * Second);
    expect(Number(figure('certificate_manager_client_ttl_seconds'))).toBeGreaterThan(5990);
    w.api.up = false;
    w.at(95 * Minute);
    expect(Number(figure('certificate_manager_client_expiration_renew_errors'))).toBe(w.failures.count);
    w.at(105 * Minute);
    expect(figure('certificate_manager_client_ttl_seconds')).toBe('+Inf');
  });
});

describe("the certificate of the kubelet's own server", () => {
  function serving(addresses: NodeAddress[], allowDNSOnly = false) {
    const w = world();
    const metrics = new KubeletMetrics(w.kernel);
    const manager = newKubeletServerCertificateManager({
      ...w.common,
      client: w.client,
      addresses: () => addresses,
      allowDNSOnly,
      metrics,
    });
    w.start(manager as never);
    return { ...w, manager, metrics, addresses };
  }
  const ip = (address: string): NodeAddress => ({ type: 'InternalIP', address });

  it('[3:CERT-08] is asked for with the addresses of the node, once the node has an IP address', () => {
    const t = serving([{ type: 'Hostname', address: 'node1' }]);
    t.at(30 * Second);
    expect(t.signer.requests).toHaveLength(0);
    t.addresses.push(ip('10.0.0.7'), ip('fd00::7'), { type: 'InternalDNS', address: 'node1.example' });
    t.at(40 * Second);
    expect(t.signer.asked()).toMatchObject({
      commonName: 'system:node:node1',
      organizations: ['system:nodes'],
      dnsNames: ['node1', 'node1.example'],
      ipAddresses: ['10.0.0.7', 'fd00::7'],
    });
    const [{ spec } = expect.fail('no request')] = t.signer.requests;
    expect([spec.signerName, spec.usages]).toEqual([servingSigner, ['digital signature', 'server auth']]);
    expect(t.manager.current()?.leaf.ipAddresses).toEqual(['10.0.0.7', 'fd00::7']);
    expect(t.os.links.get(`${dir}/kubelet-server-current.pem`)).toBeDefined();
  });

  it('[3:CERT-08] is asked for with names alone only by gate AllowDNSOnlyNodeCSR', () => {
    const t = serving([{ type: 'Hostname', address: 'node1' }], true);
    t.at(10 * Second);
    expect(t.signer.asked()).toMatchObject({ dnsNames: ['node1'], ipAddresses: [] });
  });

  it('[3:CERT-09] is replaced when the node gets another address, and not when one goes', () => {
    const t = serving([ip('10.0.0.7')]);
    t.at(10 * Second);
    t.addresses.push(ip('10.0.0.8'));
    t.at(20 * Second);
    expect(t.signer.requests).toHaveLength(2);
    expect(t.manager.current()?.leaf.ipAddresses).toEqual(['10.0.0.7', '10.0.0.8']);
    t.addresses.shift();
    t.at(60 * Second);
    expect(t.signer.requests).toHaveLength(2);
    expect(t.logs.join('\n')).toContain('Certificate template changed, rotating');
  });

  it('[3:CERT-09] gives a request up that is for addresses which the node had before', () => {
    const t = serving([ip('10.0.0.7')]);
    t.at(10 * Second);
    t.signer.does = 'nothing';
    t.addresses.push(ip('10.0.0.8'));
    t.at(20 * Second);
    t.addresses.push(ip('10.0.0.9'));
    t.at(30 * Second);
    expect(t.signer.requests).toHaveLength(3);
    expect(t.signer.asked().ipAddresses).toEqual(['10.0.0.7', '10.0.0.8', '10.0.0.9']);
  });

  it('[3:CERT-07] has its figures: seconds until it expires, failures, how long one was in use', () => {
    const t = serving([ip('10.0.0.7')]);
    t.at(92 * Minute);
    const text = t.metrics.registry.text();
    expect(text).toMatch(/kubelet_certificate_manager_server_rotation_seconds_bucket{le="14400"} 1/);
    expect(text).toMatch(/kubelet_certificate_manager_server_rotation_seconds_bucket{le="3600"} 0/);
    expect(text).toContain('kubelet_server_expiration_renew_errors 0');
    expect(text).toMatch(/kubelet_certificate_manager_server_ttl_seconds \d+/);
  });

  it.each([
    [[{ type: 'Hostname', address: '10.0.0.1' }], [], ['10.0.0.1']],
    [[{ type: 'ExternalIP', address: 'nonsense' }], [], []],
    [
      [
        { type: 'ExternalDNS', address: 'b' },
        { type: 'InternalDNS', address: 'a' },
        { type: 'Hostname', address: 'a' },
      ],
      ['a', 'b'],
      [],
    ],
    [
      [
        { type: 'Hostname', address: '' },
        { type: 'Other', address: 'x' },
      ],
      [],
      [],
    ],
  ])('[3:CERT-08] takes names and addresses from %j', (addresses, dnsNames, ipAddresses) => {
    expect(addressesToHostnamesAndIPs(addresses, new FakeCrypto())).toEqual({ dnsNames, ipAddresses });
  });
});
