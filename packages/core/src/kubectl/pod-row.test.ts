import { describe, expect, it } from 'vitest';
import type { PodCondition, PodStatus } from '../api/types.js';
import { humanDuration, since } from './duration.js';
import { podRow } from './pod-row.js';
import { before, container, ended, NOON, type PodParts, pod, running, waiting } from './testing/pods.js';

const row = (given: PodParts) => {
  const { ready, status, restarts } = podRow(pod(given), NOON);
  return [ready, status, restarts];
};
const condition = (type: string, status: 'True' | 'False', reason = ''): PodCondition => ({
  type,
  status,
  ...(reason && { reason }),
});
const apps = (...containerStatuses: NonNullable<PodStatus['containerStatuses']>) => ({ containerStatuses });
const sidecar = { name: 'proxy', image: 'x', restartPolicy: 'Always' as const };

describe('a pod in kubectl get pods', () => {
  const cases: readonly (readonly [string, PodParts, readonly string[]])[] = [
    ['runs', { status: apps(container('app', running())) }, ['1/1', 'Running', '0']],
    ['has no status yet', { status: { phase: 'Pending' } }, ['0/1', 'Pending', '0']],
    [
      'is created',
      { status: { phase: 'Pending', ...apps(container('app', waiting('ContainerCreating'))) } },
      ['0/1', 'ContainerCreating', '0'],
    ],
    [
      'waits in back-off, its last restart counted from the end of the container before',
      {
        status: apps(container('app', waiting('CrashLoopBackOff'), { restartCount: 4, lastState: ended(1, 'Error') })),
      },
      ['0/1', 'CrashLoopBackOff', '4 (30s ago)'],
    ],
    [
      'shows the first of several that have something to say',
      { status: apps(container('a', waiting('ErrImagePull')), container('b', waiting('CrashLoopBackOff'))) },
      ['0/2', 'ErrImagePull', '0'],
    ],
    [
      'shows what ended although another runs',
      { status: apps(container('a', running()), container('b', ended(1, 'Error'))) },
      ['1/2', 'Error', '0'],
    ],
    [
      'is done',
      { status: { phase: 'Succeeded', ...apps(container('app', ended(0, 'Completed'))) } },
      ['0/1', 'Completed', '0'],
    ],
    [
      'is not done while another container is ready',
      {
        status: {
          conditions: [condition('Ready', 'True')],
          ...apps(container('job', ended(0, 'Completed')), container('app', running())),
        },
      },
      ['1/2', 'Running', '0'],
    ],
    [
      'is NotReady when one is done and the pod is not ready',
      {
        status: {
          conditions: [condition('Ready', 'False')],
          ...apps(container('job', ended(0, 'Completed')), container('app', running())),
        },
      },
      ['1/2', 'NotReady', '0'],
    ],
    [
      'ended without a reason, by its exit code',
      { status: { phase: 'Failed', ...apps(container('app', ended(3))) } },
      ['0/1', 'ExitCode:3', '0'],
    ],
    [
      'ended without a reason, by a signal',
      { status: { phase: 'Failed', ...apps(container('app', ended(137, '', { signal: 9 }))) } },
      ['0/1', 'Signal:9', '0'],
    ],
    ['was evicted', { status: { phase: 'Failed', reason: 'Evicted' } }, ['0/1', 'Evicted', '0']],
    [
      'may not be scheduled',
      { status: { phase: 'Pending', conditions: [condition('PodScheduled', 'False', 'SchedulingGated')] } },
      ['0/1', 'SchedulingGated', '0'],
    ],
    [
      'initializes: two of three are done',
      {
        status: {
          phase: 'Pending',
          initContainerStatuses: [
            container('i1', ended(0, 'Completed')),
            container('i2', running()),
            container('i3', waiting('PodInitializing')),
          ],
          ...apps(container('app', waiting('PodInitializing'))),
        },
      },
      ['0/1', 'Init:1/3', '0'],
    ],
    [
      'initializes: PodInitializing is not worth a word',
      {
        status: { phase: 'Pending', initContainerStatuses: [container('i1', waiting('PodInitializing'))] },
      },
      ['0/1', 'Init:0/1', '0'],
    ],
    [
      'has an init container that keeps failing',
      {
        status: {
          phase: 'Pending',
          initContainerStatuses: [
            container('i1', waiting('CrashLoopBackOff'), { restartCount: 2, lastState: ended(1, 'Error') }),
          ],
        },
      },
      ['0/1', 'Init:CrashLoopBackOff', '2 (30s ago)'],
    ],
    [
      'has an init container that failed',
      { status: { phase: 'Failed', initContainerStatuses: [container('i1', ended(1, 'Error'))] } },
      ['0/1', 'Init:Error', '0'],
    ],
    [
      'has an init container that failed without a reason',
      { status: { phase: 'Failed', initContainerStatuses: [container('i1', ended(2))] } },
      ['0/1', 'Init:ExitCode:2', '0'],
    ],
    [
      'has an init container that a signal ended',
      { status: { phase: 'Failed', initContainerStatuses: [container('i1', ended(143, '', { signal: 15 }))] } },
      ['0/1', 'Init:Signal:15', '0'],
    ],
    [
      'forgets the restarts of init containers once it has initialized',
      {
        status: {
          initContainerStatuses: [
            container('i1', ended(0, 'Completed'), { restartCount: 5, lastState: ended(1, 'Error') }),
          ],
          ...apps(container('app', running(), { restartCount: 1, lastState: ended(1, 'Error') })),
        },
      },
      ['1/1', 'Running', '1 (30s ago)'],
    ],
    [
      'counts sidecars with its containers',
      {
        spec: { initContainers: [sidecar] },
        status: {
          initContainerStatuses: [
            container('proxy', running(), { started: true, restartCount: 2, lastState: ended(1, 'Error') }),
          ],
          ...apps(container('app', running(), { restartCount: 1 })),
        },
      },
      ['2/2', 'Running', '3 (30s ago)'],
    ],
    [
      'waits for a sidecar to start',
      {
        spec: { initContainers: [sidecar] },
        status: {
          phase: 'Pending',
          initContainerStatuses: [container('proxy', running(), { started: false })],
          ...apps(container('app', waiting('PodInitializing'))),
        },
      },
      ['0/2', 'Init:0/1', '0'],
    ],
    [
      'initialized before: what its containers do counts, though an init container runs again',
      {
        status: {
          conditions: [condition('Initialized', 'True')],
          initContainerStatuses: [container('i1', running())],
          ...apps(container('app', running())),
        },
      },
      ['1/1', 'Init:0/1', '0'],
    ],
    [
      'is being deleted',
      { metadata: { deletionTimestamp: before(1) }, status: apps(container('app', running())) },
      ['1/1', 'Terminating', '0'],
    ],
    [
      'is deleted, but had ended before',
      {
        metadata: { deletionTimestamp: before(1) },
        status: { phase: 'Succeeded', ...apps(container('app', ended(0, 'Completed'))) },
      },
      ['0/1', 'Completed', '0'],
    ],
    [
      'is deleted on a node that nobody hears of',
      { metadata: { deletionTimestamp: before(1) }, status: { reason: 'NodeLost' } },
      ['0/1', 'Unknown', '0'],
    ],
  ];
  it.each(cases)('%s', (_, given, expected) => {
    expect(row(given)).toEqual(expected);
  });

  it('has the wide columns, <none> where there is nothing', () => {
    expect(podRow(pod(), NOON)).toMatchObject({
      age: '5m',
      ip: '10.0.0.5',
      node: 'node1',
      nominatedNode: '<none>',
      readinessGates: '<none>',
    });
    const gated = pod({
      metadata: { creationTimestamp: null },
      spec: { readinessGates: [{ conditionType: 'a' }, { conditionType: 'b' }], nodeName: '' },
      status: {
        podIP: '',
        podIPs: [],
        conditions: [condition('a', 'True'), condition('b', 'False')],
        nominatedNodeName: 'n2',
      },
    });
    expect(podRow(gated, NOON)).toMatchObject({
      age: '<unknown>',
      ip: '<none>',
      node: '<none>',
      nominatedNode: 'n2',
      readinessGates: '1/2',
    });
  });
});

describe('ages', () => {
  const [s, m, h, d] = [1000, 60_000, 3_600_000, 86_400_000];
  it.each([
    [-5 * s, '<invalid>'],
    [-1.5 * s, '0s'],
    [0, '0s'],
    [119 * s, '119s'],
    [120 * s, '2m'],
    [125 * s, '2m5s'],
    [10 * m + 30 * s, '10m'],
    [179 * m, '179m'],
    [3 * h, '3h'],
    [7 * h + 59 * m, '7h59m'],
    [8 * h + 59 * m, '8h'],
    [47 * h, '47h'],
    [48 * h, '2d'],
    [51 * h, '2d3h'],
    [8 * d + 5 * h, '8d'],
    [729 * d, '729d'],
    [730 * d, '2y'],
    [735 * d, '2y5d'],
    [8 * 365 * d, '8y'],
  ])('%i ms is %s', (millis, text) => {
    expect(humanDuration(millis)).toBe(text);
  });
  it('of what has no time is unknown', () => {
    expect([since(NOON, null), since(NOON, undefined), since(NOON, before(7))]).toEqual([
      '<unknown>',
      '<unknown>',
      '7s',
    ]);
  });
});
