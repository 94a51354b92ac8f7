/** A kubelet that is stopped at each step of keeping a certificate, and one whose disk is full at each step. */
import { describe, expect, it } from 'vitest';
import type { OSInterface } from '../../host/os.js';
import { background, type Go, Kernel, Minute, Second } from '../../kernel/index.js';
import type { TraceRecord } from '../../trace/index.js';
import { FakeAPI } from '../testing/fake-api.js';
import { MemOS } from '../testing/mem-os.js';
import { type KubeconfigFiles, loadClientCert, loadClientConfig } from './bootstrap.js';
import { newKubeletClientCertificateManager } from './managers.js';
import { clientOf, FakeCrypto, failingDisk, keyIn, Signer } from './testing/fake-certificates.js';

const dir = '/var/lib/kubelet/pki';
const current = `${dir}/kubelet-client-current.pem`;
const kubeconfig = '/etc/kubernetes/kubelet.conf';
const bootstrapKubeconfig = '/etc/kubernetes/bootstrap-kubelet.conf';

function world() {
  const logs: string[] = [];
  const sink = (r: TraceRecord) => void (r.kind === 'log' && logs.push(`${r.msg} ${JSON.stringify(r.kv)}`));
  const kernel = new Kernel({ seed: 3, sink });
  const api = new FakeAPI(kernel);
  const disk = new MemOS(kernel);
  const signer = new Signer(kernel, api);
  const crypto = new FakeCrypto();
  const failures = { count: 0 };
  /** A kubelet's life with its own process, which may be killed. */
  function life(name: string, body: (os: OSInterface) => Go<void>, os: OSInterface = disk) {
    const process = kernel.process(name);
    kernel.go(name, () => body(os), { process });
    return process;
  }
  const manager = (os: OSInterface) =>
    newKubeletClientCertificateManager({
      kernel,
      os,
      crypto,
      nodeName: 'node1',
      certDirectory: dir,
      certFile: '',
      keyFile: '',
      client: () => clientOf(kernel, api),
      bootstrap: null,
      onRenewFailure: () => failures.count++,
    });
  const files = (os: OSInterface): KubeconfigFiles => ({
    *clientCertificates(path) {
      if (!(yield* os.stat(path))) return null;
      const text = yield* os.readFile(path);
      if (!text.startsWith('kubeconfig with ')) throw new Error('this is no kubeconfig');
      return yield* os.readFile(text.slice('kubeconfig with '.length));
    },
    *write(path, _from, pemPath) {
      yield* os.writeFile(`${path}.tmp`, `kubeconfig with ${pemPath}`, 0o600);
      yield* os.rename(`${path}.tmp`, path);
    },
  });
  const bootstrap = (os: OSInterface) => ({
    kernel,
    os,
    crypto,
    files: files(os),
    nodeName: 'node1',
    kubeconfig,
    bootstrapKubeconfig,
    certDirectory: dir,
  });
  const at = (time: number) => kernel.run({ until: time });
  return { kernel, api, disk, signer, crypto, logs, failures, life, manager, bootstrap, at };
}
describe('keeping a certificate', () => {
  it('[3:CERT-10] survives that the machine stops before or in the middle of any change of the disk', () => {
    for (const torn of [false, true])
      for (let last = 1; ; last++) {
        const w = world();
        // A first certificate, so that there is one to lose.
        const first = w.life('first', function* (os) {
          const manager = w.manager(os);
          yield* manager.load();
          manager.start();
        });
        w.at(5 * Second);
        const kept = w.disk.text(current) ?? '';
        expect(keyIn(kept)).toBe('key-1');
        w.kernel.kill(first);
        let steps = 0;
        let stopped = false;
        const second: { process?: ReturnType<typeof w.life> } = {};
        const end = () => {
          stopped = true;
          if (second.process) w.kernel.kill(second.process);
        };
        const os = failingDisk(
          w.disk,
          (step) => {
            steps = step;
            if (step !== last) return null;
            if (!torn) end();
            return torn ? 'torn' : null;
          },
          end,
        );
        second.process = w.life(
          'second',
          function* (own) {
            const manager = w.manager(own);
            yield* manager.load();
            manager.start();
          },
          os,
        );
        w.at(95 * Minute);
        // Whole, and either the old or the new one.
        expect(w.crypto.keyPair(w.disk.text(current) ?? '', w.disk.text(current) ?? '').leaf.commonName).toBe(
          'system:node:node1',
        );
        let third: ReturnType<typeof w.manager> | null = null;
        w.life('third', function* (own) {
          third = w.manager(own);
          yield* third.load();
          third.start();
        });
        w.at(99 * Minute);
        expect((third as ReturnType<typeof w.manager> | null)?.current()?.leaf.notAfterMillis).toBeGreaterThan(0);
        expect(keyIn(w.disk.text(current) ?? '')).not.toBe('key-1');
        if (!stopped) {
          expect(steps).toBeGreaterThan(3);
          break;
        }
      }
  });

  it('[3:CERT-10] leaves the certificate as it is while the disk is full, and no part of a key behind', () => {
    for (const full of ['mkdirAll', 'writeFile', 'syncFile', 'symlink', 'rename']) {
      const w = world();
      let isFull = false;
      const os = failingDisk(w.disk, (_step, name) => (isFull && name === full ? 'full' : null));
      let manager: ReturnType<typeof w.manager> | null = null;
      w.life(
        'kubelet',
        function* (own) {
          manager = w.manager(own);
          yield* manager.load();
          manager.start();
        },
        os,
      );
      w.at(5 * Second);
      const before = w.disk.links.get(current);
      isFull = true;
      w.at(95 * Minute);
      expect(w.disk.links.get(current)).toBe(before);
      expect(w.failures.count).toBeGreaterThan(1);
      expect([...w.disk.files.keys()]).toEqual([before]);
      expect(w.logs.join('\n')).toContain('Unable to store the new cert/key pair');
      isFull = false;
      w.at(96 * Minute);
      expect(w.disk.links.get(current)).not.toBe(before);
      expect((manager as ReturnType<typeof w.manager> | null)?.current()).not.toBeNull();
    }
  });

  it('[3:CERT-10] goes on where upstream was stopped between removing the old link and placing the new one', () => {
    const w = world();
    w.life('first', function* (os) {
      const manager = w.manager(os);
      yield* manager.load();
      manager.start();
    });
    w.at(5 * Second);
    const target = w.disk.links.get(current) as string;
    w.disk.links.delete(current);
    w.disk.links.set(`${dir}/kubelet-client-updated.pem`, target);
    let again: ReturnType<typeof w.manager> | null = null;
    w.life('second', function* (os) {
      again = w.manager(os);
      yield* again.load();
    });
    w.at(6 * Second);
    expect(w.disk.links.get(current)).toBe(target);
    expect((again as ReturnType<typeof w.manager> | null)?.current()).not.toBeNull();
  });

  it('[3:CERT-10] refuses a file that stands in the place of the link, and damaged certificates', () => {
    for (const [path, text, why] of [
      [`${dir}/kubelet-client-updated.pem`, 'x', 'to be a symlink but it is a file'],
      [current, 'x', 'could not convert data from'],
    ] as const) {
      const w = world();
      w.disk.put(path, text);
      let failed = '';
      w.life('kubelet', function* (os) {
        try {
          yield* w.manager(os).load();
        } catch (err) {
          failed = (err as Error).message;
        }
      });
      w.at(Second);
      expect(failed).toContain(why);
    }
  });
});

function* way(api: FakeAPI): Go<FakeAPI> {
  return api;
}

describe('bootstrapping', () => {
  const join = (w: ReturnType<typeof world>, os: OSInterface, name: string, ended: string[] = []) =>
    w.life(
      name,
      function* (own) {
        try {
          yield* loadClientCert(w.bootstrap(own), () => way(w.api), background);
          ended.push('joined');
        } catch (err) {
          ended.push((err as Error).message);
        }
      },
      os,
    );

  it('[3:CERT-01] gets a certificate, writes a kubeconfig that names it, and needs no bootstrap the next time', () => {
    const w = world();
    const ended: string[] = [];
    join(w, w.disk, 'first', ended);
    w.at(5 * Second);
    expect(ended).toEqual(['joined']);
    expect(w.disk.text(kubeconfig)).toBe(`kubeconfig with ${current}`);
    expect(keyIn(w.disk.text(current) ?? '')).toBe('key-1');
    expect(w.disk.files.has(`${dir}/kubelet-client.key.tmp`)).toBe(false);
    const [{ metadata, spec } = expect.fail('no request')] = w.signer.requests;
    expect(metadata.name).toMatch(/^node-csr-[\w-]{40,}$/);
    expect([spec.signerName, spec.usages]).toEqual([
      'kubernetes.io/kube-apiserver-client-kubelet',
      ['digital signature', 'client auth'],
    ]);
    join(w, w.disk, 'second', ended);
    w.at(10 * Second);
    expect(ended).toEqual(['joined', 'joined']);
    expect(w.signer.requests).toHaveLength(1);
    w.at(101 * Minute);
    join(w, w.disk, 'third', ended);
    w.at(102 * Minute);
    expect(ended[2]).toMatch(/^retrieved csr is not compatible: one of the certificates for the CSR has expired: /);
    // A cluster removes what was settled after an hour; then the same key asks again.
    w.api.remove('certificatesigningrequests', '', metadata.name);
    join(w, w.disk, 'fourth', ended);
    w.at(103 * Minute);
    expect(ended[3]).toBe('joined');
    expect(w.logs.join('\n')).toContain('part of the existing bootstrap client certificate');
  });

  it('[3:CERT-01] waits for a server that is away, for a minute, and then fails', () => {
    const w = world();
    w.api.up = false;
    const ended: string[] = [];
    join(w, w.disk, 'first', ended);
    w.at(50 * Second);
    expect(ended).toEqual([]);
    w.at(70 * Second);
    expect(ended[0]).toMatch(/^cannot create certificate signing request: .*connection refused$/);
    w.api.up = true;
    join(w, w.disk, 'second', ended);
    w.at(80 * Second);
    expect(ended[1]).toBe('joined');
    // The key of the first attempt.
    expect(keyIn(w.disk.text(current) ?? '')).toBe('key-1');
  });

  it.each([
    ['deny', 'certificate signing request is denied'],
    ['fail', 'certificate signing request failed'],
    ['wrong key', 'private key does not match public key'],
  ] as const)('[3:CERT-01] fails where the server does "%s"', (does, why) => {
    const w = world();
    w.signer.does = does;
    const ended: string[] = [];
    join(w, w.disk, 'first', ended);
    w.at(10 * Second);
    expect(ended[0]).toContain(why);
    expect(w.disk.files.has(kubeconfig)).toBe(false);
  });

  it('[3:CERT-01] gives up after an hour without an answer', () => {
    const w = world();
    w.signer.does = 'nothing';
    const ended: string[] = [];
    join(w, w.disk, 'first', ended);
    w.at(59 * Minute);
    expect(ended).toEqual([]);
    w.at(61 * Minute);
    expect(ended).toEqual(['timed out waiting for the condition']);
  });

  it('[3:CERT-02] goes on with the same key and the same request after it was stopped at any step', () => {
    for (let last = 1; ; last++) {
      const w = world();
      let stopped = false;
      const life: { process?: ReturnType<typeof w.life> } = {};
      const end = () => {
        stopped = true;
        if (life.process) w.kernel.kill(life.process);
      };
      const os = failingDisk(w.disk, (step) => (step === last ? 'torn' : null), end);
      const ended: string[] = [];
      life.process = join(w, os, 'first', ended);
      w.at(10 * Second);
      join(w, w.disk, 'second', ended);
      w.at(20 * Second);
      expect(ended.at(-1)).toBe('joined');
      expect(w.disk.text(kubeconfig)).toBe(`kubeconfig with ${current}`);
      // A key whose file was written only in part is not used: no request has it.
      expect(w.signer.requests).toHaveLength(1);
      if (!stopped) break;
      expect(last).toBeLessThan(20);
    }
  });

  it('[3:CERT-02] refuses a request of the same name that somebody made with another key', () => {
    const w = world();
    const ended: string[] = [];
    w.signer.does = 'nothing';
    const first = join(w, w.disk, 'first', ended);
    w.at(5 * Second);
    w.kernel.kill(first);
    const [request = expect.fail('no request')] = w.signer.requests;
    const other = w.crypto.createRequest(w.crypto.generateKey(), {
      commonName: 'system:node:node1',
      organizations: [],
    });
    w.api.put('certificatesigningrequests', { ...request, spec: { ...request.spec, request: btoa(other) } });
    join(w, w.disk, 'second', ended);
    w.at(10 * Second);
    expect(ended).toEqual([
      'retrieved csr is not compatible: error validating signature new CSR against old key: x509: ECDSA verification failure',
    ]);
  });

  it('[3:CERT-02] writes the kubeconfig at once where the kubelet renews its certificate itself', () => {
    const w = world();
    const which: string[] = [];
    const load = (more: object = {}) =>
      w.life('kubelet', function* (os) {
        which.push(yield* loadClientConfig({ ...w.bootstrap(os), ...more }));
      });
    load();
    w.at(Second);
    expect(w.disk.text(kubeconfig)).toBe(`kubeconfig with ${current}`);
    load({ bootstrapKubeconfig: '' });
    w.at(2 * Second);
    w.disk.put(current, w.signer.certificate({ key: 'key-1', commonName: 'x', organizations: [] }));
    load();
    w.at(3 * Second);
    expect(which).toEqual(['bootstrap-kubeconfig', 'kubeconfig', 'kubeconfig']);
  });
});
