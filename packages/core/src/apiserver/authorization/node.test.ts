import { describe, expect, it } from 'vitest';
import { patchType, podOf, podPath, setup } from '../testing/setup.js';

const node = { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };
const other = { ...node, name: 'system:node:n2' };
const admin = { name: 'root', groups: ['system:masters'] };
const core = '/api/v1/namespaces/default';

function open() {
  const t = setup({ authorizationModes: ['Node', 'RBAC'] });
  const as =
    (user: typeof node) =>
    (method: string, path: string, json?: object, more: object = {}) =>
      t.call(method, path, { user, ...(json && { json }), ...more });
  const root = as(admin);
  for (const name of ['n1', 'n2']) root('POST', '/api/v1/nodes', { metadata: { name } });
  return { ...t, as, root, n1: as(node), n2: as(other) };
}
const web = podOf('web', {
  serviceAccountName: 'default',
  imagePullSecrets: [{ name: 'pull' }],
  volumes: [
    { name: 'a', secret: { secretName: 'mounted' } },
    {
      name: 'b',
      projected: { sources: [{ configMap: { name: 'projected' } }, { serviceAccountToken: { path: 't' } }] },
    },
    { name: 'c', persistentVolumeClaim: { claimName: 'claim' } },
  ],
  containers: [
    {
      name: 'app',
      image: 'busybox:1',
      env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 'env', key: 'k' } } }],
      envFrom: [{ configMapRef: { name: 'env-from' } }],
    },
  ],
});

describe('a node', () => {
  it('reads what its pods name, and nothing else', () => {
    const { root, n1, n2 } = open();
    const objects = [
      ...['pull', 'mounted', 'env', 'unrelated'].map((name) => `secrets/${name}`),
      ...['projected', 'env-from', 'strange'].map((name) => `configmaps/${name}`),
    ];
    for (const o of objects) {
      const [resource = '', name = ''] = o.split('/');
      expect(root('POST', `${core}/${resource}`, { metadata: { name } }).code).toBe(201);
    }
    const readable = (by: typeof n1) => objects.filter((o) => by('GET', `${core}/${o}`).code === 200);
    expect(readable(n1)).toEqual([]);
    expect(root('POST', podPath, web).code).toBe(201);
    expect(readable(n1)).toEqual([
      'secrets/pull',
      'secrets/mounted',
      'secrets/env',
      'configmaps/projected',
      'configmaps/env-from',
    ]);
    expect(readable(n2)).toEqual([]);
    expect(n1('GET', `${core}/secrets/unrelated`).body.message).toBe(
      'secrets "unrelated" is forbidden: User "system:node:n1" cannot get resource "secrets" in API group "" in the namespace "default": no relationship found between node \'n1\' and this object',
    );
    const list = (selector: string) => n1('GET', `${core}/secrets${selector}`);
    expect(list('').body.message).toContain('No Object name found');
    expect(list('?fieldSelector=metadata.name%3Dmounted').code).toBe(200);
    expect(list('?fieldSelector=metadata.name%3Dunrelated').body.message).toContain('secrets "unrelated" is forbidden');
    expect(n1('DELETE', `${core}/secrets/mounted`).body.message).toContain('can only read resources of this type');
    expect(n1('GET', `${core}/serviceaccounts/default`).code).toBe(200);
    // The pod is gone, and with it the relationship.
    root('DELETE', `${podPath}/web?gracePeriodSeconds=0`);
    expect(readable(n1)).toEqual([]);
  });

  it('follows what becomes of a pod: bound later, debugged later', () => {
    const { root, n1 } = open();
    root('POST', `${core}/secrets`, { metadata: { name: 'late' } });
    const { nodeName: _, ...spec } = web.spec as Record<string, unknown>;
    root('POST', podPath, { ...web, spec });
    expect(n1('GET', `${podPath}/web`).code).toBe(403);
    root('POST', `${podPath}/web/binding`, { target: { kind: 'Node', name: 'n1' } });
    expect(n1('GET', `${podPath}/web`).code).toBe(200);
    const container = { name: 'd', image: 'b', envFrom: [{ secretRef: { name: 'late' } }] };
    expect(n1('GET', `${core}/secrets/late`).code).toBe(403);
    const debug = root(
      'PATCH',
      `${podPath}/web/ephemeralcontainers`,
      { spec: { ephemeralContainers: [container] } },
      patchType('strategic-merge'),
    );
    expect(debug.code).toBe(200);
    expect(n1('GET', `${core}/secrets/late`).code).toBe(200);
  });

  it('lists its own pods, and its own Node', () => {
    const { n1 } = open();
    expect(n1('GET', '/api/v1/pods?fieldSelector=spec.nodeName%3Dn1').code).toBe(200);
    expect(n1('GET', '/api/v1/pods').body.message).toContain(
      'can only list/watch pods with spec.nodeName field selector',
    );
    expect(n1('GET', '/api/v1/pods?fieldSelector=spec.nodeName!%3Dn1').code).toBe(403);
    expect(n1('GET', '/api/v1/nodes/n1').code).toBe(200);
    expect(n1('GET', '/api/v1/nodes?fieldSelector=metadata.name%3Dn1').code).toBe(200);
    expect(n1('GET', '/api/v1/nodes/n2').body.message).toContain(
      "node 'n1' cannot read 'n2', only its own Node object",
    );
    expect(n1('GET', '/api/v1/nodes').body.message).toContain(
      "node 'n1' cannot read all nodes, only its own Node object",
    );
    expect(n1('GET', '/api/v1/services').code).toBe(200);
    expect(n1('GET', '/api/v1/namespaces').code).toBe(403);
  });

  it('writes its own Node, without taints, and with labels that are its business', () => {
    const { n1, root } = open();
    const patch = (name: string, json: object, by = n1) =>
      by('PATCH', `/api/v1/nodes/${name}`, json, patchType('merge')).body.message ?? 'done';
    const label = (key: string) => patch('n1', { metadata: { labels: { [key]: 'x' } } });
    expect(patch('n2', {})).toContain('node "n1" is not allowed to modify node "n2"');
    expect(label('kubernetes.io/os')).toBe('done');
    expect(label('node.kubernetes.io/anything')).toBe('done');
    expect(label('team')).toBe('done');
    expect(label('node-role.kubernetes.io/control-plane')).toContain(
      'is not allowed to modify labels: node-role.kubernetes.io/control-plane',
    );
    expect(label('example.com.node-restriction.kubernetes.io/pci')).toContain('is not allowed to modify labels');
    expect(patch('n1', { spec: { taints: null } })).toContain('node "n1" is not allowed to modify taints');
    expect(patch('n1', { spec: { taints: null } }, root)).toBe('done');
    const made = open().as({ ...node, name: 'system:node:n3' })('POST', '/api/v1/nodes', {
      metadata: { name: 'n3', labels: { 'node-role.kubernetes.io/worker': '' } },
    });
    expect(made.body.message).toContain(
      'node "n3" is not allowed to set the following labels: node-role.kubernetes.io/worker',
    );
    expect(n1('DELETE', '/api/v1/nodes/n1').code).toBe(403);
  });

  it('tells the status of its own pods only, and evicts and deletes only those', () => {
    const { root, n1, n2 } = open();
    root('POST', podPath, web);
    const status = (by: typeof n1, json: object) => by('PATCH', `${podPath}/web/status`, json, patchType('merge'));
    expect(status(n1, { status: { phase: 'Running' } }).code).toBe(200);
    expect(status(n2, { status: { phase: 'Failed' } }).body.message).toBe(
      'pods "web" is forbidden: node "n2" can only update pod status for pods with spec.nodeName set to itself',
    );
    expect(status(n1, { metadata: { labels: { a: 'b' } } }).body.message).toContain(
      'node "n1" cannot update labels through pod status',
    );
    expect(n1('PATCH', `${podPath}/web`, {}, patchType('merge')).code).toBe(403);
    expect(n2('POST', `${podPath}/web/eviction`, {}).body.message).toContain('node n2 can only evict pods');
    expect(n2('DELETE', `${podPath}/web`).body.message).toContain('node "n2" can only delete pods');
    expect(n1('POST', `${podPath}/web/eviction`, { deleteOptions: { gracePeriodSeconds: 0 } }).code).toBe(201);
  });

  it('makes mirror pods of itself, which name nothing', () => {
    const { n1, root } = open();
    const { uid } = root('GET', '/api/v1/nodes/n1').body.metadata;
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid, controller: true };
    const mirror = (metadata: object, spec: Record<string, unknown> = {}) =>
      n1(
        'POST',
        podPath,
        podOf(
          'm',
          spec as never,
          { annotations: { 'kubernetes.io/config.mirror': 'x' }, ownerReferences: [owner], ...metadata } as never,
        ),
      ).body.message ?? 'done';
    expect(mirror({ annotations: {} })).toContain('node "n1" can only create mirror pods');
    expect(mirror({}, { nodeName: 'n2' })).toContain('can only create pods with spec.nodeName set to itself');
    expect(mirror({ ownerReferences: [] })).toContain('with an owner reference set to itself');
    expect(mirror({ ownerReferences: [{ ...owner, uid: 'other' }] })).toContain('node n1 UID mismatch');
    expect(mirror({}, { imagePullSecrets: [{ name: 's' }] })).toContain('can not create pods that reference secrets');
    expect(mirror({})).toBe('done');
  });

  it('has tokens for its own pods only, and for what they ask for', () => {
    const { root, n1, n2 } = open();
    root('POST', podPath, web);
    const { uid } = root('GET', `${podPath}/web`).body.metadata;
    const ref = { kind: 'Pod', apiVersion: 'v1', name: 'web', uid };
    const token = (by: typeof n1, spec: object) =>
      by('POST', `${core}/serviceaccounts/default/token`, { spec }).body.message ?? 'done';
    expect(token(n1, { boundObjectRef: ref })).toBe('done');
    expect(token(n2, { boundObjectRef: ref })).toContain("no relationship found between node 'n2' and this object");
    expect(token(n1, {})).toContain('node requested token not bound to a pod');
    expect(token(n1, { boundObjectRef: { ...ref, uid: '' } })).toContain('a pod binding without a uid');
    expect(token(n1, { boundObjectRef: ref, audiences: ['vault'] })).toContain(
      'audience "vault" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience',
    );
    expect(token(n1, { boundObjectRef: ref, audiences: ['a', 'b'] })).toContain(
      'node may only request 0 or 1 audiences',
    );
  });

  it('keeps its own lease, CSINode and slices', () => {
    const { n1, root } = open();
    const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
    expect(n1('POST', leases, { metadata: { name: 'n1' } }).code).toBe(201);
    expect(n1('POST', leases, { metadata: { name: 'n2' } }).body.message).toContain('node lease with the same name');
    expect(n1('GET', `${leases}/n2`).body.message).toContain('node lease with the same name as the requesting node');
    expect(n1('GET', leases.replace('kube-node-lease', 'default')).code).toBe(403);
    const csi = '/apis/storage.k8s.io/v1/csinodes';
    expect(n1('POST', csi, { metadata: { name: 'n1' }, spec: { drivers: [] } }).code).toBe(201);
    expect(n1('POST', csi, { metadata: { name: 'n2' }, spec: { drivers: [] } }).code).toBe(403);
    const slices = '/apis/resource.k8s.io/v1/resourceslices';
    const slice = (nodeName: string) => ({
      metadata: { name: `of-${nodeName}` },
      spec: { nodeName, driver: 'd.example.com', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } },
    });
    expect(n1('POST', slices, slice('n1')).code).toBe(201);
    expect(n1('POST', slices, slice('n2')).body.message).toContain('with the same NodeName as the requesting node');
    root('POST', slices, slice('n2'));
    expect(n1('GET', `${slices}/of-n1`).code).toBe(200);
    expect(n1('GET', `${slices}/of-n2`).code).toBe(403);
    expect(n1('DELETE', slices).code).toBe(403);
    expect(n1('DELETE', `${slices}?fieldSelector=spec.nodeName%3Dn1`).code).toBe(200);
  });

  it('is one by its name and its group', () => {
    const { as } = open();
    expect(as({ name: 'system:node:n1', groups: [] })('GET', '/api/v1/nodes/n1').code).toBe(403);
    expect(as({ name: 'jane', groups: ['system:nodes'] })('GET', '/api/v1/nodes/n1').code).toBe(403);
    expect(as({ name: 'system:node:', groups: ['system:nodes'] })('GET', '/api/v1/nodes/n1').body.message).toContain(
      'unknown node for user "system:node:"',
    );
  });
});
