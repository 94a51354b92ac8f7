import { describe, expect, it } from 'vitest';
import type { CSINodeObject } from '../../api/cluster-types.js';
import type { Kernel } from '../../kernel/index.js';
import { FakeAPI } from '../testing/fake-api.js';
import { setup } from '../testing/fake-node.js';

const migrated = 'storage.alpha.kubernetes.io/migrated-plugins';

function node(before: (api: FakeAPI) => void = () => {}) {
  let api = null as unknown as FakeAPI;
  const t = setup({
    deps: (k: Kernel) => {
      api = new FakeAPI(k);
      before(api);
      return { transport: api };
    },
  });
  const csiNode = () => api.objects('csinodes').get('/node1') as CSINodeObject | undefined;
  const ready = () => t.of('node-condition').findLast((c) => c.type === 'Ready');
  return { ...t, api, csiNode, ready };
}

describe('the CSINode', () => {
  it('is made for the node, which is not ready before', () => {
    const t = node((api) => {
      api.node = null;
    });
    t.run(3);
    expect(t.csiNode()).toMatchObject({
      kind: 'CSINode',
      apiVersion: 'storage.k8s.io/v1',
      metadata: { name: 'node1', ownerReferences: [{ kind: 'Node', name: 'node1', uid: 'api-node1' }] },
      spec: { drivers: [] },
    });
    expect(t.csiNode()?.metadata.annotations?.[migrated]?.split(',')).toHaveLength(7);
    const said = t.of('node-condition').filter((c) => c.type === 'Ready');
    expect(said.map((c) => [c.status, c.message])).toEqual(
      expect.arrayContaining([
        ['False', expect.stringContaining('CSINode is not yet initialized')],
        ['True', 'kubelet is posting ready status'],
      ]),
    );
  });

  it('of another node of that name is deleted and made anew', () => {
    const t = node((api) => {
      api.put('csinodes', {
        metadata: { name: 'node1', ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'node1', uid: 'old' }] },
        spec: { drivers: [] },
      });
    });
    t.run(3);
    expect(t.api.requests.filter((r) => /csinodes/.test(r))).toEqual([
      'GET csinodes node1',
      'GET csinodes node1',
      'DELETE csinodes node1',
      'GET csinodes node1',
      'POST csinodes',
    ]);
    expect(t.csiNode()?.metadata.ownerReferences?.[0]?.uid).toBe('node-uid');
  });

  it('that is there is only brought up to date', () => {
    const t = node((api) => {
      api.put('csinodes', {
        metadata: {
          name: 'node1',
          annotations: { [migrated]: 'kubernetes.io/aws-ebs', other: '1' },
          ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'node1', uid: 'node-uid' }],
        },
        spec: { drivers: [{ name: 'mine' }] },
      });
    });
    t.run(3);
    expect(t.csiNode()).toMatchObject({
      metadata: { annotations: { other: '1' } },
      spec: { drivers: [{ name: 'mine' }] },
    });
    expect(t.csiNode()?.metadata.annotations?.[migrated]).toContain('vsphere-volume');
    expect(t.ready()?.status).toBe('True');
  });

  it('that cannot be made ends the kubelet after 6 rounds', () => {
    const t = node((api) => api.answers.set('POST csinodes', Array(40).fill({ throw: 'connection reset by peer' })));
    t.run(100);
    expect(t.kl.exited).toBeNull();
    expect(t.ready()?.message).toMatch(/^failed to initialize CSINode: error updating CSINode annotation: timed out/);
    t.run(100);
    expect(t.kl.exited?.message).toMatch(/^Failed to initialize CSINode after retrying/);
    expect(t.kl.process.dead).toBe(true);
  });
});
