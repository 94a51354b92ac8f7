import { describe, expect, it } from 'vitest';
import { Minute, Second } from '../../kernel/index.js';
import { patchType, podOf, podPath, setup } from '../testing/setup.js';

const node = (name: string, status = 'True', spec: object = {}) => ({
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  spec,
  status: { conditions: [{ type: 'Ready', status }], allocatable: { cpu: '2', memory: '1Gi', pods: '3' } },
});
const unbound = (name: string, spec: object = {}) => podOf(name, { nodeName: '', ...spec });

describe('what every cluster has', () => {
  it('is there from the start', () => {
    const { call } = setup({ rootCA: 'PEM' });
    expect(call('GET', '/api/v1/namespaces').body.items.map((n) => n.metadata.name)).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ]);
    expect(call('GET', '/api/v1/namespaces/default/services/kubernetes').body.spec.clusterIP).toBe('10.96.0.1');
    expect(call('GET', '/api/v1/namespaces/kube-system/serviceaccounts/default').code).toBe(200);
    expect(call('GET', '/api/v1/namespaces/default/configmaps/kube-root-ca.crt').body.data).toEqual({
      'ca.crt': 'PEM',
    });
    expect(call('GET', '/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical').body.value).toBe(
      2_000_001_000,
    );
    for (const path of [
      '/apis/storage.k8s.io/v1/csidrivers',
      '/apis/storage.k8s.io/v1/csinodes',
      '/apis/node.k8s.io/v1/runtimeclasses',
    ])
      expect(call('GET', path).body.items, path).toEqual([]);
    expect(call('DELETE', '/apis/resource.k8s.io/v1/resourceslices').code).toBe(200);
  });
  it('a new namespace gets, and takes everything with it when it goes', () => {
    const t = setup();
    t.call('POST', '/api/v1/namespaces', { json: { metadata: { name: 'team' } } });
    t.pass(Second);
    expect(t.call('GET', '/api/v1/namespaces/team/serviceaccounts/default').code).toBe(200);
    t.call('POST', '/api/v1/namespaces/team/pods', { json: podOf('web', { terminationGracePeriodSeconds: 5 }) });
    expect(t.call('DELETE', '/api/v1/namespaces/team').body).toMatchObject({
      metadata: { deletionTimestamp: expect.any(String) },
    });
    t.pass(Second);
    expect(t.call('GET', '/api/v1/namespaces/team/pods/web').body.metadata.deletionGracePeriodSeconds).toBe(5);
    expect(t.call('POST', '/api/v1/namespaces/team/pods', { json: podOf('late') }).body.message).toBe(
      'pods "late" is forbidden: unable to create new content in namespace team because it is being terminated',
    );
    expect(t.call('GET', '/api/v1/namespaces/team').body.status.phase).toBe('Terminating');
    t.call('DELETE', '/api/v1/namespaces/team/pods/web?gracePeriodSeconds=0');
    t.pass(3 * Second);
    expect(t.call('GET', '/api/v1/namespaces/team').code).toBe(404);
    expect(t.call('DELETE', '/api/v1/namespaces/default').body.message).toBe(
      'namespaces "default" is forbidden: this namespace may not be deleted',
    );
  });
});

describe('events', () => {
  it('go an hour after they were written last', () => {
    const t = setup();
    const events = '/api/v1/namespaces/default/events';
    const make = (name: string) =>
      t.call('POST', events, {
        json: {
          metadata: { name },
          involvedObject: { kind: 'Pod', namespace: 'default', name: 'web' },
          reason: 'Pulled',
        },
      });
    make('old');
    make('again');
    t.pass(50 * Minute);
    expect(t.call('PATCH', `${events}/again`, { ...patchType('strategic-merge'), json: { count: 2 } }).body.count).toBe(
      2,
    );
    t.pass(15 * Minute);
    make('new');
    expect(t.call('GET', events).body.items.map((e) => e.metadata.name)).toEqual(['again', 'new']);
    t.pass(50 * Minute);
    make('newer');
    expect(t.call('GET', events).body.items.map((e) => e.metadata.name)).toEqual(['new', 'newer']);
  });
});

describe('owners', () => {
  it('take their dependents with them; mirror pods go with their node', () => {
    const t = setup();
    const { uid } = t.call('POST', '/api/v1/nodes', { json: node('n1') }).body.metadata;
    const owned = (kind: string, name: string, id: unknown) => ({
      ownerReferences: [{ apiVersion: 'v1', kind, name, uid: id }],
    });
    t.call('POST', podPath, { json: podOf('mirror', { terminationGracePeriodSeconds: 0 }, owned('Node', 'n1', uid)) });
    t.call('POST', podPath, { json: podOf('other') });
    t.call('DELETE', '/api/v1/nodes/n1');
    t.pass(Second);
    expect(t.call('GET', podPath).body.items.map((p) => p.metadata.name)).toEqual(['other']);
  });
  it('leave them when told to', () => {
    const t = setup();
    const { uid } = t.call('POST', '/api/v1/namespaces/default/configmaps', { json: { metadata: { name: 'owner' } } })
      .body.metadata;
    t.call('POST', '/api/v1/namespaces/default/configmaps', {
      json: {
        metadata: { name: 'child', ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }] },
      },
    });
    t.call('DELETE', '/api/v1/namespaces/default/configmaps/owner', { json: { propagationPolicy: 'Orphan' } });
    t.pass(Second);
    expect(t.call('GET', '/api/v1/namespaces/default/configmaps/child').body.metadata.ownerReferences).toBeUndefined();
  });
  it('wait for them in the foreground', () => {
    const t = setup();
    const maps = '/api/v1/namespaces/default/configmaps';
    const { uid } = t.call('POST', maps, { json: { metadata: { name: 'owner' } } }).body.metadata;
    t.call('POST', maps, {
      json: {
        metadata: {
          name: 'child',
          finalizers: ['a.io/b'],
          ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }],
        },
      },
    });
    t.call('DELETE', `${maps}/owner`, { json: { propagationPolicy: 'Foreground' } });
    t.call('POST', '/api/v1/namespaces', { json: { metadata: { name: 'x' } } });
    t.pass(Second);
    expect([
      t.call('GET', `${maps}/owner`).code,
      t.call('GET', `${maps}/child`).body.metadata.deletionTimestamp,
    ]).toEqual([200, expect.any(String)]);
    t.call('PATCH', `${maps}/child`, { ...patchType('merge'), json: { metadata: { finalizers: null } } });
    t.pass(Second);
    expect([t.call('GET', `${maps}/owner`).code, t.call('GET', `${maps}/child`).code]).toEqual([404, 404]);
  });
});

describe('the scheduler', () => {
  const cluster = () => {
    const t = setup({ schedulePods: true });
    t.call('POST', '/api/v1/nodes', { json: node('n1') });
    return t;
  };
  it('binds a pod to a ready node and says so', () => {
    const t = cluster();
    t.call('POST', podPath, { json: unbound('web') });
    t.pass(Second);
    const pod = t.call('GET', `${podPath}/web`).body;
    expect(pod.spec.nodeName).toBe('n1');
    expect(pod.status.conditions).toEqual([
      {
        type: 'PodScheduled',
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: '2026-01-01T00:00:00Z',
        observedGeneration: 1,
      },
    ]);
    const [event] = t.call('GET', '/api/v1/namespaces/default/events').body.items ?? [];
    expect(event).toMatchObject({
      type: 'Normal',
      reason: 'Scheduled',
      message: 'Successfully assigned default/web to n1',
      reportingComponent: 'default-scheduler',
    });
    expect(t.call('GET', '/apis/events.k8s.io/v1/namespaces/default/events').body.items[0]).toMatchObject({
      note: 'Successfully assigned default/web to n1',
      regarding: { name: 'web' },
    });
  });
  it('is off unless the server is told', () => {
    const t = setup();
    t.call('POST', '/api/v1/nodes', { json: node('n1') });
    t.call('POST', podPath, { json: unbound('web') });
    t.pass(Second);
    expect(t.call('GET', `${podPath}/web`).body.spec.nodeName).toBeUndefined();
    expect(t.call('GET', '/api/v1/nodes/n1').body.spec.taints).toEqual([
      { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
    ]);
  });
  it.each([
    ['a selector', { nodeSelector: { zone: 'x' } }, "1 node(s) didn't match Pod's node affinity/selector"],
    [
      'too much cpu',
      { containers: [{ name: 'a', image: 'b', resources: { requests: { cpu: '3' } } }] },
      '1 Insufficient cpu',
    ],
    [
      'required affinity',
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }],
            },
          },
        },
      },
      "1 node(s) didn't match",
    ],
  ])('leaves a pod with %s waiting', (_, spec, why) => {
    const t = cluster();
    t.call('POST', podPath, { json: unbound('web', spec) });
    t.pass(Second);
    const pod = t.call('GET', `${podPath}/web`).body;
    expect(pod.spec.nodeName).toBeUndefined();
    expect(pod.status.conditions?.[0]).toMatchObject({
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: expect.stringContaining(`0/1 nodes are available: ${why}`),
    });
    expect(t.call('GET', '/api/v1/events?fieldSelector=reason%3DFailedScheduling').body.items).toHaveLength(1);
  });
  it('follows a node’s conditions with its taints, and binds when it can', () => {
    const t = setup({ schedulePods: true });
    t.call('POST', '/api/v1/nodes', { json: node('n1', 'False') });
    t.call('POST', podPath, { json: unbound('web') });
    t.pass(Second);
    expect(t.call('GET', `${podPath}/web`).body.status.conditions?.[0]?.message).toContain(
      'untolerated taint {node.kubernetes.io/not-ready: }',
    );
    t.call('PATCH', '/api/v1/nodes/n1/status', {
      ...patchType('strategic-merge'),
      json: { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
    });
    t.pass(Second);
    expect(t.call('GET', '/api/v1/nodes/n1').body.spec.taints).toBeUndefined();
    expect(t.call('GET', `${podPath}/web`).body.spec.nodeName).toBe('n1');
  });
});

describe('binding and eviction', () => {
  it('bind once only', () => {
    const t = setup();
    t.call('POST', podPath, { json: podOf('web') });
    const { body } = t.call('POST', '/api/v1/namespaces/default/bindings', {
      json: { metadata: { name: 'web' }, target: { kind: 'Node', name: 'n2' } },
    });
    expect(body.message).toBe(
      'Operation cannot be fulfilled on pods/binding "web": pod web is already assigned to node "n1"',
    );
  });
  it('evict with a condition and the pod’s grace', () => {
    const t = setup();
    t.call('POST', podPath, { json: podOf('web') });
    expect(
      t.call('POST', `${podPath}/web/eviction`, {
        json: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web' } },
      }).code,
    ).toBe(201);
    const pod = t.call('GET', `${podPath}/web`).body;
    expect(pod.metadata.deletionGracePeriodSeconds).toBe(30);
    expect(pod.status.conditions?.[0]).toMatchObject({
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
    });
  });
});

describe('what the kubelet is asked for', () => {
  it('names the node and the container, or says what is missing', () => {
    const t = setup();
    t.call('POST', podPath, {
      json: podOf('two', {
        containers: [
          { name: 'a', image: 'x' },
          { name: 'b', image: 'x' },
        ],
        initContainers: [{ name: 'i', image: 'x' }],
      }),
    });
    t.call('POST', podPath, { json: unbound('nowhere') });
    expect(t.call('GET', `${podPath}/two/log?container=b&follow=true`)).toMatchObject({
      kind: 'forward',
      nodeName: 'n1',
      container: 'b',
      subresource: 'log',
      query: { follow: 'true' },
    });
    expect(t.call('GET', `${podPath}/two/log`).body.message).toBe(
      'a container name must be specified for pod two, choose one of: [a b] or one of the init containers: [i]',
    );
    expect(t.call('GET', `${podPath}/two/log?container=z`).body.message).toBe('container z is not valid for pod two');
    expect(t.call('GET', `${podPath}/nowhere/log`).body.message).toBe('pod nowhere does not have a host assigned');
    expect(t.call('POST', `${podPath}/two/exec?container=a`).body.message).toBe(
      'you must specify at least 1 command for the container',
    );
    t.call('POST', '/api/v1/nodes', { json: node('n1') });
    expect(t.call('GET', '/api/v1/nodes/n1/proxy/stats/summary')).toMatchObject({
      kind: 'forward',
      resource: 'nodes',
      path: '/stats/summary',
    });
  });
});
