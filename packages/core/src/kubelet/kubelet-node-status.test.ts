import { describe, expect, it } from 'vitest';
import type { NodeObject } from '../api/cluster-types.js';
import { type Kernel, Second } from '../kernel/index.js';
import { nodeConditionsHaveChanged, nodeStatusHasChanged } from './nodestatus/changed.js';
import { nodeStatusPatch } from './nodestatus/patch.js';
import { FakeAPI, status } from './testing/fake-api.js';
import { setup } from './testing/fake-node.js';

type Options = NonNullable<Parameters<typeof setup>[0]>;

/** A kubelet with an API server that does not know its node. */
function node(options: Options & { known?: NodeObject | null; before?: (api: FakeAPI) => void } = {}) {
  let api = null as unknown as FakeAPI;
  const t = setup({
    ...options,
    deps: (k: Kernel) => {
      api = new FakeAPI(k);
      api.node = options.known ?? null;
      options.before?.(api);
      return { transport: api, ...(typeof options.deps === 'object' && options.deps) };
    },
  });
  /** Requests about the node itself. */
  const asked = () => api.requests.filter((r) => /^(POST|PATCH) nodes/.test(r));
  const sent = (what: string) => api.bodies.filter((b) => b.what === what).map((b) => b.body);
  const condition = (type: string) => api.node?.status?.conditions?.find((c) => c.type === type);
  const nodeEvents = () => t.of('kube-event').flatMap((e) => (e.object.kind === 'Node' ? [e.reason] : []));
  return { ...t, api, asked, sent, condition, nodeEvents };
}

const patches = (t: ReturnType<typeof node>) => t.sent('PATCH nodes/status');

describe('registration', () => {
  it('[3:NODE-19] makes the node with labels, taints, annotation and a full status, 100 ms after the start', () => {
    const t = node({
      config: {
        nodeLabels: { tier: 'edge', 'kubernetes.io/hostname': 'other' },
        registerWithTaints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }],
        providerID: 'cloud://1',
      },
    });
    t.run(1);
    const [made] = t.sent('POST nodes') as NodeObject[];
    expect(made).toMatchObject({
      kind: 'Node',
      apiVersion: 'v1',
      metadata: {
        name: 'node1',
        annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
      },
      spec: { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }], providerID: 'cloud://1' },
    });
    expect(made?.metadata.labels).toEqual({
      'kubernetes.io/hostname': 'other',
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'beta.kubernetes.io/os': 'linux',
      'beta.kubernetes.io/arch': 'amd64',
      tier: 'edge',
    });
    expect(made?.status).toMatchObject({
      capacity: { cpu: '4', memory: '8Gi', pods: '110', 'ephemeral-storage': '100Gi' },
      addresses: [
        { type: 'InternalIP', address: '192.0.2.1' },
        { type: 'Hostname', address: 'node1' },
      ],
      nodeInfo: { kubeletVersion: 'v1.36.2' },
    });
    expect(made?.status?.conditions?.at(-1)).toMatchObject({
      status: 'False',
      message: 'CSINode is not yet initialized',
    });
    expect(t.logs(/(register|registered) node$/)).toEqual([
      'Attempting to register node',
      'Successfully registered node',
    ]);
    const at = t.records.find((r) => r.kind === 'node-status' && r.op === 'registered')?.time ?? 0;
    expect(at / Second).toBeGreaterThanOrEqual(0.1);
    expect(at / Second).toBeLessThan(0.2);
  });

  it('[3:NODE-19] waits longer each time, at most 7 s', () => {
    const t = node({ before: (api) => api.answers.set('POST nodes', Array(10).fill({ throw: 'connection refused' })) });
    t.run(60);
    const tries = t
      .of('log')
      .filter((l) => l.msg === 'Attempting to register node')
      .map((l) => l.time / Second);
    const gaps = tries.slice(1).map((x, i) => Math.round((x - (tries[i] as number)) * 10) / 10);
    expect(gaps.slice(0, 8)).toEqual([0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 7, 7]);
    expect(t.logs(/^Unable to register node with API server$/)).toHaveLength(10);
    expect(t.logs(/^Successfully registered node$/)).toHaveLength(1);
  });

  const old: NodeObject = {
    metadata: {
      name: 'node1',
      uid: 'u1',
      labels: { 'kubernetes.io/hostname': 'before', mine: '1' },
    },
    spec: {},
    status: {
      capacity: { 'example.com/gpu': '2', 'hugepages-2Mi': '4Mi', 'hugepages-1Gi': '1Gi' },
      allocatable: { 'example.com/gpu': '2', 'hugepages-2Mi': '4Mi', 'hugepages-1Gi': '1Gi' },
    },
  };

  it('[3:NODE-19] one that is there is brought up to date: annotation, default labels, extended resources, huge pages', () => {
    const t = node({ known: old, nodeInfo: { hugePages: [{ pageSizeKB: 2048, pages: 3 }] } });
    t.run(1);
    expect(patches(t)[0]).toMatchObject({
      metadata: {
        annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
        labels: { 'kubernetes.io/hostname': 'node1', 'kubernetes.io/os': 'linux' },
      },
      status: {
        capacity: { 'example.com/gpu': '0', 'hugepages-2Mi': '6Mi', 'hugepages-1Gi': null },
        allocatable: { 'example.com/gpu': '0', 'hugepages-2Mi': '6Mi', 'hugepages-1Gi': null },
      },
    });
    expect(t.api.node?.metadata.labels).toMatchObject({ mine: '1', 'kubernetes.io/hostname': 'node1' });
    expect(t.logs(/previously registered|no longer supported|Zero out/)).toEqual([
      'Node was previously registered',
      'Zero out resource capacity in existing node',
      'Removing huge page resource which is no longer supported',
    ]);
  });

  it('[3:NODE-19] forbidden to create, it reads the node that is there', () => {
    const forbidden = status(403, 'Forbidden', 'nodes is forbidden');
    const t = node({ known: old, before: (api) => api.answers.set('POST nodes', [forbidden]) });
    t.run(1);
    expect(t.logs(/Successfully registered node|previously/)).toEqual([
      'Node was previously registered',
      'Successfully registered node',
    ]);
  });

  it('[3:NODE-19] is not done where it is turned off', () => {
    const t = node({ config: { registerNode: false } });
    t.run(30);
    expect(t.asked()).toEqual([]);
    expect(t.logs(/^Unable to update node status$/).length).toBeGreaterThan(1);
  });

  it('[3:NODE-19] stand-alone the node is made anew for each request, and never sent', () => {
    const t = setup();
    t.run(30);
    let made: NodeObject[] = [];
    t.k.go('ask', function* () {
      made = [yield* t.kl.nodeStatus.getNode(), yield* t.kl.nodeStatus.getNodeAnyWay()];
    });
    t.run(1);
    expect(made[0]).not.toBe(made[1]);
    expect(made[0]).toMatchObject({ metadata: { name: 'node1' }, status: { capacity: { pods: '110' } } });
    expect(t.of('api')).toEqual([]);
  });
});

describe('the status of the node', () => {
  it('[3:NODE-15] is first sent after a look at the runtime, then looked at every 10 s and a little', () => {
    const t = node();
    t.run(60);
    const enters = (fn: string) => t.of('enter').flatMap((e) => (e.fn === fn ? [e.time / Second] : []));
    const syncs = enters('syncNodeStatus');
    expect(enters('updateRuntimeUp')[0]).toBeLessThan(syncs[0] as number);
    const ends = t.of('exit').flatMap((e) => (e.fn === 'syncNodeStatus' ? [e.time / Second] : []));
    const pauses = syncs.slice(1).map((s, i) => s - (ends[i] as number));
    expect(pauses.length).toBeGreaterThanOrEqual(5);
    for (const pause of pauses) {
      expect(pause).toBeGreaterThanOrEqual(10);
      expect(pause).toBeLessThanOrEqual(10.4);
    }
  });

  it('[3:NODE-16] is tried 5 times: first from the lister, then from the server', () => {
    const t = node({ before: (api) => api.answers.set('PATCH nodes', Array(7).fill(status(409, 'Conflict', 'no'))) });
    t.run(8);
    // The node has just been made: the watch has not brought it, so a first try finds nothing.
    expect(t.logs(/^Error updating node status, will retry$/).length).toBeGreaterThanOrEqual(5);
    expect(t.logs(/^Unable to update node status$/)).toHaveLength(1);
    const why = t.of('log').find((l) => l.msg === 'Unable to update node status');
    expect(why?.kv.err).toBe('update node status exceeds retry count');
    const failures = t.of('log').filter((l) => l.msg === 'Error updating node status, will retry');
    expect(String(failures[0]?.kv.err)).toMatch(/^error getting node "node1": /);
    expect(String(failures.at(-1)?.kv.err)).toMatch(/^failed to patch status ".*" for node "node1": no$/);
  });

  it('[3:NODE-17] is sent when something changed, else after 5 min and a delay of up to half of that', () => {
    const t = node();
    t.run(15);
    const before = patches(t).length;
    t.run(100);
    expect(patches(t)).toHaveLength(before);
    t.cri.networkReady = false;
    t.run(20);
    expect(patches(t)).toHaveLength(before + 1);
    expect(t.condition('Ready')).toMatchObject({ status: 'False', reason: 'KubeletNotReady' });
    const at = t.k.now() / Second;
    t.run(1500);
    const times = t.of('node-status').flatMap((r) => (r.op === 'reported' ? [r.time / Second] : []));
    const later = times.filter((x) => x > at);
    // After a change the delay is between -150 s and 150 s; after a plain expiry there is none.
    const first = (later[0] as number) - (times.filter((x) => x <= at).at(-1) as number);
    expect(first).toBeGreaterThan(149);
    expect(first).toBeLessThan(462);
    const gaps = later.slice(1).map((x, i) => x - (later[i] as number));
    expect(gaps.length).toBeGreaterThan(2);
    for (const gap of gaps) {
      expect(gap).toBeGreaterThanOrEqual(300);
      expect(gap).toBeLessThan(312);
    }
  });

  it('[3:NODE-17] heartbeats alone are no change', () => {
    const condition = { type: 'Ready', status: 'True', reason: 'r', lastHeartbeatTime: 'a' } as const;
    const other = { type: 'DiskPressure', status: 'False' } as const;
    expect(nodeConditionsHaveChanged([condition, other], [other, { ...condition, lastHeartbeatTime: 'b' }])).toBe(
      false,
    );
    expect(nodeConditionsHaveChanged([condition], [{ ...condition, reason: 'x' }])).toBe(true);
    expect(nodeConditionsHaveChanged([condition], [])).toBe(true);
    expect(nodeStatusHasChanged({ capacity: { memory: '1Gi' }, images: [] }, { capacity: { memory: '1024Mi' } })).toBe(
      false,
    );
    expect(nodeStatusHasChanged({ capacity: { memory: '1Gi' } }, { capacity: { memory: '2Gi' } })).toBe(true);
  });

  it('[3:NODE-18] is sent as soon as the node is ready, and a runtime that is not is then worth a line', () => {
    const t = node({ before: (api) => api.answers.set('POST csinodes', [{ throw: 'connection reset by peer' }]) });
    t.run(3);
    const ready = t.of('log').filter((l) => l.msg === 'Fast updating node status as it just became ready');
    expect(ready).toHaveLength(1);
    expect(ready[0]?.time).toBeLessThan(2 * Second);
    expect(t.condition('Ready')?.status).toBe('True');
    expect(patches(t).at(-1)).toMatchObject({
      status: {
        '$setElementOrder/conditions': [
          { type: 'MemoryPressure' },
          { type: 'DiskPressure' },
          { type: 'PIDPressure' },
          { type: 'Ready' },
        ],
      },
    });
    expect(t.nodeEvents()).toContain('NodeReady');
    // It is at its end.
    const fast = t.of('goroutine-start').find((r) => r.name === 'fastStatusUpdateOnce');
    expect(t.of('goroutine-end').some((r) => r.id === fast?.id)).toBe(true);
  });

  it('[3:NODE-18] gives up after 120 s', () => {
    const t = node({ config: { registerNode: false } });
    t.run(130);
    const late = t.of('log').filter((l) => l.msg === 'Node not becoming ready in time after startup');
    expect(late).toHaveLength(1);
    expect((late[0]?.time ?? 0) / Second).toBeCloseTo(120, 0);
    t.cri.networkReady = false;
    t.run(10);
    expect(t.of('log').findLast((l) => l.msg === 'Container runtime network not ready')?.v).toBe(0);
  });

  it('[3:NODE-14] a node that nobody is to be scheduled on says so', () => {
    const t = node();
    t.run(15);
    const known = t.api.node as NodeObject;
    t.api.node = { ...known, spec: { ...known.spec, unschedulable: true } };
    t.run(15);
    t.api.node = { ...(t.api.node as NodeObject), spec: {} };
    t.run(15);
    expect(t.nodeEvents().filter((r) => /Schedulable/.test(r))).toEqual(['NodeNotSchedulable', 'NodeSchedulable']);
  });

  it('[3:NODE-01] a setter that fails is told, and the others run', () => {
    const t = node({ config: { nodeIPs: ['203.0.113.9'] } });
    t.run(1);
    expect(t.logs(/^Failed to set some node status fields$/).length).toBeGreaterThan(0);
    expect(t.api.node?.status?.addresses).toBeUndefined();
    expect(t.api.node?.status?.capacity).toMatchObject({ cpu: '4' });
  });

  it('[3:NODE-01] declares what its gates turn on', () => {
    const t = node();
    t.run(1);
    expect(t.api.node?.status?.declaredFeatures).toEqual([
      'ExtendWebSocketsToKubelet',
      'InPlacePodLevelResourcesVerticalScaling',
      'InPlacePodVerticalScalingInitContainers',
      'RestartAllContainersOnContainerExits',
    ]);
  });

  it('[3:NODE-05] gives pods what is left beside the defaults of hard eviction', () => {
    const t = node();
    t.run(15);
    expect(t.api.node?.status?.allocatable).toEqual({
      cpu: '4',
      memory: `${8 * 1024 - 100}Mi`,
      pods: '110',
      // Of 10 %, as a single precision number has it.
      'ephemeral-storage': String(100 * 2 ** 30 - Math.trunc(100 * 2 ** 30 * Math.fround(0.1))),
    });
  });

  it('[3:NODE-08] shows an image only after the list of images was read anew, every 30 s', () => {
    const t = node();
    const shown = () => (t.api.node?.status?.images ?? []).flatMap((i) => i.names);
    t.cri.images.push({ id: 'sha256:1', size: '10', repoTags: ['a:1'] });
    t.run(12);
    expect(shown()).toEqual(['a:1']);
    t.cri.images.push({ id: 'sha256:2', size: '20', repoTags: ['b:1'] });
    t.run(12);
    expect(shown()).toEqual(['a:1']);
    t.run(20);
    expect(shown()).toEqual(['b:1', 'a:1']);
  });

  it('shows conditions and resources in the trace when they change, and only then', () => {
    const t = node();
    t.run(60);
    const of = (type: string) => t.of('node-condition').flatMap((c) => (c.type === type ? [c.status] : []));
    expect(of('MemoryPressure')).toEqual(['False']);
    expect(of('Ready').at(-1)).toBe('True');
    const set = t.of('node-status').filter((s) => s.op === 'set');
    expect(set.at(-1)?.allocatable).toMatchObject({ cpu: '4' });
    expect(set.length).toBeLessThan(4);
  });

  it('a pod CIDR of the node is told to the runtime', () => {
    const t = node();
    t.run(15);
    t.api.node = { ...(t.api.node as NodeObject), spec: { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'] } };
    t.run(25);
    expect(t.of('cri-call').filter((c) => c.method === 'UpdateRuntimeConfig').length).toBeGreaterThan(0);
  });
});

describe('a patch of the status', () => {
  const from: NodeObject = {
    metadata: { name: 'n' },
    spec: {},
    status: {
      addresses: [{ type: 'InternalIP', address: '1.1.1.1' }],
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
  it('[3:NODE-17] leaves the spec alone, and replaces addresses as a whole', () => {
    const to = structuredClone(from);
    to.spec = { unschedulable: true };
    Object.assign(to.status ?? {}, {
      addresses: [
        { type: 'InternalIP', address: '2.2.2.2' },
        { type: 'InternalIP', address: '::2' },
      ],
    });
    expect(nodeStatusPatch(from, to)).toEqual({
      status: {
        addresses: [
          { type: 'InternalIP', address: '2.2.2.2' },
          { type: 'InternalIP', address: '::2' },
          { $patch: 'replace' },
        ],
      },
    });
  });
  it('[3:NODE-17] is empty where nothing changed', () => {
    expect(nodeStatusPatch(from, structuredClone(from))).toEqual({});
  });
});
