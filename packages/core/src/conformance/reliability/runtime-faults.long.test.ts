import { describe, expect, it } from 'vitest';
import { CRIError, GrpcCode } from '../../cri/index.js';
import { Minute, Second } from '../../kernel/index.js';
import { Rig } from './testing/rig.js';
import { deaf, lingering, names, server, sh, untilStopped } from './testing/specs.js';

const Hour = 60 * Minute;

const ids = (t: Rig) => [...t.running().map((c) => c.id), ...t.readySandboxes().map((s) => s.id)].sort();
const errors = (t: Rig) => t.of('runtime-state').at(-1)?.errors.join() ?? '';
const logs = (t: Rig, what: RegExp) => t.of('log').filter((l) => what.test(l.msg));

describe('the runtime fails', () => {
  it('[A1:6] no socket: the kubelet says why it ends, and the next one recovers; one that loses it is NotReady, and recovers by itself', () => {
    const t = new Rig({ api: true });
    t.mock.stop();
    t.put('web', server()).start().run(1);
    expect(t.node.kubeletRuns).toBe(false);
    expect(JSON.stringify(logs(t, /^command failed$/))).toContain(
      'containerd.sock: connect: no such file or directory',
    );
    t.mock.start();
    t.start();
    expect(t.until(() => t.ready('web'), 60)).toBe(true);
    const ready = () => {
      const [node] = t.api.server.peek('nodes') as unknown as readonly {
        status: { conditions: { type: string; status: string; message: string }[] };
      }[];
      return node?.status.conditions.find((c) => c.type === 'Ready');
    };
    expect(t.until(() => ready()?.status === 'True', 20)).toBe(true);
    const before = ids(t);
    t.mock.stop();
    expect(t.until(() => ready()?.status === 'False', 60)).toBe(true);
    expect(ready()?.message).toContain('container runtime is down');
    t.run(300);
    t.mock.start();
    expect(t.until(() => errors(t) === '' && ready()?.status === 'True', 30)).toBe(true);
    expect(ids(t)).toEqual(before);
    expect(t.ready('web')).toBe(true);
    expect(t.violations).toEqual([]);
  });

  it('[A1:21] a pull that fails: ErrImagePull, then ImagePullBackOff, with the words of the error; 10, 20, 40 s apart', () => {
    const image = 'registry.example/none:1';
    const t = new Rig({
      runtime: { registry: { [image]: { kind: 'not-found' } } },
      keep: ['status', 'kube-event', 'log'],
    }).start();
    t.put('web', server({ containers: [{ ...sh('app', untilStopped), image }] })).run(120);
    const reasons = t.of('status').flatMap((r) => {
      const s = r.status as { containerStatuses?: { state: { waiting?: { reason?: string; message?: string } } }[] };
      const w = s.containerStatuses?.[0]?.state.waiting;
      return w?.reason?.includes('Pull') ? [w] : [];
    });
    expect(reasons[0]).toMatchObject({ reason: 'ErrImagePull', message: expect.stringContaining('not found') });
    expect(reasons.some((w) => w.reason === 'ImagePullBackOff' && w.message?.includes('not found'))).toBe(true);
    const pulls = t.calls.filter((c) => c.method === 'pullImage').map((c) => c.at);
    const gaps = pulls.slice(1).map((x, i) => x - (pulls[i] as number));
    for (const [i, least] of [10, 20, 40].entries()) {
      expect(gaps[i]).toBeGreaterThanOrEqual(least);
      expect(gaps[i]).toBeLessThan(least + 16);
    }
  });

  it('[A1:22] a pull of 15 s: PodReadyToStartContainers is True long before it ends', () => {
    const ref = 'registry.example/large:1';
    const serve = {
      kind: 'serve',
      image: { ref, programs: 'busybox', size: 150_000_000 },
      bytesPerSecond: 10_000_000,
    } as const;
    const t = new Rig({ runtime: { registry: { [ref]: serve } } }).start().run(2);
    t.put('web', server({ containers: [{ ...sh('app', untilStopped), image: ref }] }));
    expect(t.until(() => t.condition('web', 'PodReadyToStartContainers') === 'True', 6)).toBe(true);
    expect(t.condition('web', 'Ready')).toBe('False');
    const from = t.now;
    expect(t.until(() => t.ready('web'), 40)).toBe(true);
    expect(t.now - from).toBeGreaterThan(9);
  });

  it('[A1:23] a container that fails for ever starts at 0, 0, 10, 30, 70, 150, 310 s; at most 300 s apart, or what the node says', () => {
    const starts = (t: Rig) =>
      t
        .of('actual-container')
        .filter((c) => c.state === 'running')
        .map((c) => c.time / Second);
    const crash = server({ containers: [sh('app', 'exit 1')] });
    const t = new Rig().start().put('web', crash).run(1400);
    const gaps = starts(t)
      .slice(1)
      .map((x, i) => x - (starts(t)[i] as number));
    // Each waits for the relist that shows the end, and at most for one more look of the worker.
    for (const [i, least] of [0, 10, 20, 40, 80, 160, 300, 300].entries()) {
      expect(gaps[i]).toBeGreaterThanOrEqual(least);
      expect(gaps[i]).toBeLessThan(least + 20);
    }
    const capped = new Rig({ config: { maxContainerRestartPeriod: 30 * Second } }).start().put('web', crash).run(300);
    const last = starts(capped).slice(-4);
    for (const gap of last.slice(1).map((x, i) => x - (last[i] as number))) {
      expect(gap).toBeGreaterThanOrEqual(30);
      expect(gap).toBeLessThan(50);
    }
  });

  it('[A1:24] streaming lists: an error and a stall in the midst are errors, Unimplemented is unary for good', () => {
    const seen: string[] = [];
    const t = new Rig({ config: { featureGates: { CRIListStreaming: true } }, streams: true });
    t.onCall = (m) => {
      if (/^(list|stream)(PodSandbox|Containers)/.test(m)) seen.push(m);
    };
    const streamed = (from = 0) => seen.slice(from).every((m) => m.startsWith('stream'));
    t.put('web', server({ containers: [sh('a', untilStopped), sh('b', untilStopped)] })).start();
    expect(t.until(() => t.ready('web'), 30)).toBe(true);
    t.onStream = (m) => (m === 'streamContainers' ? new CRIError(GrpcCode.Internal, 'cut') : null);
    t.run(20);
    expect(logs(t, /^StreamContainers recv failed$/).length).toBeGreaterThan(5);
    // The items of a broken stream are not taken for the whole list.
    expect(t.pod('web')?.status.containerStatuses?.map((s) => s.restartCount)).toEqual([0, 0]);
    let stalls = 1;
    t.onStream = (m) => (m === 'streamPodSandboxes' && stalls-- > 0 ? 'stalls' : null);
    const from = t.now;
    expect(t.until(() => logs(t, /^StreamPodSandboxes recv failed$/).length > 0, 180)).toBe(true);
    expect(t.now - from).toBeGreaterThan(119);
    expect(JSON.stringify(logs(t, /^StreamPodSandboxes recv failed$/)[0])).toContain('DeadlineExceeded');
    t.run(5);
    expect(streamed()).toBe(true);
    expect(t.running()).toHaveLength(2);
    t.onStream = () => new CRIError(GrpcCode.Unimplemented, 'unknown method');
    t.run(3);
    t.onStream = () => null;
    const at = seen.length;
    t.run(30);
    expect(seen.length - at).toBeGreaterThan(20);
    expect(seen.slice(at).every((m) => m.startsWith('list'))).toBe(true);
    expect(t.running()).toHaveLength(2);
    expect(t.violations).toEqual([]);
  });

  it('[A1:26] the status of one pod cannot be had: only that one is looked at again', () => {
    const t = new Rig().start();
    for (const n of names(5)) t.put(n, server());
    expect(t.until(() => t.allReady(names(5)), 30)).toBe(true);
    t.run(5);
    const [sandbox] = t.mock.sandboxes().filter((s) => s.pod === 'p2-node1');
    t.mock.faults.add({
      method: 'ContainerStatus',
      pod: 'p2',
      effect: { kind: 'error', code: 'Unavailable', message: 'not now' },
    });
    for (const n of names(5)) t.mock.killContainer(n, 'app');
    const asked = new Map<string, number>();
    t.run(1.5);
    t.onCall = (method, request) => {
      const id = (request as { podSandboxId?: string }).podSandboxId;
      if (method === 'podSandboxStatus' && id) asked.set(id, (asked.get(id) ?? 0) + 1);
    };
    expect(t.until(() => t.allReady(names(5).filter((n) => n !== 'p2')), 20)).toBe(true);
    asked.clear();
    t.run(10);
    // Each second again; the others only when something happens to them.
    expect(asked.get(sandbox?.id as string)).toBeGreaterThanOrEqual(8);
    expect([...asked.keys()]).toEqual([sandbox?.id]);
    t.mock.faults.clear();
    expect(t.until(() => t.ready('p2') && t.running().length === 5, 30)).toBe(true);
    asked.clear();
    t.run(10);
    expect(asked.get(sandbox?.id as string) ?? 0).toBeLessThan(3);
    expect(t.violations).toEqual([]);
  });

  it('[A1:27] hangs for more than 3 min: unhealthy, the loop skips with 100 ms to 5 s between, and recovers', () => {
    const t = new Rig({ api: true }).start().run(2);
    for (const n of names(3)) t.put(n, server());
    expect(t.until(() => t.allReady(names(3)), 30)).toBe(true);
    t.run(10);
    const before = ids(t);
    const { length } = t.calls;
    const clear = t.mock.faults.add({ method: '*', effect: { kind: 'hang' } });
    t.run(240);
    expect(errors(t)).toContain('PLEG is not healthy: pleg was last seen active');
    const skips = logs(t, /^Skipping pod synchronization$/).map((l) => l.time);
    const gaps = skips.slice(-8).map((x, i, all) => (i === 0 ? 0 : x - (all[i - 1] as number)));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(5 * Second + 1000);
    expect(gaps.at(-1)).toBeGreaterThan(4 * Second);
    clear();
    expect(t.until(() => errors(t) === '', 130)).toBe(true);
    t.run(70);
    expect(ids(t)).toEqual(before);
    expect(t.calls.slice(length)).toEqual([]);
    expect(t.allReady(names(3))).toBe(true);
    expect(t.violations).toEqual([]);
  });

  it('[A1:33] out of memory: the right container, reason OOMKilled', () => {
    const t = new Rig().start().put('web', server({ containers: [sh('a', untilStopped), sh('b', untilStopped)] }));
    expect(t.until(() => t.ready('web'), 30)).toBe(true);
    t.mock.oom('web', 'b');
    expect(
      t.until(() => (t.pod('web')?.status.containerStatuses ?? []).some((s) => s.restartCount === 1 && s.ready), 30),
    ).toBe(true);
    const [a, b] = t.pod('web')?.status.containerStatuses ?? [];
    expect(a).toMatchObject({ restartCount: 0, lastState: {} });
    expect(b).toMatchObject({ restartCount: 1, lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } } });
  });
});

describe('[A1:43] clocks that jump', () => {
  const probe = { exec: { command: ['true'] }, periodSeconds: 10, failureThreshold: 1 };
  const probed = server({ containers: [sh('app', untilStopped, { livenessProbe: probe, readinessProbe: probe })] });
  it.each([
    ['an hour forward', Hour],
    ['half a minute back', -Minute / 2],
    ['an hour back', -Hour],
  ])('%s: no storm, nothing restarts, the trace goes on in order', (_, jump) => {
    const t = new Rig({ api: true, keep: ['status', 'runtime-state', 'kube-event', 'log'] }).start();
    for (const n of names(3)) t.put(n, probed);
    t.put('crash', server({ containers: [sh('app', 'sleep 2; exit 1')] }));
    expect(t.until(() => t.allReady(names(3)), 40)).toBe(true);
    t.run(40);
    const before = t
      .running()
      .filter((c) => !c.pod.startsWith('crash'))
      .map((c) => c.id);
    const execs = { before: 0, after: 0 };
    let when: 'before' | 'after' = 'before';
    t.onCall = (m) => {
      if (m === 'execSync') execs[when]++;
    };
    t.run(60);
    t.clock.jump(jump);
    when = 'after';
    t.run(60);
    // Set back to before their containers began, probes wait until those have begun, as upstream's.
    expect(execs.after).toBeLessThanOrEqual(execs.before + 4);
    if (jump > -Hour) expect(execs.after).toBeGreaterThanOrEqual(execs.before - 4);
    expect(
      t
        .running()
        .filter((c) => !c.pod.startsWith('crash'))
        .map((c) => c.id),
    ).toEqual(before);
    t.run(300);
    expect(
      t
        .running()
        .filter((c) => !c.pod.startsWith('crash'))
        .map((c) => c.id),
    ).toEqual(before);
    expect(errors(t)).toBe('');
    // A crash loop goes on, neither without end nor never again. While what crashed before the clock was set back is
    // the newest by its time, upstream takes it for the container there is, and its back-off for long over: each sync
    // starts one.
    const starts = t.calls.filter((c) => c.method === 'startContainer' && c.at > 100).length;
    expect(starts).toBeGreaterThanOrEqual(2);
    expect(starts).toBeLessThanOrEqual(jump === -Hour ? 34 : 6);
    for (const r of t.of('status')) {
      const s = r.status as { containerStatuses?: { restartCount: number }[] };
      for (const c of s.containerStatuses ?? []) expect(c.restartCount).toBeGreaterThanOrEqual(0);
    }
    const seqs = t.records.map((r) => r.seq);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    expect(t.records.every((r, i) => i === 0 || r.time >= (t.records[i - 1]?.time ?? 0))).toBe(true);
    expect(t.violations).toEqual([]);
  });

  it('a deletion under way and a new pod come through a jump either way', () => {
    for (const jump of [Hour, -Hour]) {
      const t = new Rig({ api: true }).start().run(3);
      t.apply('web', server({ terminationGracePeriodSeconds: 10, containers: [sh('app', lingering)] }));
      t.apply('deaf', server({ terminationGracePeriodSeconds: 10, containers: [sh('app', deaf)] }));
      expect(t.until(() => t.allReady(['web', 'deaf']), 30)).toBe(true);
      t.api.delete('web');
      t.api.delete('deaf');
      t.run(1);
      t.clock.jump(jump);
      t.apply('new', server());
      expect(t.until(() => t.ready('new') && t.api.list().length === 1, 60)).toBe(true);
      expect(t.running()).toHaveLength(1);
      t.crash(1);
      t.run(60);
      expect(t.ready('new')).toBe(true);
      expect(t.violations).toEqual([]);
    }
  });
});
