import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types.js';
import { Kernel, Second } from '../../kernel/index.js';
import { evictPodsToFreeRequests } from '../admission/preemption.js';
import { EventRecorder } from '../events.js';
import { Mi, pod, setup, uses } from '../eviction/testing/setup.js';
import { Logger } from '../klog.js';
import { metricsOf, newProcessMetrics } from './kubelet-metrics.js';

describe('start of a node', () => {
  it('[3:MET-10] is timed from its boot over its registration to Ready, each step once', () => {
    const k = new Kernel();
    const m = newProcessMetrics(k);
    const t = m.nodeStartupLatency;
    t.bootMillis = k.clock.epochMillis - 60_000;
    const at = (seconds: number) => k.run({ until: seconds * Second });
    at(2);
    // Registered by somebody else, or not tried yet: nothing to time.
    t.registeredNewNode();
    t.nodeReady();
    t.attemptRegisterNode();
    at(3);
    t.attemptRegisterNode();
    t.registeredNewNode();
    at(10);
    t.nodeReady();
    at(20);
    t.nodeReady();
    t.registeredNewNode();
    expect(m.registry.text().split('\n')).toEqual(
      expect.arrayContaining([
        'kubelet_node_startup_pre_kubelet_duration_seconds 60',
        'kubelet_node_startup_pre_registration_duration_seconds 2',
        'kubelet_node_startup_registration_duration_seconds 1',
        'kubelet_node_startup_post_registration_duration_seconds 7',
        'kubelet_node_startup_duration_seconds 70',
      ]),
    );
  });

  it('[3:MET-10] counts evictions by signal, and how old the figures were', () => {
    const t = setup();
    t.node.pods = [pod('a')];
    t.node.stats = [uses('a', { memory: 10 * Mi })];
    t.node.left.memory = 90 * Mi;
    t.manager.start();
    t.run(0.5);
    const text = metricsOf(t.k).registry.text();
    expect(text).toContain('\nkubelet_evictions{eviction_signal="memory.available"} 1\n');
    expect(text).toContain('\nkubelet_eviction_stats_age_seconds_count{eviction_signal="memory.available"} 1\n');
  });

  it('[3:MET-10] counts what had to go for a critical pod, by what was short', () => {
    const k = new Kernel();
    const m = newProcessMetrics(k);
    const victim = {
      metadata: { name: 'small', namespace: 'default', uid: 'v' },
      spec: { containers: [{ name: 'a', resources: { requests: { cpu: '1' } } }] },
      status: {},
    } as unknown as Pod;
    const critical = {
      metadata: { name: 'big', namespace: 'kube-system', uid: 'c' },
      spec: { priority: 2_000_000_000, containers: [] },
      status: {},
    } as unknown as Pod;
    const gone: string[] = [];
    k.go('preempt', () =>
      evictPodsToFreeRequests(
        {
          log: new Logger(k, 'preemption.go'),
          recorder: new EventRecorder(k, 'node1'),
          getPods: () => [victim],
          *killPod(pod) {
            gone.push(pod.metadata.name);
          },
          onPreempted: (resource) => m.preemptions.add(1, { preemption_signal: resource }),
        },
        critical,
        [{ resource: 'cpu', amount: 500 }],
      ),
    );
    k.run({ until: Second });
    expect(gone).toEqual(['small']);
    expect(m.registry.text()).toContain('\nkubelet_preemptions{preemption_signal="cpu"} 1\n');
  });
});
