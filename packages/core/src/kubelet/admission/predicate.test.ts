import { describe, expect, it } from 'vitest';
import { toleratesTaint } from '../../api/pod/taints.js';
import type { Container, Pod } from '../../api/types.js';
import { Kernel, Second } from '../../kernel/index.js';
import type { RecordOf, TraceRecord } from '../../trace/index.js';
import { Logger } from '../klog.js';
import type { AdmissionNode } from './node.js';
import { newPredicateAdmitHandler } from './predicate.js';
import { getPodsToPreempt } from './preemption.js';
import type { PodAdmitResult } from './types.js';

const node: AdmissionNode = {
  name: 'node1',
  labels: { 'kubernetes.io/os': 'linux', zone: 'a', cores: '8' },
  taints: [],
  allocatable: {
    cpu: '4',
    memory: '8Gi',
    'ephemeral-storage': '10Gi',
    pods: '3',
    'hugepages-2Mi': '4Mi',
    'example.com/gpu': '1',
  },
  supplementalGroupsPolicy: false,
};

const podOf = (
  name: string,
  requests: Record<string, string> = {},
  spec: Partial<Pod['spec']> = {},
  labels?: Record<string, string>,
): Pod => ({
  metadata: { name, namespace: 'default', uid: name, ...(labels && { labels }) },
  spec: { containers: [{ name: 'app', image: 'a', resources: { requests } } as Container], ...spec } as Pod['spec'],
  status: {},
});
const staticPod = (pod: Pod): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, annotations: { 'kubernetes.io/config.source': 'file' } },
});

function admit(
  pod: Pod,
  options: {
    others?: Pod[];
    node?: Partial<AdmissionNode>;
    fresh?: Partial<AdmissionNode> | Error;
    unreadable?: boolean;
    evict?: Error | 'ok';
    comparison?: boolean;
  } = {},
) {
  const records: TraceRecord[] = [];
  const kernel = new Kernel({ sink: (r) => records.push(r) });
  const fetched: boolean[] = [];
  const evicted: string[] = [];
  const handler = newPredicateAdmitHandler({
    kernel,
    log: new Logger(kernel, 'predicate.go'),
    *getNode(useCache) {
      fetched.push(useCache);
      if (options.unreadable) throw new Error('no such node');
      if (!useCache && options.fresh instanceof Error) throw options.fresh;
      return { ...node, ...options.node, ...(!useCache && (options.fresh as object)) };
    },
    *evict(_pod, missing) {
      if (options.evict instanceof Error) throw options.evict;
      evicted.push(...missing.map((m) => `${m.resource} ${m.amount}`));
    },
    ...(options.comparison && { comparisonOperators: true }),
  });
  let result: PodAdmitResult | null = null;
  kernel.go('test', function* () {
    result = yield* handler.admit({ pod, otherPods: options.others ?? [], operation: 'add' });
  });
  kernel.run({ until: Second });
  const of = <K extends TraceRecord['kind']>(kind: K) => records.filter((r): r is RecordOf<K> => r.kind === kind);
  return { result: result as unknown as PodAdmitResult, fetched, evicted, of };
}
const refusal = (reason: string, message: string) => ({ admit: false, reason, message });

describe('before the filter', () => {
  it('[3:ADM-06] a node that cannot be read', () => {
    const { result, of } = admit(podOf('a'), { unreadable: true });
    expect(result).toEqual(refusal('InvalidNodeInfo', 'Kubelet cannot get node info.'));
    expect(of('log')).toMatchObject([{ severity: 'E', msg: 'Cannot get Node info', kv: { err: 'no such node' } }]);
  });

  it("[3:ADM-06] another system by the pod's labels, not by its nodeSelector", () => {
    const message = "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label";
    expect(admit(podOf('a', {}, {}, { 'kubernetes.io/os': 'windows' })).result).toEqual(
      refusal('PodOSSelectorNodeLabelDoesNotMatch', message),
    );
    // Whatever the node's own label says: it is a linux.
    expect(
      admit(podOf('a', {}, {}, { 'kubernetes.io/os': 'linux' }), {
        node: { labels: { 'kubernetes.io/os': 'windows' } },
      }).result,
    ).toEqual({ admit: true });
    expect(admit(podOf('a', {}, { nodeSelector: { 'kubernetes.io/os': 'windows' } })).result).toMatchObject({
      reason: 'NodeAffinity',
    });
  });

  it('[3:ADM-06] another system by spec.os', () => {
    expect(admit(podOf('a', {}, { os: { name: 'windows' } })).result).toEqual(
      refusal('PodOSNotSupported', "Failed to admit pod as the OS field doesn't match node OS"),
    );
  });

  it('[3:ADM-06] strict groups on a node that does not know them', () => {
    const strict = podOf('a', {}, { securityContext: { supplementalGroupsPolicy: 'Strict' } });
    expect(admit(strict).result).toEqual(
      refusal('SupplementalGroupsPolicyNotSupported', 'SupplementalGroupsPolicy=Strict is not supported in this node'),
    );
    expect(admit(strict, { node: { supplementalGroupsPolicy: true } }).result).toEqual({ admit: true });
    expect(admit(podOf('a', {}, { securityContext: { supplementalGroupsPolicy: 'Merge' } })).result).toEqual({
      admit: true,
    });
  });
});

describe('the filter', () => {
  const everything = podOf(
    'a',
    { cpu: '5', memory: '9Gi', 'ephemeral-storage': '11Gi', 'hugepages-2Mi': '8Mi', 'example.com/gpu': '2' },
    { nodeSelector: { zone: 'b' }, nodeName: 'other', hostNetwork: true },
  );
  (everything.spec.containers[0] as { ports?: object[] }).ports = [{ containerPort: 80 }];
  const neighbour = podOf('n', { cpu: '1' }, { hostNetwork: true });
  (neighbour.spec.containers[0] as { ports?: object[] }).ports = [{ containerPort: 80 }];

  it('[3:ADM-07] [3:ADM-08] finds all that is wrong, in order, and tells the first', () => {
    const { result, of } = admit(everything, {
      others: [neighbour, podOf('o'), podOf('p')],
      node: { taints: [{ key: 'k', effect: 'NoExecute' }] },
    });
    expect(of('decision')[0]?.values.failures).toEqual([
      "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
      "Node didn't have enough resource: cpu, requested: 5000, used: 1000, capacity: 4000",
      `Node didn't have enough resource: memory, requested: ${9 * 2 ** 30}, used: 0, capacity: ${8 * 2 ** 30}`,
      `Node didn't have enough resource: ephemeral-storage, requested: ${11 * 2 ** 30}, used: 0, capacity: ${10 * 2 ** 30}`,
      "Node didn't have enough resource: example.com/gpu, requested: 2, used: 0, capacity: 1",
      `Node didn't have enough resource: hugepages-2Mi, requested: ${2 ** 23}, used: 0, capacity: ${2 ** 22}`,
      "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
      "Predicate NodeName failed: node(s) didn't match the requested node name",
      "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
      "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
    ]);
    expect(result).toEqual(
      refusal('OutOfpods', "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3"),
    );
    expect(of('log').map((l) => l.msg)).toEqual(['Predicate failed on Pod']);
  });

  it.each<[string, Pod, string]>([
    ['cpu', podOf('a', { cpu: '4001m' }), 'OutOfcpu'],
    ['memory', podOf('a', { memory: '9Gi' }), 'OutOfmemory'],
    ['storage', podOf('a', { 'ephemeral-storage': '11Gi' }), 'OutOfephemeral-storage'],
    ['an extended resource', podOf('a', { 'example.com/gpu': '2' }), 'OutOfexample.com/gpu'],
    ['huge pages', podOf('a', { 'hugepages-2Mi': '6Mi' }), 'OutOfhugepages-2Mi'],
    ['huge pages of a size that the node does not have', podOf('a', { 'hugepages-1Gi': '1Gi' }), 'OutOfhugepages-1Gi'],
    ['the name', podOf('a', {}, { nodeName: 'other' }), 'NodeName'],
  ])('[3:ADM-08] reason of %s', (_, pod, reason) => {
    expect(admit(pod).result).toMatchObject({ admit: false, reason });
  });

  it('[3:ADM-09] used is what the others request; a pod without requests only counts as a pod', () => {
    const full = [podOf('n', { cpu: '4', memory: '8Gi' })];
    expect(admit(podOf('a'), { others: full }).result).toEqual({ admit: true });
    expect(admit(podOf('a', { cpu: '1m' }), { others: full }).result).toEqual(
      refusal('OutOfcpu', "Node didn't have enough resource: cpu, requested: 1, used: 4000, capacity: 4000"),
    );
  });

  it('[3:ADM-09] extended resources that the node does not know are ignored', () => {
    expect(admit(podOf('a', { 'example.com/fpga': '7' })).result).toEqual({ admit: true });
  });

  it('[3:ADM-07] NoExecute taints count, others are for the scheduler; static pods are let in', () => {
    const taints = [{ key: 'gone', value: 'x', effect: 'NoExecute' }];
    const refused = refusal(
      'TaintToleration',
      "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
    );
    expect(admit(podOf('a'), { node: { taints } }).result).toEqual(refused);
    expect(admit(podOf('a'), { node: { taints: [{ key: 'gone', effect: 'NoSchedule' }] } }).result).toEqual({
      admit: true,
    });
    expect(admit(staticPod(podOf('a')), { node: { taints } }).result).toEqual({ admit: true });
    const tolerant = podOf('a', {}, { tolerations: [{ key: 'gone', operator: 'Exists' }] });
    expect(admit(tolerant, { node: { taints } }).result).toEqual({ admit: true });
  });

  it.each<[object, boolean]>([
    [{}, false],
    [{ operator: 'Exists' }, true],
    [{ key: 'k', value: '5' }, true],
    [{ key: 'k', operator: 'Equal', value: '6' }, false],
    [{ key: 'k', operator: 'Exists', effect: 'NoSchedule' }, false],
    [{ key: 'other', operator: 'Exists' }, false],
    [{ key: 'k', operator: 'Lt', value: '6' }, true],
    [{ key: 'k', operator: 'Gt', value: '6' }, false],
    [{ key: 'k', operator: 'Lt', value: '06' }, false],
    [{ key: 'k', operator: 'Like', value: '5' }, false],
  ])('[3:ADM-07] %j against k=5:NoExecute', (toleration, tolerated) => {
    expect(toleratesTaint(toleration as never, { key: 'k', value: '5', effect: 'NoExecute' }, true)).toBe(tolerated);
  });

  it('[3:ADM-07] comparing tolerations need their gate', () => {
    const pod = podOf('a', {}, { tolerations: [{ key: 'k', operator: 'Lt', value: '6' }] as never });
    const taints = [{ key: 'k', value: '5', effect: 'NoExecute' }];
    expect(admit(pod, { node: { taints } }).result).toMatchObject({ reason: 'TaintToleration' });
    expect(admit(pod, { node: { taints }, comparison: true }).result).toEqual({ admit: true });
  });

  it.each<[string, object, boolean]>([
    ['In', { key: 'zone', operator: 'In', values: ['a', 'b'] }, true],
    ['NotIn', { key: 'zone', operator: 'NotIn', values: ['a'] }, false],
    ['Gt', { key: 'cores', operator: 'Gt', values: ['7'] }, true],
    ['Lt', { key: 'cores', operator: 'Lt', values: ['8'] }, false],
    ['Gt of a text', { key: 'zone', operator: 'Gt', values: ['1'] }, false],
    ['what every object has', { key: 'constructor', operator: 'Exists' }, false],
  ])('[3:ADM-07] required affinity: %s', (_, expression, matches) => {
    const affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [expression as { key: string; operator: string }] }],
        },
      },
    };
    expect(admit(podOf('a', {}, { affinity })).result.admit).toBe(matches);
  });

  it('[3:ADM-10] if only the labels are in the way the node is read anew, once', () => {
    const pod = podOf('a', {}, { nodeSelector: { zone: 'b' } });
    const again = admit(pod, { fresh: { labels: { zone: 'b' } } });
    expect([again.result, again.fetched]).toEqual([{ admit: true }, [true, false]]);
    const still = admit(pod);
    expect([still.result.admit, still.fetched]).toEqual([false, [true, false]]);
    const failing = admit(pod, { fresh: new Error('timeout') });
    expect(failing.result).toMatchObject({ reason: 'NodeAffinity' });
    expect(failing.of('log')[0]).toMatchObject({
      msg: 'Failed to synchronously fetch node info',
      kv: { err: 'timeout' },
    });
    const more = admit(podOf('a', { cpu: '9' }, { nodeSelector: { zone: 'b' } }));
    expect([more.result.admit, more.fetched]).toEqual([false, [true]]);
  });
});

describe('critical pods', () => {
  const big = { cpu: '9', memory: '9Gi' };

  it.each<[string, Pod, boolean]>([
    ['static', staticPod(podOf('a', big)), true],
    [
      'a mirror',
      {
        ...podOf('a', big),
        metadata: { name: 'a', namespace: 'default', uid: 'a', annotations: { 'kubernetes.io/config.mirror': 'x' } },
      },
      true,
    ],
    ['of a system priority', podOf('a', big, { priority: 2_000_000_000 }), true],
    ['of the highest user priority', podOf('a', big, { priority: 1_000_000_000 }), false],
  ])('[3:ADM-11] %s', (_, pod, critical) => {
    const { result, evicted } = admit(pod);
    expect(result.admit).toBe(critical);
    expect(evicted).toEqual(critical ? ['cpu 5000', `memory ${2 ** 30}`] : []);
  });

  it('[3:ADM-12] what is no shortage is told instead, and nobody is killed', () => {
    const { result, evicted } = admit(staticPod(podOf('a', big, { nodeName: 'other' })));
    expect(result).toMatchObject({ reason: 'NodeName' });
    expect(evicted).toEqual([]);
  });

  it('[3:ADM-12] [3:ADM-13] where no room can be made', () => {
    const { result } = admit(staticPod(podOf('a', big)), { evict: new Error('preemption: no way') });
    expect(result).toEqual(
      refusal(
        'UnexpectedAdmissionError',
        'Unexpected error while attempting to recover from admission failure: preemption: no way',
      ),
    );
  });

  it('[3:ADM-12] as few as will do, of the lowest class, and of those the nearest and then the smaller', () => {
    const critical = podOf('c', {}, { priority: 2_000_000_000 });
    const guaranteed = (name: string, cpu: string) => {
      const pod = podOf(name, { cpu, memory: '1Gi' });
      (pod.spec.containers[0] as { resources: object }).resources = {
        requests: { cpu, memory: '1Gi' },
        limits: { cpu, memory: '1Gi' },
      };
      return pod;
    };
    const names = (pods: Pod[], amount: number) =>
      getPodsToPreempt(critical, pods, [{ resource: 'cpu', amount }]).map((p) => p.metadata.name);
    const burstable = [podOf('b1', { cpu: '1' }), podOf('b2', { cpu: '2' }), podOf('b3', { cpu: '2', memory: '1Gi' })];
    expect(names([guaranteed('g', '4'), ...burstable], 1500)).toEqual(['b2']);
    expect(names([guaranteed('g', '4'), ...burstable], 3000)).toEqual(['b2', 'b1']);
    // Only when all the others together are not enough.
    expect(names([guaranteed('g', '4'), ...burstable], 5500)).toEqual(['b2', 'g']);
    expect(() => names(burstable, 9000)).toThrow(
      'no set of running pods found to reclaim resources: [(res: cpu, q: 4000), ]',
    );
    // Critical pods are spared, but for those of a lower priority.
    expect(() => names([podOf('x', { cpu: '9' }, { priority: 2_000_000_000 })], 1000)).toThrow(
      /no set of running pods/,
    );
    expect(names([{ ...podOf('e'), spec: { ...podOf('e').spec } }, podOf('b', { cpu: '2' })], 1000)).toEqual(['b']);
  });
});
