import { describe, expect, it } from 'vitest';
import type { Pod, PodStatus } from '../api/types.js';
import { CRIError, GrpcCode } from '../cri/index.js';
import { background, send } from '../kernel/index.js';
import { metricsOf } from './metrics/kubelet-metrics.js';
import { apiPod, setup } from './testing/fake-node.js';

/** An API pod that asks for so many milli-CPUs, of a node that has 4000. */
const asking = (
  name: string,
  milli: number,
  more: Partial<Pod['metadata']> & { priority?: number; limit?: boolean } = {},
): Pod => {
  const { priority, limit, ...metadata } = more;
  const pod = apiPod(name, { generation: 1, ...metadata });
  pod.status.phase = 'Pending';
  const [c] = pod.spec.containers;
  const amount = { cpu: `${milli}m` };
  if (c)
    c.resources = limit
      ? { requests: { ...amount, memory: '1Gi' }, limits: { ...amount, memory: '1Gi' } }
      : { requests: amount };
  if (priority !== undefined) pod.spec.priority = priority;
  return pod;
};
const cpuOf = (pod: Pod | undefined) => pod?.spec.containers[0]?.resources?.requests?.cpu;
const statusOf = (t: ReturnType<typeof setup>, name: string) => t.kl.statusManager.getPodStatus(`uid-${name}`);
const condition = (status: PodStatus | undefined, type: string) => status?.conditions?.find((c) => c.type === type);
const resizeEvents = (t: ReturnType<typeof setup>) =>
  t
    .of('kube-event')
    .filter((e) => e.reason.startsWith('Resize'))
    .map((e) => `${e.object.name} ${e.type} ${e.reason}`);

/** The metrics of resizes, without buckets and sums. */
const resizeMetrics = (t: ReturnType<typeof setup>) =>
  metricsOf(t.k)
    .registry.text()
    .split('\n')
    .filter((l) => /^kubelet_\w*resize/.test(l) && !/_(bucket|sum)\{/.test(l))
    .map((l) => l.replace('kubelet_', ''));

describe('allocation', () => {
  it('[1:B09] an admitted pod is kept in a file, with what it asked for then', () => {
    const t = setup();
    t.say('api', asking('a', 1000));
    t.run(4);
    const file = JSON.parse(t.os.files.get('/var/lib/kubelet/allocated_pods_state') ?? '{}') as { data: string };
    expect(JSON.parse(file.data)).toEqual({
      entries: { 'uid-a': { ContainerResources: { app: { requests: { cpu: '1000m' } } } } },
    });
    const create = t.of('pod-update').find((u) => u.pod === 'default/a');
    expect(create?.updateType).toBe('create');
    const from = t.of('enter').find((e) => e.fn === 'HandlePodAdditions' && e.time <= (create?.time ?? 0));
    expect(from).toBeDefined();
  });

  it('[1:B09] after a restart the stored allocation counts, not the spec, and is what workers get', () => {
    const t = setup();
    t.say('api', asking('a', 1000));
    t.run(4);
    t.k.kill(t.kl.process, 'killed');
    const kl = t.start();
    // Meanwhile it was asked to grow far beyond the node: as a new pod it would be rejected.
    const ch = kl.podConfig;
    const say = (...pods: Pod[]) => {
      const updates = ch.channel(background, 'api');
      t.k.go('source', () => send(updates, { pods }), { process: kl.process });
    };
    say(asking('a', 9000, { generation: 2 }), asking('b', 2500));
    // Its own source is seen only after this: the first look comes with the timer.
    t.run(40);
    expect(kl.statusManager.getPodStatus('uid-a')?.phase).toBe('Running');
    expect(kl.statusManager.getPodStatus('uid-b')?.phase).toBe('Running');
    expect(condition(kl.statusManager.getPodStatus('uid-a'), 'PodResizePending')).toMatchObject({ reason: 'Deferred' });
    expect(t.cri.calls.filter((c) => c === 'UpdateContainerResources')).toEqual([]);
    expect(kl.statusManager.getPodStatus('uid-a')?.containerStatuses?.[0]?.allocatedResources).toEqual({
      cpu: '1000m',
    });
  });

  it('[1:B09] a file that cannot be believed ends the kubelet', () => {
    const t = setup();
    t.run(3);
    t.k.kill(t.kl.process, 'killed');
    t.os.put('/var/lib/kubelet/allocated_pods_state', '{"data":"{}","checksum":1}');
    const kl = t.start();
    t.run(2);
    expect(kl.exited?.message).toMatch(
      /^could not restore state from checkpoint: checkpoint is corrupted, please drain this node and delete pod resource information checkpoint file "\/var\/lib\/kubelet\/allocated_pods_state" before restarting Kubelet$/,
    );
  });

  it('[1:B05] others are measured by what was allocated to them', () => {
    const t = setup();
    t.say('api', asking('a', 1000));
    t.run(4);
    // Its wish is not granted, so it is not in the way.
    t.say('api', asking('a', 9000, { generation: 2 }), asking('b', 3000));
    t.run(4);
    expect(statusOf(t, 'b')?.phase).toBe('Running');
  });
});

describe('pending resizes', () => {
  it('[1:B10] [1:C01] a resize that fits is granted, brought about, and told from start to end', () => {
    const t = setup();
    t.say('api', asking('a', 1000));
    t.run(4);
    t.say('api', asking('a', 2000, { generation: 2 }));
    t.run(4);
    expect(resizeEvents(t)).toEqual(['a Normal ResizeStarted', 'a Normal ResizeCompleted']);
    expect(t.of('kube-event').find((e) => e.reason === 'ResizeStarted')?.message).toBe(
      'Pod resize started: {"containers":[{"name":"app","resources":{"requests":{"cpu":"2000m"}}}],"generation":2}',
    );
    expect(t.cri.calls.filter((c) => c === 'UpdateContainerResources')).toHaveLength(1);
    expect(t.cri.calls).not.toContain('StopContainer');
    expect(statusOf(t, 'a')?.containerStatuses?.[0]).toMatchObject({
      restartCount: 0,
      allocatedResources: { cpu: '2000m' },
      resources: { requests: { cpu: '2000m' } },
    });
    const inProgress = t
      .of('status')
      .map((s) => condition(s.status as PodStatus, 'PodResizeInProgress'))
      .find((c) => c);
    expect(inProgress).toMatchObject({ status: 'True', observedGeneration: 2 });
    expect(condition(statusOf(t, 'a'), 'PodResizeInProgress')).toBeUndefined();
    expect(resizeMetrics(t)).toEqual([
      'container_requested_resizes_total{operation="increase",requirement="requests",resource="cpu"} 1',
      'pod_in_progress_resizes 0',
      'pod_resize_duration_milliseconds_count{success="true"} 1',
    ]);
  });

  it('[1:C01] after a restart one that was not brought about shows as in progress with the first status', () => {
    const t = setup();
    t.cri.failing.set('UpdateContainerResources', new CRIError(GrpcCode.Internal, 'no'));
    t.say('api', asking('a', 1000));
    t.run(4);
    t.say('api', asking('a', 2000, { generation: 2 }));
    t.run(4);
    t.k.kill(t.kl.process, 'killed');
    const kl = t.start();
    const from = t.k.now();
    const updates = kl.podConfig.channel(background, 'api');
    t.k.go('source', () => send(updates, { pods: [asking('a', 2000, { generation: 2 })] }), { process: kl.process });
    t.run(40);
    const first = t.of('status').find((s) => s.time > from);
    expect(condition(first?.status as PodStatus, 'PodResizeInProgress')).toMatchObject({
      status: 'True',
      observedGeneration: 2,
    });
  });

  it('[1:B10] one that does not fit now is deferred, and tried again when a pod goes', () => {
    const t = setup();
    t.say('api', asking('a', 1000), asking('b', 2500));
    t.run(4);
    t.say('api', asking('a', 2000, { generation: 2 }), asking('b', 2500));
    t.run(3);
    expect(condition(statusOf(t, 'a'), 'PodResizePending')).toMatchObject({
      status: 'True',
      reason: 'Deferred',
      observedGeneration: 2,
      message: "Node didn't have enough resource: cpu, requested: 2000, used: 2500, capacity: 4000",
    });
    expect(resizeEvents(t)).toEqual(['a Warning ResizeDeferred']);
    expect(resizeMetrics(t)).toContain('pod_pending_resizes{reason="deferred"} 1');
    expect(t.of('kube-event').find((e) => e.reason === 'ResizeDeferred')?.message).toBe(
      'Pod resize OutOfcpu: {"containers":[{"name":"app","resources":{"requests":{"cpu":"2000m"}}}],"generation":2,"error":"Node didn\'t have enough resource: cpu, requested: 2000, used: 2500, capacity: 4000"}',
    );
    expect(cpuOf(t.kl.allocationManager.updatePodFromAllocation(t.podOf('a') as Pod).pod)).toBe('1000m');
    t.say('api', asking('a', 2000, { generation: 2 }));
    t.run(200);
    expect(resizeEvents(t)).toEqual(['a Warning ResizeDeferred', 'a Normal ResizeStarted', 'a Normal ResizeCompleted']);
    expect(condition(statusOf(t, 'a'), 'PodResizePending')).toBeUndefined();
    expect(resizeMetrics(t)).toContain('pod_deferred_accepted_resizes_total{retry_trigger="pods_removed"} 1');
    expect(resizeMetrics(t).join()).not.toContain('pod_pending_resizes');
  });

  it.each([
    [true, ['a Normal ResizeStarted', 'a Normal ResizeCompleted'], { cpu: '2' }],
    [false, [], undefined],
  ])(
    '[1:B10] resources of a pod as a whole are resized, shown and compared only with the gate: %s',
    (on, events, shown) => {
      const off = { InPlacePodLevelResourcesVerticalScaling: false };
      const t = setup({ config: { featureGates: on ? {} : off } });
      const whole = (cpu: string, generation: number) => {
        const pod = asking('a', 500, { generation });
        return { ...pod, spec: { ...pod.spec, resources: { requests: { cpu }, limits: { cpu: '4' } } } };
      };
      t.say('api', whole('1', 1));
      t.run(4);
      t.say('api', whole('2', 2));
      t.run(6);
      expect(resizeEvents(t)).toEqual(events);
      expect(statusOf(t, 'a')?.allocatedResources).toEqual(shown);
      expect(statusOf(t, 'a')?.resources === undefined).toBe(!on);
    },
  );

  it('[1:B10] one that was taken back leaves nothing behind', () => {
    const t = setup();
    t.say('api', asking('a', 1000), asking('b', 2500));
    t.run(4);
    t.say('api', asking('a', 2000, { generation: 2 }), asking('b', 2500));
    t.run(3);
    t.say('api', asking('a', 1000, { generation: 3 }), asking('b', 2500));
    t.run(3);
    expect(condition(statusOf(t, 'a'), 'PodResizePending')).toBeUndefined();
    expect(t.cri.calls).not.toContain('UpdateContainerResources');
  });

  it('[1:B10] in order: what asks for no more, priority, Guaranteed pods, who waits longest', () => {
    const t = setup();
    const names = ['low', 'high', 'sure', 'less'];
    const make = (milli: (name: string) => number, generation: number) =>
      names.map((n) => asking(n, milli(n), { generation, limit: n === 'sure', ...(n === 'high' && { priority: 10 }) }));
    t.say('api', ...make(() => 900, 1));
    t.run(5);
    // Nobody can have it: all of them wait.
    t.say('api', ...make((n) => (n === 'less' ? 900 : 3900), 2));
    t.run(2);
    expect(t.kl.allocationManager.pendingResizes().map((u) => u.slice(4))).toEqual(['high', 'sure', 'low']);
    t.kl.allocationManager.pushPendingResize('uid-less');
    expect(t.kl.allocationManager.pendingResizes()[0]).toBe('uid-less');
  });

  it('[1:B10] again after 30 s, later every 3 min; not before the sources are ready', () => {
    const t = setup();
    t.kl.podConfig.channel(background, 'other');
    t.say('api', asking('a', 1000), asking('b', 2500));
    t.run(4);
    t.say('api', asking('a', 2000, { generation: 2 }), asking('b', 2500));
    t.run(3);
    expect(t.logs(/Skipping evaluation of pending resizes/).length).toBeGreaterThan(0);
    expect(condition(statusOf(t, 'a'), 'PodResizePending')).toBeUndefined();
    t.say('other');
    t.run(40);
    expect(condition(statusOf(t, 'a'), 'PodResizePending')).toMatchObject({ reason: 'Deferred' });
    const tries = () =>
      t
        .of('enter')
        .filter((e) => e.fn === 'retryPendingResizes')
        .map((e) => e.time / 1e6);
    const first = tries().length;
    t.run(400);
    const gaps = tries().slice(first - 1);
    expect(gaps.slice(1).map((at, i) => Math.round(at - (gaps[i] ?? 0)))).toEqual([180, 180]);
  });

  it('[1:B10] a pod that shrank, or ended, makes room at once', () => {
    const t = setup();
    const b = asking('b', 2500);
    t.say('api', asking('a', 1000), b);
    t.run(4);
    t.say('api', asking('a', 2000, { generation: 2 }), b);
    t.run(3);
    const tries = () =>
      t
        .of('enter')
        .filter((e) => e.fn === 'retryPendingResizes')
        .map((e) => (e.args as { trigger: string }).trigger);
    const ended = { ...b, status: { phase: 'Failed' as const } };
    t.say('api', asking('a', 2000, { generation: 2 }), ended);
    t.run(1);
    expect(tries().at(-1)).toBe('pod_terminated');
  });

  it('[1:B10] what cannot be brought about is told once', () => {
    const t = setup();
    t.say('api', asking('a', 1000));
    t.run(4);
    t.cri.failing.set('UpdateContainerResources', new CRIError(GrpcCode.Unknown, 'no'));
    t.say('api', asking('a', 2000, { generation: 2 }));
    t.run(30);
    expect(resizeEvents(t)).toEqual(['a Normal ResizeStarted', 'a Warning ResizeError']);
    expect(condition(statusOf(t, 'a'), 'PodResizeInProgress')).toMatchObject({
      reason: 'Error',
      message: 'rpc error: code = Unknown desc = no',
    });
    t.cri.failing.clear();
    t.run(30);
    expect(resizeEvents(t).at(-1)).toBe('a Normal ResizeCompleted');
  });

  it('[1:B10] what the gates forbid is infeasible', () => {
    const t = setup({
      deps: {
        admitHandlers: [
          {
            name: 'x',
            *admit({ operation }) {
              return operation === 'resize'
                ? { admit: false, reason: 'Infeasible', message: 'no swap' }
                : { admit: true };
            },
          },
        ],
      },
    });
    t.say('api', asking('a', 1000));
    t.run(4);
    t.say('api', asking('a', 2000, { generation: 2 }));
    t.run(3);
    expect(resizeEvents(t)).toEqual(['a Warning ResizeInfeasible']);
    expect(condition(statusOf(t, 'a'), 'PodResizePending')).toMatchObject({ reason: 'Infeasible', message: 'no swap' });
    expect(t.kl.allocationManager.hasPendingResizes()).toBe(false);
  });
});
