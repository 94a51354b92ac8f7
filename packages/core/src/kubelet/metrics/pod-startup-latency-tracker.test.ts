import { describe, expect, it } from 'vitest';
import { toTime } from '../../api/time.js';
import type { Pod, PodStatus } from '../../api/types.js';
import { Kernel, Second } from '../../kernel/index.js';
import { KubeletMetrics } from './kubelet-metrics.js';
import { pullingTime } from './pod-startup-latency-tracker.js';

/** A tracker, its clock, and a pod that was created at 0. */
function setup(more: Partial<Pod['spec']> = {}) {
  const k = new Kernel();
  const metrics = new KubeletMetrics(k);
  const pod = (status: PodStatus): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default', uid: 'u', creationTimestamp: toTime(k, 0) },
    spec: { containers: [{ name: 'app', image: 'i' }], ...more },
    status,
  });
  const running: PodStatus = {
    phase: 'Running',
    startTime: toTime(k, 0),
    containerStatuses: [
      {
        name: 'app',
        ready: true,
        restartCount: 0,
        image: 'i',
        imageID: '',
        state: { running: { startedAt: toTime(k, 0) } },
        lastState: {},
      },
    ],
  };
  const at = (seconds: number) => k.run({ until: seconds * Second });
  const { podStartup: t } = metrics;
  return { metrics, t, pod, running, at };
}

describe('[3:MET-04] start of a pod', () => {
  it('is from its creation until the watch shows it, without pulls and init containers', () => {
    const { metrics, t, pod, running, at } = setup();
    expect(metrics.registry.text()).not.toContain('kubelet_pod_start_sli_duration_seconds');
    t.observedPodOnWatch(pod({ phase: 'Pending' }));
    at(1);
    t.imageStartedPulling('u');
    at(4);
    t.imageFinishedPulling('u');
    t.initContainerStarted('u');
    at(9);
    t.initContainerFinished('u', 6 * Second);
    // Shown by the watch before the kubelet knows that it was written: not yet.
    t.observedPodOnWatch(pod(running));
    expect(metrics.podStartTotalDuration.count()).toBe(0);
    at(10);
    t.statusUpdated(pod(running));
    at(11);
    t.observedPodOnWatch(pod(running));
    expect(metrics.registry.text().split('\n')).toEqual(
      expect.arrayContaining([
        'kubelet_pod_start_total_duration_seconds_sum 11',
        'kubelet_pod_start_total_duration_seconds_count 1',
        'kubelet_pod_start_sli_duration_seconds_sum 6',
        'kubelet_pod_start_sli_duration_seconds_bucket{le="5"} 0',
        'kubelet_pod_start_sli_duration_seconds_bucket{le="6"} 1',
        'kubelet_first_network_pod_start_sli_duration_seconds 6',
      ]),
    );
    at(12);
    t.observedPodOnWatch(pod(running));
    expect(metrics.podStartTotalDuration.count()).toBe(1);
  });

  it('is no service level of a pod with volumes that hold state', () => {
    const { metrics, t, pod, running, at } = setup({ volumes: [{ name: 'v', hostPath: { path: '/x' } }] });
    t.observedPodOnWatch(pod({ phase: 'Pending' }));
    at(2);
    t.statusUpdated(pod(running));
    t.observedPodOnWatch(pod(running));
    expect(metrics.podStartTotalDuration.sum()).toBe(2);
    expect(metrics.podStartSLIDuration.count()).toBe(0);
  });

  it('is not told of pods that ran before, that could not be scheduled, or that are over', () => {
    const pending: PodStatus = { phase: 'Pending' };
    const unschedulable: PodStatus = {
      ...pending,
      conditions: [{ type: 'PodScheduled', status: 'False', lastProbeTime: null, lastTransitionTime: null }],
    };
    for (const first of [
      { ...pending, startTime: '2026-01-01T00:00:00Z' },
      unschedulable,
      { phase: 'Failed' as const },
    ]) {
      const { metrics, t, pod, running } = setup();
      t.observedPodOnWatch(pod(first));
      if (first === unschedulable) t.observedPodOnWatch(pod(pending));
      t.statusUpdated(pod(running));
      t.observedPodOnWatch(pod(running));
      expect(metrics.podStartTotalDuration.count()).toBe(0);
    }
  });

  it('forgets a pod whose status is gone', () => {
    const { metrics, t, pod, running } = setup();
    t.observedPodOnWatch(pod({ phase: 'Pending' }));
    t.deletePod('u');
    t.statusUpdated(pod(running));
    t.observedPodOnWatch(pod(running));
    expect(metrics.podStartTotalDuration.count()).toBe(0);
  });
});

describe('time spent on pulls', () => {
  it('[3:MET-04] counts what several pulls at once took together', () => {
    const of = (...pulls: [number, number][]) => pullingTime(pulls.map(([start, end]) => ({ start, end })));
    expect(of()).toBe(0);
    expect(of([0, 5], [10, 12])).toBe(7);
    expect(of([0, 5], [3, 8])).toBe(8);
    expect(of([0, 9], [3, 8])).toBe(9);
  });
});
