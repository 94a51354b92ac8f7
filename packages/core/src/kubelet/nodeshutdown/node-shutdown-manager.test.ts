import { describe, expect, it } from 'vitest';
import type { Pod, PodStatus } from '../../api/types.js';
import { type Chan, Kernel, makeChan, Second, sleep } from '../../kernel/index.js';
import type { RecordOf, TraceRecord } from '../../trace/index.js';
import { EventRecorder } from '../events.js';
import { groupByPriority, type ShutdownConfig, shutdownPeriods } from './groups.js';
import { newNodeShutdownManager } from './node-shutdown-manager.js';

const pod = (name: string, priority?: number, grace?: number): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: `uid-${name}` },
  spec: {
    containers: [],
    ...(priority !== undefined && { priority }),
    ...(grace !== undefined && { terminationGracePeriodSeconds: grace }),
  },
  status: {},
});

function setup(config: ShutdownConfig, pods: readonly Pod[] = []) {
  const records: TraceRecord[] = [];
  const k = new Kernel({ sink: (r) => records.push(r) });
  const log: string[] = [];
  const say = (text: string) => log.push(`${Math.round(k.now() / Second)} ${text}`);
  const node = { takes: new Map<string, number>(), unmount: 0, fails: new Set<string>() };
  const killed = new Map<string, PodStatus>();
  const files = new Map<string, string>();
  let logind: Chan<boolean> | null = null;
  const manager = newNodeShutdownManager({
    kernel: k,
    config,
    signal: {
      *onShutdown(delay) {
        say(`held ${delay / Second}s`);
        logind ??= makeChan<boolean>(k, 'logind', 2);
        return logind;
      },
      *release() {
        say('released');
      },
    },
    recorder: new EventRecorder(k),
    nodeRef: { metadata: { name: 'node1', namespace: '', uid: 'node1' } },
    getPods: () => pods,
    *killPod(p, evict, grace, fn) {
      const { name } = p.metadata;
      say(`kill ${name} ${grace}s${evict ? ' evict' : ''}`);
      const status: PodStatus = { phase: name === 'done' ? 'Succeeded' : 'Running' };
      fn?.(status);
      killed.set(name, status);
      yield* sleep((node.takes.get(name) ?? 1) * Second);
      if (node.fails.has(name)) throw new Error('timeout waiting to kill pod');
      say(`dead ${name}`);
    },
    *syncNodeStatus() {
      say(`status: ${manager.shutdownStatus()?.message ?? 'well'}`);
    },
    *waitForAllPodsUnmount(ctx) {
      if (node.unmount === 0) return;
      yield* sleep(node.unmount * Second);
      if (ctx.err()) throw new Error('context deadline exceeded');
    },
    os: {
      *writeFile(path, text) {
        files.set(path, text);
      },
      *rename(from, to) {
        files.set(to, files.get(from) as string);
        files.delete(from);
      },
      *readFile(path) {
        return files.get(path) ?? '';
      },
    },
    stateDirectory: '/var/lib/kubelet',
  });
  let started: boolean | null = null;
  k.go('start', function* () {
    started = yield* manager.start();
  });
  const run = (seconds: number) => k.run({ until: k.now() + seconds * Second });
  run(0.5);
  const admit = () => {
    let result: unknown;
    k.go('admit', function* () {
      result = yield* manager.admitHandler.admit({ pod: pod('new'), otherPods: [], operation: 'add' });
    });
    run(0.01);
    return result;
  };
  const of = <K extends TraceRecord['kind']>(kind: K) => records.filter((r): r is RecordOf<K> => r.kind === kind);
  const announce = (down: boolean) => (logind as unknown as Chan<boolean>).trySend(down);
  return { k, manager, node, killed, files, log, run, admit, of, announce, started: () => started };
}
const thirty = { shutdownGracePeriod: 30 * Second, shutdownGracePeriodCriticalPods: 10 * Second };

describe('[3:SHUT-01] groups', () => {
  it('from the two settings: what is left of the time for all, the last part for critical pods', () => {
    expect(shutdownPeriods(thirty)).toEqual([
      { priority: 0, shutdownGracePeriodSeconds: 20 },
      { priority: 2_000_000_000, shutdownGracePeriodSeconds: 10 },
    ]);
    expect(shutdownPeriods({})).toEqual([]);
    expect(shutdownPeriods({ shutdownGracePeriod: 5 * Second, shutdownGracePeriodCriticalPods: 10 * Second })).toEqual(
      [],
    );
    const byPriority = [
      { priority: 1000, shutdownGracePeriodSeconds: 5 },
      { priority: -1, shutdownGracePeriodSeconds: 7 },
    ];
    expect(shutdownPeriods({ ...thirty, shutdownGracePeriodByPodPriority: byPriority }).map((p) => p.priority)).toEqual(
      [-1, 1000],
    );
  });
  it('a pod is in the highest group that it reaches, in the lowest if it reaches none', () => {
    const periods = [0, 100, 1000].map((priority) => ({ priority, shutdownGracePeriodSeconds: 1 }));
    const pods = [-5, 0, 99, 100, 101, 999, 1000, 5000].map((p) => pod(`p${p}`, p));
    expect(groupByPriority(periods, [...pods, pod('none')]).map((g) => g.pods.map((p) => p.metadata.name))).toEqual([
      ['p-5', 'p0', 'p99', 'none'],
      ['p100', 'p101', 'p999'],
      ['p1000', 'p5000'],
    ]);
  });
});

describe('[3:SHUT-01] the machine goes down', () => {
  it('is off while no time is given', () => {
    const t = setup({});
    expect([t.started(), t.manager.shutdownStatus(), t.admit(), t.log]).toEqual([false, null, { admit: true }, []]);
  });

  it('holds it up, tells its status, ends the groups in turn, each with its time, and lets go', () => {
    const t = setup(thirty, [pod('critical', 2_000_000_000, 60), pod('web', 0, 30), pod('quick', 0, 3)]);
    t.announce(true);
    t.run(60);
    expect(t.log).toEqual([
      '0 held 30s',
      '1 status: node is shutting down',
      '1 kill web 20s',
      '1 kill quick 3s',
      '2 dead web',
      '2 dead quick',
      '2 kill critical 10s',
      '3 dead critical',
      '3 released',
    ]);
    expect(t.of('kube-event').map((e) => [e.reason, e.object.kind, e.message])).toEqual([
      ['NodeShutdown', 'Node', 'Shutdown manager detected shutdown event'],
    ]);
    expect(JSON.parse(t.files.get('/var/lib/kubelet/graceful_node_shutdown_state') as string)).toMatchObject({
      startTime: expect.stringMatching(/^\d{4}-/),
      endTime: expect.stringMatching(/^(?!0001)\d{4}-/),
    });
  });

  it('pods end Failed, Terminated, with DisruptionTarget; one that succeeded stays so', () => {
    const t = setup(thirty, [pod('web'), pod('done')]);
    t.announce(true);
    t.run(10);
    const message = 'Pod was terminated in response to imminent node shutdown.';
    expect(t.killed.get('web')).toMatchObject({
      phase: 'Failed',
      reason: 'Terminated',
      message,
      conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message }],
    });
    expect(t.killed.get('done')).toMatchObject({ phase: 'Succeeded', reason: 'Terminated' });
  });

  it('a group that does not end in its time holds nobody up', () => {
    const t = setup(thirty, [pod('hangs', 0), pod('critical', 2_000_000_000)]);
    t.node.takes.set('hangs', 100);
    t.announce(true);
    t.run(60);
    expect(t.log.filter((l) => !l.includes('status'))).toEqual([
      '0 held 30s',
      '1 kill hangs 20s',
      '21 kill critical 10s',
      '22 dead critical',
      '22 released',
    ]);
    expect(t.of('log').some((l) => l.msg === 'Shutdown manager pod killing time out' && l.kv.priority === 0)).toBe(
      true,
    );
  });

  it('a group ends when its volumes are unmounted, too, as long as it has time', () => {
    const t = setup(thirty, [pod('web', 0), pod('critical', 2_000_000_000)]);
    t.node.unmount = 5;
    t.announce(true);
    t.run(60);
    expect(t.log.filter((l) => l.includes('kill'))).toEqual(['1 kill web 20s', '7 kill critical 10s']);
  });

  it('refuses all pods until it is called off', () => {
    const t = setup(thirty);
    expect(t.admit()).toEqual({ admit: true });
    t.announce(true);
    t.run(1);
    expect(t.admit()).toEqual({
      admit: false,
      reason: 'NodeShutdown',
      message: 'Pod was rejected as the node is shutting down.',
    });
    t.announce(false);
    t.run(1);
    expect([t.admit(), t.manager.shutdownStatus()]).toEqual([{ admit: true }, null]);
    expect(t.of('kube-event').at(-1)?.message).toBe('Shutdown manager detected shutdown cancellation');
    expect(t.log.at(-1)).toMatch(/held 30s/);
  });
});
