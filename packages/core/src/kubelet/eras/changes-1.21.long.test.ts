import { beforeAll, describe, expect, it } from 'vitest';
import { send } from '../../kernel/index.js';
import { type EraVersion, loadEras } from '../era/index.js';
import { apiPod } from '../testing/fake-node.js';
import { nodeIn } from './testing/node-in.js';
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
const sentOn = (r: EraRun, name: string) => {
  const chan = r.of('chan-make').find((c) => c.name === name)?.chan;
  return r.of('send').filter((s) => s.chan === chan);
};
const nameOf = (r: EraRun, g: number) => r.of('goroutine-start').find((x) => x.id === g)?.name;
describe('what v1.12 had and v1.21 has not', () => {
  it('[5:I01] pods of a checkpoint are added, and their source does not become ready', () => {
    const restored = (era: EraVersion) => {
      const t = nodeIn(era, { api: true });
      t.k.go('checkpoint', function* () {
        const update = { op: 'RESTORE' as 'ADD', source: 'api', pods: [apiPod('web')] };
        yield* send(t.kl.podConfig.updates(), update);
      });
      t.run(5);
      return { running: t.running(), ready: t.of('sources-ready').some((s) => s.source === 'api') };
    };
    expect(restored('v1.12')).toEqual({ running: 1, ready: false });
    // Later it is an operation like any unknown one, after which the source counts.
    for (const era of ['v1.21', 'v1.25'] as const) expect(restored(era)).toEqual({ running: 0, ready: true });
  });

  it('[5:I02] readiness is taken by a goroutine of its own in v1.12, and by the loop in v1.21', () => {
    const ready = { exec: { command: ['sh', '-c', 'true'] }, periodSeconds: 1 };
    const scenario = {
      steps: [
        { apply: pod('web', { containers: [container(untilTerm(), { readinessProbe: ready })] }) },
        { wait: '10s' },
      ],
    };
    const taker = (era: EraVersion) => {
      const r = runInEra(era, scenario);
      const chan = r.of('chan-make').find((c) => c.name === 'readinessManager')?.chan;
      expect(r.condition('web', 'Ready')?.status).toBe('True');
      return new Set(r.of('receive').flatMap((x) => (x.chan === chan ? [nameOf(r, x.g)] : [])));
    };
    expect(taker('v1.12')).toEqual(new Set(['updateReadiness']));
    for (const era of ['v1.21', 'v1.25', 'v1.32', 'v1.36'] as const) expect(taker(era)).toEqual(new Set(['syncLoop']));
  });

  it('[5:I03] the limits of resolv.conf are checked for each pod in v1.12, and once in v1.21', () => {
    const resolvConf = `search ${Array.from({ length: 40 }, (_, i) => `d${i}.example`).join(' ')}\n`;
    const scenario = { machine: { resolvConf }, steps: [{ apply: pod('one') }, { apply: pod('two') }, { wait: '5s' }] };
    const told = (era: EraVersion) => runInEra(era, scenario).events('CheckLimitsForResolvConf').length;
    expect(told('v1.12')).toBe(2);
    for (const era of ['v1.21', 'v1.25', 'v1.36'] as const) expect([era, told(era)]).toEqual([era, 1]);
  });

  it('[5:I04] all that is wrong with the runtime is told together', () => {
    const scenario = {
      steps: [
        { wait: '5s' },
        { fault: { method: 'Status', error: { code: 'Unavailable', message: 'down' } } },
        { fault: { method: 'ListPodSandbox', error: { code: 'Unavailable', message: 'down' } } },
        { wait: '300s' },
      ],
    };
    for (const era of old) {
      const last = runInEra(era, scenario).of('runtime-state').at(-1);
      expect(last?.errors.join(', ')).toContain('container runtime');
      expect(last?.errors.join(', ')).toContain('PLEG is not healthy');
    }
  });

  it('[5:I05] deletePod writes to podKillingCh itself in v1.12, and marks nothing', () => {
    for (const era of old) {
      const r = runInEra(era, removed);
      const [first] = sentOn(r, 'podKillingCh');
      const [deletePod] = r.entered('deletePod');
      if (!first || !deletePod) throw new Error('nothing was killed');
      expect(r.within(deletePod)).toContain(first);
      expect(nameOf(r, first.g)).toBe('syncLoop');
      // The interface, and the marks with it, came later.
      expect(r.entered('podKiller.KillPod').length > 0).toBe(era === 'v1.21');
      expect(r.lines('pending termination').length > 0).toBe(era === 'v1.21');
    }
  });

  it('[5:I06] the consumer drops repeated requests in v1.12; in v1.21 they are not sent', () => {
    const ending = (r: EraRun) => {
      const end = r.of('actual-container').find((c) => c.state === 'exited')?.time ?? 0;
      return {
        sent: sentOn(r, 'podKillingCh').filter((s) => s.time < end).length,
        killers: r.of('goroutine-start').filter((g) => g.name.startsWith('podKiller ') && g.time < end).length,
      };
    };
    expect(ending(runInEra('v1.12', removed)).sent).toBeGreaterThan(1);
    expect(ending(runInEra('v1.12', removed)).killers).toBe(1);
    expect(ending(runInEra('v1.21', removed))).toEqual({ sent: 1, killers: 1 });
  });

  it('[5:I07] a container that started since the cache was made is not found in v1.12, so its pod is an orphan', () => {
    /** Returns the fate of a pod that is removed this long after its start was seen. */
    const removedAfter = (era: EraVersion, ms: number) => {
      const r = runInEra(era, {
        node: { fileCheckFrequency: '100ms' },
        // Right after a housekeeping, which makes the cache.
        steps: [
          { wait: '1200ms' },
          { apply: slow() },
          running,
          { wait: `${ms}ms` },
          { delete: 'web' },
          { wait: '15s' },
        ],
      });
      return r.of('exit').find((x) => x.fn === 'deletePod')?.error;
    };
    const times = [1, 150, 300, 450];
    expect(times.map((ms) => removedAfter('v1.12', ms))).toContain('pod not found');
    for (const ms of times) expect(removedAfter('v1.21', ms)).toBeUndefined();
  });

  it('[5:I08] a pod is synced while it is being killed in v1.12; v1.21 refuses by its name', () => {
    const refused = (era: EraVersion) =>
      runInEra(era, edited)
        .of('work-done')
        .filter((w) => w.error?.includes('is pending termination')).length;
    expect(refused('v1.12')).toBe(0);
    expect(refused('v1.21')).toBeGreaterThan(0);
  });

  it('[5:I09] a pod of a phase that is over is not synced in v1.12, even if a container of it still runs', () => {
    const scenario = {
      steps: [
        {
          apply: pod('web', {
            activeDeadlineSeconds: 5,
            terminationGracePeriodSeconds: 20,
            containers: [container(untilTerm(), { name: 'quick' }), container(untilTerm(6), { name: 'slow' })],
          }),
        },
        { wait: '20s' },
      ],
    };
    const verdicts = (era: EraVersion) => {
      const r = runInEra(era, scenario);
      const failed = r.statuses('web').find((s) => s.phase === 'Failed')?.seq ?? 0;
      const exits = r.of('actual-container').filter((c) => c.state === 'exited');
      expect(exits).toHaveLength(2);
      return r
        .decisions('dispatchWork')
        .flatMap((d) => (d.seq > failed && d.seq < (exits[1]?.seq ?? 0) ? [d.verdict] : []));
    };
    expect(new Set(verdicts('v1.12'))).toEqual(new Set(['ignore']));
    expect(new Set(verdicts('v1.21'))).toEqual(new Set(['UpdatePod']));
  });

  it('[5:I10] the mirror of a pod that is being killed goes at once in v1.12, and after the pod in v1.21', () => {
    const scenario = {
      node: { apiServer: true },
      steps: [{ apply: slow(8) }, running, { wait: '3s' }, { delete: 'web' }, { wait: '20s' }],
    };
    const order = (era: EraVersion) => {
      const r = runInEra(era, scenario);
      const mirror = r.of('pod-config').find((c) => c.source === 'api' && c.op === 'REMOVE');
      const exited = r.of('actual-container').find((c) => c.state === 'exited');
      return (mirror?.time ?? 0) < (exited?.time ?? 0) ? 'mirror first' : 'pod first';
    };
    expect(order('v1.12')).toBe('mirror first');
    expect(order('v1.21')).toBe('pod first');
  });

  it('[5:I11] the workers do the same in both: what is queued, waited for and synced', () => {
    const kinds = ['pod-update', 'work-start', 'cache-wait', 'work-done', 'queue', 'worker'];
    const life = (era: EraVersion) => {
      const r = runInEra(era, { steps: [{ apply: pod('web') }, { wait: '30s' }] });
      return r.records.flatMap((x) => (kinds.includes(x.kind) ? [[x.kind, x.time]] : []));
    };
    expect(life('v1.12')).toEqual(life('v1.21'));
    expect(life('v1.12').length).toBeGreaterThan(10);
    expect(life('v1.25').map(([kind]) => kind)).not.toEqual([]);
  });
});
