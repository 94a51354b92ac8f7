import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../api/types.js';
import { Kernel, Minute, Second } from '../../../kernel/index.js';
import type { Json, TraceRecord } from '../../../trace/index.js';
import { RestClient } from '../../client/rest-client.js';
import { RestKubeClient } from '../../client/rest-kube-client.js';
import { newWatchingConfigMapManager, podConfigMapNames } from '../../configmap/configmap-manager.js';
import { podSecretNames } from '../../secret/secret-manager.js';
import { FakeAPI } from '../../testing/fake-api.js';
import { apiPod } from '../../testing/fake-node.js';

const podWith = (uid: string, ...configMaps: string[]): Pod => {
  const pod = apiPod(uid, { uid });
  pod.spec.volumes = configMaps.map((name) => ({ name: `v-${name}`, configMap: { name } }));
  return pod;
};

function setup() {
  const records: TraceRecord[] = [];
  const k = new Kernel({ sink: (r) => records.push(r), seed: 2 });
  const api = new FakeAPI(k);
  const client = new RestKubeClient(new RestClient({ kernel: k, transport: api }));
  const manager = newWatchingConfigMapManager(k, client, Minute);
  const within = (fn: () => void) => {
    k.go('test', function* () {
      fn();
    });
    k.run({ until: k.now() + 100 });
  };
  within(() => manager.start());
  const get = (name: string): string => {
    let out = 'never';
    k.go('get', function* () {
      try {
        out = (yield* manager.getObject('default', name)).data?.k ?? '';
      } catch (err) {
        out = `error: ${(err as Error).message}`;
      }
    });
    k.run({ until: k.now() + 1.1 * Second });
    return out;
  };
  const put = (name: string, value: string, more: object = {}) =>
    api.put('configmaps', { metadata: { name, namespace: 'default' }, data: { k: value }, ...more });
  const logs = () => records.flatMap((r): [string, Json][] => (r.kind === 'log' ? [[r.msg, r.kv as Json]] : []));
  return { k, api, manager, within, get, put, logs, run: (s: number) => k.run({ until: k.now() + s * Second }) };
}

describe('watch-based manager', () => {
  it('watches what registered pods refer to, each once, as long as one does', () => {
    const t = setup();
    t.put('a', '1');
    expect(t.get('a')).toBe('error: object "default"/"a" not registered');
    t.within(() => {
      t.manager.registerPod(podWith('p1', 'a', 'b'));
      t.manager.registerPod(podWith('p2', 'a'));
      t.manager.registerPod(podWith('p2', 'a'));
    });
    t.run(1);
    expect(t.api.requests.filter((r) => r.startsWith('WATCH'))).toEqual([
      'WATCH configmaps default rv= initial',
      'WATCH configmaps default rv= initial',
    ]);
    expect([t.get('a'), t.get('b')]).toEqual(['1', 'error: configmap "b" not found']);
    t.put('a', '2');
    t.put('b', 'late');
    expect([t.get('a'), t.get('b')]).toEqual(['2', 'late']);
    t.within(() => t.manager.unregisterPod(podWith('p1', 'a', 'b')));
    t.run(1);
    expect([t.manager.size, t.api.watching('configmaps')]).toEqual([1, 1]);
    t.within(() => t.manager.unregisterPod(podWith('p2')));
    t.run(1);
    expect([t.manager.size, t.api.watching('configmaps')]).toEqual([0, 0]);
  });

  it('follows a pod that refers to something else now', () => {
    const t = setup();
    t.put('a', '1');
    t.put('b', '2');
    t.within(() => t.manager.registerPod(podWith('p', 'a')));
    t.within(() => t.manager.registerPod(podWith('p', 'b')));
    t.run(1);
    expect([t.get('a'), t.get('b')]).toEqual(['error: object "default"/"a" not registered', '2']);
  });

  it('gives up after a second without a list', () => {
    const t = setup();
    t.api.up = false;
    t.within(() => t.manager.registerPod(podWith('p', 'a')));
    const started = t.k.now();
    expect(t.get('a')).toBe('error: failed to sync configmap cache: timed out waiting for the condition');
    expect(t.k.now() - started).toBeLessThan(1.2 * Second);
    t.api.up = true;
    t.put('a', '1');
    t.run(10);
    expect(t.get('a')).toBe('1');
  });

  it('stops to watch what cannot change any more, and still knows it', () => {
    const t = setup();
    t.put('a', '1', { immutable: true });
    t.within(() => t.manager.registerPod(podWith('p', 'a')));
    expect(t.get('a')).toBe('1');
    t.run(1);
    expect(t.api.watching('configmaps')).toBe(0);
    expect(t.logs()).toContainEqual(['Stopped watching for changes - object is immutable', { obj: 'default/a' }]);
    t.put('a', 'other');
    t.run(400);
    expect([t.get('a'), t.api.watching('configmaps')]).toEqual(['1', 0]);
  });

  it('does not go on watching what nobody has asked for at all', () => {
    const t = setup();
    t.put('a', '1');
    t.within(() => t.manager.registerPod(podWith('p', 'a')));
    t.run(30);
    expect(t.api.watching('configmaps')).toBe(1);
    t.run(90);
    expect(t.api.watching('configmaps')).toBe(0);
    expect(t.get('a')).toBe('1');
    expect(t.api.watching('configmaps')).toBe(1);
  });

  it('stops to watch what nobody asked for in five periods, and begins again when somebody does', () => {
    const t = setup();
    t.put('a', '1');
    t.within(() => t.manager.registerPod(podWith('p', 'a')));
    expect(t.get('a')).toBe('1');
    t.run(4.5 * 60);
    expect(t.api.watching('configmaps')).toBe(1);
    t.run(2 * 60);
    expect(t.api.watching('configmaps')).toBe(0);
    expect(t.logs().map(([m]) => m)).toContain('Not acquired for long time, Stopped watching for changes');
    t.put('a', '2');
    expect(t.get('a')).toBe('2');
    expect(t.api.watching('configmaps')).toBe(1);
  });
});

describe('what a pod refers to', () => {
  const pod = apiPod('web');
  Object.assign(pod.spec, {
    imagePullSecrets: [{ name: 'pull' }, { name: '' }],
    initContainers: [{ name: 'i', envFrom: [{ secretRef: { name: 's1' } }, { configMapRef: { name: 'c1' } }] }],
    ephemeralContainers: [{ name: 'e', env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 's2', key: 'k' } } }] }],
    containers: [{ name: 'c', env: [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'c2', key: 'k' } } }] }],
    volumes: [
      { name: '1', secret: { secretName: 's3' } },
      { name: '2', configMap: { name: 'c3' } },
      { name: '3', projected: { sources: [{ secret: { name: 's4' } }, { configMap: { name: 'c4' } }, {}] } },
      { name: '4', csi: { driver: 'd', nodePublishSecretRef: { name: 's5' } } },
      { name: '5', azureFile: { secretName: 's6', shareName: 'x' } },
      { name: '6', emptyDir: {} },
    ],
  });
  it('config maps', () => {
    expect([...podConfigMapNames(pod)].sort()).toEqual(['c1', 'c2', 'c3', 'c4']);
  });
  it('secrets', () => {
    expect([...podSecretNames(pod)].sort()).toEqual(['pull', 's1', 's2', 's3', 's4', 's5', 's6']);
  });
});
