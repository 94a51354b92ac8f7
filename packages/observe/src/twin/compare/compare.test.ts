import type { Json } from '@syncloop/core/trace';
import { observedVersion } from '@syncloop/core/version';
import { describe, expect, it } from 'vitest';
import { type Coverage, type Decision, type DecisionKind, decisionKinds } from '../base/types.js';
import { type CompareOptions, compare } from './compare.js';

const WHOLE = Object.fromEntries(decisionKinds.map((kind) => [kind, 'whole'])) as Coverage;
let seq = 0;
const second = 1e6;
function decision(kind: DecisionKind, at: number, what: string, more: Partial<Decision> = {}): Decision {
  return { kind, seq: ++seq, time: at * second, pod: 'default/web', incarnation: 0, what, ...more };
}
const call = (at: number, what: string, container = '', details?: Json, more: Partial<Decision> = {}) =>
  decision('call', at, what, {
    attempt: 0,
    ...(container && { container }),
    ...(details !== undefined && { details }),
    ...more,
  });
const sync = (at: number, actions = 'nothing', error = '') =>
  decision('sync', at, 'sync', { details: { actions, error } });
const pleg = (at: number, what: string, container: string, attempt = 0) =>
  decision('pleg', at, what, { container, attempt, details: { of: 'container' } });
const backoff = (at: number, delaySeconds: number) =>
  decision('restart', at, 'CrashLoopBackOff', { container: 'app', details: { delaySeconds } });
const status = (at: number, took: number, ready: boolean, more: { [key: string]: Json } = {}) =>
  decision('status', at, 'Running', {
    took: took * second,
    details: {
      phase: 'Running',
      conditions: { Ready: ready ? 'True' : 'False' },
      containers: { app: { state: { running: true }, restartCount: 0, ready, started: true } },
      ...more,
    },
  });
const event = (at: number, what: string, type = 'Normal') =>
  decision('event', at, what, { container: 'app', details: { type } });

const of = (seen: readonly Decision[], twin: readonly Decision[], options: Partial<CompareOptions> = {}) =>
  compare(seen, twin, { coverage: WHOLE, until: 1000 * second, kubelet: observedVersion('v1.36.2'), ...options });
const found = (...args: Parameters<typeof of>) =>
  of(...args).differences.map(({ how, path }) => `${how} ${path ?? ''}`.trim());
const used = (...args: Parameters<typeof of>) =>
  Object.fromEntries(of(...args).tolerances.map((t) => [t.rule, t.used]));

describe('calls', () => {
  const start = () => [call(1, 'RunPodSandbox'), call(2, 'CreateContainer', 'app'), call(3, 'StartContainer', 'app')];

  it('that are the same are all of what was compared', () => {
    const verdict = of(start(), start());
    expect(verdict).toMatchObject({ compared: 3, same: 3, differences: [], tolerances: [] });
    expect(verdict.text.en).toBe('3 of 3 decisions the same.');
    expect(verdict.pairs).toHaveLength(3);
    expect(verdict.kinds.call).toEqual({ compared: 3, same: 3 });
  });

  it('that one run alone made are named, whoever made them', () => {
    expect(found(start(), start().slice(0, 2))).toEqual(['missing']);
    expect(found(start().slice(0, 2), start())).toEqual(['extra']);
    const twice = [...start(), call(3.1, 'StartContainer', 'app')];
    expect(found(twice, start())).toEqual(['missing']);
  });

  it('with another request part at the field', () => {
    const create = (image: string) => [call(1, 'CreateContainer', 'app', { config: { image, linux: { a: 1 } } })];
    const [difference] = of(create('a:1'), create('a:2')).differences;
    expect(difference).toMatchObject({ how: 'value', path: 'config.image', values: { seen: 'a:1', twin: 'a:2' } });
    expect(difference?.text.zh).toContain('config.image 为 `a:1`；孪生为 `a:2`');
  });

  it('in another order part, but for those that were under way together', () => {
    const seen = [call(1, 'CreateContainer', 'a'), call(2, 'CreateContainer', 'b')];
    const twin = [call(1, 'CreateContainer', 'b'), call(2, 'CreateContainer', 'a')];
    expect(found(seen, twin)).toEqual(['order']);
    const long = seen.map((d) => ({ ...d, took: 3 * second }));
    expect(found(long, twin)).toEqual([]);
    expect(used(long, twin)).toEqual({ 'call-order': 1 });
  });

  it('of hooks belong to the end of their container: several containers end side by side', () => {
    const seen = [
      call(1, 'ExecSync', 'a', { cmd: ['x'] }, { took: second }),
      call(2, 'StopContainer', 'a', { timeout: 5 }, { took: 3 * second }),
      call(3, 'StopContainer', 'b', { timeout: 5 }),
    ];
    const twin = [
      call(1, 'StopContainer', 'b', { timeout: 5 }),
      call(1.5, 'ExecSync', 'a', { cmd: ['x'] }),
      call(2.5, 'StopContainer', 'a', { timeout: 5 }),
    ];
    expect(found(seen, twin)).toEqual([]);
  });

  it('that fail are tried again as often as jitter has it; another code is another answer', () => {
    const pull = (n: number, code = 5, error = 'not found') =>
      Array.from({ length: n }, (_, i) => call(10 * i, 'PullImage', '', { image: 'x', code, error }));
    expect(found(pull(4), pull(3))).toEqual([]);
    expect(used(pull(4), pull(3))).toEqual({ retries: 1 });
    expect(found(pull(1), pull(1, 14))).toEqual(['value code']);
    expect(used(pull(1), pull(1, 5, 'no such image'))).toEqual({ 'error-words': 1 });
  });

  it('that remove what is dead: while the pod lives they count, at its end they have time', () => {
    const remove = call(30, 'RemoveContainer', 'app');
    const stop = (at: number) => call(at, 'StopPodSandbox');
    expect(found([stop(60)], [remove, stop(60)])).toEqual(['extra']);
    expect(found([stop(29)], [stop(29), remove])).toEqual([]);
    const again = [call(10, 'StopPodSandbox'), call(70, 'StopPodSandbox'), call(70.1, 'RemovePodSandbox')];
    expect(found(again, [call(10, 'StopPodSandbox')])).toEqual([]);
  });

  it('come as long after what made them as upstream takes, and no longer', () => {
    const with_ = (gap: number) => [decision('config', 1, 'ADD'), call(1 + gap, 'RunPodSandbox')];
    expect(found(with_(0.1), with_(2))).toEqual([]);
    expect(found(with_(0.1), with_(9))).toEqual(['time']);
    const [late] = of(with_(9), with_(1), { epochMicros: Date.UTC(2026, 0, 1, 3, 12) * 1000 }).differences;
    expect(late?.text.en).toBe(
      'At 03:12:10 the real kubelet called RunPodSandbox of default/web 8 s later than the twin.',
    );
  });

  it('of an older kubelet lack what it does not send', () => {
    const run = (config: Json) => [call(1, 'RunPodSandbox', '', { config })];
    const old = run({ linux: { securityContext: {} } });
    const ours = run({ linux: { securityContext: { namespaceOptions: { usernsOptions: { mode: 'NODE' } } } } });
    const kubelet = observedVersion('v1.25.3');
    expect(found(old, ours, { kubelet })).toEqual([]);
    expect(used(old, ours, { kubelet })).toEqual({ version: 1 });
    // Beside a twin of its own version it is a difference.
    expect(found(old, ours, { kubelet, era: 'v1.25' })).toEqual([
      'value config.linux.securityContext.namespaceOptions',
    ]);
    expect(found(old, ours)).toEqual(['value config.linux.securityContext.namespaceOptions']);
  });
});

describe('what makes something else happen', () => {
  it('comes first across kinds, too, but for what clocks may differ by', () => {
    const ended = (removed: number, stopped: number) => [
      decision('config', removed, 'REMOVE'),
      call(stopped, 'StopContainer', 'app', { timeout: 5 }),
    ];
    expect(found(ended(10, 12), ended(12, 10))).toEqual(['order']);
    expect(found(ended(10, 10.5), ended(10.5, 10))).toEqual([]);
    const [difference] = of(ended(10, 12), ended(12, 10)).differences;
    expect(difference?.text.en).toContain('StopContainer for `app` of default/web, after it took REMOVE default/web');
  });
});

describe('the PLEG', () => {
  it('need not tell of a start where the end came before the next relist', () => {
    const both = (gap: number) => [pleg(10, 'ContainerStarted', 'app'), pleg(10 + gap, 'ContainerDied', 'app')];
    const died = [pleg(11, 'ContainerDied', 'app')];
    expect(used(both(1), died)).toEqual({ 'pleg-merged': 1 });
    expect(found(died, both(1))).toEqual([]);
    expect(found(both(20), died)).toEqual(['missing']);
    expect(found(both(1), both(1).slice(0, 1))).toEqual(['missing']);
  });

  it('may speak of somebody whom no source names', () => {
    const unknown = { ...pleg(10, 'ContainerDied', 'app'), details: { of: 'unknown' } };
    const { container: _, attempt: __, ...vague } = unknown;
    expect(found([vague], [pleg(10, 'ContainerDied', 'app')])).toEqual([]);
    expect(found([vague], [pleg(10, 'ContainerStarted', 'app')])).toEqual(['missing']);
  });
  it('need not tell whose start it was that the other run did not see', () => {
    const vague = (at: number, what: string, more: object) =>
      ({
        ...pleg(at, what, ''),
        container: undefined,
        attempt: undefined,
        details: { of: 'unknown', ...more },
      }) as Decision;
    const brief = [vague(10, 'ContainerStarted', { short: true }), vague(11, 'ContainerDied', {})];
    expect(used(brief, [pleg(11, 'ContainerDied', 'app')])).toEqual({ 'pleg-merged': 1 });
    expect(
      used(
        [vague(11, 'ContainerDied', { alone: true })],
        [pleg(10, 'ContainerStarted', 'app'), pleg(11, 'ContainerDied', 'app')],
      ),
    ).toEqual({ 'pleg-merged': 1 });
    expect(
      found([vague(10, 'ContainerStarted', {}), vague(20, 'ContainerDied', {})], [pleg(20, 'ContainerDied', 'app')]),
    ).toEqual(['missing']);
  });
  it('means the nearest one that may be meant, if no source names it', () => {
    const vague = { ...pleg(10, 'ContainerStarted', ''), container: undefined, details: { of: 'unknown' } };
    const short = [pleg(10, 'ContainerStarted', 'init'), pleg(11, 'ContainerDied', 'init')];
    const sandbox = decision('pleg', 10, 'ContainerStarted', { attempt: 0, details: { of: 'sandbox' } });
    const died = pleg(11, 'ContainerDied', 'init');
    expect(used([vague as Decision, died], [...short, sandbox])).toEqual({ 'pleg-merged': 1 });
    const late = decision('pleg', 60, 'ContainerStarted', { attempt: 1, details: { of: 'sandbox', ignored: true } });
    expect(found([vague as Decision], [late])).toEqual(['missing']);
  });
});

describe('the PLEG of a log that names some containers', () => {
  const unnamed = (at: number, what: string) =>
    ({ ...pleg(at, what, ''), container: undefined, attempt: undefined, details: { of: 'unknown' } }) as Decision;

  it('gives an event to the container that it names, however near another one is', () => {
    const seen = [pleg(12, 'ContainerStarted', 'b'), unnamed(30, 'ContainerStarted')] as const;
    const twin = [pleg(12, 'ContainerStarted', 'a'), pleg(29, 'ContainerStarted', 'b')] as const;
    const { pairs, differences } = of(seen, twin);
    expect(pairs).toContainEqual({ seen: seen[0].seq, twin: twin[1].seq });
    expect(pairs).toContainEqual({ seen: seen[1].seq, twin: twin[0].seq });
    expect(differences).toEqual([]);
  });

  it('pairs thousands of a crash loop, each with the nearest one', () => {
    const times = Array.from({ length: 5000 }, (_, i) => 100 * i);
    const loop = (late: number) =>
      times.flatMap((at, i) => [
        pleg(at + late, 'ContainerStarted', 'app', i),
        pleg(at + 30 + late, 'ContainerDied', 'app', i),
      ]);
    const seen = loop(0).map((d) => unnamed(d.time / second, d.what));
    const twin = loop(1);
    const verdict = of(seen, twin, { until: 1e6 * second });
    expect(verdict).toMatchObject({ compared: seen.length, same: seen.length, differences: [] });
    // One of ours more than it saw is one difference, and it is the one without an event near it.
    const without = [...seen.slice(0, 4000), ...seen.slice(4001)];
    const { differences } = of(without, twin, { until: 1e6 * second });
    expect(differences).toMatchObject([{ how: 'extra', twin: twin[4000] }]);
  });
});

describe('kills', () => {
  const kill = (attempt: number) =>
    decision('kill', 9, 'killContainer', { container: 'app', attempt, details: { gracePeriod: 2 } });
  it('are of the same container where no source numbers its attempts', () => {
    expect(of([kill(0)], [kill(1)])).toMatchObject({ compared: 2, same: 0 });
    const coverage: Coverage = { ...WHOLE, status: 'none', call: 'part' };
    expect(found([kill(0)], [kill(1)], { coverage })).toEqual([]);
    expect(found([kill(0), kill(0)], [kill(1)], { coverage })).toEqual(['missing']);
  });
});

describe('workers', () => {
  it('come back to nothing any number of times, within reason', () => {
    const idle = (n: number) => Array.from({ length: n }, (_, i) => sync(i));
    expect(used(idle(5), idle(9))).toEqual({ resync: 4 });
    expect(found(idle(50), idle(5))).toEqual(['missing']);
  });

  it('may act on two changes in one sync or in two', () => {
    const two = [sync(1, 'start 1'), sync(2, 'start 1')];
    expect(used(two, [sync(1, 'start 2')])).toEqual({ 'worker-merged': 2 });
    expect(found(two, [sync(1, 'start 3')])).not.toEqual([]);
    expect(found([sync(1, 'start 1', 'no')], [sync(1, 'start 1')])).toEqual(['value error']);
  });

  it('of v1.29 to v1.32 need not print which init container starts, unless the pod has a restartable one', () => {
    const seen = [sync(1, 'new sandbox 0'), sync(3, 'start 1')];
    const twin = [sync(1, 'new sandbox 0; start 1 init'), sync(2, 'start 1 init'), sync(3, 'start 1')];
    const by = (version: string) => ({ kubelet: observedVersion(version), era: 'v1.32' as const });
    expect(found(seen, twin, by('v1.31.1'))).toEqual([]);
    expect(found(seen, twin, by('v1.33.1'))).not.toEqual([]);
    const printed = [sync(1, 'new sandbox 0; start 1 init'), sync(3, 'start 1')];
    expect(found(printed, [sync(1, 'new sandbox 0'), sync(3, 'start 1')], by('v1.31.1'))).not.toEqual([]);
  });
  it('hear of a probe after as many failures in a row', () => {
    const failed = (failures: number) => [
      decision('sync', 9, 'liveness Failure', { container: 'app', details: { failures } }),
    ];
    expect(found(failed(3), failed(3))).toEqual([]);
    expect(found(failed(4), failed(3))).toEqual(['value failures']);
  });
});

describe('back-offs', () => {
  it('are of the same lengths in the same order, however often somebody looked', () => {
    expect(found([backoff(1, 10), backoff(6, 10), backoff(30, 20)], [backoff(1, 10), backoff(30, 20)])).toEqual([]);
    expect(found([backoff(1, 10), backoff(30, 40)], [backoff(1, 10), backoff(30, 20), backoff(60, 40)])).toEqual([
      'extra',
    ]);
    expect(found([backoff(1, 10)], [backoff(1, 20)])).toEqual(['value delaySeconds']);
  });

  it('are over when they are over: the worker that waits has jitter, to one side', () => {
    const restart = (gap: number) => [
      backoff(10, 10),
      call(10 + gap, 'CreateContainer', 'app', undefined, { attempt: 1 }),
    ];
    expect(used(restart(10.5), restart(24))).toEqual({ 'backoff-time': 1 });
    expect(found(restart(3), restart(12))).toEqual(['time']);
    expect(found(restart(40), restart(12))).toEqual(['time']);
  });

  it('that statuses alone tell of have the jitter of a worker', () => {
    const restarts = (gap: number) =>
      [1, 1 + gap].map((at, i) => decision('restart', at, 'restart', { container: 'app', attempt: i + 1 }));
    const pods = { coverage: { ...WHOLE, call: 'none', restart: 'part' } as Coverage };
    expect(found(restarts(12), restarts(26), pods)).toEqual([]);
    expect(found(restarts(12), restarts(60), pods)).toEqual(['time']);
  });

  it('that end before or after the pod does are chance', () => {
    const failing = () => [sync(10, 'start 1', 'back-off 10s restarting failed container=app')];
    const end = decision('config', 22, 'REMOVE');
    const started = [sync(21, 'start 1'), call(21, 'CreateContainer', 'app', undefined, { attempt: 1 })];
    const [difference] = of([...failing(), ...started, end], [...failing(), end]).differences;
    expect(difference).toMatchObject({ how: 'missing', chance: 'retries' });
    expect(difference?.text.en).toMatch(/the twin did not\. Jitter alone explains it/);
    const late = decision('config', 80, 'REMOVE');
    const [other] = of([...failing(), ...started, late], [...failing(), late]).differences;
    expect(other?.chance).toBeUndefined();
  });
});

describe('statuses', () => {
  it('that stood count, in order and whole; short ones need not have been seen', () => {
    const seen = [status(1, 5, false), status(6, 9, true)];
    const twin = [status(1, 5, false), status(6, 0.1, true, { message: 'x' }), status(6.1, 9, true)];
    expect(found(seen, twin)).toEqual([]);
    expect(found(seen, [status(1, 14, false)])).toEqual(['missing']);
    expect(found([status(1, 14, false)], seen)).toEqual(['extra']);
    expect(found([status(1, 5, true), status(6, 9, false)], seen)).not.toEqual([]);
  });

  it('part at the first field that differs', () => {
    const [difference] = of([status(1, 9, true, { message: 'a' })], [status(1, 9, true, { message: 'b' })]).differences;
    expect(difference).toMatchObject({ how: 'value', path: 'message', values: { seen: 'a', twin: 'b' } });
  });

  it('that come between two alike may be missed', () => {
    const twin = [status(1, 4, true), status(5, 0.2, false), status(5.2, 9, true)];
    expect(found([status(1, 13, true)], twin)).toEqual([]);
  });
});

describe('events', () => {
  it('of a kind that repeats are counted leniently, others are not', () => {
    const warnings = (n: number) => Array.from({ length: n }, (_, i) => event(i, 'BackOff', 'Warning'));
    expect(used(warnings(3), warnings(5))).toEqual({ 'event-aggregation': 2 });
    expect(found(warnings(3), [])).toEqual(['missing']);
    expect(found([event(1, 'Started')], [event(1, 'Started'), event(2, 'Started')])).toEqual(['extra']);
  });
});

describe('a verdict', () => {
  const seen = () => [decision('config', 1, 'ADD'), call(2, 'RunPodSandbox'), call(3, 'CreateContainer', 'app')];

  it('has what follows under what it follows from, by pod', () => {
    const other = { ...call(2, 'RunPodSandbox'), pod: 'default/b' };
    const verdict = of([...seen(), other], [decision('config', 1, 'ADD')]);
    expect(verdict.differences.map((d) => [d.seen?.pod, d.seen?.what, d.followers?.length ?? 0])).toEqual([
      ['default/web', 'RunPodSandbox', 1],
      ['default/b', 'RunPodSandbox', 0],
    ]);
    expect(verdict.text.en).toBe(
      '1 of 4 decisions the same, differences in 2 places; first difference: ' +
        'At 2 s the real kubelet called RunPodSandbox of default/web; the twin did not.',
    );
    expect(verdict.text.zh).toContain('4 个决策中有 1 个相同');
  });

  it('of a source that tells a part is not held against the twin, and of none nothing is', () => {
    const part = { ...WHOLE, call: 'part' } as Coverage;
    expect(used([], seen(), { coverage: { ...part, config: 'none' } })).toEqual({ 'not-told': 2 });
    expect(of([], seen(), { coverage: { ...WHOLE, call: 'none', config: 'none' } }).compared).toBe(0);
  });

  it('counts what was not compared, and why', () => {
    const coverage: Coverage = { ...WHOLE, call: 'none' };
    const seen = [sync(1), sync(2), pleg(3, 'ContainerStarted', 'app')];
    const twin = [sync(1), call(2, 'RunPodSandbox'), pleg(3, 'ContainerStarted', 'app')];
    const gone = decision('pleg', 4, 'ContainerDied', { pod: 'default/gone', details: { of: 'container' } });
    const left = [{ pod: 'default/gone', why: { en: '', zh: '' } }];
    const { notCompared, compared } = of([...seen, gone], twin, { coverage, left });
    expect(notCompared.map((one) => [one.rule, one.seen, one.twin])).toEqual([
      ['resync', 2, 1],
      ['not-told', 0, 1],
      ['left-out', 1, 0],
    ]);
    // All decisions of the real kubelet are compared, or have a reason.
    expect(compared + notCompared.reduce((n, one) => n + one.seen, 0)).toBe(seen.length + 1);
  });
  it('passes over what was under way when the observation ended', () => {
    expect(used(seen(), seen().slice(0, 2), { until: 4 * second })).toEqual({ end: 1 });
  });

  it('knows by how much the clocks differ', () => {
    const twin = seen().map((d) => ({ ...d, time: d.time - 0.5 * second }));
    expect(of(seen(), twin, { seenFrom: 0.5 * second }).same).toBe(3);
  });

  it('says what happened meanwhile where the records are there', () => {
    const probe = (time: number, output: string) => ({
      ...{ seq: 1, g: 0, span: 0, cause: 0, kind: 'probe' as const, container: 'app', probeType: 'liveness' as const },
      ...{ time: time * second, outcome: 'failure' as const, output, pod: 'default/web', uid: 'u' },
    });
    const kill = (at: number) => [
      decision('config', 1, 'ADD'),
      decision('kill', at, 'killContainer', { container: 'app', details: { gracePeriod: 5 } }),
    ];
    const [difference] = of(kill(9), kill(1.1), {
      records: [probe(0.5, 'x'), probe(4, 'command timed out'), probe(7, 'command timed out')],
    }).differences;
    expect(difference?.text.en).toMatch(/7\.9 s later than the twin; meanwhile its probe timed out twice\.$/);
  });

  it('of 100,000 decisions is there in seconds, even where every tenth is another', () => {
    const many = (other: number) =>
      Array.from({ length: 100_000 }, (_, i) =>
        i % 10 === other
          ? sync(i, `start ${1 + (i % 7) + other}`)
          : call(i, 'CreateContainer', `c${i % 5}`, undefined, { attempt: i }),
      );
    const verdict = of(many(3), many(4), { until: 200_000 * second });
    expect(verdict.compared).toBeGreaterThan(80_000);
    expect(verdict.differences.length).toBe(1);
  });
});

it('an event of a pod that came back may be of either, where only its name is told', () => {
  const of2 = (incarnation: number) => [event(1, 'Started'), { ...event(9, 'Killing'), incarnation }];
  expect(found(of2(1), of2(0))).toEqual([]);
  expect(found(of2(1), of2(0).slice(0, 1))).toEqual(['missing']);
});
