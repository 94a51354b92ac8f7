import { describe, expect, it } from 'vitest';
import { semanticEqual } from '../../api/semantic.js';
import type { Pod, PodStatus } from '../../api/types.js';
import { type Go, Second } from '../../kernel/index.js';
import { defaultGates } from '../features.js';
import { newBasicPodManager } from '../podmanager/pod-manager.js';
import { mergePodStatus } from './merge.js';
import { isPodStatusByKubeletEqual } from './normalize.js';
import { newStatusManager } from './status-manager.js';
import { makePod, testKernel } from './testing/fixtures.js';

function setup(pod: Pod = makePod(), couldRun = false) {
  const t = testKernel();
  const podManager = newBasicPodManager();
  podManager.addPod(structuredClone(pod));
  const server = { pods: new Map([[pod.metadata.name, structuredClone(pod)]]), calls: [] as string[], fail: false };
  const manager = newStatusManager({
    config: defaultGates,
    kernel: t.kernel,
    podManager,
    podDeletionSafety: { podCouldHaveRunningContainers: () => couldRun },
    client: {
      *getPod(_ns, name): Go<Pod | null> {
        server.calls.push(`get ${name}`);
        if (server.fail) throw new Error('connection refused');
        return server.pods.get(name) ?? null;
      },
      *patchPodStatus(p, old, status): Go<{ pod: Pod; patch: string; unchanged: boolean }> {
        if (semanticEqual(old, status)) return { pod: p, patch: '{}', unchanged: true };
        server.calls.push(`patch ${status.phase}`);
        const next = { ...p, status };
        server.pods.set(p.metadata.name, next);
        return { pod: next, patch: JSON.stringify(status), unchanged: false };
      },
      *deletePod(_ns, name, uid): Go<void> {
        server.calls.push(`delete ${name} ${uid}`);
        server.pods.delete(name);
      },
    },
  });
  manager.start();
  const calls = (until: number): string[] => {
    t.kernel.run({ until: until * Second });
    return server.calls.splice(0);
  };
  return { ...t, pod, podManager, server, manager, calls };
}

describe('status writer', () => {
  it('[1:S02] a signal writes at once; several changes make one write', () => {
    const { manager, pod, calls } = setup();
    manager.setPodStatus(pod, { phase: 'Pending' });
    manager.setPodStatus(pod, { phase: 'Running' });
    expect(calls(1)).toEqual(['get web', 'patch Running']);
    expect(calls(9)).toEqual([]);
  });

  it('[1:S03] a failed write is tried again by the next batch', () => {
    const { manager, pod, server, calls, logs } = setup();
    server.fail = true;
    manager.setPodStatus(pod, { phase: 'Running' });
    expect(calls(1)).toEqual(['get web']);
    expect(logs()).toContain('Failed to get status for pod');
    server.fail = false;
    expect(calls(11)).toEqual(['get web', 'patch Running']);
  });

  it('[1:S04] the full batch writes what the API shows differently', () => {
    const { manager, pod, podManager, calls } = setup();
    manager.setPodStatus(pod, { phase: 'Running' });
    calls(1);
    podManager.updatePod({ ...pod, status: manager.getPodStatus(pod.metadata.uid) as PodStatus });
    expect(calls(11)).toEqual([]);
    podManager.updatePod({ ...pod, status: { phase: 'Pending' } });
    expect(calls(21)).toEqual(['get web']);
  });

  it('[1:S06] a pod of that name with another uid: the status is dropped', () => {
    const { manager, pod, server, calls, logs } = setup();
    server.pods.set('web', makePod({}, { uid: 'recreated' }));
    manager.setPodStatus(pod, { phase: 'Running' });
    expect(calls(1)).toEqual(['get web']);
    expect(logs()).toContain('Pod was deleted and then recreated, skipping status update');
    expect(manager.getPodStatus(pod.metadata.uid)).toBeUndefined();
  });

  it('[1:S07] deletes the pod from the API once its phase there is terminal and terminatePod has run', () => {
    const { manager, pod, calls, server } = setup(makePod({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }));
    manager.setPodStatus(pod, { phase: 'Running' });
    expect(calls(1)).toEqual(['get web', 'patch Running']);
    manager.terminatePod(pod);
    expect(calls(2)).toEqual(['get web', 'patch Failed', 'delete web uid-web']);
    expect(server.pods.size).toBe(0);
    expect(manager.getPodStatus(pod.metadata.uid)).toBeUndefined();
  });

  it('[1:S07] a status that comes late does not undo that the pod is finished', () => {
    const { manager, pod, calls, logs, server } = setup(makePod());
    manager.setPodStatus(pod, { phase: 'Running' });
    manager.terminatePod(pod);
    manager.setPodStatus(pod, { phase: 'Failed', message: 'late' });
    expect(logs()).toContain(
      'Got unexpected podIsFinished=false, while podIsFinished=true in status cache, programmer error',
    );
    expect(calls(1)).toEqual(['get web', 'patch Failed']);
    // Nothing else changes: only what was remembered can tell that it may go.
    server.pods.set('web', { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
    manager.setPodStatus(
      { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
      { phase: 'Failed' },
    );
    expect(calls(2).at(-1)).toBe('delete web uid-web');
  });

  it('[1:S15] a static pod is written only through its mirror, which is never deleted', () => {
    const pod = makePod(
      {},
      {
        source: 'file',
        uid: 'static',
        annotations: { 'kubernetes.io/config.source': 'file', 'kubernetes.io/config.hash': 'h' },
      },
    );
    const mirror = makePod(
      {},
      {
        uid: 'mirror',
        deletionTimestamp: '2026-01-01T00:00:00Z',
        annotations: { 'kubernetes.io/config.source': 'api', 'kubernetes.io/config.mirror': 'h' },
      },
    );
    const { manager, podManager, server, calls } = setup(pod);
    server.pods.set('web', mirror);
    manager.setPodStatus(pod, { phase: 'Running' });
    expect(calls(1)).toEqual([]);
    podManager.addPod(mirror);
    manager.terminatePod(pod);
    expect(calls(2)).toEqual(['get web', 'patch Running']);
    expect(calls(30).filter((c) => c.startsWith('delete'))).toEqual([]);
  });
});

describe('mergePodStatus', () => {
  const pod = makePod();
  const now = '2026-01-01T00:01:00Z';

  it("[1:S08] conditions of others come from the API, the kubelet's from the kubelet", () => {
    const merged = mergePodStatus(
      defaultGates,
      pod,
      {
        conditions: [
          { type: 'example.com/x', status: 'True' },
          { type: 'Ready', status: 'False' },
        ],
      },
      {
        conditions: [
          { type: 'example.com/x', status: 'False' },
          { type: 'Ready', status: 'True' },
        ],
      },
      false,
      now,
    );
    expect(merged.conditions).toEqual([
      { type: 'example.com/x', status: 'True' },
      { type: 'Ready', status: 'True' },
    ]);
  });

  it('[1:S08] what the scheduler and controllers own stays, whatever the kubelet has of it', () => {
    const others = {
      resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'web-gpu' }],
      extendedResourceClaimStatus: { resourceClaimName: 'web-extended' },
      nodeAllocatableResourceClaimStatuses: [{ name: 'cpus' }],
    };
    const stale = { phase: 'Running' as const, resourceClaimStatuses: [{ name: 'gpu' }] };
    expect(mergePodStatus(defaultGates, pod, { phase: 'Running', ...others }, stale, false, now)).toMatchObject(others);
    expect(mergePodStatus(defaultGates, pod, { phase: 'Running' }, stale, false, now)).not.toHaveProperty(
      'resourceClaimStatuses',
    );
    expect(isPodStatusByKubeletEqual(defaultGates, { phase: 'Running', ...others }, { phase: 'Running' })).toBe(true);
    expect(isPodStatusByKubeletEqual(defaultGates, { phase: 'Running', ...others }, { phase: 'Failed' })).toBe(false);
  });

  it('[1:S08] a terminal phase is held back while containers could run', () => {
    const failed: PodStatus = {
      phase: 'Failed',
      reason: 'Evicted',
      message: 'm',
      conditions: [{ type: 'DisruptionTarget', status: 'True' }],
    };
    expect(mergePodStatus(defaultGates, pod, { phase: 'Running' }, failed, true, now)).toEqual({
      phase: 'Running',
      conditions: [],
    });
    const done = mergePodStatus(defaultGates, pod, { phase: 'Running' }, failed, false, now);
    expect(done).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
      conditions: [{ type: 'DisruptionTarget', status: 'True', lastTransitionTime: now }],
    });
  });

  it('[1:S08] a terminal phase is never shown as ready', () => {
    const ready: PodStatus = {
      phase: 'Failed',
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'ContainersReady', status: 'True' },
      ],
    };
    expect(mergePodStatus(defaultGates, pod, { phase: 'Running' }, ready, false, now).conditions).toMatchObject([
      { type: 'Ready', status: 'False', reason: 'PodFailed' },
      { type: 'ContainersReady', status: 'False', reason: 'PodFailed' },
    ]);
  });
});
