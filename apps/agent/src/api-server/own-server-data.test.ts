/** Our own API server on a folder: its data after a restart, and its answers when the disk takes nothing. */
import { EventEmitter } from 'node:events';
import { cp, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RestTransport } from '@syncloop/core/api';
import { background, type Go, Kernel, receive } from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HTTPSTransport } from '../api-client/https-transport.js';
import { loadKubeconfig } from '../api-client/kubeconfig.js';
import { ApiData, type DataThread } from '../api-data/api-data.js';
import { startOwnServer } from './own-server.js';

interface Run {
  readonly ask: (method: Method, path: string, body?: unknown, at?: RestTransport) => Promise<Answer>;
  readonly inside: RestTransport;
  readonly outside: HTTPSTransport;
  readonly kubeconfig: string;
  readonly run: <T>(body: () => Go<T>) => Promise<T>;
  close(): Promise<void>;
}
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
interface Answer {
  readonly code: number;
  // biome-ignore lint/suspicious/noExplicitAny: an object of any kind
  readonly body: any;
}

const tempFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'syncloop-kept-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

/** A server on a folder, as one run of the program has it. */
async function start(folder: string, options: Parameters<typeof ApiData.open>[1] = { warn() {} }): Promise<Run> {
  const kernel = new Kernel({ clock: new RealClock() });
  const driver = new RealDriver(kernel);
  driver.start();
  const data = await ApiData.open(join(folder, 'data'), options);
  const kubeconfig = join(folder, 'kubeconfig');
  const own = await startOwnServer({ kernel, name: 'node1' }, { port: 0, kubeconfig, data });
  const outside = new HTTPSTransport(await loadKubeconfig(kubeconfig, {}), { userAgent: 'kubectl/test' });
  const run = <T>(body: () => Go<T>) =>
    new Promise<T>((resolve, reject) => {
      kernel.post(() =>
        kernel.go('test', function* () {
          try {
            resolve(yield* body());
          } catch (err) {
            reject(err);
          }
        }),
      );
    });
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    outside.close();
    await own.close();
    await data.close();
    driver.stop();
  };
  onTestFinished(close);
  return {
    ask: (method, path, body, at = outside) =>
      run(() => at.request(background, { method, path, ...(body !== undefined && { body }) })),
    inside: own.transport,
    outside,
    kubeconfig,
    run,
    close,
  };
}

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data: { k: 'v' },
});

/** A resource that a node may write and watch as well. */
const events = '/api/v1/namespaces/default/events';
const event = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name },
  involvedObject: { namespace: 'default' },
});

describe('our own API server on a folder', () => {
  it('has after a restart what it had, with uids, times and versions, and the same authority and token', async () => {
    const folder = await tempFolder();
    let server = await start(folder);
    const made = (await server.ask('POST', configMaps, configMap('a'))).body;
    expect((await server.ask('POST', configMaps, configMap('b'))).code).toBe(201);
    const told = (await server.ask('POST', events, event('told'), server.inside)).body;
    const gone = (await server.ask('DELETE', `${configMaps}/b`)).code;
    expect(gone).toBe(200);
    const last = Number((await server.ask('GET', configMaps)).body.metadata.resourceVersion);
    const credentials = async () => {
      const { clusters, users } = JSON.parse(await readFile(server.kubeconfig, 'utf8'));
      return [clusters[0].cluster['certificate-authority-data'], users[0].user.token];
    };
    const before = await credentials();
    await server.close();

    server = await start(folder);
    expect((await server.ask('GET', `${configMaps}/a`)).body).toEqual(made);
    expect((await server.ask('GET', `${configMaps}/b`)).code).toBe(404);
    expect((await server.ask('GET', `${events}/told`)).body).toEqual(told);
    expect(await credentials()).toEqual(before);
    const next = (await server.ask('POST', configMaps, configMap('c'))).body;
    expect(Number(next.metadata.resourceVersion)).toBeGreaterThan(last);
    // The service leads to the server's present address.
    const { body } = await server.ask('GET', '/api/v1/namespaces/default/endpoints/kubernetes');
    expect(`${body.subsets[0].addresses[0].ip}:${body.subsets[0].ports[0].port}`).toBe(server.outside.host.slice(8));
  });

  it('ends a watch from before with 410, and goes on with one that has missed nothing', async () => {
    const folder = await tempFolder();
    let server = await start(folder);
    const { metadata } = (await server.ask('POST', events, event('a'))).body;
    await server.ask('POST', events, event('b'));
    await server.close();
    server = await start(folder);
    const first = (version: string) =>
      server.run(function* () {
        const query = { resourceVersion: version };
        const watch = yield* server.outside.watch(background, { method: 'GET', path: events, query });
        yield* server.inside.request(background, { method: 'POST', path: events, body: event(`w${version}`) });
        const [seen] = yield* receive(watch.events);
        watch.stop();
        return seen as { type: string; object: { code?: number; reason?: string; metadata: { name: string } } };
      });
    expect(await first(metadata.resourceVersion)).toMatchObject({
      type: 'ERROR',
      object: { code: 410, reason: 'Expired' },
    });
    const now = (await server.ask('GET', events)).body.metadata.resourceVersion;
    expect(await first(now)).toMatchObject({ type: 'ADDED', object: { metadata: { name: `w${now}` } } });
  });

  it('goes on with what was going: namespaces, dependents of what is gone, finalizers', async () => {
    const folder = await tempFolder();
    let server = await start(folder);
    await server.ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
    const held = { finalizers: ['example.com/held'] };
    await server.ask('POST', '/api/v1/namespaces/n/configmaps', configMap('held', held));
    const owner = (await server.ask('POST', configMaps, configMap('owner', held))).body;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid }];
    await server.ask('POST', configMaps, configMap('dependent', { ownerReferences }));
    await server.ask('DELETE', '/api/v1/namespaces/n');
    await server.ask('DELETE', `${configMaps}/owner`);
    await server.close();

    server = await start(folder);
    expect((await server.ask('GET', `${configMaps}/owner`)).body.metadata.deletionTimestamp).toBeTruthy();
    expect((await server.ask('GET', '/api/v1/namespaces/n')).body.status.phase).toBe('Terminating');
    const patch = (path: string) =>
      server.run(() =>
        server.outside.request(background, {
          method: 'PATCH',
          path,
          contentType: 'application/merge-patch+json',
          body: { metadata: { finalizers: null } },
        }),
      );
    await patch('/api/v1/namespaces/n/configmaps/held');
    await patch(`${configMaps}/owner`);
    await server.close();

    // Whatever the run before came to, this one comes to the end.
    server = await start(folder);
    for (const path of ['/api/v1/namespaces/n', `${configMaps}/owner`, `${configMaps}/dependent`])
      while ((await server.ask('GET', path)).code !== 404);
  });

  it('has no Secret on the disk in clear where it is told to encrypt them', async () => {
    const folder = await tempFolder();
    const keys = [{ name: 'key1', secret: new Uint8Array(32).fill(7) }];
    const encryption = [{ resources: ['secrets'], providers: [{ kind: 'aesgcm', keys }] }] as const;
    let server = await start(folder, { warn() {}, encryption });
    const secrets = '/api/v1/namespaces/default/secrets';
    const data = { password: Buffer.from('the-password').toString('base64') };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data };
    expect((await server.ask('POST', secrets, secret)).code).toBe(201);
    await server.ask('POST', configMaps, configMap('in-clear'));
    const { users } = JSON.parse(await readFile(server.kubeconfig, 'utf8'));
    const onDisk = async () => {
      const names = ['objects.db', 'objects.db-wal'].map((name) => join(folder, 'data', name));
      return (await Promise.all(names.map((name) => readFile(name, 'latin1').catch(() => '')))).join('');
    };
    const running = await onDisk();
    await server.close();
    for (const seen of [running, await onDisk()]) {
      expect(seen).toContain('in-clear');
      // The administrator's token is no less a secret.
      for (const hidden of [data.password, users[0].user.token, 'PRIVATE KEY']) expect(seen).not.toContain(hidden);
    }
    server = await start(folder, { warn() {}, encryption });
    expect((await server.ask('GET', `${secrets}/s`)).body.data).toEqual(data);
    await server.close();
    await expect(start(folder)).rejects.toThrow('is encrypted by aesgcm with the key "key1"');
  });

  it('is had by one process at a time, and keeps others out', async () => {
    const folder = await tempFolder();
    const server = await start(folder);
    await expect(start(folder)).rejects.toThrow(
      `another syncloop (pid ${process.pid}) has the data of the API server in ${join(folder, 'data')}: stop it, or choose another with --serve-api-data`,
    );
    for (const [name, mode] of [
      ['data', 0o700],
      ['data/objects.db', 0o600],
      ['data/objects.db-wal', 0o600],
      ['data/acknowledged', 0o600],
    ] as const)
      expect([name, (await stat(join(folder, name))).mode & 0o777]).toEqual([name, mode]);
    await server.close();
    await expect(ApiData.open(tmpdir(), { warn() {} })).rejects.toThrow('has other files and no data of an API server');
  });

  it('opens as a copy on another machine, also one that was made while it ran', async () => {
    const folder = await tempFolder();
    const server = await start(folder);
    await server.ask('POST', configMaps, configMap('a'));
    const other = await tempFolder();
    await cp(folder, other, { recursive: true });
    const copy = await start(other);
    expect((await copy.ask('GET', `${configMaps}/a`)).code).toBe(200);
  });

  it('refuses writes while the disk takes nothing, goes on answering, and takes them again', async () => {
    const folder = await tempFolder();
    const warnings: string[] = [];
    let full = false;
    const { Worker } = await import('node:worker_threads');
    const { built } = await import('../base/built.js');
    /** Wraps the real thread, and sends messages back while the disk is full. */
    const thread = (workerData: object): DataThread => {
      const worker = new Worker(built('api-data/data-worker.js'), { execArgv: [], workerData });
      const post = worker.postMessage.bind(worker);
      worker.postMessage = (message: { type: string }) => {
        if (full && message.type === 'apply')
          queueMicrotask(() =>
            worker.emit('message', { type: 'failed', message: 'ENOSPC: no space left', full: true }),
          );
        else post(message);
      };
      return worker as unknown as DataThread;
    };
    const server = await start(folder, { warn: (text) => warnings.push(text), start: thread });
    await server.ask('POST', configMaps, configMap('a'));
    full = true;
    for (const at of [server.outside, server.inside]) {
      const refused = await server.ask('POST', events, event('b'), at);
      expect([refused.code, refused.body.message]).toEqual([500, 'etcdserver: mvcc: database space exceeded']);
    }
    const list = (await server.ask('GET', configMaps)).body.items.map((o: typeof list) => o.metadata.name);
    expect(list).toEqual(['a', 'kube-root-ca.crt']);
    full = false;
    expect((await server.ask('POST', configMaps, configMap('b'))).code).toBe(201);
    expect(warnings).toEqual([
      `the API server cannot write to ${join(folder, 'data')} and refuses changes until it can: ENOSPC: no space left; free space on that disk`,
      `the API server can write to ${join(folder, 'data')} again, and accepts changes`,
    ]);
  });

  it('ends the process with the reason when its thread ends, for nothing would be kept any more', async () => {
    const thread = new EventEmitter() as EventEmitter & DataThread;
    thread.postMessage = (message) => {
      if (message.type === 'close') thread.emit('exit');
    };
    const opened = ApiData.open(join(await tempFolder(), 'data'), {
      warn() {},
      start: () => {
        setImmediate(() => thread.emit('message', { type: 'opened', version: 0 }));
        return thread;
      },
    });
    const data = await opened;
    // An error in a listener reaches whoever emits: in a program, the handler of fatal errors.
    expect(() => thread.emit('error', new Error('out of memory'))).toThrow(
      'the thread that keeps the data of the API server ended: out of memory',
    );
    await data.close();
  });
});
