/**
 * Differences of a real v1.21's recordings from those of v1.36, scenario by scenario. Those of them that are in
 * testdata are compared as a whole besides (`npm run conformance -- --era v1.21`).
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { GoldenStep } from '../../conformance/golden/steps.js';
import { type EraVersion, loadEras } from '../era/index.js';
import { container, deaf, goldenIn, podOf, untilTerm } from './testing/golden-in.js';

beforeAll(loadEras);

const both = ['v1.21', 'v1.36'] as const;
const life = (name: string, command = untilTerm, spec: object = {}, more: object = {}): GoldenStep[] => [
  ['put', podOf(name, command, spec, more)],
  ['phase', name, 'Running', 20],
  ['wait', 3],
];
const end = (name: string, wait = 6): GoldenStep[] => [
  ['rm', name],
  ['gone', name, 20],
  ['wait', wait],
];
const texts = (calls: readonly { readonly call: string }[]) => calls.map((c) => c.call);
type Run = ReturnType<typeof goldenIn>;
const since = (run: Run, at: number) => run.calls.filter((c) => c.at >= at);
/** Seconds from one moment to another. */
const seconds = (from: number | undefined, to: number | undefined) =>
  ((to ?? Number.NaN) - (from ?? Number.NaN)) / 1000;
const condition = (run: Run, phase: string, type: string) =>
  run.statuses.findLast((s) => s.status?.phase === phase)?.status?.conditions?.find((c) => c.type === type);

describe('in every scenario', () => {
  const runs = new Map<EraVersion, Run>();
  beforeAll(() => {
    for (const era of both) runs.set(era, goldenIn(era, [...life('web'), ['wait', 6], ...end('web')]));
  });
  const run = (era: EraVersion) => runs.get(era) as Run;
  /** Requests of a method, each once. */
  const requests = (era: EraVersion, method: string) => [
    ...new Set(
      run(era).all.flatMap((c) =>
        c.method === method ? [JSON.stringify(c.request).replace(/[0-9a-f]{32}/, 'UID')] : [],
      ),
    ),
  ];
  const ofPod = '{"filter":{"labelSelector":{"io.kubernetes.pod.uid":"UID"}}}';

  it('v1.21 never asks for the runtime’s configuration, v1.36 three times', () => {
    expect(both.map((era) => run(era).all.filter((c) => c.method === 'RuntimeConfig').length)).toEqual([0, 3]);
  });
  it('v1.21 lists all sandboxes without a filter, v1.36 with an empty one, and a pod’s on demand', () => {
    expect(requests('v1.21', 'ListPodSandbox')).toEqual(
      expect.arrayContaining(['{}', '{"filter":{"state":{}}}', ofPod]),
    );
    expect(requests('v1.21', 'ListPodSandbox')).not.toContain('{"filter":{}}');
    expect(requests('v1.36', 'ListPodSandbox')).toContain('{"filter":{}}');
    expect(
      run('v1.21')
        .of('relist')
        .filter((r) => r.scope === 'pod'),
    ).toEqual([]);
    expect(
      run('v1.36')
        .of('relist')
        .filter((r) => r.scope === 'pod').length,
    ).toBeGreaterThan(0);
  });
  it('v1.21 reads a changed pod from lists of its own: sandboxes, their statuses, containers, theirs', () => {
    const { all, calls } = run('v1.21');
    const started = calls.find((c) => c.method === 'StartContainer')?.end as number;
    const from = all.findIndex((c) => c.at > started && JSON.stringify(c.request).includes('pod.uid'));
    expect(all.slice(from, from + 4).map((c) => c.method)).toEqual([
      'ListPodSandbox',
      'PodSandboxStatus',
      'ListContainers',
      'ContainerStatus',
    ]);
    expect(requests('v1.21', 'ListContainers')).toContain(ofPod);
  });
  it('v1.21 lists twice in every other housekeeping at least, v1.36 once', () => {
    const lists = (era: EraVersion) => {
      const { of } = run(era);
      return of('enter')
        .filter((e) => e.fn === 'HandlePodCleanups')
        .slice(-4)
        .map((pass) => {
          const last = of('exit').find((x) => x.of === pass.seq)?.seq ?? 0;
          const within = of('cri-call').filter((c) => c.seq > pass.seq && c.seq < last && c.g === pass.g);
          return within.filter((c) => c.method === 'ListPodSandbox').length;
        });
    };
    expect(Math.max(...lists('v1.21'))).toBe(2);
    expect(lists('v1.36')).toEqual([1, 1, 1, 1]);
  });
  it('v1.21 sees that it runs at the next relist, v1.36 within 0.1 s', () => {
    const late = (era: EraVersion) => {
      const { calls, statuses } = run(era);
      const started = calls.find((c) => c.method === 'StartContainer')?.end;
      return seconds(started, statuses.find((s) => s.status?.phase === 'Running')?.at);
    };
    expect(late('v1.21')).toBeGreaterThan(0.3);
    expect(late('v1.21')).toBeLessThan(1.1);
    expect(late('v1.36')).toBeLessThan(0.15);
  });
  it('v1.21 has four conditions, and fewer statuses on the way', () => {
    const types = (era: EraVersion) =>
      run(era)
        .statuses.findLast((s) => s.status?.phase === 'Running')
        ?.status?.conditions?.map((c) => c.type);
    const four = ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];
    expect(types('v1.21')).toEqual(four);
    expect(types('v1.36')).toEqual(['PodReadyToStartContainers', ...four]);
    const shown = (era: EraVersion) =>
      run(era).statuses.flatMap((s) => (s.status?.conditions && s.at < run(era).mark('rm') ? [s.status.phase] : []));
    expect(shown('v1.21')).toEqual(['Pending', 'Running']);
    expect(shown('v1.36')).toEqual(['Pending', 'Pending', 'Running']);
    const own = run('v1.21').statuses.findLast((s) => s.status)?.status?.containerStatuses?.[0];
    expect(Object.keys(own ?? {})).not.toEqual(expect.arrayContaining(['resources']));
    expect(Object.keys(own ?? {})).not.toEqual(expect.arrayContaining(['user']));
  });
  it('events have that version’s words', () => {
    const words = (era: EraVersion) =>
      ['Pulled', 'Created', 'Started'].map((reason) => run(era).events(reason)[0]?.message.replace(/^.*" /, ''));
    expect(words('v1.21')).toEqual(['already present on machine', 'Created container app', 'Started container app']);
    expect(words('v1.36')).toEqual([
      'already present on machine and can be accessed by the pod',
      'Container created',
      'Container started',
    ]);
  });
});

describe('a manifest is removed', () => {
  it('v1.21: gone from /pods at once, marked, killed beside the worker, no status, the last container stays', () => {
    const run = goldenIn('v1.21', [...life('web'), ...end('web')]);
    const rm = run.mark('rm');
    expect(run.statuses.at(-1)).toMatchObject({ status: undefined });
    expect(seconds(rm, run.statuses.at(-1)?.at)).toBeLessThan(0.05);
    const told = run
      .of('log')
      .filter((l) => l.time / 1000 >= rm && /SyncLoop REMOVE|Marking|Killing unwanted/.test(l.msg));
    expect(told.slice(0, 5).map((l) => l.msg)).toEqual([
      'SyncLoop REMOVE',
      'Marking api pod pending termination',
      'Marking running pod pending termination',
      'Killing unwanted pod',
      'Marking pod termination',
    ]);
    expect(run.of('status').filter((s) => s.time / 1000 >= rm)).toEqual([]);
    const died = run.lines(/pod does not exist, ignore irrelevant event/);
    expect(died.length).toBeGreaterThan(0);
    expect(run.lines(/^Container not found in pod's containers/).length).toBeGreaterThan(0);
    expect(run.removals).toEqual([]);
    expect(run.lines(/^Orphaned pod found, removing$/)).toHaveLength(1);
  });
  it('v1.36: the worker kills it, and a status follows', () => {
    const run = goldenIn('v1.36', [...life('web'), ...end('web')]);
    expect(run.lines(/Pod is being removed by the kubelet, begin teardown/)).toHaveLength(1);
    expect(run.of('status').filter((s) => s.time / 1000 >= run.mark('rm')).length).toBeGreaterThan(0);
  });

  it('v1.21 keeps the last dead container, v1.36 removes all that are dead when a relist comes after the kill', () => {
    const removals = (era: EraVersion) =>
      [0, 0.2, 0.4, 0.6, 0.8].map((more) => goldenIn(era, [...life('web'), ['wait', more], ...end('web')]).removals);
    expect(removals('v1.21').flat()).toEqual([]);
    expect(new Set(removals('v1.36').flat())).toEqual(new Set(['RemoveContainer app#0']));
  });

  it('grace-exceeded: each housekeeping meanwhile tells that the pod is pending termination', () => {
    const run = goldenIn('v1.21', [...life('deaf', deaf, { terminationGracePeriodSeconds: 6 }), ...end('deaf')]);
    const [stop, sandbox] = since(run, run.mark('rm'));
    expect([stop?.call, sandbox?.call]).toEqual(['StopContainer app#0 timeout=6', 'StopPodSandbox sandbox#0']);
    expect(seconds(stop?.at, stop?.end)).toBeGreaterThan(5.9);
    const told = run.lines(/^Running pod is pending termination/).map((l) => l.at);
    expect(told.length).toBeGreaterThan(1);
    for (const at of told) expect(at > (stop?.at ?? 0) && at < (sandbox?.end ?? 0)).toBe(true);
    const marks = run.lines(/^Marking pod termination/);
    expect(seconds(sandbox?.end, marks[0]?.at)).toBeLessThan(0.05);
    // By chance a second kill follows: the whole timeout, answered at once, and no event.
    const second = since(run, (sandbox?.end ?? 0) + 1).filter((c) => c.method === 'StopContainer');
    expect(second.map((c) => c.call)).toEqual(second.map(() => 'StopContainer app#0 timeout=6'));
    for (const c of second) expect(c.tookMs).toBeLessThan(20);
    expect(run.events('Killing')).toHaveLength(1);
  });

  it('pre-stop: the hook runs first, its time is taken from the grace', () => {
    const lifecycle = { preStop: { exec: { command: ['sh', '-c', 'sleep 2'] } } };
    for (const era of both) {
      const run = goldenIn(era, [...life('pre', untilTerm, {}, { lifecycle }), ...end('pre')]);
      expect(texts(since(run, run.mark('rm'))).slice(0, 3)).toEqual([
        'ExecSync app#0',
        'StopContainer app#0 timeout=3',
        'StopPodSandbox sandbox#0',
      ]);
    }
  });
});

describe('a manifest is edited', () => {
  const edited = (name: string, value: string, spec: object = {}, command = untilTerm) =>
    podOf(name, command, spec, { env: [{ name: 'V', value }] });

  it('static-pod-update: REMOVE and ADD at once, an error, and the start at the retry after 10 to 15 s', () => {
    const run = goldenIn('v1.21', [
      ['put', edited('upd', '1')],
      ['phase', 'upd', 'Running', 20],
      ['wait', 3],
      ['put', edited('upd', '2')],
      ['wait', 20],
      ...end('upd', 4),
    ]);
    const again = run.marks.filter((m) => m.step === 'put')[1]?.at as number;
    const ops = run.lines(/^SyncLoop (ADD|REMOVE)/).filter((l) => l.at >= again);
    expect(ops.slice(0, 2).map((l) => l.msg)).toEqual(['SyncLoop REMOVE', 'SyncLoop ADD']);
    expect(seconds(ops[0]?.at, ops[1]?.at)).toBeLessThan(0.02);
    const [error, ...more] = run.lines(/^Error syncing pod/);
    expect(error?.kv.err).toBe('pod "upd-node1_default" is pending termination');
    expect(more).toEqual([]);
    const waiting = run.statuses.find((s) => s.at >= again && s.status?.phase === 'Pending')?.status;
    expect(waiting?.phase).toBe('Pending');
    expect(waiting?.conditions ?? []).toEqual([]);
    const sandboxes = run.calls.filter((c) => c.method === 'RunPodSandbox');
    expect(sandboxes).toHaveLength(2);
    const after = seconds(error?.at, sandboxes[1]?.at);
    expect(after).toBeGreaterThan(10);
    expect(after).toBeLessThan(16.1);
    // The old one was gone long before.
    const gone = run.calls.find((c) => c.method === 'StopPodSandbox')?.end;
    expect(seconds(again, gone)).toBeLessThan(1);
  });

  it('edited-thrice-in-grace: the pods in between find nothing to kill and never run', () => {
    const grace = { terminationGracePeriodSeconds: 8 };
    const put = (value: string): GoldenStep => ['put', edited('thrice', value, grace, deaf)];
    const steps: GoldenStep[] = [put('1'), ['phase', 'thrice', 'Running', 20], ['wait', 3]];
    for (const value of ['2', '3', '4']) steps.push(put(value), ['wait', 2]);
    const run = goldenIn('v1.21', [...steps, ['wait', 25], ...end('thrice', 4)]);
    const failed = run.lines(/^Failed to delete pod/).map((l) => l.kv.err);
    expect(failed).toEqual(['pod not found', 'pod not found']);
    const sandboxes = run.calls.filter((c) => c.method === 'RunPodSandbox');
    expect(new Set(sandboxes.map((c) => c.uid)).size).toBe(2);
    expect(sandboxes).toHaveLength(2);
    expect(run.lines(/^Error syncing pod/)).toHaveLength(3);
    const last = run.marks.filter((m) => m.step === 'put').at(-1)?.at;
    const start = seconds(last, sandboxes[1]?.at);
    expect(start).toBeGreaterThan(10);
    expect(start).toBeLessThan(16.1);
  });

  const quickly = (era: EraVersion) => {
    const pod = podOf('same', deaf, { terminationGracePeriodSeconds: 8 });
    const steps: GoldenStep[] = [
      ['put', pod],
      ['phase', 'same', 'Running', 20],
      ['wait', 3],
      ['rm', 'same'],
    ];
    steps.push(['wait', 0.2], ['put', pod], ['wait', 25]);
    return goldenIn(era, [...steps, ...end('same', 4)]);
  };
  it('same-name-quickly, v1.21: an error at once, the old status, and the start by the event of the PLEG', () => {
    const run = quickly('v1.21');
    const [, again] = run.marks.filter((m) => m.step === 'put').map((m) => m.at) as [number, number];
    const last = run.marks.filter((m) => m.step === 'rm')[1]?.at as number;
    const meanwhile = (at: number) => at > again && at < last;
    const errors = run.lines(/^Error syncing pod/).filter((l) => meanwhile(l.at));
    expect(errors.map((l) => l.kv.err)).toEqual(['pod "same-node1_default" is pending termination']);
    expect(run.lines(/^Running pod is pending termination/).filter((l) => meanwhile(l.at))).toEqual([]);
    expect(texts(since(run, run.mark('rm')).filter((c) => c.at < last))).toEqual([
      'StopContainer app#0 timeout=8',
      'StopPodSandbox sandbox#0',
      'StopPodSandbox sandbox#0',
      'RunPodSandbox sandbox#1',
      'CreateContainer app#1',
      'StartContainer app#1',
    ]);
    expect(run.events('SandboxChanged')).toHaveLength(1);
    const [stopped, , made] = since(run, run.mark('rm')).filter((c) => c.call.includes('sandbox'));
    expect(seconds(stopped?.end, made?.at)).toBeLessThan(1.4);
    const shown = run.statuses.filter((s) => meanwhile(s.at) || s.at === again);
    expect(shown.map((s) => Object.keys(s.status?.containerStatuses?.[0]?.state ?? {})[0])).toEqual([
      'running',
      'terminated',
      'running',
    ]);
    expect(shown[1]?.status?.containerStatuses?.[0]?.state.terminated).toMatchObject({
      exitCode: 137,
      reason: 'Error',
    });
    expect(shown[1]?.status?.conditions?.find((c) => c.type === 'Ready')?.status).toBe('False');
    expect(run.removals).toEqual(['RemoveContainer app#0']);
  });
  it('same-name-quickly, v1.36: housekeeping starts it when the worker has finished', () => {
    const run = quickly('v1.36');
    expect(run.lines(/requested to restart with same UID/)).toHaveLength(1);
    expect(run.lines(/^Error syncing pod/)).toEqual([]);
    const stopped = run.calls.find((c) => c.method === 'StopPodSandbox')?.end;
    const made = run.calls.filter((c) => c.method === 'RunPodSandbox')[1]?.at;
    expect(seconds(stopped, made)).toBeGreaterThan(1.5);
  });
});

describe('other scenarios', () => {
  it('orphan-at-start: v1.21 gives the spec’s grace and no event, v1.36 two seconds and one', () => {
    const orphan = (era: EraVersion) => {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the recordings call their folder so
      const forgotten: GoldenStep[] = [['stopKubelet'], ['sh', 'rm ${WORK}/manifests/orph.yaml'], ['startKubelet']];
      return goldenIn(era, [...life('orph'), ...forgotten, ['gone', 'orph', 30], ['wait', 6]]);
    };
    const [then, now] = both.map(orphan) as [Run, Run];
    expect(texts(since(then, then.mark('startKubelet')))).toEqual(
      expect.arrayContaining(['StopContainer app#0 timeout=5', 'StopPodSandbox sandbox#0']),
    );
    expect(then.events('Killing')).toEqual([]);
    expect(then.lines(/^Killing unwanted pod/).length).toBeGreaterThan(0);
    expect(then.removals).toEqual([]);
    expect(texts(since(now, now.mark('startKubelet')))).toEqual([
      'StopContainer app#0 timeout=2',
      'StopPodSandbox sandbox#0',
    ]);
    expect(now.events('Killing')).toHaveLength(1);
  });

  it('never-restart: v1.21 kills from within syncPod, twice, and then ignores what comes', () => {
    const containers = [container('ok', 'sleep 1; exit 0'), container('bad', 'sleep 2; exit 3')];
    const ended = (era: EraVersion) =>
      goldenIn(era, [
        ['put', podOf('never', '', { restartPolicy: 'Never', containers })],
        ['phase', 'never', 'Failed', 25],
        ['wait', 4],
        ['rm', 'never'],
        ['wait', 8],
      ]);
    const [then, now] = both.map(ended) as [Run, Run];
    const stops = (run: Run) => run.calls.filter((c) => c.method === 'StopPodSandbox' && c.at < run.mark('rm'));
    // Housekeeping may come between: its cache may still show the sandbox.
    const own = stops(then).slice(0, 2);
    expect(
      then
        .of('enter')
        .filter((e) => e.fn === 'killPod')
        .slice(0, 2)
        .map((e) => e.time / 1000),
    ).toEqual(own.map((c) => expect.closeTo(c.at, -1)));
    expect(then.of('decision').filter((d) => d.rule === 'syncPod: kill' && d.verdict === 'kill')).toHaveLength(2);
    expect(seconds(own[0]?.at, own[1]?.at)).toBeGreaterThan(0.8);
    expect(seconds(own[0]?.at, own[1]?.at)).toBeLessThan(1.3);
    expect(then.lines(/^Pod has completed and its containers have been terminated, ignoring/).length).toBeGreaterThan(
      0,
    );
    expect(condition(then, 'Failed', 'Ready')).toMatchObject({
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [ok bad]',
    });
    expect(stops(now)).toHaveLength(1);
    expect(condition(now, 'Failed', 'Ready')).toMatchObject({ reason: 'PodFailed' });
    expect(condition(now, 'Failed', 'PodReadyToStartContainers')).toMatchObject({ status: 'False' });
  });

  it.each([
    ['crash-loop', 'Always'],
    ['on-failure', 'OnFailure'],
  ])('%s: v1.21 polls through a back-off, and shows CrashLoopBackOff early', (name, restartPolicy) => {
    const looping = (era: EraVersion) =>
      goldenIn(era, [
        ['put', podOf('loop', 'echo boom; exit 1', { restartPolicy })],
        ['wait', 62],
        ['rm', 'loop'],
        ['wait', 6],
      ]);
    const [then, now] = both.map(looping) as [Run, Run];
    const starts = (run: Run) => run.calls.filter((c) => c.method === 'StartContainer').map((c) => c.at);
    const [, first, second, third] = starts(then);
    expect(seconds(first, second), name).toBeGreaterThan(10);
    expect(seconds(first, second)).toBeLessThan(17);
    expect(seconds(second, third)).toBeGreaterThan(20);
    expect(seconds(second, third)).toBeLessThan(32);
    const shown = (run: Run) =>
      run.statuses.find((s) => s.status?.containerStatuses?.[0]?.state.waiting?.reason === 'CrashLoopBackOff')?.at;
    expect(seconds(first, shown(then))).toBeLessThan(13);
    const told = then.events('BackOff');
    expect(told.length).toBeGreaterThan(now.events('BackOff').length);
    expect(new Set(told.map((e) => e.message))).toEqual(new Set(['Back-off restarting failed container']));
    expect(now.events('BackOff')[0]?.message).toMatch(
      /^Back-off restarting failed container app in pod loop-node1_default/,
    );
  });

  it('post-start-fails: the reason has the text of the error in v1.21, and the event too', () => {
    const lifecycle = { postStart: { exec: { command: ['sh', '-c', 'exit 1'] } } };
    const hook = (era: EraVersion) =>
      goldenIn(era, [['put', podOf('hook', untilTerm, {}, { lifecycle })], ['wait', 25], ...end('hook', 4)]);
    const [then, now] = both.map(hook) as [Run, Run];
    const reasons = (run: Run) => [
      ...new Set(run.statuses.flatMap((s) => s.status?.containerStatuses?.[0]?.state.waiting?.reason ?? [])),
    ];
    expect(reasons(then)).toContain("PostStartHookError: command 'sh -c exit 1' exited with 1: ");
    expect(reasons(now)).toContain('PostStartHookError');
    expect(then.events('FailedPostStartHook')[0]?.message).toMatch(
      /^Exec lifecycle hook \(\[sh -c exit 1\]\) for Container "app" in Pod "hook-node1_default\(\w+\)" failed - error: command 'sh -c exit 1' exited with 1: , message: ""$/,
    );
    expect(now.events('FailedPostStartHook')[0]?.message).toBe('PostStartHook failed');
  });

  it('liveness-failure: the dead container before the last goes, the last stays in v1.21', () => {
    const livenessProbe = { exec: { command: ['cat', '/tmp/ok'] }, periodSeconds: 1, failureThreshold: 2 };
    const run = goldenIn('v1.21', [
      ...life('live', `touch /tmp/ok; ${untilTerm}`, {}, { livenessProbe }),
      ['exec', 'live', 'app', ['rm', '/tmp/ok']],
      ['wait', 10],
      ...end('live', 4),
    ]);
    expect(run.events('Unhealthy').length).toBeGreaterThan(0);
    expect(run.calls.map((c) => c.call)).toContain('CreateContainer app#1');
    expect(run.removals).toEqual(['RemoveContainer app#0']);
  });

  it('kubelet-restart: what runs is left alone, and its status is whole again within a second', () => {
    for (const era of both) {
      const restart: GoldenStep[] = [['stopKubelet'], ['wait', 3], ['startKubelet'], ['phase', 'keep', 'Running', 25]];
      const run = goldenIn(era, [...life('keep'), ...restart, ['wait', 6], ...end('keep', 4)]);
      const [stopped, started, rm] = ['stopKubelet', 'startKubelet', 'rm'].map(run.mark) as [number, number, number];
      expect(run.calls.filter((c) => c.at >= stopped && c.at < rm)).toEqual([]);
      const running = run.statuses.find((s) => s.at > started && s.status?.phase === 'Running');
      expect(seconds(started, running?.at)).toBeLessThan(1);
      expect(running?.status?.containerStatuses?.[0]?.restartCount).toBe(0);
    }
  });

  it('container-killed: restarted by ContainerDied within a relist, the old one kept until the next death', () => {
    const killed: GoldenStep[] = [
      ['kill', 'killed', 'app'],
      ['wait', 8],
    ];
    const run = goldenIn('v1.21', [
      ...life('killed'),
      ...killed,
      ['kill', 'killed', 'app'],
      ['wait', 20],
      ...end('killed', 4),
    ]);
    const again = run.calls.find((c) => c.call === 'CreateContainer app#1');
    expect(seconds(run.mark('kill'), again?.at)).toBeLessThan(1.2);
    const died = run
      .of('pleg-event')
      .filter((e) => e.type === 'ContainerDied')
      .map((e) => e.time / 1000);
    const removed = run.all.find((c) => c.call === 'RemoveContainer app#0')?.at;
    expect(removed).toBeGreaterThan((died[1] as number) - 1);
  });

  it('sandbox-killed: no status in between in v1.21, one without a sandbox in v1.36', () => {
    const killed = (era: EraVersion) =>
      goldenIn(era, [...life('sand'), ['killSandbox', 'sand'], ['wait', 10], ...end('sand')]);
    const [then, now] = both.map(killed) as [Run, Run];
    const between = (run: Run) =>
      run.statuses.filter((s) => s.at > run.mark('killSandbox') && s.at < run.mark('rm') && s.status);
    expect(texts(since(then, then.mark('killSandbox'))).slice(0, 4)).toEqual([
      'StopContainer app#0 timeout=5',
      'StopPodSandbox sandbox#0',
      'RunPodSandbox sandbox#1',
      'CreateContainer app#1',
    ]);
    expect(between(then).map((s) => s.status?.containerStatuses?.[0]?.restartCount)).toEqual([1]);
    const sandbox = (s: (typeof now.statuses)[number]) =>
      s.status?.conditions?.find((c) => c.type === 'PodReadyToStartContainers')?.status;
    expect(between(now).map(sandbox)).toContain('False');
    // The removal stops the sandboxes that are ready; v1.36 stops all.
    const stops = (run: Run) => new Set(texts(since(run, run.mark('rm')).filter((c) => c.method === 'StopPodSandbox')));
    expect(stops(then)).toEqual(new Set(['StopPodSandbox sandbox#1']));
    expect(stops(now)).toEqual(new Set(['StopPodSandbox sandbox#1', 'StopPodSandbox sandbox#0']));
  });

  it('init-containers: one for each sync, which waits for a relist; their statuses do not say whether they started', () => {
    const init = (name: string) => container(name, 'sleep 1');
    const steps = life('init', untilTerm, { initContainers: [init('first'), init('second')] });
    const [then, now] = both.map((era) => goldenIn(era, [...steps, ...end('init', 4)])) as [Run, Run];
    const runs = (run: Run) => seconds(run.mark('put'), run.statuses.find((s) => s.status?.phase === 'Running')?.at);
    expect(runs(then)).toBeGreaterThan(runs(now) + 0.3);
    const creates = then.calls.filter((c) => c.method === 'CreateContainer');
    expect(texts(creates)).toEqual(['first#0', 'second#0', 'app#0'].map((name) => `CreateContainer ${name}`));
    // Each in a sync of its own.
    const within = creates.map(
      (c) => then.of('enter').filter((e) => e.fn === 'SyncPod' && e.time / 1000 <= c.at + 1).length,
    );
    expect(new Set(within).size).toBe(3);
    const keys = (run: Run) =>
      Object.keys(run.statuses.findLast((s) => s.status)?.status?.initContainerStatuses?.[0] ?? {}).includes('started');
    expect([keys(then), keys(now)]).toEqual([false, true]);
  });
});
