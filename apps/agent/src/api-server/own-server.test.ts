import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RestTransport } from '@syncloop/core/api';
import { background, type Go, Kernel, receive } from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HTTPSTransport } from '../api-client/https-transport.js';
import { loadKubeconfig } from '../api-client/kubeconfig.js';
import { type OwnServer, startOwnServer } from './own-server.js';

const kernel = new Kernel({ clock: new RealClock() });
const driver = new RealDriver(kernel);
let folder: string;
let own: OwnServer;
let outside: HTTPSTransport;

beforeAll(async () => {
  driver.start();
  folder = await mkdtemp(join(tmpdir(), 'syncloop-own-'));
  const kubeconfig = join(folder, 'kubeconfig');
  own = await startOwnServer({ kernel, name: 'node1' }, { port: 0, kubeconfig });
  outside = new HTTPSTransport(await loadKubeconfig(kubeconfig, { env: {} }), { userAgent: 'kubectl/test' });
});
afterAll(async () => {
  outside.close();
  await own.close();
  driver.stop();
  await rm(folder, { recursive: true, force: true });
});

function run<T>(body: () => Go<T>): Promise<T> {
  return new Promise((resolve, reject) => {
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
}
const ask = (t: RestTransport, method: 'GET' | 'POST', path: string, body?: unknown) =>
  run(() => t.request(background, { method, path, ...(body !== undefined && { body }) }));

describe('our own API server', () => {
  it('is one for the kubelet inside and for kubectl outside', async () => {
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } };
    expect((await ask(outside, 'POST', '/api/v1/namespaces/default/configmaps', configMap)).code).toBe(201);
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { nodeName: 'node1', containers: [{ name: 'c', image: 'i', envFrom: [{ configMapRef: { name: 'a' } }] }] },
    };
    expect((await ask(outside, 'POST', '/api/v1/namespaces/default/pods', pod)).code).toBe(201);
    const seen = await ask(own.transport, 'GET', '/api/v1/namespaces/default/configmaps/a');
    expect(seen).toMatchObject({ code: 200, body: { data: { k: 'v' } } });
    expect(outside.host).toBe(own.url);
  });

  it('tells who watches from outside what is done inside, at once', async () => {
    const first = run(function* () {
      const watch = yield* outside.watch(background, { method: 'GET', path: '/api/v1/namespaces/default/events' });
      yield* own.transport.request(background, {
        method: 'POST',
        path: '/api/v1/namespaces/default/events',
        body: { apiVersion: 'v1', kind: 'Event', metadata: { name: 's' }, involvedObject: { namespace: 'default' } },
      });
      const [event] = yield* receive(watch.events);
      watch.stop();
      return event;
    });
    expect(await first).toMatchObject({ type: 'ADDED', object: { metadata: { name: 's' } } });
  });

  it('refuses a taken port in words, and leaves no kubeconfig then', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const kubeconfig = join(folder, 'second');
    await expect(startOwnServer({ kernel, name: 'node1' }, { port, kubeconfig })).rejects.toThrow(
      `port ${port} of 127.0.0.1 is taken by another program: stop it, or choose another with --serve-api=PORT`,
    );
    await expect(readFile(kubeconfig)).rejects.toThrow('ENOENT');
    other.close();
  });

  it('lets its node write what is its own, and nothing else', async () => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node1' } };
    expect((await ask(own.transport, 'POST', '/api/v1/nodes', node)).code).toBe(201);
    expect(await ask(own.transport, 'GET', '/api/v1/namespaces/default/secrets')).toMatchObject({
      code: 403,
      body: {
        message:
          'secrets is forbidden: User "system:node:node1" cannot list resource "secrets" in API group "" in the namespace "default": No Object name found',
      },
    });
    const other = { ...node, metadata: { name: 'node2' } };
    expect(await ask(own.transport, 'POST', '/api/v1/nodes', other)).toMatchObject({
      code: 403,
      body: { message: 'nodes "node2" is forbidden: node "node1" is not allowed to modify node "node2"' },
    });
  });
});
