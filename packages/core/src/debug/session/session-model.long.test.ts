import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sleep } from '../../kernel/index.js';
import {
  type Command,
  type Comparison,
  countedUnits,
  type GoTarget,
  type RunSpec,
  type SimulationSource,
  type StepUnit,
  simulationSource,
  stepUnits,
} from '../index.js';
import { type Action, type ModelOptions, runModel, SessionModel } from '../testing/session-model.js';
import { toySource } from '../testing/toy.js';

/** SYNCLOOP_RUNS: number of runs of each property instead of its own; SYNCLOOP_SEED: others than always. */
const wanted = Number(process.env.SYNCLOOP_RUNS ?? 0);
const runs = (usual: number): number => (wanted > 0 ? wanted : usual);
const seed = Number(process.env.SYNCLOOP_SEED ?? 1);

const tiny = { capacity: 64, chunk: 16 };
/** Runs trail closely behind. */
const trailed = { behind: [2, 8] };
const share = fc.double({ min: 0, max: 1, noNaN: true });
/** Those that come to an end soon, in any program. */
const soon: readonly StepUnit[] = ['decision', 'record', 'iteration', 'into', 'over', 'channel'];
const unit = (endless: boolean) => fc.constantFrom(...(endless ? stepUnits : soon));
const manifest = `apiVersion: v1
kind: Pod
metadata:
  name: extra
spec:
  containers:
    - name: app
      image: localhost/busybox:dev
      imagePullPolicy: IfNotPresent
      command: ["sh", "-c", "sleep 1000"]
`;
const breakpoints: Command[] = [
  { do: 'breakpoints', set: [] },
  { do: 'breakpoints', set: [{ on: 'channel', name: 'configCh' }] },
  { do: 'breakpoints', set: [{ on: 'function', name: 'sync*', when: 'enter', log: 'at {seq}' }] },
  { do: 'breakpoints', set: [{ on: 'nonsense' }] },
];
const acts = [
  'clearFaults',
  'stopRuntime',
  'startRuntime',
  'restartKubelet',
  'nonsense',
  { network: 'notReady' },
  { removeImage: 'localhost/nobody:1' },
  { kill: { pod: 'nobody' } },
  { delete: 'extra' },
] as const;

const command = (endless: boolean): fc.Arbitrary<Command> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('step' as const),
        unit: unit(endless),
        count: fc.integer({ min: 1, max: 40 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('until' as const),
        where: fc.constantFrom("kind == 'select'", "kind == 'send' && len > 0", 'time % 7 == 3', 'false', 'nonsense'),
        within: fc.constantFrom(1, 500_000, 3_000_000),
        pace: fc.constantFrom('play' as const, 'fast' as const),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('step' as const),
        unit: unit(true),
        count: fc.integer({ min: 1, max: 60 }),
        back: fc.constant(true),
      }),
    },
    {
      weight: endless ? 1 : 0,
      arbitrary: fc.record({
        do: fc.constant('step' as const),
        unit: unit(true),
        pod: fc.constantFrom('hello-node1', 'x'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('apply' as const), manifest: fc.constantFrom(manifest, 'bad: [') }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('delete' as const),
        file: fc.constantFrom('extra.yaml', 'none.yaml', 'pod.yaml'),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('kill' as const), uid: fc.constantFrom('u1', 'nobody') }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('act' as const), action: fc.constantFrom(...acts) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('ask' as const), select: fc.boolean() }) },
    { weight: 2, arbitrary: fc.constant<Command>({ do: 'branch' }) },
    { weight: 1, arbitrary: fc.constant<Command>({ do: 'explore', schedules: 2 }) },
    { weight: 1, arbitrary: fc.constantFrom(...breakpoints) },
    { weight: 1, arbitrary: fc.constantFrom<Command>({ do: 'restart' }, { do: 'pause' }, { do: 'resume' }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('rewind' as const),
        unit: fc.constantFrom(...countedUnits),
        to: fc.nat(100),
      }),
    },
  );
const action = (endless: boolean): fc.Arbitrary<Action> =>
  fc.oneof(
    { weight: 14, arbitrary: command(endless).map((run) => ({ run })) },
    { weight: 3, arbitrary: fc.record({ goSeq: share }) },
    { weight: 2, arbitrary: fc.record({ goStep: share }) },
    { weight: 2, arbitrary: fc.record({ goIteration: share }) },
    { weight: 3, arbitrary: fc.record({ goTime: share }) },
    { weight: 2, arbitrary: fc.record({ take: share }) },
    { weight: 2, arbitrary: fc.record({ pick: share }) },
    { weight: 2, arbitrary: fc.record({ choose: fc.nat(2) }) },
    { weight: 2, arbitrary: fc.record({ switch: share }) },
    { weight: 2, arbitrary: fc.record({ switch: share, to: share }) },
    { weight: 1, arbitrary: fc.record({ drop: share }) },
    { weight: 1, arbitrary: fc.record({ rename: fc.integer({ min: 1, max: 3 }) }) },
    { weight: 3, arbitrary: fc.record({ roundTrip: unit(endless) }) },
    { weight: 2, arbitrary: fc.record({ play: fc.integer({ min: 1, max: 8 }) }) },
    { weight: endless ? 1 : 0, arbitrary: fc.record({ leave: fc.nat(10) }) },
    { weight: 1, arbitrary: fc.record({ killPod: share }) },
    {
      weight: 2,
      arbitrary: fc.record({
        look: fc.constantFrom('runnable' as const, 'manifests' as const, 'spec' as const, 'compare' as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ reconnect: fc.boolean() }) },
  );

function holds(options: () => ModelOptions, usual: number, maxLength: number, endless: boolean): void {
  fc.assert(
    fc.property(fc.array(action(endless), { minLength: 1, maxLength }), (actions) => {
      runModel(options(), actions);
    }),
    { seed, numRuns: runs(usual), ...(process.env.SYNCLOOP_VERBOSE && { verbose: 2 }) },
  );
}

describe('a session, whatever is done to it', () => {
  const toys: [string, ModelOptions['store'], number][] = [
    ['toy', {}, 10],
    ['toy', tiny, 10],
    ['toy', trailed, 10],
    ['toy', { ...tiny, ...trailed }, 6],
    ['panics', tiny, 6],
    ['panics', trailed, 6],
    ['ends', {}, 5],
  ];
  it.each(toys)('stands where it says, and can be had again: %s with %j', (scenario, store, usual) => {
    const stores = { ...(store && { store, clientStore: store }) };
    holds(() => ({ source: toySource(), scenario, thorough: true, ...stores }), usual, 25, wanted > 0);
  });

  const scenarios: [string, ModelOptions['store'], number][] = [
    ['hello', {}, 2],
    ['hello', tiny, 2],
    ['hello', { behind: [8, 64] }, 1],
    ['crash-loop', tiny, 1],
    ['flapping-probe', {}, 1],
    ['slow-runtime', tiny, 1],
  ];
  it.each(scenarios)('stands where it says, and can be had again: %s with %j', (scenario, store, usual) => {
    const source = simulationSource();
    holds(() => ({ source, scenario, ...(store && { store, clientStore: store }) }), usual, 12, false);
  });
});

/** Earlier bugs. The model checks all the rest, too. */
describe('a session', () => {
  const kill: Action = { run: { do: 'kill', uid: 'u1' } };
  const step = (count: number, unit: StepUnit = 'decision'): Action => ({ run: { do: 'step', unit, count } });
  const back = (count: number, unit: StepUnit = 'decision'): Action => ({
    run: { do: 'step', unit, count, back: true },
  });
  const go = (to: GoTarget): Action => ({ run: { do: 'go', to } });
  const branch: Action = { run: { do: 'branch' } };
  const toy = (actions: readonly Action[], options: Partial<ModelOptions> = {}) =>
    runModel({ source: toySource(), scenario: 'toy', thorough: true, ...options }, actions);
  const refused = (model: SessionModel) => model.log.filter((line) => line.startsWith('  refused'));

  it('leaves no trace of what could not be done: no record, no branch, no hit', () => {
    const nobody: Action = { run: { do: 'kill', uid: 'nobody' } };
    const stops: Action = { run: { do: 'breakpoints', set: [{ on: 'record', kind: 'input' }] } };
    const model = toy([stops, nobody, step(20), nobody, back(5), nobody, go({ seq: 0 }), nobody, step(3)]);
    expect(refused(model)).toHaveLength(4);
    expect(model.session.interventions).toEqual([]);
    // Also not where somebody has looked at what could go next.
    toy([step(20), back(5), { look: 'runnable' }, nobody, branch, kill]);
  });

  it('goes on with a step, or runs on, where a command is refused', () => {
    const { session } = new SessionModel({ source: toySource(), scenario: 'toy' });
    let answers = 0;
    session.execute({ do: 'step', unit: 'decision', count: 30_000 }, () => answers++);
    for (const command of [
      { do: 'step', unit: 'cri', back: true },
      { do: 'switch', branch: 9 },
      { do: 'take', seq: 1, case: 0 },
    ] satisfies Command[])
      session.execute(command, (r) => expect(r.ok).toBe(false));
    expect(answers).toBe(0);
    while (session.pump(1, () => true) === 0);
    expect([answers, session.runState().steps]).toEqual([1, 30_000]);
    session.execute({ do: 'resume' }, () => {});
    session.execute({ do: 'switch', branch: 9 }, () => {});
    expect(session.runState().running).toBe(true);
  });

  it('knows where branches part that left their parent before that left its own', () => {
    const later = go({ time: 20_000_000 });
    const model = toy([step(12), { take: 0 }, go({ iteration: 0 }), kill, later, { switch: 0 }, { switch: 1 }]);
    const comparison = model.value<Comparison>({ do: 'compare', branch: 3, with: 1 });
    expect(comparison.same).toBe(2);
    expect(comparison.first[0]).toMatchObject({ kind: 'input', verb: 'kill' });
  });

  it('sends a client that comes back what another branch has, though it has as many records', () => {
    toy([step(10), { reconnect: false }, { reconnect: true }, { take: 0 }, kill]);
    toy([step(30), { reconnect: false }], { clientStore: tiny });
  });

  it('answers a step that ends where the run panics', () => {
    const model = toy([step(3, 'decision'), step(1, 'out')], { scenario: 'panics' });
    expect(refused(model)).toEqual([]);
    expect(model.session.runState().end?.step).toBe(17);
  });

  it('can be had again after a panic: as a spec, as a branch that was let go, and from before it', () => {
    const end = go({ time: 60_000_000 });
    const forks: Action[] = [1, 2, 3, 4, 5].flatMap((n) => [back(n), branch, step(1)]);
    const model = toy([end, ...forks, { switch: 0 }], { scenario: 'panics' });
    expect(model.log.filter((line) => line.includes('"switch"'))).not.toEqual([]);
    expect(refused(model)).toEqual([]);
  });

  it('lets nobody change a run that is over', () => {
    const model = toy([go({ time: 60_000_000 }), kill, { pick: 0 }, step(1)], { scenario: 'panics' });
    expect(refused(model)).toHaveLength(3);
    expect(refused(model).every((line) => line.includes('the run cannot go on: panic'))).toBe(true);
  });

  it('begins a branch where it stands, not where somebody has looked', () => {
    const model = new SessionModel({ source: toySource(), scenario: 'toy', thorough: true });
    for (const action of [step(20), back(12), { look: 'runnable' } as const, step(4), branch]) model.do(action);
    expect(model.session.runState()).toMatchObject({ branch: 2, steps: 12 });
    model.finish();
  });

  it('answers a choice only where it is pending', () => {
    const ask: Action = { run: { do: 'ask', select: true } };
    const model = toy([ask, go({ time: 5_000_000 }), back(3), { choose: 0 }]);
    expect(refused(model)).toEqual(['  refused: no choice is pending here']);
    const atChoice = toy([ask, go({ time: 5_000_000 }), branch, { pick: 0 }, kill]);
    expect(refused(atChoice)).toHaveLength(3);
    // Drawn while it looks at the past: that has nothing to do with what is in view.
    toy([ask, go({ time: 5_000_000 }), back(3), { run: { do: 'ask', select: false } }, step(5)]);
  });

  it('goes as it went where it is executed again, and asks nobody', () => {
    const ask: Action = { run: { do: 'ask', select: true } };
    const model = toy([go({ time: 20_000_000 }), ask, go({ seq: 3 }), go({ time: 15_000_000 }), kill], { store: tiny });
    expect(model.branches()).toHaveLength(2);
    expect(refused(model)).toEqual([]);
  });

  it('ends where it waited for a choice, though it is executed past that later', () => {
    const ask: Action = { run: { do: 'ask', select: true } };
    toy([{ play: 2 }, ask, step(1), { switch: 0, to: 0 }, branch], { store: tiny });
  });

  it('begins a branch also where only what was done from outside comes next', () => {
    const model = toy([step(15), kill, kill, go({ time: 30_000_000 }), { goStep: 0 }, go({ step: 15 })], {
      store: tiny,
    });
    const { seq } = model.session.runState();
    model.do(go({ seq: seq - 4 }));
    model.do(kill);
    model.finish();
    expect(model.branches()).toHaveLength(2);
  });

  it('finds what it does not hold any more: by record, decision, iteration and time', () => {
    const whole = new SessionModel({ source: toySource(), scenario: 'toy' });
    const small = new SessionModel({ source: toySource(), scenario: 'toy', store: tiny });
    const place = ({ session }: SessionModel) => {
      const { seq, steps, iterations, time } = session.runState();
      return { seq, steps, iterations, time };
    };
    for (const to of [
      { time: 50_000_000 },
      { seq: 40 },
      { step: 280 },
      { time: 2_500_000 },
      { step: 280 },
      { iteration: 7 },
      { step: 280 },
      { step: 31 },
      { step: 300 },
      { seq: 0 },
      { step: 270 },
      { step: 0 },
    ]) {
      whole.do(go(to));
      small.do(go(to));
      expect(place(small), JSON.stringify(to)).toEqual(place(whole));
    }
  });

  it('holds all of a decision that makes more records than there is room for', () => {
    const source = simulationSource();
    const store = { capacity: 2, chunk: 1 };
    const model = runModel({ source, scenario: 'hello', store, clientStore: store }, [
      go({ seq: 5 }),
      step(3, 'record'),
      step(40),
      step(1, 'dispatch'),
      back(10),
      step(2, 'record'),
      branch,
    ]);
    expect(refused(model)).toEqual([]);
  });

  it('takes another case with all that was done from outside right before, and sends its records', () => {
    const model = toy([step(12), kill, step(12), { take: 0.99 }]);
    const { interventions } = model.value<RunSpec>({ do: 'spec' });
    expect(interventions).toHaveLength(1);
    toy([step(24), { take: 0.99 }, back(3, 'record'), step(3, 'record')]);
  });

  it('goes only where a branch has been', () => {
    const model = toy([step(20), branch, step(5)]);
    for (const to of [
      { step: 30, seq: 5 },
      { step: 5, seq: 5000 },
    ])
      model.do({ run: { do: 'switch', branch: 1, to } });
    expect(refused(model)).toHaveLength(2);
    expect(refused(model)[0]).toContain('branch 1 is known up to decision 20 and record');
    // If decision and record do not go together, the record counts.
    model.do({ run: { do: 'switch', branch: 1, to: { step: 20, seq: 5 } } });
    expect(model.session.runState()).toMatchObject({ branch: 1, seq: 5 });
    model.finish();
  });

  it('does what was done when the decision before had made timers due', () => {
    const toys = toySource();
    const source: SimulationSource = {
      list: () => [],
      start(request) {
        const simulation = toys.start({ ...request, scenario: 'ends' });
        const { kernel } = simulation;
        // The first takes up to the moment when the second is to wake: that one is due then, and has not been woken.
        for (const when of [999_999, 1_000_000])
          kernel.go(`at ${when}`, function* () {
            yield* sleep(when - kernel.now());
            yield* sleep(5_000_000);
          });
        return simulation;
      },
    };
    const model = new SessionModel({ source, scenario: 'ends', thorough: true });
    while (model.session.runState().time < 999_999) model.do(step(1));
    const { time } = model.session.runState();
    expect(model.session.simulation.kernel.nextTimerAt()).toBe(time);
    expect(model.session.simulation.kernel.nextRunnable).toBeUndefined();
    model.do(kill);
    model.do(step(3));
    model.finish();
    expect(model.value<RunSpec>({ do: 'spec' }).interventions).toMatchObject([{ time }]);
  });
});
