import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ApiServer, inProcessTransport } from '../../apiserver/index.js';
import { Kernel, Millisecond, Second } from '../../kernel/index.js';
import { defaultKubeletConfig, newKubelet } from '../../kubelet/index.js';
import { newMockRuntime } from '../../mock/index.js';

// biome-ignore lint/suspicious/noExplicitAny: a recording is read as it is
type UnreadObject = any;
const recorded: UnreadObject = JSON.parse(
  readFileSync(new URL('../../../testdata/golden/api-pod-life.json', import.meta.url), 'utf8'),
);

/** A kubelet with core's own API server, on the node of the recording. */
function run(seconds: number) {
  const kernel = new Kernel({ seed: 3 });
  const requests: UnreadObject[] = [];
  const server = new ApiServer(kernel, { onAudit: (event: UnreadObject) => requests.push(event) });
  const mock = newMockRuntime(kernel, {
    nodeName: 'node1',
    node: { cpuMillis: 2000, memoryCapacityBytes: 24_684_092 * 1024, addresses: ['10.99.0.1'] },
  });
  const transport = inProcessTransport(kernel, server, {
    user: { name: 'system:node:node1', groups: ['system:nodes', 'system:authenticated'] },
    latency: 2 * Millisecond,
  });
  const kubelet = newKubelet({
    kernel,
    config: {
      ...defaultKubeletConfig(),
      failCgroupV1: false,
      localStorageCapacityIsolation: false,
      evictionHard: { 'memory.available': '1Mi' },
      port: 11250,
      cgroupsPerQOS: false,
      enforceNodeAllocatable: [],
    },
    runtimeService: mock.runtime,
    imageService: mock.image,
    os: mock.fs,
    probeTransport: mock.probeTransport,
    // The recorded node has cgroup v1.
    nodeInfo: { ...mock.nodeInfo, cgroupVersion: 1 },
    transport,
  });
  kernel.post(() => kubelet.run());
  kernel.run({ until: seconds * Second });
  const get = (path: string): UnreadObject => {
    const answer: UnreadObject = server.handle({
      method: 'GET',
      path,
      user: { name: 'admin', groups: ['system:masters'] },
    });
    return answer.code === 200 ? answer.body : undefined;
  };
  return { requests, get, kubelet };
}

describe('a node and its API server', () => {
  const t = run(25);
  const node = t.get('/api/v1/nodes/node1');
  const reference = recorded.node;

  it('[3:NODE-19] the Node is as a real kubelet made it', () => {
    expect(node.metadata.labels).toEqual(reference.metadata.labels);
    expect(node.metadata.annotations).toEqual(reference.metadata.annotations);
    const { images: _i, nodeInfo, declaredFeatures, conditions, runtimeHandlers, features, ...rest } = node.status;
    // The mock's machine has no huge pages.
    for (const part of ['capacity', 'allocatable'] as const)
      for (const [name, amount] of Object.entries(reference.status[part]))
        if (!name.startsWith('hugepages')) expect(rest[part][name], `${part} ${name}`).toBe(amount);
    expect(rest.addresses).toEqual(reference.status.addresses);
    expect(rest.daemonEndpoints).toEqual(reference.status.daemonEndpoints);
    expect(declaredFeatures).toEqual(reference.status.declaredFeatures);
    expect(Object.keys(nodeInfo).sort()).toEqual(Object.keys(reference.status.nodeInfo).sort());
    expect(nodeInfo).toMatchObject({ operatingSystem: 'linux', architecture: 'amd64', kubeProxyVersion: '' });
    const plain = (c: UnreadObject) => ({ type: c.type, status: c.status, reason: c.reason, message: c.message });
    expect(conditions.map(plain)).toEqual(reference.status.conditions.map(plain));
    expect(runtimeHandlers.flatMap((h: UnreadObject) => Object.keys(h.features))).toContain('recursiveReadOnlyMounts');
    expect(features).toEqual(reference.status.features);
  });

  it('[3:NODE-17] it asks the server what the real one asked, in that order', () => {
    const about = (list: UnreadObject[]) =>
      list
        .filter(
          (r) =>
            /^(nodes|leases|csinodes)$/.test(r.resource) && r.verb !== 'get' && r.verb !== 'watch' && r.verb !== 'list',
        )
        .filter((r) => r.name === 'node1' || r.verb === 'create')
        .map((r) => `${r.verb} ${r.resource}${r.subresource ? `/${r.subresource}` : ''} ${r.code}`);
    const real = about(recorded.api);
    expect(real).toHaveLength(5);
    expect(about(t.requests).slice(0, real.length)).toEqual(real);
    // The first report of an unchanged node is empty; that of readiness has the condition alone.
    const patches = t.requests.filter((r) => r.resource === 'nodes' && r.verb === 'patch');
    expect(Object.keys(patches[0].requestBody.status ?? {})).toEqual(
      expect.not.arrayContaining(['capacity', 'addresses']),
    );
  });

  it('[3:LEASE-01] the lease is as the real one', () => {
    const lease = t.get('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node1');
    const { holderIdentity, leaseDurationSeconds } = recorded.lease.spec;
    expect(lease.spec).toMatchObject({ holderIdentity, leaseDurationSeconds });
    expect(lease.metadata.ownerReferences).toEqual([
      { ...recorded.lease.metadata.ownerReferences[0], uid: node.metadata.uid },
    ]);
  });

  it('[3:BOOT-01] [3:NODE-13] the node’s events are those of the real one', () => {
    const { items } = t.get('/api/v1/namespaces/default/events');
    const of = (list: UnreadObject[], object: (e: UnreadObject) => string) =>
      new Set(list.filter((e) => object(e) === 'Node/node1').map((e) => `${e.type} ${e.reason}: ${e.message}`));
    const real = of(recorded.kubeEvents, (e) => e.object);
    expect(of(items, (e) => `${e.involvedObject.kind}/${e.involvedObject.name}`)).toEqual(real);
    for (const e of items) if (e.involvedObject.kind === 'Node') expect(e.involvedObject.uid).toBeUndefined();
  });
});
