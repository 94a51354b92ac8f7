import { describe, expect, it } from 'vitest';
import { Kernel, Minute, Second } from '../../kernel/index.js';
import type { Summary } from '../stats/types.js';
import { syncLoopHealthCheck } from '../sync-loop.js';
import { onlyCPUAndMemory, resourceMetrics, summaryToWire } from './stats.js';

const summary: Summary = {
  node: {
    nodeName: 'node1',
    startTime: -5 * Second,
    systemContainers: [{ name: 'kubelet', startTime: 0, memory: { time: Second, workingSetBytes: 7 } }],
    cpu: { time: Second, usageCoreNanoSeconds: 2_500_000_000 },
    memory: { time: Second, workingSetBytes: 4096 },
    fs: { time: Second, capacityBytes: 10, availableBytes: 4 },
  },
  pods: [
    {
      podRef: { name: 'web', namespace: 'default', uid: 'u' },
      startTime: Second,
      cpu: { time: 2 * Second, usageCoreNanoSeconds: 1_000_000_000 },
      containers: [
        {
          name: 'app',
          startTime: 1_500_000,
          cpu: { time: 2 * Second, usageCoreNanoSeconds: 500_000_000 },
          memory: { time: 2 * Second, workingSetBytes: 100 },
          swap: { time: 2 * Second, swapUsageBytes: 3, swapAvailableBytes: 4 },
        },
      ],
    },
  ],
};

describe('statistics', () => {
  it('[3:HTTP-10] have dates for instants of the run', () => {
    const k = new Kernel();
    const day = new Date(k.clock.epochMillis).toISOString().slice(0, 10);
    expect(summaryToWire(k, summary)).toMatchObject({
      node: {
        nodeName: 'node1',
        systemContainers: [{ name: 'kubelet', startTime: `${day}T00:00:00Z`, memory: { workingSetBytes: 7 } }],
        cpu: { time: `${day}T00:00:01Z`, usageCoreNanoSeconds: 2_500_000_000 },
      },
      pods: [{ podRef: { name: 'web' }, startTime: `${day}T00:00:01Z`, containers: [{ name: 'app' }] }],
    });
  });

  it('[3:HTTP-10] come in the cheap form only where that is asked for just so', () => {
    const asked = (...values: string[]) => onlyCPUAndMemory({ getAll: () => values });
    expect(asked('true')).toBe(true);
    for (const values of [[], ['1'], ['true', 'true'], ['True']]) expect(asked(...values)).toBe(false);
  });

  it('[3:HTTP-01] are metrics with the time of their sample', () => {
    const k = new Kernel();
    const at = (seconds: number) => k.clock.epochMillis + seconds * 1000;
    const lines = resourceMetrics(k, summary).split('\n');
    const app = '{container="app",namespace="default",pod="web"}';
    expect(lines).toEqual(
      expect.arrayContaining([
        '# TYPE node_cpu_usage_seconds_total counter',
        `node_cpu_usage_seconds_total 2.5 ${at(1)}`,
        `node_memory_working_set_bytes 4096 ${at(1)}`,
        `container_cpu_usage_seconds_total${app} 0.5 ${at(2)}`,
        `container_memory_working_set_bytes${app} 100 ${at(2)}`,
        `container_swap_usage_bytes${app} 3 ${at(2)}`,
        `container_swap_limit_bytes${app} 7 ${at(2)}`,
        `pod_cpu_usage_seconds_total{namespace="default",pod="web"} 1 ${at(2)}`,
        'resource_scrape_error 0',
        'scrape_error 0',
      ]),
    );
    expect(lines.some((l) => l.startsWith(`container_start_time_seconds${app} 1.7`))).toBe(true);
    expect(lines.some((l) => l.startsWith('node_swap') || l.startsWith('pod_memory'))).toBe(false);
    const failed = resourceMetrics(k, null).split('\n');
    expect(failed).toContain('resource_scrape_error 1');
    expect(failed.some((l) => l.startsWith('node_'))).toBe(false);
  });
});

describe('the check of the loop', () => {
  it('[3:HTTP-04] fails when the loop was last seen longer ago than 5 minutes or two resyncs, and passes before its first turn', () => {
    const check = (now: number, seen: number | null, resync: number) => syncLoopHealthCheck(now, seen, resync)?.message;
    const late = 'sync Loop took longer than expected';
    expect(check(60 * Minute, null, Minute)).toBeUndefined();
    expect(check(5 * Minute, 0, Minute)).toBeUndefined();
    expect(check(5 * Minute + 1, 0, Minute)).toBe(late);
    expect(check(19 * Minute, 0, 10 * Minute)).toBeUndefined();
    expect(check(20 * Minute + 1, 0, 10 * Minute)).toBe(late);
  });
});
