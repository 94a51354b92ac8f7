import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { manyRuns } from '../../conformance/invariants/testing/runs.js';
import { ExpressionError } from '../../expression/index.js';
import { deviating, fifo, type Policy, scripted, seeded } from '../../kernel/index.js';
import { findScenario, ScenarioError } from '../../scenario/index.js';
import type { TraceRecord } from '../../trace/index.js';
import { SimulationRun } from '../run/run.js';
import { simulationSource } from '../run/scenario-source.js';
import { scenarioStart, startOf } from '../run/subject.js';
import { Exploration, type ExploreOptions, explore, outcomeText, runNow, type Start, type Strategy } from './index.js';
import { broken, sound } from './testing/broken-worker.js';
import { type Counter, increment, type Toy, toyStart } from './testing/toy.js';

const counter = (goroutines: readonly Toy<Counter>[], wanted = goroutines.length): Start =>
  toyStart(() => ({ x: 0, seen: [] }), goroutines, { check: (s) => (s.x === wanted ? null : `x is ${s.x}`) });

/** An update is lost only where somebody is preempted. */
const threeRacing = counter([increment(0), increment(1), increment(2)]);

const strategies: Strategy[] = [
  { kind: 'random' },
  { kind: 'pct' },
  { kind: 'exhaustive', deviations: 6 },
  { kind: 'exhaustive', deviations: 6, converging: true, audit: 1 },
];

/** All hashes of traces that there are, by trying each choice in turn. */
function allTraces(start: Start, maxSteps = 1000): Set<number> {
  const hashes = new Set<number>();
  const rules = { start, maxSteps };
  const open: number[][] = [[]];
  for (let prefix = open.pop(); prefix; prefix = open.pop()) {
    const counts: number[] = [];
    const shape: Policy = { ...fifo(), choosesGoroutines: true };
    const replay = scripted(prefix, shape);
    const policy: Policy = {
      ...replay,
      choose(choice) {
        counts.push(choice.options.length);
        return replay.choose(choice);
      },
    };
    hashes.add(runNow(rules, { seed: 1, policy }).hash);
    for (let i = prefix.length; i < counts.length; i++)
      for (let way = 1; way < (counts[i] as number); way++)
        open.push([...prefix, ...new Array<number>(i - prefix.length).fill(0), way]);
  }
  return hashes;
}

describe('strategies', () => {
  it.each(strategies)(
    '%j finds an update that is lost under some schedules only, and which outcomes there are',
    (strategy) => {
      const report = explore({ start: threeRacing, strategy, maxSchedules: 400 });
      expect(report.findings.map((f) => [f.problem.kind, f.problem.name])).toEqual([['step', 'end']]);
      const results = report.outcomes.map((o) => o.outcome.result).sort();
      expect(results).toEqual(['failed', 'passed']);
      expect(report.outcomes.reduce((sum, o) => sum + o.times, 0)).toBe(report.schedules);
      expect(report.outcomes.find((o) => o.outcome.result === 'failed')?.times).toBe(report.findings[0]?.times);
    },
  );

  it('exhaustive without a bound that matters runs each schedule once, and all there are', () => {
    const stepArb = fc.constantFrom<Toy<Counter>[number]>(
      (s) => {
        s.x = s.x * 2 + 1;
        return s.x;
      },
      (s) => s.seen.push(s.x),
    );
    fc.assert(
      fc.property(
        fc.array(fc.array(stepArb, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 }),
        (goroutines) => {
          const start = counter(goroutines, -1);
          const report = explore({
            start,
            strategy: { kind: 'exhaustive', deviations: 20 },
            maxSchedules: 1e6,
            shrink: false,
          });
          const all = allTraces(start);
          expect(report.schedules).toBe(all.size);
          expect(report.distinct).toBe(all.size);
          expect(report.exhaustive?.bound).toBe(20);
        },
      ),
      { numRuns: 10, seed: 11 },
    );
  });

  it.each(strategies)('varies only the choices that it is told to: %j', (strategy) => {
    const of = (kind: 'select' | 'goroutine') =>
      explore({ start: threeRacing, strategy, maxSchedules: 100, vary: [kind] });
    // There is no select in it, and an update is lost only where a goroutine is preempted.
    expect(of('select')).toMatchObject({ distinct: 1, findings: [] });
    expect(of('goroutine').findings).toMatchObject([{ problem: { name: 'end' } }]);
  });

  it('exhaustive runs those with fewer deviations first', () => {
    const counts: number[] = [];
    for (const maxSchedules of [1, 5, 12, 60]) {
      const { exhaustive } = explore({
        start: threeRacing,
        strategy: { kind: 'exhaustive', deviations: 3 },
        maxSchedules,
      });
      counts.push(exhaustive?.bound ?? -1);
    }
    expect(counts[0]).toBeLessThanOrEqual(0);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(counts.at(-1)).toBeGreaterThan(0);
  });

  it('converging leaves out steps that do not meet, and is told by its audit when memory keeps a difference to itself', () => {
    const alone: Toy<object> = [() => 1, () => 2];
    const options: ExploreOptions = { start: toyStart(() => ({}), [alone, alone, alone, alone]), maxSchedules: 1e5 };
    const all = explore({ ...options, strategy: { kind: 'exhaustive', deviations: 2 } });
    const fewer = explore({
      ...options,
      strategy: { kind: 'exhaustive', deviations: 2, converging: true, audit: 0.2 },
    });
    expect(fewer.exhaustive?.skipped).toBeGreaterThan(0);
    expect(fewer.exhaustive?.audited).toBeGreaterThan(0);
    expect(fewer.exhaustive?.differed).toBe(0);
    expect(fewer.schedules + (fewer.exhaustive?.skipped ?? 0)).toBe(all.schedules);

    // Which of the first two comes first shows only if the last goes before the third has ended: no other run shows it.
    interface Hidden {
      first: string;
      late: boolean;
    }
    const says = (name: string): Toy<Hidden> => [
      (s) => {
        s.first ||= name;
        return 0;
      },
    ];
    const hidden = toyStart<Hidden>(
      () => ({ first: '', late: false }),
      [
        says('a'),
        says('b'),
        [
          () => 0,
          () => 0,
          (s) => {
            s.late = true;
            return 0;
          },
        ],
        [(s) => (s.late ? 0 : s.first)],
      ],
    );
    const strategy = { kind: 'exhaustive', deviations: 2, converging: true } as const;
    const audited = explore({ start: hidden, maxSchedules: 1e5, strategy: { ...strategy, audit: 1 } });
    expect(audited.exhaustive?.differed).toBe(1);
    const trusting = explore({ start: hidden, maxSchedules: 1e5, strategy: { ...strategy, audit: 0 } });
    expect(trusting.exhaustive?.skipped).toBeGreaterThan(0);
    // It is not sound: with the difference hidden it misses what the full search sees.
    const full = explore({ start: hidden, maxSchedules: 1e5, strategy: { kind: 'exhaustive', deviations: 2 } });
    expect(trusting.distinct).toBeLessThan(full.distinct);
  });

  it('goes round one that only yields: it does not keep the others from going', () => {
    let turned = false;
    const start: Start = (request) => {
      turned = false;
      const spin: Toy<object> = Array.from({ length: 3000 }, () => () => 0);
      const turns: Toy<object> = [
        () => {
          turned = true;
          return 0;
        },
      ];
      return toyStart(() => ({}), [spin, turns], { polite: true })(request);
    };
    const report = explore({ start, strategy: { kind: 'pct', changes: 0 }, maxSchedules: 4 });
    expect(report.findings).toEqual([]);
    expect(turned).toBe(true);
  });
});

describe('a worker with a race in it', () => {
  it('passes under the base schedule; explore finds the schedule that breaks it and shrinks it to under 20 choices', () => {
    // What `random` finds is made small in the next test, too.
    const strategies: readonly Strategy[] = manyRuns ? [{ kind: 'random' }, { kind: 'pct' }] : [{ kind: 'pct' }];
    for (const strategy of strategies) {
      const report = explore({ start: broken, strategy, maxSchedules: 120, stopAtFirst: true });
      const [finding] = report.findings;
      expect(finding?.inBase).toBe(false);
      expect(finding?.problem).toMatchObject({ kind: 'invariant', name: 'workersGoForward' });
      const shrunk = finding?.shrunk;
      expect(shrunk?.deviations.length).toBeGreaterThan(0);
      expect(shrunk?.deviations.length).toBeLessThan(20);
      expect(shrunk).toMatchObject({ minimal: true, replays: true });
      expect(shrunk?.problem.time).toBeLessThanOrEqual((finding?.problem.time ?? 0) + 1000);
    }
  });

  it('the shrunk schedule is a pure run: it gives the same records to the byte, and without any one of its choices no problem', () => {
    const report = explore({
      start: broken,
      strategy: { kind: 'random', preemption: 0.5 },
      maxSchedules: 120,
      stopAtFirst: true,
    });
    const { seed, deviations, problem } = report.findings[0]?.shrunk ?? { seed: 0, deviations: [], problem: null };
    const records = (start: Start) => {
      const all: TraceRecord[] = [];
      const subject = start({ seed, policy: deviating(deviations, seeded(seed)), sink: (r) => all.push(r) });
      while (!subject.done && subject.kernel.now() < 60e6) subject.kernel.step();
      return JSON.stringify(all);
    };
    expect(records(broken)).toBe(records(broken));
    const rules = { start: broken, maxSteps: 100_000 };
    const replay = runNow(rules, { seed, policy: deviating(deviations, seeded(seed)) });
    expect(replay.problems[0]).toEqual(problem);
    for (let i = 0; i < deviations.length; i++) {
      const fewer = deviations.filter((_, n) => n !== i);
      expect(runNow(rules, { seed, policy: deviating(fewer, seeded(seed)) }).problems).toEqual([]);
    }
  });

  it('the kubelet as it is has no problem under the same schedules', () => {
    for (const strategy of [{ kind: 'random' }, { kind: 'pct' }] satisfies Strategy[]) {
      const report = explore({ start: sound, strategy, maxSchedules: 20 });
      expect(report.findings).toEqual([]);
      expect(report.distinct).toBeGreaterThan(10);
    }
  });
});

describe('exploration', () => {
  it('comes to the same in slices as at once', () => {
    const options: ExploreOptions = { start: threeRacing, maxSchedules: 50 };
    const e = new Exploration(options);
    let slices = 0;
    while (e.step({ schedules: 1 })) slices++;
    expect(slices).toBeGreaterThanOrEqual(49);
    expect(e.report()).toEqual(explore(options));
    const byTime = new Exploration({ ...scenarioStart('hello'), maxSchedules: 3 });
    let asked = 0;
    while (byTime.step({ expired: () => ++asked > 0 }));
    // Each run is cut in several slices.
    expect(asked).toBeGreaterThan(3);
    expect(byTime.report()).toEqual(explore({ ...scenarioStart('hello'), maxSchedules: 3 }));
    expect(byTime.step()).toBe(false);
  });

  it('tells what became of the pods, and how often', () => {
    const report = explore({ start: sound, strategy: { kind: 'pct' }, maxSchedules: 15 });
    const texts = report.outcomes.map((o) => outcomeText(o.outcome));
    for (const text of texts) expect(text).toMatch(/^default\/web-node1 gone, last Running: .* \| passed$/);
    expect(report.outcomes.reduce((sum, o) => sum + o.times, 0)).toBe(15);
    expect(report.choices).toBeGreaterThan(10);
  });

  it('holds assertions of the user: never and finally', () => {
    const report = explore({
      ...scenarioStart('hello'),
      maxSchedules: 3,
      never: ["kind == 'kube-event' && reason == 'Started'", "kind == 'kube-event' && reason == 'Evicted'"],
      finally: ["any(state.pods, p => p.phase == 'Failed')", 'len(state.pods) == 1'],
    });
    expect(report.findings.map((f) => [f.problem.kind, f.problem.name, f.inBase, f.shrunk?.deviations])).toEqual([
      ['never', "kind == 'kube-event' && reason == 'Started'", true, []],
      ['finally', "any(state.pods, p => p.phase == 'Failed')", true, []],
    ]);
  });

  it('explores from a branch: its deviations are in every schedule', () => {
    const first = explore({ start: broken, strategy: { kind: 'pct' }, maxSchedules: 60, stopAtFirst: true });
    const branch = first.findings[0]?.shrunk?.deviations ?? [];
    expect(branch.length).toBeGreaterThan(0);
    const report = explore({ start: broken, branch, maxSchedules: 10, shrink: false });
    expect(report.findings[0]).toMatchObject({ inBase: true });
    expect(report.findings[0]?.times).toBeGreaterThan(4);
  });

  it('explores a branch of a session with what was done in it from outside', () => {
    const steered = new SimulationRun(simulationSource(), { scenario: 'hello' }, () => {});
    while (steered.kernel.steps < 60) steered.step();
    const manifest =
      'apiVersion: v1\nkind: Pod\nmetadata: { name: second }\nspec: { containers: [{ name: app, image: "localhost/busybox:dev", imagePullPolicy: IfNotPresent, command: ["sleep", "1000"] }] }\n';
    steered.intervene({ do: 'apply', file: 'second.yaml', manifest });
    const { interventions } = steered;
    const report = explore({
      ...scenarioStart('hello', { interventions }),
      maxSchedules: 8,
      strategy: { kind: 'pct' },
    });
    expect(report.findings).toEqual([]);
    for (const { outcome } of report.outcomes)
      expect(outcome.pods.map((p) => [p.pod, p.phase])).toEqual([
        ['default/hello-node1', 'Running'],
        ['default/second-node1', 'Running'],
      ]);
    expect(report.distinct).toBeGreaterThan(1);
    for (const { first } of report.outcomes) for (const d of first.deviations) expect(d.decision).toBeGreaterThan(60);
    // A place that no run comes to does not make it run for ever.
    const never = interventions.map((i) => ({ ...i, step: 1e9, time: 1e15 }));
    const stuck = explore({ ...scenarioStart('hello', { interventions: never }), maxSchedules: 1, maxSteps: 2000 });
    expect(stuck.findings[0]?.problem.kind).toBe('stuck');
  });

  it('says when a run does not come to its end, panics, or waits for ever', () => {
    const endless: Toy<object> = Array.from({ length: 500 }, () => () => 0);
    const problemOf = (start: Start, more: Partial<ExploreOptions> = {}) =>
      explore({ start, maxSchedules: 1, ...more }).findings.map((f) => [f.problem.kind, f.problem.text]);
    expect(
      problemOf(
        toyStart(() => ({}), [endless]),
        { maxSteps: 100 },
      ),
    ).toEqual([['stuck', 'the run has not ended after 100 decisions, at 0.0001 s']]);
    const panics: Toy<object> = [
      () => {
        throw new Error('oh no');
      },
    ];
    expect(problemOf(toyStart(() => ({}), [panics]))[0]?.[1]).toMatch(/^panic in goroutine 1 \[g0\]: oh no/);
    const report = explore({ start: toyStart(() => ({}), [endless]), until: 50, maxSchedules: 1 });
    expect(report.findings).toEqual([]);
    expect(report.outcomes[0]?.outcome.result).toBe('unfinished');
  });

  it('refuses what makes no sense, and says what would', () => {
    const of = (options: ExploreOptions) => () => new Exploration(options);
    expect(() => scenarioStart('hallo')).toThrow(ScenarioError);
    expect(of({ ...scenarioStart('hello'), never: ['kind =='] })).toThrow(ExpressionError);
    expect(of({ ...scenarioStart('hello'), maxSchedules: 0 })).toThrow(
      'maxSchedules is 0, it must be a whole number from 1 on',
    );
    expect(of({ ...scenarioStart('hello'), after: -1 })).toThrow('after is -1');
    expect(of({ ...scenarioStart('hello'), seed: [] })).toThrow('there is no seed');
    expect(of({ ...scenarioStart('hello'), seed: 1.5 })).toThrow('seed 1.5 is not a whole number');
    expect(of({ ...scenarioStart('hello'), strategy: { kind: 'random', preemption: 2 } })).toThrow('from 0 to 1');
    expect(of({ ...scenarioStart('hello'), strategy: { kind: 'random', preemption: [] } })).toThrow(
      'preemption is empty',
    );
    expect(of({ ...scenarioStart('hello'), strategy: { kind: 'pct', changes: -1 } })).toThrow('strategy.changes');
    expect(of({ ...scenarioStart('hello'), strategy: { kind: 'exhaustive', audit: Number.NaN } })).toThrow(
      'strategy.audit',
    );
  });

  it('takes a scenario by its text, and seeds in turn', () => {
    const { text } = findScenario('hello');
    const report = explore({ ...scenarioStart('mine', { text }), seed: [1, 2, 3], maxSchedules: 6 });
    expect(report.findings).toEqual([]);
    expect(report.outcomes[0]?.times).toBe(6);
    const trial = runNow({ start: startOf(findScenario('hello')), maxSteps: 1e5 }, { seed: 2 });
    expect(trial).toMatchObject({ seed: 2, deviations: [], problems: [] });
  });
});
