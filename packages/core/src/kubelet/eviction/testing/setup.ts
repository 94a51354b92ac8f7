import type { Container, Pod, PodStatus } from '../../../api/types.js';
import { Kernel, Second } from '../../../kernel/index.js';
import type { RecordOf, TraceRecord } from '../../../trace/index.js';
import { EventRecorder } from '../../events.js';
import type { ContainerStats, PodStats, Summary } from '../../stats/types.js';
import { EvictionManager } from '../eviction-manager.js';
import { parseThresholdConfig, type ThresholdConfig } from '../thresholds.js';

export const Mi = 2 ** 20;
export const Gi = 2 ** 30;

/** A pod of the API server, as far as the eviction manager looks. */
export const pod = (
  name: string,
  more: {
    priority?: number;
    requests?: Record<string, string>;
    limits?: Record<string, string>;
    spec?: Partial<Pod['spec']>;
    static?: boolean;
  } = {},
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'default',
    uid: `uid-${name}`,
    ...(more.static && { annotations: { 'kubernetes.io/config.source': 'file' } }),
  },
  spec: {
    containers: [
      {
        name: 'app',
        image: 'x',
        resources: { ...(more.requests && { requests: more.requests }), ...(more.limits && { limits: more.limits }) },
      } as Container,
    ],
    ...(more.priority !== undefined && { priority: more.priority }),
    ...more.spec,
  },
  status: { phase: 'Running' },
});

/** Returns the usage of a pod. */
export const uses = (
  name: string,
  amounts: {
    memory?: number;
    rootfs?: number;
    logs?: number;
    processes?: number;
    volume?: Record<string, number>;
    ephemeral?: number;
  },
): PodStats => {
  const app: ContainerStats = {
    name: 'app',
    startTime: 0,
    memory: { time: 0, workingSetBytes: amounts.memory ?? 0 },
    rootfs: { time: 0, usedBytes: amounts.rootfs ?? 0 },
    logs: { time: 0, usedBytes: amounts.logs ?? 0 },
  };
  return {
    podRef: { name, namespace: 'default', uid: `uid-${name}` },
    startTime: 0,
    containers: [app],
    memory: { time: 0, workingSetBytes: amounts.memory ?? 0 },
    process_stats: { process_count: amounts.processes ?? 1 },
    volume: Object.entries(amounts.volume ?? {}).map(([v, usedBytes]) => ({ name: v, time: 0, usedBytes })),
    'ephemeral-storage': { time: 0, usedBytes: amounts.ephemeral ?? (amounts.rootfs ?? 0) + (amounts.logs ?? 0) },
  };
};

interface Figures {
  memory?: number;
  pods?: number;
  nodefs?: number;
  inodes?: number;
  imagefs?: number;
  pids?: number;
}

/** An eviction manager on a node whose figures a test sets. All is well at first: 8Gi of memory, a disk of 100Gi. */
export function setup(
  options: ThresholdConfig & {
    pressureTransitionPeriod?: number;
    maxPodGracePeriodSeconds?: number;
    dedicatedImageFs?: boolean;
    isolation?: boolean;
  } = {},
) {
  const records: TraceRecord[] = [];
  const k = new Kernel({ sink: (r) => records.push(r) });
  const recorder = new EventRecorder(k);
  const annotated: { reason: string; annotations: Readonly<Record<string, string>> }[] = [];
  recorder.startRecordingToSink({
    action: ({ reason, metadata }) =>
      void annotated.push({
        reason,
        annotations: (metadata as { annotations?: Record<string, string> }).annotations ?? {},
      }),
  });
  const node = {
    left: {} as Figures,
    pods: [] as Pod[],
    stats: [] as PodStats[],
    /** Time of the samples; null: now. */
    sampled: null as number | null,
    fails: null as string | null,
    killFails: null as string | null,
    killTakes: Second,
    cleaned: true,
    reclaim: (_what: 'containers' | 'images') => {},
  };
  const killed: { name: string; grace: number | null; evict: boolean; status: PodStatus; at: number }[] = [];
  const reclaimed: string[] = [];
  const at = () => node.sampled ?? k.now();
  const summary = (): Summary => {
    const { left } = node;
    const memory = (available: number, whole: number) => ({
      time: at(),
      availableBytes: available,
      workingSetBytes: whole - available,
    });
    const fs = (available = 50 * Gi) => ({
      time: at(),
      availableBytes: available,
      capacityBytes: 100 * Gi,
      inodes: 1000,
      inodesFree: left.inodes ?? 900,
    });
    return {
      node: {
        nodeName: 'node1',
        startTime: 0,
        memory: memory(left.memory ?? 4 * Gi, 8 * Gi),
        systemContainers: [{ name: 'pods', startTime: 0, memory: memory(left.pods ?? 4 * Gi, 8 * Gi) }],
        fs: fs(left.nodefs),
        runtime: { imageFs: fs(left.imagefs ?? left.nodefs), containerFs: fs(left.imagefs ?? left.nodefs) },
        rlimit: { time: at(), maxpid: 1000, curproc: 1000 - (left.pids ?? 900) },
      },
      pods: node.stats,
    };
  };
  const manager = new EvictionManager({
    kernel: k,
    config: {
      thresholds: parseThresholdConfig(options),
      pressureTransitionPeriod: options.pressureTransitionPeriod ?? 300 * Second,
      maxPodGracePeriodSeconds: options.maxPodGracePeriodSeconds ?? 0,
      immediateGracePeriodSeconds: 1,
    },
    localStorageCapacityIsolation: options.isolation ?? true,
    summaryProvider: {
      *get() {
        if (node.fails) throw new Error(node.fails);
        return summary();
      },
      *getCPUAndMemoryStats() {
        return summary();
      },
    },
    diskInfo: {
      *hasDedicatedImageFs() {
        return options.dedicatedImageFs ?? false;
      },
      *hasDedicatedContainerFs() {
        return false;
      },
    },
    recorder,
    nodeRef: { metadata: { name: 'node1', namespace: '', uid: 'node1' } },
    *killPod(victim, evict, grace, fn) {
      const status: PodStatus = { phase: 'Running' };
      fn?.(status);
      killed.push({ name: victim.metadata.name, grace, evict, status, at: k.now() });
      if (node.killFails) throw new Error(node.killFails);
      node.pods = node.pods.filter((p) => p !== victim);
    },
    reclaimers: {
      *deleteAllUnusedContainers() {
        reclaimed.push('containers');
        node.reclaim('containers');
      },
      *deleteUnusedImages() {
        reclaimed.push('images');
        node.reclaim('images');
      },
    },
    activePods: () => node.pods,
    podCleanedUp: () => node.cleaned,
  });
  const run = (seconds: number) => k.run({ until: k.now() + seconds * Second });
  const of = <K extends TraceRecord['kind']>(kind: K) => records.filter((r): r is RecordOf<K> => r.kind === kind);
  const events = (reason: string) => of('kube-event').filter((e) => e.reason === reason);
  const logs = (pattern: RegExp) => of('log').filter((l) => pattern.test(l.msg));
  /** Passes of the loop: when each began. */
  const passes = () => logs(/synchronize housekeeping/).map((l) => Math.round(l.time / Second));
  return { k, annotated, manager, node, killed, reclaimed, run, of, events, logs, passes, records };
}
