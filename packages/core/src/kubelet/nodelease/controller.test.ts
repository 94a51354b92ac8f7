import { describe, expect, it } from 'vitest';
import type { LeaseObject } from '../../api/cluster-types.js';
import { type Chan, type Kernel, makeChan, Second } from '../../kernel/index.js';
import { FakeAPI, status } from '../testing/fake-api.js';
import { setup } from '../testing/fake-node.js';

function node(before: (api: FakeAPI) => void = () => {}, config: { nodeLeaseDurationSeconds?: number } = {}) {
  let api = null as unknown as FakeAPI;
  const t = setup({
    config,
    deps: (k: Kernel) => {
      api = new FakeAPI(k);
      before(api);
      return { transport: api };
    },
  });
  const lease = () => api.objects('leases').get('kube-node-lease/node1') as LeaseObject | undefined;
  const requests = () => api.requests.filter((r) => r.includes(' leases '));
  const times = () => t.of('node-lease').flatMap((r) => (r.op === 'failed' ? [] : [r.time / Second]));
  return { ...t, api, lease, requests, times };
}

describe('the lease of the node', () => {
  it('[3:LEASE-01] is of 40 s, held by the node, owned by its object, and renewed every 10 s and a little', () => {
    const t = node();
    t.run(62);
    const made = t.api.bodies.find((b) => b.what === 'POST leases')?.body as LeaseObject;
    expect(made).toMatchObject({
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      metadata: {
        name: 'node1',
        namespace: 'kube-node-lease',
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'node1', uid: 'node-uid' }],
      },
      spec: { holderIdentity: 'node1', leaseDurationSeconds: 40 },
    });
    expect(made.spec?.renewTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    const gaps = t
      .times()
      .slice(1)
      .map((x, i) => x - (t.times()[i] as number));
    expect(gaps.length).toBeGreaterThanOrEqual(5);
    for (const gap of gaps) {
      expect(gap).toBeGreaterThanOrEqual(10);
      expect(gap).toBeLessThanOrEqual(10.5);
    }
    const renewed = t.api.bodies.filter((b) => b.what === 'PUT leases').map((b) => b.body as LeaseObject);
    const { renewTime: _a, ...rest } = renewed[0]?.spec ?? {};
    expect(rest).toEqual({ holderIdentity: 'node1', leaseDurationSeconds: 40 });
    expect(new Set(renewed.map((l) => l.spec?.renewTime)).size).toBe(gaps.length);
  });

  it('[3:LEASE-01] a quarter of another duration', () => {
    const t = node(() => {}, { nodeLeaseDurationSeconds: 8 });
    t.run(20);
    expect(t.times().length).toBeGreaterThanOrEqual(9);
    expect(t.lease()?.spec?.leaseDurationSeconds).toBe(8);
  });

  it('[3:LEASE-02] is written without being read; a conflict makes it read', () => {
    const t = node();
    t.run(15);
    t.api.answers.set('PUT leases', [status(409, 'Conflict', 'the object has been modified')]);
    t.api.requests.length = 0;
    t.run(10);
    expect(t.requests()).toEqual([
      'PUT leases kube-node-lease/node1',
      'GET leases kube-node-lease/node1',
      'PUT leases kube-node-lease/node1',
    ]);
    t.api.requests.length = 0;
    t.run(20);
    expect(new Set(t.requests())).toEqual(new Set(['PUT leases kube-node-lease/node1']));
  });

  it('[3:LEASE-02] is tried 5 times, then read, waiting longer each time up to 7 s', () => {
    const t = node();
    t.run(15);
    t.api.up = false;
    t.run(60);
    expect(t.logs(/^Failed to update lease$/)).toHaveLength(5);
    expect(t.logs(/^failed to update lease using latest lease/)).toHaveLength(1);
    const waits = t.of('log').flatMap((l) => (l.msg.startsWith('Failed to ensure lease') ? [l.kv.interval] : []));
    expect(waits.slice(0, 8)).toEqual(['200ms', '400ms', '800ms', '1.6s', '3.2s', '6.4s', '7s', '7s']);
    t.api.up = true;
    t.run(10);
    expect(t.of('node-lease').at(-1)?.op).toBe('renewed');
  });

  it('[3:LEASE-02] is not made before its owner can be read', () => {
    const t = node((api) => {
      api.node = null;
    });
    t.run(8);
    expect(t.lease()).toBeUndefined();
    expect(t.logs(/owner ref/)).toEqual(['Failed to get node when trying to set owner ref to the node lease']);
    t.run(8);
    expect(t.lease()?.metadata.ownerReferences?.[0]?.uid).toBe(t.api.node?.metadata.uid);
  });

  it('[3:LEASE-03] goes on while the node shuts down', () => {
    let down = null as unknown as Chan<boolean>;
    let api = null as unknown as FakeAPI;
    const t = setup({
      config: { shutdownGracePeriod: 60 * Second },
      deps: (k: Kernel) => {
        api = new FakeAPI(k);
        down = makeChan<boolean>(k, 'shutdown', 1);
        return {
          transport: api,
          shutdownSignal: {
            *onShutdown() {
              return down;
            },
            *release() {},
          },
        };
      },
    });
    t.run(15);
    down.trySend(true);
    t.run(2);
    expect(api.node?.status?.conditions?.at(-1)).toMatchObject({ status: 'False', message: 'node is shutting down' });
    const renewed = () => t.of('node-lease').filter((r) => r.op === 'renewed').length;
    const before = renewed();
    t.run(40);
    expect(renewed()).toBeGreaterThan(before + 2);
  });
});
