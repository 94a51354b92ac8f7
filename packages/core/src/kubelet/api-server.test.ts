import { describe, expect, it } from 'vitest';
import { background, type Go, Kernel, Millisecond, Second } from '../kernel/index.js';
import type { TraceRecord } from '../trace/index.js';
import { newNodeLister } from './client/informer.js';
import { RestClient } from './client/rest-client.js';
import { RestKubeClient } from './client/rest-kube-client.js';
import { newBasicMirrorClient } from './podmanager/basic-mirror-client.js';
import { FakeAPI, status } from './testing/fake-api.js';
import { apiPod, manifest, setup } from './testing/fake-node.js';

function mirror() {
  const records: TraceRecord[] = [];
  const k = new Kernel({ sink: (r) => records.push(r) });
  const api = new FakeAPI(k);
  const rest = new RestKubeClient(new RestClient({ kernel: k, transport: api }));
  const nodeLister = newNodeLister({ get: () => api.node ?? undefined, hasSynced: () => true }, 'node1');
  const client = newBasicMirrorClient({ kernel: k, client: rest, nodeLister, nodeName: 'node1' });
  /** Returns the end of an operation: its value, or the text of its error. */
  const end = (op: () => Go<unknown>) => {
    let out: unknown = 'never ended';
    k.go('test', function* () {
      try {
        out = yield* op();
      } catch (err) {
        out = `error: ${(err as Error).message}`;
      }
    });
    k.run();
    return out;
  };
  const pod = apiPod('web-node1', {
    uid: 'static',
    labels: { app: 'web' },
    annotations: { 'kubernetes.io/config.source': 'file', 'kubernetes.io/config.hash': 'h1' },
  });
  const logs = () => records.flatMap((r) => (r.kind === 'log' ? [r.msg] : []));
  return { k, api, client, end, pod, logs };
}

describe('mirror client', () => {
  it('[1:F04] a mirror is a copy with the hash and an owner', () => {
    const t = mirror();
    expect(t.end(() => t.client.createMirrorPod(background, t.pod))).toBeUndefined();
    expect(t.api.pods.get('default/web-node1')).toMatchObject({
      metadata: {
        name: 'web-node1',
        labels: { app: 'web' },
        annotations: {
          'kubernetes.io/config.source': 'file',
          'kubernetes.io/config.hash': 'h1',
          'kubernetes.io/config.mirror': 'h1',
        },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'node1', uid: 'node-uid', controller: true }],
      },
      spec: { containers: [{ name: 'app', image: 'nginx:1' }] },
    });
    // The static pod itself is as it was.
    expect(t.pod.metadata.annotations).not.toHaveProperty('kubernetes.io/config.mirror');
    expect(t.pod.metadata.ownerReferences).toBeUndefined();
  });

  it('[1:F04] one that is there already will do if its hash is the same', () => {
    const t = mirror();
    t.end(() => t.client.createMirrorPod(background, t.pod));
    expect(t.end(() => t.client.createMirrorPod(background, t.pod))).toBeUndefined();
    const other = { ...t.pod, metadata: { ...t.pod.metadata, annotations: { 'kubernetes.io/config.hash': 'h2' } } };
    expect(t.end(() => t.client.createMirrorPod(background, other))).toBe('error: pods "web-node1" already exists');
  });

  it('[1:F04] needs to know the uid of the node', () => {
    const t = mirror();
    t.api.node = { metadata: { name: 'node1', uid: '' } };
    const create = () => t.client.createMirrorPod(background, t.pod);
    expect(t.end(create)).toBe('error: failed to get node UID: UID unset for node node1');
    t.api.node = null;
    expect(t.end(create)).toBe('error: failed to get node UID: node "node1" not found');
    expect(t.api.log).toEqual([]);
  });

  it('[1:F05] deletes at once, only the one that is meant, and makes no fuss about errors', () => {
    const t = mirror();
    t.end(() => t.client.createMirrorPod(background, t.pod));
    t.api.log.length = 0;
    const remove = (uid: string | null) => t.end(() => t.client.deleteMirrorPod(background, 'web-node1_default', uid));
    expect(remove('another')).toBe(false);
    expect(remove('api-web-node1')).toBe(true);
    expect(remove(null)).toBe(false);
    expect(t.api.log).toEqual([
      'delete default/web-node1 grace=0 uid=another',
      'delete default/web-node1 grace=0 uid=api-web-node1',
      'delete default/web-node1 grace=0 uid=null',
    ]);
    expect(t.logs()).not.toContain('Failed deleting a mirror pod');
    t.api.answers.set('DELETE pods', [status(503, 'ServiceUnavailable', 'down')]);
    expect(remove(null)).toBe(false);
    expect(t.logs()).toContain('Failed deleting a mirror pod');
    expect(t.end(() => t.client.deleteMirrorPod(background, 'nonsense', null))).toBe(
      'error: failed to parse the pod full name "nonsense"',
    );
  });
});

describe('with an API server', () => {
  const start = (options: { node?: boolean; synced?: boolean; manifests?: Record<string, string> } = {}) => {
    let api: FakeAPI | undefined;
    const t = setup({
      // Other tests check who makes the node.
      config: { registerNode: false },
      ...(options.manifests && { manifests: options.manifests }),
      deps: (k) => {
        api = new FakeAPI(k);
        if (options.node === false) api.node = null;
        api.synced = options.synced ?? true;
        return { transport: api };
      },
    });
    return { ...t, api: api as FakeAPI };
  };
  const sources = (t: ReturnType<typeof start>) =>
    t
      .of('source')
      .filter((s) => s.source === 'api')
      .map((s) => [s.origin, ...s.pods.map((p) => p.pod)]);

  it('[1:E20] lists once the node is known, then sends all it has with every event', () => {
    const t = start({ synced: false });
    t.api.putPod(apiPod('a', { uid: 'ua' }));
    t.run(3.5);
    expect(sources(t)).toEqual([]);
    expect(t.logs(/^SyncLoop ADD/)).toHaveLength(1);
    t.api.synced = true;
    t.run(8);
    expect(sources(t)[0]).toEqual(['list', 'default/a']);
    const waits = t.of('log').filter((l) => l.msg === 'node sync has not completed yet');
    expect(waits.slice(1).map((l, i) => Math.round((l.time - (waits[i]?.time ?? 0)) / Millisecond))).toEqual(
      waits.slice(1).map(() => 1000),
    );
    t.api.putPod(apiPod('b', { uid: 'ub' }));
    t.run(0.1);
    expect(sources(t).at(-1)).toEqual(['watch', 'default/a', 'default/b']);
    t.api.remove('pods', 'default', 'a');
    t.run(0.1);
    expect(sources(t).at(-1)).toEqual(['watch', 'default/b']);
    expect(t.kl.getPods().map((p) => p.metadata.name)).toEqual(['b']);
  });

  it('[1:E20] goes on watching where a watch ended, and lists anew when that cannot be', () => {
    const t = start();
    t.run(3);
    const watches = () => t.api.requests.filter((r) => r.startsWith('WATCH pods')).map((r) => r.replace(/\d+/, 'N'));
    expect(watches()).toEqual(['WATCH pods rv= initial']);
    t.api.hangUp('pods');
    t.run(1);
    expect(watches().slice(1)).toEqual(['WATCH pods rv=N']);
    expect(sources(t)).toHaveLength(1);
    t.api.pods.set('default/c', apiPod('c', { uid: 'uc' }));
    t.api.answers.set('WATCH pods', [status(410, 'Expired', 'too old resource version: 11 (20)')]);
    t.api.hangUp('pods');
    t.run(3);
    expect(watches().slice(2)).toEqual(['WATCH pods rv=N', 'WATCH pods rv=N initial']);
    expect(sources(t)).toContainEqual(['list', 'default/c']);
    expect(t.podOf('c')).toBeDefined();
  });

  it('runs an API pod, shows its status, and finishes it after its deletion', () => {
    const t = start();
    t.api.putPod(apiPod('a', { uid: 'ua' }));
    t.run(5);
    expect(t.api.pods.get('default/a')?.status).toMatchObject({ phase: 'Running', hostIP: '192.0.2.1' });
    const there = t.api.pods.get('default/a');
    if (!there) throw new Error('gone');
    t.api.putPod({
      ...there,
      metadata: { ...there.metadata, deletionTimestamp: '2026-01-01T00:00:05Z', deletionGracePeriodSeconds: 5 },
    });
    t.run(15);
    expect(t.api.log).toContain('delete default/a grace=0 uid=ua');
    expect(t.api.pods.size).toBe(0);
    expect(t.podOf('a')).toBeUndefined();
  });

  it('[1:C20] shows static pods as soon as there is a node', () => {
    const t = start({ node: false, manifests: { 'web.yaml': manifest('web') } });
    t.run(5);
    const waits = t.of('log').filter((l) => /Unable to register mirror pod because node/.test(l.msg));
    expect(waits.length).toBeGreaterThan(20);
    expect(Math.round(((waits[1]?.time ?? 0) - (waits[0]?.time ?? 0)) / Millisecond)).toBe(100);
    expect(t.api.log.filter((l) => l.startsWith('create'))).toEqual([]);
    expect(t.logs(/No need to create a mirror pod, since failed to get node info/).length).toBeGreaterThan(0);
    t.api.node = { metadata: { name: 'node1', uid: 'n' } };
    t.run(0.3);
    expect(t.api.log.filter((l) => l.startsWith('create'))).toEqual(['create default/web-node1']);
    expect(t.api.pods.get('default/web-node1')?.metadata.annotations).toHaveProperty('kubernetes.io/config.mirror');
  });

  it('[1:D03] the mirror of a static pod that is being stopped stays until that is done', () => {
    const t = start({ manifests: { 'web.yaml': manifest('web') } });
    t.run(5);
    t.cri.slow.set('StopContainer', 9 * Second);
    t.os.files.delete('/m/web.yaml');
    t.run(8);
    const deletes = () => t.api.log.filter((l) => l.startsWith('delete'));
    expect(t.of('worker').at(-1)?.state).toBe('terminating');
    expect(deletes()).toEqual([]);
    t.run(8);
    expect(deletes()).toEqual(['delete default/web-node1 grace=0 uid=null']);
    const deleted = t.logs(/Deleted mirror pod/);
    expect(deleted).toHaveLength(1);
  });

  it('[1:C19] makes no mirror on a node that goes away', () => {
    const t = start({ manifests: { 'web.yaml': manifest('web') }, node: false });
    t.api.node = { metadata: { name: 'node1', uid: 'n', deletionTimestamp: '2026-01-01T00:00:00Z' } };
    t.run(5);
    expect(t.api.log.filter((l) => l.startsWith('create'))).toEqual([]);
    expect(t.logs(/since node has been removed from the cluster/).length).toBeGreaterThan(0);
  });
});
