import { beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types.js';
import { CRIError } from '../../cri/index.js';
import { background, Kernel, Second, sleep } from '../../kernel/index.js';
import type { Json } from '../../trace/index.js';
import type { RuntimePod } from '../container/types.js';
import { availableEras, type EraVersion, loadEras } from '../era/index.js';
import { apiPod, manifest } from '../testing/fake-node.js';
import { type NodeIn, nodeIn } from './testing/node-in.js';
import { container, type EraRun, pod, runInEra, untilTerm } from './testing/run-in-era.js';
import { PodKillerWithChannel } from './v1.21/pod-killer.js';

beforeAll(loadEras);

const old = ['v1.12', 'v1.21'] as const;
const since122 = ['v1.25', 'v1.32', 'v1.36'] as const;
const web = { manifests: { 'web.yaml': manifest('web') } };
const sends = (t: NodeIn) => {
  const ch = t.of('chan-make').find((c) => c.name === 'podKillingCh')?.chan;
  return t.of('send').filter((s) => s.chan === ch);
};
const stops = (t: NodeIn) => t.changes().filter((c) => c.method === 'StopContainer');
/** Seconds that a StopContainer gives. */
const timeoutOf = ({ request }: { readonly request?: Json }) => (request as { timeout: string }).timeout;
/** The folder has the pod, it runs, the folder has it no more; stopping it takes this many seconds. */
const removed = (era: EraVersion, seconds: number, options: Parameters<typeof nodeIn>[1] = web) => {
  const t = nodeIn(era, options);
  t.run(6);
  expect(t.podOf('web-node1')?.status.phase).toBe('Running');
  const uid = t.podOf('web-node1')?.metadata.uid as string;
  if (seconds > 0) t.slow('StopContainer', seconds);
  t.os.rm('/m/web.yaml');
  t.run(0.5);
  return { ...t, uid };
};
/** A kubelet starts where another one left a pod, of which it is not told. */
const orphaned = (era: EraVersion, pod = manifest('web')) => {
  const t = nodeIn(era, { manifests: { 'web.yaml': pod } });
  t.run(6);
  t.k.kill(t.kl.process);
  t.os.files.clear();
  const from = t.records.length;
  t.start();
  t.run(6);
  return { ...t, from };
};

describe('deletePod', () => {
  it.each(old)('[5:E01] %s waits for the sources, and forgets nothing before', (era) => {
    const t = nodeIn(era, web);
    t.kl.podConfig.channel(background, 'api');
    t.run(6);
    const uid = t.podOf('web-node1')?.metadata.uid as string;
    t.os.rm('/m/web.yaml');
    t.run(2);
    expect(t.lines(/Failed to delete pod/)[0]?.kv.err).toBe("skipping delete because sources aren't ready yet");
    expect(t.worker(uid)).toBeDefined();
    expect(sends(t)).toEqual([]);
  });

  it.each(old)('[5:E01] %s forgets the worker and gives both pods to the killer', (era) => {
    const t = removed(era, 3);
    const forgotten = t.of('worker').find((w) => w.uid === t.uid && w.state === 'removed');
    expect(forgotten?.seq).toBeLessThan(sends(t)[0]?.seq ?? 0);
    expect(sends(t)[0]?.item).toEqual({ api: true, pod: 'web-node1', uid: t.uid });
  });

  it.each(old)('[5:E01] %s does not find what is only being made; housekeeping kills it later', (era) => {
    const t = nodeIn(era, web);
    t.slow('RunPodSandbox', 4);
    t.run(3);
    t.os.rm('/m/web.yaml');
    t.run(1);
    expect(t.lines(/Failed to delete pod/)[0]?.kv.err).toBe('pod not found');
    expect(sends(t)).toEqual([]);
    t.run(10);
    expect(t.changes().map((c) => c.method)).toContain('StartContainer');
    expect(sends(t)[0]?.item).toMatchObject({ api: false });
    expect(t.running()).toBe(0);
  });

  /** A pod is removed right after the PLEG told of its start, whatever the cache has seen. */
  const missed = (era: EraVersion) =>
    [0, 0.5, 1, 1.5].filter((offset) => {
      const t = nodeIn(era);
      t.run(6 + offset);
      t.os.put('/m/web.yaml', manifest('web'));
      while (!t.of('pleg-event').some((e) => e.type === 'ContainerStarted')) t.run(0.1);
      t.os.rm('/m/web.yaml');
      t.run(0.1);
      return t.lines(/Failed to delete pod/).some((l) => l.kv.err === 'pod not found');
    });
  it('[5:E01] v1.21 lists afresh what it saw start; v1.12 trusts a cache that has not seen it', () => {
    expect(missed('v1.21')).toEqual([]);
    expect(missed('v1.12').length).toBeGreaterThan(0);
  });
});

describe('KillPod', () => {
  it('[5:E02] v1.21 marks both pods, the running one without its namespace, and asks once', () => {
    const t = removed('v1.21', 7);
    t.run(6);
    expect(t.lines(/^Marking .* pending termination/).map((l) => [l.v, l.msg, l.kv.podName, l.kv.podUID])).toEqual([
      [4, 'Marking api pod pending termination', 'web-node1_default', t.uid],
      [4, 'Marking running pod pending termination', 'web-node1', t.uid],
    ]);
    // Housekeeping came by more than once.
    expect(t.lines(/^Running pod is pending termination/).length).toBeGreaterThan(1);
    expect(sends(t)).toHaveLength(1);
  });
  it('[5:E02] v1.12 is asked each time, and its killer drops what it kills already', () => {
    const t = removed('v1.12', 7);
    t.run(6);
    expect(sends(t).length).toBeGreaterThan(2);
    expect(stops(t)).toHaveLength(1);
  });
  it.each(since122)('[5:E02] %s has no such channel', (era) => {
    const t = removed(era, 7);
    t.run(6);
    expect(sends(t)).toEqual([]);
    expect(stops(t)).toHaveLength(1);
  });

  /** More orphaned pods than the channel has room for, found by one housekeeping. */
  const flooded = (era: EraVersion, pods: number, seed?: number) => {
    const manifests = Object.fromEntries(
      Array.from({ length: pods }, (_, i) => [`p${i}.yaml`, manifest(`p${i}`)] as const),
    );
    const t = nodeIn(era, { manifests, config: { maxPods: 200 }, ...(seed !== undefined && { seed }) });
    t.run(12);
    expect(t.running()).toBe(pods);
    t.k.kill(t.kl.process);
    t.os.files.clear();
    const from = t.records.length;
    t.start();
    t.run(8);
    const chans = t.of('chan-make').filter((c) => c.name === 'podKillingCh');
    const ch = chans.at(-1);
    const loop = t.of('goroutine-start').findLast((g) => g.name === 'syncLoop')?.id;
    const blocked = t
      .of('wait')
      .filter((w) => w.seq > from && w.g === loop && w.on.op === 'send' && w.on.chans?.[0] === ch?.chan);
    return { t, ch, blocked };
  };
  it.each(old)('[5:E03] %s has room for 50 requests; a flood of them has the loop wait', (era) => {
    const few = flooded(era, 50);
    expect(few.ch?.cap).toBe(50);
    expect(few.blocked).toEqual([]);
    expect(few.t.running()).toBe(0);
    const many = flooded(era, 60);
    expect(many.blocked.length).toBeGreaterThan(0);
    // The consumer only starts goroutines, so the wait is short and all of them are killed.
    expect(many.t.running()).toBe(0);
    const item = many.t.records.find((r) => r.seq > (many.blocked[0]?.seq ?? 0) && r.kind === 'send');
    expect((item?.time ?? 0) - (many.blocked[0]?.time ?? 0)).toBeLessThan(0.01 * Second);
  });
  it('[5:E02] [5:E03] v1.21 holds the lock while it waits for room, and whoever asks waits with it', () => {
    const k = new Kernel();
    const process = k.process('kubelet');
    const killed: string[] = [];
    const killer = new PodKillerWithChannel({
      kernel: k,
      process,
      *killPod(_, pod) {
        killed.push(pod.id);
      },
    });
    const podOf = (id: string): RuntimePod => ({
      id,
      name: id,
      namespace: 'default',
      createdAt: 0n,
      timestamp: 0,
      containers: [],
      sandboxes: [],
    });
    const done: string[] = [];
    k.go('loop', function* () {
      for (let i = 0; i <= 50; i++) yield* killer.killPod({ apiPod: null, runningPod: podOf(`p${i}`) });
      done.push('loop');
    });
    k.go('worker', function* () {
      yield* sleep(Second);
      done.push(`asked: ${yield* killer.isPodPendingTerminationByUID('p50')}`);
    });
    const late = function* () {
      yield* sleep(15 * Second);
      yield* killer.performPodKillingWork();
    };
    k.go('podKiller', late, { daemon: true });
    k.run({ until: 10 * Second });
    expect([done, killed]).toEqual([[], []]);
    k.run({ until: 20 * Second });
    expect(done.sort()).toEqual([expect.stringMatching(/^asked: /), 'loop']);
    expect(killed).toHaveLength(51);
  });
});

describe('PerformPodKillingWork', () => {
  it.each(old)('[5:E04] %s kills each pod in a goroutine of its own', (era) => {
    const t = nodeIn(era, { manifests: { 'a.yaml': manifest('a'), 'b.yaml': manifest('b') } });
    t.run(6);
    t.slow('StopContainer', 3);
    t.os.rm('/m/a.yaml');
    t.os.rm('/m/b.yaml');
    t.run(1);
    const goroutines = t.of('goroutine-start').filter((g) => g.name.startsWith('podKiller default/'));
    expect(goroutines.map((g) => g.name).sort()).toEqual(['podKiller default/a-node1', 'podKiller default/b-node1']);
    expect(t.lines(/^Killing unwanted pod/)).toHaveLength(2);
    expect(stops(t)).toHaveLength(2);
    t.run(3);
    expect(t.running()).toBe(0);
  });

  it('[5:E04] v1.21 only notes an error, and clears the marks', () => {
    const t = nodeIn('v1.21', web);
    t.run(6);
    t.cri.failing.set('StopContainer', new CRIError(2, 'busy'));
    t.cri.failing.set('StopPodSandbox', new CRIError(2, 'busy'));
    t.os.rm('/m/web.yaml');
    t.run(1);
    expect(t.lines(/^Failed killing the pod/)[0]).toMatchObject({ severity: 'E' });
    expect(t.lines(/^Marking pod termination/)).toHaveLength(1);
    t.cri.failing.clear();
    // A pod that is not marked can be asked for again: housekeeping does.
    t.run(4);
    expect(
      sends(t)
        .map((s) => (s.item as { api: boolean }).api)
        .slice(0, 2),
    ).toEqual([true, false]);
    expect(t.running()).toBe(0);
  });
});

describe('killPod', () => {
  it.each(old)('[5:E05] %s writes no status and waits for nobody, but sets the QoS cgroups', (era) => {
    const t = removed(era, 1.25);
    const from = t.records.length;
    t.run(6);
    expect(t.of('status').filter((s) => s.seq > from && s.uid === t.uid)).toEqual([]);
    const stopped = t.of('cri-return').find((c) => c.method === 'StopPodSandbox');
    const [, exit] = [t.entries('killPod')[0], t.of('exit').find((e) => e.fn === 'killPod')];
    expect((exit?.time ?? 0) - (stopped?.time ?? 0)).toBeLessThan(0.01 * Second);
    expect(t.of('relist').filter((r) => r.seq > (stopped?.seq ?? 0) && r.seq < (exit?.seq ?? 0))).toEqual([]);
    const tiers = t.entries('UpdateCgroups').map((e) => e.seq);
    expect(tiers.some((seq) => seq > (stopped?.seq ?? 0) && seq < (exit?.seq ?? 0))).toBe(true);
  });
  it.each(since122)('[5:E05] %s writes a status after the kill', (era) => {
    const t = removed(era, 0);
    const from = t.of('cri-call').find((c) => c.method === 'StopContainer')?.seq ?? 0;
    t.run(4);
    expect(t.of('status').filter((s) => s.seq > from && s.uid === t.uid).length).toBeGreaterThan(0);
  });

  const two = '  - {name: side, image: "nginx:1"}\n';
  it.each(availableEras)('[5:E06] %s stops the containers at the same time, then the sandbox', (era) => {
    const t = removed(era, 2, { manifests: { 'web.yaml': manifest('web', two) } });
    t.run(4);
    const calls = stops(t);
    expect((calls[1]?.time ?? Second) - (calls[0]?.time ?? 0)).toBeLessThan(0.001 * Second);
    const returned = t.of('cri-return').filter((c) => c.method === 'StopContainer');
    const sandbox = t.changes().find((c) => c.method === 'StopPodSandbox');
    expect(sandbox?.seq).toBeGreaterThan(returned[1]?.seq ?? 0);
  });

  /** A pod whose first sandbox was killed is removed: which sandboxes are stopped. */
  const sandboxes = (era: EraVersion) => {
    const t = nodeIn(era, web);
    t.run(6);
    const [first] = t.cri.sandboxes.values();
    if (first) first.state = 'SANDBOX_NOTREADY';
    t.run(6);
    expect(t.cri.sandboxes.size).toBe(2);
    const from = t.records.length;
    t.os.rm('/m/web.yaml');
    t.run(0.6);
    const ids = t.changes().flatMap((c) => (c.seq > from && c.method === 'StopPodSandbox' ? [c.sandbox] : []));
    return { ids: new Set(ids), all: new Set(t.cri.sandboxes.keys()) };
  };
  it('[5:E06] only the sandboxes of the list: until v1.21 the ready one, since then all', () => {
    for (const era of old) expect([...sandboxes(era).ids]).toEqual([[...sandboxes(era).all][1]]);
    for (const era of since122) expect(sandboxes(era).ids).toEqual(sandboxes(era).all);
  });
});

describe('killContainer', () => {
  const grace = (t: Pick<NodeIn, 'changes'>) =>
    t
      .changes()
      .filter((c) => c.method === 'StopContainer')
      .map(timeoutOf);
  const events = (t: NodeIn) => t.of('kube-event').filter((e) => e.reason === 'Killing');

  it.each(old)('[5:E07] %s gives an orphan the grace that its annotations have, and no event', (era) => {
    const t = orphaned(era);
    expect(grace(t)[0]).toBe('5');
    expect(events(t)).toEqual([]);
  });
  it('[5:E07] since v1.22 an orphan has one second, since v1.28 at least two, and an event', () => {
    const seen = since122.map((era) => {
      const t = orphaned(era);
      return [grace(t)[0], events(t)[0]?.message];
    });
    expect(seen).toEqual(['1', '2', '2'].map((seconds) => [seconds, 'Stopping container app']));
  });

  /** Kills by the way of evictions. */
  const killed = (era: EraVersion, override: number | null, change: (pod: Pod) => void = () => {}) => {
    const t = nodeIn(era, { api: true });
    const pod = apiPod('web');
    change(pod);
    t.say('api', pod);
    t.run(6);
    t.k.go('eviction', () => t.kl.eraParts.killPodNow(t.podOf('web') as Pod, true, override));
    t.run(4);
    return grace(t)[0];
  };
  it('[5:E07] the grace of the deletion comes first, then that of the spec, else 2 s', () => {
    const deleted = (era: EraVersion) => {
      const t = nodeIn(era, { api: true });
      t.say('api', apiPod('web'));
      t.run(6);
      t.say('api', apiPod('web', { deletionTimestamp: '2026-01-01T00:01:00Z', deletionGracePeriodSeconds: 9 }));
      t.run(3);
      const text = era === 'v1.12' ? 'Killing container with id fake://app:Need to kill Pod' : 'Stopping container app';
      expect(events(t)[0]?.message).toBe(text);
      return grace(t)[0];
    };
    for (const era of old) {
      expect(deleted(era)).toBe('9');
      expect(killed(era, null)).toBe('5');
      const without = (pod: Pod) => {
        pod.spec.terminationGracePeriodSeconds = undefined;
      };
      expect(killed(era, null, without)).toBe('2');
    }
  });
  it('[5:E07] an override goes below the least grace of 2 s, until v1.27', () => {
    expect(availableEras.map((era) => killed(era, 1))).toEqual(['1', '1', '1', '2', '2']);
  });

  /** A pod with a preStop hook that takes this many of its 6 seconds of grace is removed. */
  const hooked = (era: EraVersion, seconds: number) => {
    const preStop = { exec: { command: ['sleep', `${seconds}`] } };
    const app = container(untilTerm(), { lifecycle: { preStop } });
    const steps = [
      { apply: pod('web', { terminationGracePeriodSeconds: 6, containers: [app] }) },
      { waitFor: { pod: 'web', phase: 'Running' } },
      { wait: '3s' },
      { delete: 'web' },
      { wait: '10s' },
    ];
    return runInEra(era, { steps }).calls('StopContainer').map(timeoutOf)[0];
  };
  it.each(old)('[5:E07] %s takes the time of preStop from the grace, and leaves 2 s at least', (era) => {
    expect(hooked(era, 2)).toBe('4');
    expect(hooked(era, 5)).toBe('2');
  });
});

describe('the marks', () => {
  /** A removed pod has nothing left in the runtime, but the killer still waits for an answer. */
  const hanging = (era: EraVersion) => {
    const t = removed(era, 12);
    t.cri.exit('app', 0);
    for (const s of t.cri.sandboxes.values()) s.state = 'SANDBOX_NOTREADY';
    t.run(6);
    return {
      t,
      dir: t.os.dirs.has(`/var/lib/kubelet/pods/${t.uid}`),
      cgroup: [...t.cgroups.snapshot().keys()].some((path) => path.includes(t.uid)),
    };
  };
  it('[5:E08] v1.21 leaves folder and cgroup of a pod that is being killed; v1.12 does not ask', () => {
    const marked = hanging('v1.21');
    expect([marked.dir, marked.cgroup]).toEqual([true, true]);
    expect(marked.t.lines(/^Pod is pending termination/).length).toBeGreaterThan(1);
    marked.t.run(10);
    expect(marked.t.os.dirs.has(`/var/lib/kubelet/pods/${marked.t.uid}`)).toBe(false);
    const unmarked = hanging('v1.12');
    expect([unmarked.dir, unmarked.cgroup]).toEqual([false, false]);
  });

  /** A static pod with a mirror pod is removed; when the mirror pod is deleted, against the end of the kill. */
  const mirrored = (era: EraVersion) => {
    const times: number[] = [];
    const t = nodeIn(era, {
      ...web,
      deps: (k) => ({
        mirrorPodClient: {
          *createMirrorPod() {},
          *deleteMirrorPod() {
            times.push(k.now());
            return true;
          },
        },
      }),
    });
    t.say('api');
    t.run(5);
    const pod = JSON.parse(JSON.stringify(t.podOf('web-node1'))) as Pod;
    const hash = pod.metadata.annotations?.['kubernetes.io/config.hash'] ?? '';
    t.say('api', {
      ...pod,
      metadata: { ...pod.metadata, uid: 'm', annotations: { 'kubernetes.io/config.mirror': hash } },
    });
    t.run(3);
    t.slow('StopContainer', 6);
    t.os.rm('/m/web.yaml');
    t.run(12);
    const stopped = t.of('cri-return').find((c) => c.method === 'StopContainer')?.time ?? 0;
    expect(times.length).toBeGreaterThan(0);
    return (times[0] ?? 0) < stopped ? 'before' : 'after';
  };
  it('[5:E09] v1.21 deletes the mirror pod after the kill, v1.12 before', () => {
    expect(mirrored('v1.21')).toBe('after');
    expect(mirrored('v1.12')).toBe('before');
  });

  it('[5:E09] v1.21 syncs no pod of a name that is being killed; v1.12 does', () => {
    const again = (era: EraVersion) => {
      const t = removed(era, 8);
      const from = t.records.length;
      t.os.put('/m/web.yaml', manifest('web', '    env: [{name: A, value: b}]\n'));
      t.run(5);
      return {
        errors: t.of('work-done').flatMap((w) => (w.seq > from && w.error ? [w.error] : [])),
        made: t.changes().filter((c) => c.seq > from && c.method === 'RunPodSandbox').length,
      };
    };
    expect(again('v1.21')).toEqual({ errors: ['pod "web-node1_default" is pending termination'], made: 0 });
    expect(again('v1.12')).toEqual({ errors: [], made: 1 });
  });
});

describe('after the kill', () => {
  const timeouts = (run: EraRun) => run.calls('StopContainer').map(timeoutOf);
  const twice = (era: EraVersion) =>
    [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75].map((offset) => {
      const preStop = { exec: { command: ['sh', '-c', 'echo bye'] } };
      const app = container(untilTerm(), { lifecycle: { preStop } });
      const steps = [
        { apply: pod('web', { terminationGracePeriodSeconds: 5, containers: [app] }) },
        { waitFor: { pod: 'web', phase: 'Running' } },
        { wait: `${3 + offset}s` },
        { delete: 'web' },
        { wait: '6s' },
      ];
      return runInEra(era, { steps });
    });

  it.each(old)('[5:E10] %s often kills a second time what its cache still shows: preStop again, no event', (era) => {
    const runs = twice(era);
    const second = runs.filter((r) => r.calls('StopPodSandbox').length > 1);
    // It hangs on the phase of two clocks of two seconds.
    expect(second.length).toBeGreaterThan(0);
    expect(second.length).toBeLessThan(runs.length);
    for (const run of second) {
      expect(timeouts(run)).toEqual(['5', '5']);
      expect(run.of('kube-event').filter((e) => e.reason === 'Killing')).toHaveLength(1);
      const hooks = run.of('cri-return').filter((c) => c.method === 'ExecSync');
      expect(hooks.map((h) => h.error !== undefined)).toEqual([false, true]);
      expect(hooks[1]?.error?.details).toMatch(/CONTAINER_EXITED/);
      expect(run.of('kube-event').filter((e) => e.reason === 'FailedPreStopHook')).toEqual([]);
      const took = run.of('cri-return').filter((c) => c.method === 'StopContainer')[1]?.took ?? 0;
      expect(took / Second).toBeLessThan(0.05);
    }
  });
  it('[5:E10] v1.25 may do so, too, but as it does with an orphan: one second, no hook, an event', () => {
    const second = twice('v1.25').filter((r) => r.calls('StopContainer').length > 1);
    expect(second.length).toBeGreaterThan(0);
    for (const run of second) {
      expect(timeouts(run)).toEqual(['5', '1']);
      expect(run.calls('ExecSync')).toHaveLength(1);
      expect(run.of('kube-event').filter((e) => e.reason === 'Killing')).toHaveLength(2);
      expect(run.lines('Clean up orphaned pod containers')).toHaveLength(1);
    }
  });
  it.each(['v1.32', 'v1.36'] as const)('[5:E10] %s, which lists afresh, kills once', (era) => {
    for (const run of twice(era)) expect(run.calls('StopContainer')).toHaveLength(1);
  });
});
