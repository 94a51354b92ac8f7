/** A node with a bootstrap token, an API server over TLS in this process, and certificates with a short life. */
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { RestRequest, RestTransport } from '@syncloop/core/api';
import { background, type Go, Kernel, range } from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { userAgent } from '../api-client/cluster.js';
import { HTTPSTransport } from '../api-client/https-transport.js';
import { loadKubeconfig } from '../api-client/kubeconfig.js';
import { type OwnServer, startOwnServer } from '../api-server/own-server.js';
import { nodeCrypto } from '../tls/crypto.js';
import { type Joined, type JoinOptions, joinCluster } from './node-credentials.js';

const kernel = new Kernel({ clock: new RealClock() });
const driver = new RealDriver(kernel);
const run = <T>(name: string, body: () => Go<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    kernel.post(() =>
      kernel.go(name, function* () {
        try {
          resolve(yield* body());
        } catch (err) {
          reject(err);
        }
      }),
    );
  });
const node = { kernel, run };
const token = 'abcdef.0123456789abcdef';
const csrs = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

let top: string;
let own: OwnServer;
let admin: HTTPSTransport;
let ca: string;
let folder: string;
let warnings: string[];

const ask = async (transport: RestTransport, request: RestRequest): Promise<{ code: number; body: never }> =>
  (await run('ask', () => transport.request(background, request))) as { code: number; body: never };

interface Review {
  status: { userInfo: { username: string; extra?: Record<string, string[]> } };
}
/** Returns the user that the server takes us for, and the certificate that shows it. */
async function whoAmI(transport: RestTransport): Promise<{ name: string; certificate: string }> {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  try {
    const { code, body } = await ask(transport, { method: 'POST', path, body: {} });
    if (code !== 201) return { name: String(code), certificate: '' };
    const { username: name, extra } = (body as Review).status.userInfo;
    return { name, certificate: extra?.['authentication.kubernetes.io/credential-id']?.[0] ?? '' };
  } catch (err) {
    // A connection that was closed because the certificate has changed.
    return { name: (err as Error).message, certificate: '' };
  }
}

/** Asks again until it is as it should be; if it never is, the suite's own limit ends it. */
async function until<T>(look: () => T | Promise<T>, good: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await look();
    if (good(value)) return value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const bootstrapFile = () => join(folder, 'bootstrap-kubelet.conf');
const kubeconfigFile = () => join(folder, 'kubelet.conf');
const current = () => join(folder, 'pki', 'kubelet-client-current.pem');

function writeBootstrap(withToken = token, more: object = {}): void {
  const cluster = { server: own.url, 'certificate-authority-data': Buffer.from(ca).toString('base64'), ...more };
  writeFileSync(
    bootstrapFile(),
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: { token: withToken } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  );
}

async function joined(rotateCertificates: boolean, more: Partial<JoinOptions> = {}): Promise<Joined> {
  const made = await joinCluster(node, {
    nodeName: 'n2',
    kubeconfig: kubeconfigFile(),
    bootstrapKubeconfig: bootstrapFile(),
    certDirectory: join(folder, 'pki'),
    rotateCertificates,
    warn: (text) => warnings.push(text),
    ...more,
  });
  onTestFinished(() => made.close());
  return made;
}

const requestsOf = async () => ((await ask(admin, { method: 'GET', path: csrs })).body as { items: unknown[] }).items;

/** A proxy on the way to the server that can be cut off, with all connections through it. */
async function cuttable() {
  const open = new Set<Duplex>();
  let whole = true;
  const proxy = createServer();
  proxy.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    const other = connect(Number(new URL(own.url).port), '127.0.0.1');
    for (const end of [socket, other]) {
      open.add(end);
      end.on('error', () => {});
      end.on('close', () => {
        socket.destroy();
        other.destroy();
        open.delete(end);
      });
    }
    if (!whole) return void socket.destroy();
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    socket.pipe(other);
    other.pipe(socket);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    whole = false;
    for (const socket of open) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    proxy.close();
    proxy.closeAllConnections();
  });
  const mend = () => {
    whole = true;
  };
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, cut, mend };
}

beforeAll(async () => {
  driver.start();
  top = mkdtempSync(join(tmpdir(), 'syncloop-join-'));
  const kubeconfig = join(top, 'admin.conf');
  own = await startOwnServer({ kernel, name: 'n1' }, { port: 0, kubeconfig, signingDuration: 60 });
  admin = new HTTPSTransport(await loadKubeconfig(kubeconfig, { env: {} }), { userAgent });
  const { clusters } = JSON.parse(readFileSync(kubeconfig, 'utf8')) as {
    clusters: { cluster: { 'certificate-authority-data': string } }[];
  };
  ca = Buffer.from(clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64').toString();
  const stringData = {
    'token-id': 'abcdef',
    'token-secret': '0123456789abcdef',
    'usage-bootstrap-authentication': 'true',
  };
  const body = { metadata: { name: 'bootstrap-token-abcdef' }, type: 'bootstrap.kubernetes.io/token', stringData };
  await ask(admin, { method: 'POST', path: '/api/v1/namespaces/kube-system/secrets', body });
});
afterAll(async () => {
  admin.close();
  await own.close();
  driver.stop();
  rmSync(top, { recursive: true, force: true });
});
beforeEach(() => {
  folder = mkdtempSync(join(top, 'node-'));
  warnings = [];
  writeBootstrap();
});

describe('a node with a bootstrap token', () => {
  it('[3:CERT-01] gets a certificate of its own, and a kubeconfig for its owner alone', async () => {
    const { transport } = await joined(false);
    expect((await whoAmI(transport)).name).toBe('system:node:n2');
    expect(statSync(kubeconfigFile()).mode & 0o777).toBe(0o600);
    expect(lstatSync(current()).isSymbolicLink()).toBe(true);
    expect(statSync(current()).mode & 0o777).toBe(0o600);
    const text = readFileSync(kubeconfigFile(), 'utf8');
    expect(text).toContain(current());
    expect(text).not.toContain(token);
    const before = (await requestsOf()).length;
    // The token is no longer needed.
    rmSync(bootstrapFile());
    const again = await joined(false);
    expect((await whoAmI(again.transport)).name).toBe('system:node:n2');
    expect((await requestsOf()).length).toBe(before);
    expect(warnings).toEqual([]);
  });

  it('[3:CERT-04, CERT-06] renews it while it runs, and closes the connections that showed the old one', async () => {
    const made = await joined(true);
    expect(existsSync(kubeconfigFile())).toBe(true);
    const first = await until(
      () => whoAmI(made.transport),
      (who) => who.name === 'system:node:n2',
    );
    // A watch that stays open as long as its connection.
    const path = '/api/v1/nodes';
    const watch = await run('watch', () => made.transport.watch(background, { method: 'GET', path }));
    const ended = run('events', function* () {
      yield* range(watch.events, function* () {});
    });
    const second = await until(
      () => whoAmI(made.transport),
      (who) => who.certificate !== '' && who.certificate !== first.certificate,
    );
    expect(second.name).toBe('system:node:n2');
    await ended;
    await until(
      () => whoAmI(made.transport),
      (who) => who.certificate !== '' && who.certificate !== second.certificate,
    );
    expect(made.figures?.ttlSeconds()).toBeGreaterThan(0);
    expect(made.figures?.renewFailures()).toBe(0);
    expect(readdirSync(join(folder, 'pki')).filter((name) => /\d\.pem$/.test(name)).length).toBeGreaterThan(2);
    const { leaf } = nodeCrypto.keyPair(readFileSync(current(), 'utf8'), readFileSync(current(), 'utf8'));
    expect(leaf).toMatchObject({ commonName: 'system:node:n2', organizations: ['system:nodes'] });
  });

  it('[3:CERT-05] goes on with the bootstrap token where the kubeconfig cannot be used any more', async () => {
    const { transport } = await joined(false);
    const first = await whoAmI(transport);
    for (const damage of [
      () => writeFileSync(kubeconfigFile(), 'nonsense: ['),
      () => rmSync(join(folder, 'pki'), { recursive: true }),
    ]) {
      damage();
      const made = await joined(true);
      const who = await until(
        () => whoAmI(made.transport),
        ({ name }) => name === 'system:node:n2',
      );
      expect(who.certificate).not.toBe('');
      made.close();
    }
    expect(first.name).toBe('system:node:n2');
  });

  it('says what to do about a token that the server does not know, and a file that is none', async () => {
    writeBootstrap('abcdef.ffffffffffffffff');
    const failed = (rotate: boolean) => joined(rotate).then(String, (err: Error) => err.message);
    expect(await failed(false)).toMatch(/does not know user "u" of .*bootstrap-kubelet.conf \(401 Unauthorized\)/);
    expect(await failed(true)).toMatch(/401 Unauthorized/);
    rmSync(bootstrapFile());
    expect(await failed(false)).toMatch(/bootstrap-kubelet.conf: there is no such file/);
    writeFileSync(bootstrapFile(), 'a: b');
    rmSync(kubeconfigFile(), { force: true });
    expect(await failed(true)).toMatch(/no current-context is set/);
  });

  it('[3:CERT-05] outlives a server that goes away before, between and after its certificates', async () => {
    const line = await cuttable();
    line.cut();
    writeBootstrap(token, { 'proxy-url': line.url });
    const made = await joined(true);
    expect(warnings.join('\n')).toContain('cannot be reached: ');
    await until(
      () => made.figures?.renewFailures() ?? 0,
      (n) => n > 0,
    );
    expect(made.figures?.ttlSeconds()).toBe(Number.POSITIVE_INFINITY);
    for (let round = 0; round < 2; round++) {
      line.mend();
      const who = await until(
        () => whoAmI(made.transport),
        ({ name }) => name === 'system:node:n2',
      );
      line.cut();
      const before = made.figures?.renewFailures() ?? 0;
      await until(
        () => made.figures?.renewFailures() ?? 0,
        (n) => n > before,
      );
      expect(nodeCrypto.parseCertificates(readFileSync(current(), 'utf8'))).toHaveLength(1);
      line.mend();
      await until(
        () => whoAmI(made.transport),
        ({ certificate }) => certificate !== '' && certificate !== who.certificate,
      );
    }
  });

  it('stops waiting for its certificate when it is told to', async () => {
    writeBootstrap(token, { server: 'https://127.0.0.1:1' });
    const stop = new AbortController();
    const waiting = joined(false, { signal: stop.signal }).then(String, (err: Error) => err.name);
    stop.abort();
    expect(await waiting).toBe('AbortError');
  });
});
