import { beforeAll, describe, expect, it } from 'vitest';
import { type AnyCall, type CRIServices, invoke, servicesFrom } from '../../cri/index.js';
import { Second } from '../../kernel/index.js';
import type { RecordOf } from '../../trace/index.js';
import { type EraVersion, loadEras } from '../era/index.js';
import { container, type EraRun, pod, requestOf, runInEra, startInEra, untilTerm } from './testing/run-in-era.js';

beforeAll(() => loadEras());

const old = ['v1.12', 'v1.21'] as const;
const later = ['v1.25', 'v1.32', 'v1.36'] as const;
const running = { waitFor: { pod: 'web', phase: 'Running', timeout: '20s' } };
const slow = pod('web', { containers: [container(untilTerm(5))] });
/** A static pod that takes 5 s to end is removed. */
const removed = { steps: [{ apply: slow }, running, { wait: '3s' }, { delete: 'web' }, { wait: '15s' }] };
const once = (exitCode: number) => ({
  steps: [
    { apply: pod('web', { restartPolicy: 'Never', containers: [container(`sleep 1; exit ${exitCode}`)] }) },
    { wait: '12s' },
  ],
});
const uid = '11111111-2222-3333-4444-555555555555';
const fixed = pod('web', { containers: [container(untilTerm(5))] }, { uid });
/** A static pod comes back under the same UID while it ends. */
const sameUID = {
  steps: [
    { apply: fixed },
    running,
    { wait: '3s' },
    { delete: 'web' },
    { wait: '2s' },
    { apply: fixed },
    { wait: '25s' },
  ],
};
const label = (value: string) => ({ edit: { pod: 'web', patch: { metadata: { labels: { edited: value } } } } });
/** A static pod is edited three times while the first one ends. */
const thrice = {
  steps: [
    { apply: slow },
    running,
    { wait: '3s' },
    label('1'),
    { wait: '1500ms' },
    label('2'),
    { wait: '1500ms' },
    label('3'),
    { wait: '30s' },
  ],
};
/** A pod that runs while no kubelet does, and is not wanted when one comes. */
const orphan = {
  steps: [
    {
      apply: pod('web', {
        containers: [container(untilTerm(3), { lifecycle: { preStop: { exec: { command: ['sh', '-c', 'true'] } } } })],
      }),
    },
    running,
    'stopKubelet',
    { delete: 'web' },
    'startKubelet',
    { wait: '20s' },
  ],
};
const workers = (r: EraRun, state: string) => r.of('worker').filter((w) => w.state === state);
const firstOf = (r: EraRun, fn: string): RecordOf<'enter'> => {
  const [first] = r.entered(fn);
  if (!first) throw new Error(`${fn} was not called`);
  return first;
};

describe('what v1.22 changed', () => {
  it('[5:J01] the pod killer is gone, and workers are no longer forgotten while their pod runs', () => {
    const names = (r: EraRun) => r.of('goroutine-start').map((g) => g.name);
    const forgotten = (r: EraRun) => r.of('worker').filter((w) => w.reason === 'forgotten').length;
    for (const era of old) {
      const r = runInEra(era, removed);
      expect(names(r)).toContain('podKiller');
      expect(r.capacity('podKillingCh')).toBe(50);
      expect(forgotten(r)).toBe(1);
    }
    for (const era of later) {
      const r = runInEra(era, removed);
      expect(names(r).filter((n) => n.startsWith('podKiller'))).toEqual([]);
      expect(r.capacity('podKillingCh')).toBeUndefined();
      expect(forgotten(r)).toBe(0);
    }
  });

  it('[5:J02] workers know of each pod whether it ends and has ended; before, only whether it is being synced', () => {
    const states = (era: EraVersion) => {
      const r = startInEra(era, removed);
      const seen = new Map<string, number>();
      for (let second = 3; second < 18; second += 0.25) {
        r.run.run({ until: second * Second });
        for (const w of r.kubelet.podWorkers.snapshot()) seen.set(w.state, w.gracePeriod);
      }
      return [...seen];
    };
    for (const era of old) expect(states(era)).toEqual([['sync', 0]]);
    for (const era of later) {
      expect(states(era).slice(0, 2)).toEqual([
        ['sync', 0],
        ['terminating', 8],
      ]);
      for (const state of ['finished', 'removed'])
        expect(workers(runInEra(era, removed), state).length).toBeGreaterThan(0);
    }
  });

  it('[5:J03] a worker goes from sync to terminating to terminated, and never back', () => {
    const scenario = {
      node: { apiServer: true },
      steps: [
        { apply: { to: 'api', manifest: slow } },
        running,
        { wait: '2s' },
        { delete: { pod: 'web', to: 'api' } },
        { wait: '1s' },
        // An update of a pod that ends.
        { delete: { pod: 'web', to: 'api', gracePeriodSeconds: 5 } },
        { wait: '15s' },
      ],
    };
    for (const era of later) {
      const r = runInEra(era, scenario);
      const types = r.of('pod-update').flatMap((u) => (u.workType ? [u.workType] : []));
      expect(types).toContain('terminating');
      const rank = { sync: 0, terminating: 1, terminated: 2 };
      const ranks = types.map((t) => rank[t]);
      expect(ranks).toEqual([...ranks].sort());
      expect(r.of('work-start').map((w) => w.workType)).toContain('terminated');
    }
    for (const era of old) {
      const types = new Set(
        runInEra(era, scenario)
          .of('work-start')
          .map((w) => w.workType),
      );
      expect(types).toEqual(new Set(['sync']));
    }
  });
  it('[5:J03] a grace period only gets shorter, is at least 1, and a shorter one interrupts', () => {
    const deaf = pod('web', {
      terminationGracePeriodSeconds: 60,
      containers: [container('trap "" TERM; while true; do sleep 0.2; done')],
    });
    const del = (gracePeriodSeconds: number) => ({ delete: { pod: 'web', to: 'api', gracePeriodSeconds } });
    const scenario = {
      node: { apiServer: true },
      steps: [
        { apply: { to: 'api', manifest: deaf } },
        running,
        { wait: '2s' },
        del(40),
        { wait: '4s' },
        del(10),
        { wait: '20s' },
      ],
    };
    for (const era of later) {
      const r = startInEra(era, scenario);
      const grace: number[] = [];
      for (let second = 3; second < 16; second += 0.5) {
        r.run.run({ until: second * Second });
        const now = r.kubelet.podWorkers.snapshot()[0]?.gracePeriod;
        if (now !== undefined && now !== grace.at(-1)) grace.push(now);
      }
      expect([era, ...grace]).toEqual([era, 0, 40, 10]);
      expect(r.lines('Cancelling current pod sync').length).toBeGreaterThan(0);
    }
  });

  it('[5:J04] an addition under the UID of a pod that ends is noted, and one of a finished pod is dropped', () => {
    for (const era of later) {
      const r = runInEra(era, sameUID);
      const dropped = r.of('pod-update').flatMap((u) => (u.updateType === 'create' && u.dropped ? [u.dropped] : []));
      expect(dropped).toEqual(['terminating: a restart with the same UID comes later']);
      expect(r.calls('RunPodSandbox')).toHaveLength(2);
      const finished = runInEra(era, once(0));
      const end = workers(finished, 'finished')[0]?.seq ?? Number.POSITIVE_INFINITY;
      const after = finished.of('pod-update').filter((u) => u.seq > end);
      expect(new Set(after.map((u) => u.dropped))).toEqual(new Set(after.length > 0 ? ['finished'] : []));
    }
    for (const era of old)
      expect(
        runInEra(era, sameUID)
          .of('pod-update')
          .filter((u) => u.dropped),
      ).toEqual([]);
  });

  it('[5:J05] the worker puts its own next work where updates wait, and goes on at once', () => {
    const r = runInEra('v1.25', removed);
    const chan = r.of('chan-make').find((c) => c.name.startsWith('podUpdates '))?.chan;
    const work = r.of('send').flatMap((s) => (s.chan === chan ? [(s.item as { workType: string }).workType] : []));
    expect([...new Set(work)]).toEqual(['sync', 'terminating', 'terminated']);
    const due = r.of('queue').filter((q) => q.why === 'phase transition');
    expect(due.length).toBeGreaterThan(0);
    for (const q of due) expect(q.due).toBe(q.time);
    for (const fn of ['SyncPod', 'SyncTerminatingPod', 'SyncTerminatedPod'])
      expect(r.entered(fn).length).toBeGreaterThan(0);
    for (const era of old) expect(runInEra(era, removed).entered('SyncTerminatingPod')).toEqual([]);
  });

  it('[5:J06] static pods of one name start one at a time, and one that ends before it started never starts', () => {
    for (const era of later) {
      const r = runInEra(era, thrice);
      const verdicts = r.decisions('allowPodStart').map((d) => d.verdict);
      expect(verdicts[0]).toBe('start');
      expect(verdicts).toContain('not yet');
      expect(verdicts.filter((v) => v === 'never').length).toBe(2);
      expect(verdicts.at(-1)).toBe('start');
      // In the source's words: what the function returns, and the maps by which it decides.
      for (const { verdict, values, uid } of r.decisions('allowPodStart')) {
        expect([values.canStart, values.canEverStart]).toEqual([verdict === 'start', verdict !== 'never']);
        if (verdict === 'start') expect(values.startedStaticPodsByFullname).toBe(uid);
        expect(values.waitingToStartStaticPodsByFullname).toBeInstanceOf(Array);
      }
      const waits = r.decisions('allowPodStart').find((d) => d.verdict === 'not yet');
      expect(waits?.values.waitingToStartStaticPodsByFullname).not.toEqual([]);
      for (const q of r.of('queue').filter((x) => x.why === 'cannot start yet')) {
        expect(q.due - q.time).toBeGreaterThanOrEqual(10 * Second);
        expect(q.due - q.time).toBeLessThanOrEqual(15 * Second);
      }
      // The first and the last alone ran.
      expect(r.calls('RunPodSandbox')).toHaveLength(2);
    }
    for (const era of old) expect(runInEra(era, thrice).decisions('allowPodStart')).toEqual([]);
  });

  it('[5:J07] dispatchWork hands everything on, also of a pod that has ended', () => {
    const r = runInEra('v1.25', once(1));
    const calls = r.entered('dispatchWork');
    expect(calls.length).toBeGreaterThan(2);
    for (const c of calls) expect(r.within(c).some((x) => x.kind === 'enter' && x.fn === 'UpdatePod')).toBe(true);
    for (const era of old)
      expect(
        runInEra(era, once(1))
          .decisions('dispatchWork')
          .some((d) => d.verdict === 'ignore'),
      ).toBe(true);
  });

  it('[5:J08] deletePod does not look for the pod: one that does not run yet is no error', () => {
    const early = {
      calls: [{ method: 'RunPodSandbox', took: '4s' }],
      steps: [{ apply: pod('web') }, { wait: '1500ms' }, { delete: 'web' }, { wait: '10s' }],
    };
    const ended = (era: EraVersion) =>
      runInEra(era, early)
        .of('exit')
        .filter((x) => x.fn === 'deletePod');
    for (const era of old) expect(ended(era).map((x) => x.error)).toEqual(['pod not found']);
    expect(ended('v1.25').map((x) => x.error)).toEqual([undefined]);
    for (const era of later) expect(workers(runInEra(era, early), 'terminating')).toHaveLength(1);
  });

  it('[5:J09] a pod whose phase is terminal is told to its worker, which goes on to end it', () => {
    for (const era of later)
      for (const exitCode of [0, 1]) {
        const r = runInEra(era, once(exitCode));
        const last = r
          .of('exit')
          .filter((x) => x.fn === 'SyncPod')
          .at(-1);
        expect(last?.result).toEqual({ isTerminal: true });
        const inside = r.within(r.entered('SyncPod').at(-1) as RecordOf<'enter'>);
        expect(inside.filter((x) => x.kind === 'cri-call')).toEqual([]);
        const next = last && r.after(last, (x) => x.kind === 'work-start');
        expect(next).toMatchObject({ workType: 'terminating' });
      }
  });

  it('[5:J10] a pod that ends: status, kill, the state straight from the runtime', () => {
    const steps = ['SetPodStatus', 'stop liveness and startup probes', 'killPod', 'remove probes', 'read final state'];
    for (const era of later) {
      const r = runInEra(era, removed);
      const call = firstOf(r, 'SyncTerminatingPod');
      expect(r.steps(call).filter((s) => steps.includes(s))).toEqual(steps);
      const inside = r.within(call);
      const stopped = inside.findIndex((x) => x.kind === 'cri-return' && x.method === 'StopPodSandbox');
      const looked = inside
        .slice(stopped)
        .filter((x) => x.kind === 'cri-call')
        .map((x) => (x as RecordOf<'cri-call'>).method);
      expect(looked).toContain('ListPodSandbox');
      expect(looked).toContain('ListContainers');
    }
  });
  it('[5:J10] a container that still runs after the kill is an error of the runtime', () => {
    /** Says that it stopped container and sandbox, and does nothing. */
    const lying = (services: CRIServices): CRIServices =>
      servicesFrom((method, ...[ctx, request]: Parameters<AnyCall>) =>
        method === 'stopContainer' || method === 'stopPodSandbox' ? nothing() : invoke(services, method, ctx, request),
      );
    function* nothing() {
      return {};
    }
    for (const era of later) {
      const r = startInEra(era, removed, { tap: lying });
      r.run.run();
      const errors = r.of('work-done').flatMap((w) => w.error ?? []);
      expect([era, errors.some((e) => e.includes('CRI violation'))]).toEqual([era, true]);
    }
  });

  it('[5:J11] a pod that has ended: status, unmount, secrets and config maps, cgroup, TerminatePod', () => {
    const steps = [
      'SetPodStatus',
      'unmount volumes',
      'unregister secrets and configmaps',
      'destroy cgroup',
      'TerminatePod',
    ];
    for (const era of later) {
      const r = runInEra(era, removed);
      expect(r.steps(firstOf(r, 'SyncTerminatedPod')).filter((s) => steps.includes(s))).toEqual(steps);
    }
    for (const era of old) expect(runInEra(era, removed).entered('TerminatePod')).toEqual([]);
  });

  it('[5:J12] housekeeping of v1.25: workers, orphans, statuses, a fresh list, and last the pods to be restarted', () => {
    const r = runInEra('v1.25', orphan);
    const cleanup = r
      .entered('HandlePodCleanups')
      .find((h) => r.within(h).some((x) => x.kind === 'enter' && x.fn === 'UpdatePod'));
    if (!cleanup) throw new Error('no orphan was found');
    const inside = r.within(cleanup);
    const at = (holds: (x: (typeof inside)[number]) => boolean) => inside.findIndex(holds);
    const order = [
      at((x) => x.kind === 'enter' && x.fn === 'SyncKnownPods'),
      at((x) => x.kind === 'enter' && x.fn === 'UpdatePod'),
      inside.length -
        1 -
        [...inside].reverse().findIndex((x) => x.kind === 'cri-call' && x.method === 'ListPodSandbox'),
    ];
    expect(order).not.toContain(-1);
    expect(order).toEqual([...order].sort((a, b) => a - b));

    const again = runInEra('v1.25', sameUID);
    const restart = again
      .entered('HandlePodCleanups')
      .find((h) => again.within(h).some((x) => x.kind === 'enter' && x.fn === 'dispatchWork'));
    if (!restart) throw new Error('nothing was restarted');
    const calls = again.within(restart).filter((x) => x.kind === 'enter' || x.kind === 'cri-call');
    const last = calls.findIndex((x) => x.kind === 'enter' && x.fn === 'dispatchWork');
    expect(calls.slice(last).filter((x) => x.kind === 'cri-call')).toEqual([]);
    expect(calls.slice(0, last).filter((x) => x.kind === 'cri-call').length).toBeGreaterThan(0);
  });
  it('[5:J12] a pod of a phase that is over is not restarted under the same UID', () => {
    const ended = pod('web', { restartPolicy: 'Never', containers: [container('sleep 1; exit 0')] }, { uid });
    const r = runInEra('v1.25', {
      steps: [
        { apply: ended },
        { wait: '3500ms' },
        { delete: 'web' },
        { wait: '1s' },
        { apply: ended },
        { wait: '20s' },
      ],
    });
    expect(r.calls('StartContainer')).toHaveLength(1);
    const created = r.of('pod-update').filter((u) => u.updateType === 'create');
    expect(created.map((u) => u.dropped !== undefined)).toEqual([false, true]);
  });

  it('[5:J13] an orphan has one second, no preStop and an event; before, what its annotations say, and no event', () => {
    const kills = (r: EraRun) => {
      const from = r.of('input').find((i) => i.verb === 'startKubelet')?.seq ?? 0;
      const since = <T extends { seq: number }>(list: readonly T[]) => list.filter((x) => x.seq > from);
      return {
        timeout: since(r.calls('StopContainer')).map((c) => requestOf(c).timeout ?? '0')[0],
        preStop: since(r.calls('ExecSync')).length > 0,
        told: since(r.events('Killing')).length > 0,
      };
    };
    for (const era of old) expect(kills(runInEra(era, orphan))).toEqual({ timeout: '8', preStop: true, told: false });
    expect(kills(runInEra('v1.25', orphan))).toEqual({ timeout: '1', preStop: false, told: true });
    for (const era of ['v1.32', 'v1.36'] as const)
      expect(kills(runInEra(era, orphan))).toEqual({ timeout: '2', preStop: false, told: true });
  });

  it('[5:J14] housekeeping says how long it took', () => {
    for (const era of later) {
      const r = runInEra(era, removed);
      expect(r.lines('SyncLoop (housekeeping) end').length).toBe(r.entered('HandlePodCleanups').length);
    }
    for (const era of old) expect(runInEra(era, removed).lines('SyncLoop (housekeeping) end')).toEqual([]);
  });
});
