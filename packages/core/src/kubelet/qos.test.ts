import { describe, expect, it } from 'vitest';
import { computePodQOS, getPodQOS } from '../api/pod/qos.js';
import type { Container, Pod, ResourceRequirements } from '../api/types.js';
import { getContainerOOMScoreAdjust } from './qos.js';

const container = (name: string, resources: ResourceRequirements = {}, more: Partial<Container> = {}): Container =>
  ({ name, image: 'a', resources, ...more }) as Container;
const podOf = (containers: Container[], spec: Partial<Pod['spec']> = {}): Pod => ({
  metadata: { name: 'a', namespace: 'default', uid: 'a' },
  spec: { containers, ...spec } as Pod['spec'],
  status: {},
});
const both = (cpu: string, memory: string): ResourceRequirements => ({
  requests: { cpu, memory },
  limits: { cpu, memory },
});
const gi = 2 ** 30;

describe('QoS class', () => {
  it.each<[string, Pod, string]>([
    ['nothing set', podOf([container('a')]), 'BestEffort'],
    ['zero is nothing', podOf([container('a', both('0', '0'))]), 'BestEffort'],
    ['only other resources', podOf([container('a', { requests: { 'example.com/gpu': '1' } })]), 'BestEffort'],
    ['all equal', podOf([container('a', both('1', '1Gi')), container('b', both('2', '1Gi'))]), 'Guaranteed'],
    ['one container without', podOf([container('a', both('1', '1Gi')), container('b')]), 'Burstable'],
    [
      'requests below limits',
      podOf([container('a', { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } })]),
      'Burstable',
    ],
    ['memory only', podOf([container('a', { requests: { memory: '1Gi' }, limits: { memory: '1Gi' } })]), 'Burstable'],
    // Sums are compared, as upstream does.
    [
      'equal in sum',
      podOf([
        container('a', { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } }),
        container('b', { requests: { cpu: '2', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } }),
      ]),
      'Guaranteed',
    ],
    [
      'init containers count',
      podOf([container('a', both('1', '1Gi'))], { initContainers: [container('i')] }),
      'Burstable',
    ],
    [
      'ephemeral ones do not',
      podOf([container('a', both('1', '1Gi'))], { ephemeralContainers: [container('e')] as never }),
      'Guaranteed',
    ],
    ['pod-level resources stand for all', podOf([container('a')], { resources: both('1', '1Gi') }), 'Guaranteed'],
    [
      'and make less of a class, too',
      podOf([container('a', both('1', '1Gi'))], { resources: { requests: { cpu: '2' } } }),
      'Burstable',
    ],
  ])('[3:QOS-01] %s', (_, pod, qos) => {
    expect(computePodQOS(pod)).toBe(qos);
  });

  it('[3:QOS-01] what the status says comes first', () => {
    const pod = podOf([container('a')]);
    pod.status = { qosClass: 'Guaranteed' };
    expect(getPodQOS(pod)).toBe('Guaranteed');
  });
});

describe('oom_score_adj', () => {
  const of = (pod: Pod, name = 'a') =>
    getContainerOOMScoreAdjust(
      pod,
      [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find((c) => c.name === name) as Container,
      8 * gi,
    );

  it('[3:QOS-02] Guaranteed and node-critical -997, BestEffort 1000', () => {
    expect(of(podOf([container('a', both('1', '1Gi'))]))).toBe(-997);
    expect(of(podOf([container('a')], { priorityClassName: 'system-node-critical', priority: 2_000_001_000 }))).toBe(
      -997,
    );
    expect(of(podOf([container('a')]))).toBe(1000);
    // A name alone makes nothing critical.
    expect(of(podOf([container('a')], { priorityClassName: 'system-node-critical' }))).toBe(1000);
    expect(of(podOf([container('a')], { priorityClassName: 'system-cluster-critical', priority: 2_000_000_000 }))).toBe(
      1000,
    );
  });

  it.each([
    ['1Gi', 875],
    ['100Mi', 988],
    ['1', 999],
    ['8Gi', 3],
    ['16Gi', 3],
  ])('[3:QOS-03] Burstable with a request of %s of 8Gi: %i', (memory, score) => {
    expect(of(podOf([container('a', { requests: { memory } })]))).toBe(score);
  });

  it('[3:QOS-03] a sidecar is as safe as the smallest of those it serves', () => {
    const pod = podOf(
      [container('a', { requests: { memory: '2Gi' } }), container('b', { requests: { memory: '4Gi' } })],
      {
        initContainers: [container('side', {}, { restartPolicy: 'Always' }), container('plain')],
      },
    );
    expect([of(pod, 'side'), of(pod, 'a'), of(pod, 'b')]).toEqual([750, 750, 500]);
    expect(of(pod, 'plain')).toBe(999);
  });

  it('[3:QOS-03] memory that only the pod requests is shared among its containers', () => {
    const pod = podOf([container('a', { requests: { memory: '1Gi' } }), container('b')], {
      resources: { requests: { memory: '3Gi' } },
    });
    expect([of(pod, 'a'), of(pod, 'b')]).toEqual([750, 875]);
  });
});
