import { beforeAll, describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import type { RecordOf } from '../../trace/index.js';
import { availableEras, type EraVersion, loadEras } from '../era/index.js';
import { container, type EraRun, pod, runInEra, untilTerm } from './testing/run-in-era.js';

beforeAll(() => loadEras());

const old = ['v1.12', 'v1.21'] as const;
const running = { waitFor: { pod: 'web', phase: 'Running', timeout: '20s' } };
const slow = (seconds = 5) =>
  pod('web', { terminationGracePeriodSeconds: 20, containers: [container(untilTerm(seconds))] });
const removed = { steps: [{ apply: slow() }, running, { wait: '3s' }, { delete: 'web' }, { wait: '12s' }] };
const edited = {
  steps: [
    { apply: slow() },
    running,
    { wait: '3s' },
    { edit: { pod: 'web', patch: { metadata: { labels: { edited: 'yes' } } } } },
    { wait: '30s' },
  ],
};
/** Returns the most containers that ran at the same time. */
const atOnce = (r: EraRun): number => {
  const ids = new Set<string>();
  let most = 0;
  for (const c of r.of('actual-container')) {
    if (c.state === 'running') ids.add(c.id);
    else ids.delete(c.id);
    most = Math.max(most, ids.size);
  }
  return most;
};

describe('weaknesses of the old design', () => {
  const later = ['v1.25', 'v1.32', 'v1.36'] as const;
  const label = (value: string) => ({ edit: { pod: 'web', patch: { metadata: { labels: { edited: value } } } } });
  const thrice = {
    steps: [
      { apply: slow() },
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
  const uid = '11111111-2222-3333-4444-555555555555';
  const fixed = pod('web', { containers: [container(untilTerm(5))] }, { uid });
  const sameUID = {
    steps: [
      { apply: fixed },
      running,
      { wait: '3s' },
      { delete: 'web' },
      { wait: '1s' },
      { apply: fixed },
      { wait: '30s' },
    ],
  };

  it('[5:M01, 5:M10] worker and killer work on one name at once in v1.12: two pods run beside each other', () => {
    const r = runInEra('v1.12', edited);
    expect(atOnce(r)).toBe(2);
    const killer = r.of('goroutine-start').find((g) => g.name.startsWith('podKiller '));
    const kills = r.of('cri-call').find((c) => c.method === 'StopContainer');
    const makes = r.calls('RunPodSandbox')[1];
    const done = r.of('cri-return').find((x) => x.call === kills?.seq);
    expect(killer).toBeDefined();
    expect(makes?.seq).toBeLessThan(done?.seq ?? 0);
    expect(makes?.g).not.toBe(kills?.g);
    for (const era of ['v1.21', ...later] as const) expect([era, atOnce(runInEra(era, edited))]).toEqual([era, 1]);
  });
  it('[5:M01] in v1.21 the worker of a pod that came back is there while the killer stops the same pod', () => {
    const r = runInEra('v1.21', sameUID);
    const stop = r.calls('StopContainer')[0];
    const stopped = r.of('cri-return').find((x) => x.call === stop?.seq);
    const syncs = r.entered('SyncPod').filter((s) => s.seq > (stop?.seq ?? 0) && s.seq < (stopped?.seq ?? 0));
    expect(syncs.length).toBeGreaterThan(0);
    for (const sync of syncs) expect(sync.g).not.toBe(stop?.g);
    for (const era of later) {
      const now = runInEra(era, sameUID);
      const kill = now.calls('StopContainer')[0];
      const killed = now.of('cri-return').find((x) => x.call === kill?.seq);
      expect(now.entered('SyncPod').filter((s) => s.seq > (kill?.seq ?? 0) && s.seq < (killed?.seq ?? 0))).toEqual([]);
    }
  });

  it('[5:M02] a pod that was killed is killed again, and its preStop runs again: the marks go before the caches know', () => {
    const hooked = (ms: number) => ({
      steps: [
        {
          apply: pod('web', {
            containers: [
              container(untilTerm(), { lifecycle: { preStop: { exec: { command: ['sh', '-c', 'true'] } } } }),
            ],
          }),
        },
        running,
        { wait: `${3000 + ms}ms` },
        { delete: 'web' },
        { wait: '10s' },
      ],
    });
    const hooks = (era: EraVersion) =>
      [0, 400, 800, 1200, 1600].map((ms) => runInEra(era, hooked(ms)).calls('ExecSync').length);
    for (const era of old) expect(Math.max(...hooks(era))).toBe(2);
    for (const era of later) expect([era, ...hooks(era)]).toEqual([era, 1, 1, 1, 1, 1]);
  });

  it('[5:M03] the last status of a removed pod says that it runs', () => {
    for (const era of old) {
      const last = runInEra(era, removed).lastStatus('web');
      expect(last?.phase).toBe('Running');
      expect(last?.containerStatuses?.[0]?.state.running).toBeDefined();
    }
    for (const era of later)
      expect(runInEra(era, removed).lastStatus('web')?.containerStatuses?.[0]?.state.terminated).toBeDefined();
  });

  it('[5:M04] a successor fails and waits out its back-off, however soon the one before has ended', () => {
    const r = runInEra('v1.21', thrice);
    const errors = r.of('work-done').filter((w) => w.error?.includes('pending termination'));
    expect(errors.length).toBeGreaterThanOrEqual(3);
    const stopped = r.of('actual-container').find((c) => c.state === 'exited')?.time ?? 0;
    const second = r.calls('RunPodSandbox')[1]?.time ?? 0;
    expect(second - stopped).toBeGreaterThan(5 * Second);
    const last = errors.at(-1) as RecordOf<'work-done'>;
    expect(second - last.time).toBeGreaterThan(9.5 * Second);
    for (const era of later)
      expect(
        runInEra(era, thrice)
          .of('work-done')
          .filter((w) => w.error?.includes('pending termination')),
      ).toEqual([]);
  });

  it('[5:M05] the same UID comes back by an event, another one by its back-off', () => {
    const comesBackAfter = (scenario: typeof sameUID | typeof edited) => {
      const r = runInEra('v1.21', scenario);
      const stopped = r.of('actual-container').find((c) => c.state === 'exited')?.time ?? 0;
      return ((r.calls('RunPodSandbox')[1]?.time ?? Number.NaN) - stopped) / Second;
    };
    expect(comesBackAfter(sameUID)).toBeLessThan(2);
    expect(comesBackAfter(edited)).toBeGreaterThan(4);
    // Today housekeeping brings the same UID back, and a queue by name another one.
    const now = runInEra('v1.36', sameUID);
    const create = now.of('pod-update').findLast((u) => u.updateType === 'create');
    expect(now.entered('HandlePodCleanups').some((h) => now.within(h).includes(create as never))).toBe(true);
  });

  it('[5:M06] of three successors the last one runs, and no queue says so', () => {
    const r = runInEra('v1.21', thrice);
    const adds = r
      .of('pod-config')
      .filter((c) => c.op === 'ADD' && c.pods.length > 0)
      .map((c) => c.pods[0]?.uid);
    expect(adds).toHaveLength(4);
    expect(r.calls('RunPodSandbox')).toHaveLength(2);
    expect(
      r
        .of('actual-sandbox')
        .filter((s) => s.state === 'ready')
        .at(-1)?.uid,
    ).toBe(adds[3]);
    // Those in between were forgotten, as nothing of them ran.
    expect(r.of('exit').filter((x) => x.fn === 'deletePod' && x.error === 'pod not found')).toHaveLength(2);
    expect(r.decisions('allowPodStart')).toEqual([]);
    expect(runInEra('v1.36', thrice).decisions('allowPodStart').length).toBeGreaterThan(3);
  });

  it('[5:M07] pods of one name in two namespaces do not hold each other up', () => {
    const inNamespace = (namespace: string) => pod('web', { containers: [container(untilTerm(6))] }, { namespace });
    const r = runInEra('v1.21', {
      steps: [
        { apply: { file: 'a.yaml', manifest: inNamespace('one') } },
        { waitFor: { pod: 'one/web', phase: 'Running', timeout: '20s' } },
        { wait: '3s' },
        { delete: 'a.yaml' },
        { wait: '1500ms' },
        // The killer has the name "web-node1" in its map without the namespace.
        { apply: { file: 'b.yaml', manifest: inNamespace('two') } },
        { wait: '3s' },
      ],
    });
    expect(r.of('work-done').filter((w) => w.error)).toEqual([]);
    expect(atOnce(r)).toBe(2);
  });

  it('[5:M09] a deleted pod of which nothing has started yet is taken for one that has ended', () => {
    const scenario = {
      node: { apiServer: true },
      calls: [{ method: 'CreateContainer', took: '4s' }],
      steps: [
        { apply: { to: 'api', manifest: pod('web') } },
        { wait: '1500ms' },
        { delete: { pod: 'web', to: 'api' } },
        { wait: '15s' },
      ],
    };
    for (const era of old) {
      const r = runInEra(era, scenario);
      const ended = r.decisions('dispatchWork').find((d) => d.verdict === 'TerminatePod');
      const started = r.calls('StartContainer')[0];
      expect(ended).toBeDefined();
      // Its container starts after that.
      expect(started?.seq).toBeGreaterThan(ended?.seq ?? Number.POSITIVE_INFINITY);
    }
    for (const era of later) {
      const r = runInEra(era, scenario);
      const ended = r.entered('TerminatePod')[0];
      expect(ended?.seq).toBeGreaterThan(r.calls('StopContainer')[0]?.seq ?? Number.POSITIVE_INFINITY);
    }
  });

  it('[5:M10] without an API server nothing marks what v1.20 and before are killing; v1.21 marks every pod', () => {
    const marks = (era: EraVersion) => {
      return runInEra(era, edited).lines('Marking').length > 0;
    };
    expect(availableEras.map(marks)).toEqual([false, true, false, false, false]);
  });
});
