import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuthorizationAttributes } from '@syncloop/core/apiserver';
import { background, type Go, Kernel, receive } from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import type { RestTransport } from '@syncloop/core/kubelet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HTTPSTransport } from '../api-client/https-transport.js';
import { loadKubeconfig } from '../api-client/kubeconfig.js';
import { authorize, type OwnServer, startOwnServer } from './own-server.js';

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
    const seen = await ask(own.transport, 'GET', '/api/v1/namespaces/default/configmaps/a');
    expect(seen).toMatchObject({ code: 200, body: { data: { k: 'v' } } });
    expect(outside.host).toBe(own.url);
  });

  it('tells who watches from outside what is done inside, at once', async () => {
    const first = run(function* () {
      const watch = yield* outside.watch(background, { method: 'GET', path: '/api/v1/namespaces/default/secrets' });
      yield* own.transport.request(background, {
        method: 'POST',
        path: '/api/v1/namespaces/default/secrets',
        body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } },
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

  it('has nothing on a service account that could hurt', () => {
    const attributes: AuthorizationAttributes = {
      user: {
        name: 'system:serviceaccount:default:default',
        groups: ['system:serviceaccounts', 'system:authenticated'],
      },
      verb: 'get',
      resourceRequest: true,
      group: '',
      version: 'v1',
      resource: 'secrets',
      subresource: '',
      namespace: 'default',
      name: '',
      path: '',
    };
    const may = (more: Partial<AuthorizationAttributes>) => authorize({ ...attributes, ...more }).allowed;
    expect(may({})).toBe(false);
    expect(may({ verb: 'create', resource: 'pods' })).toBe(false);
    expect(may({ verb: 'create', group: 'authorization.k8s.io', resource: 'selfsubjectaccessreviews' })).toBe(true);
    expect(may({ verb: 'create', group: 'authorization.k8s.io', resource: 'subjectaccessreviews' })).toBe(false);
    expect(may({ resourceRequest: false, path: '/version' })).toBe(true);
    expect(may({ resourceRequest: false, path: '/versions-of-something' })).toBe(false);
    expect(may({ user: { name: 'x', groups: ['system:masters'] } })).toBe(true);
    expect(may({ user: { name: 'system:node:node1', groups: ['system:nodes'] } })).toBe(true);
  });
});
