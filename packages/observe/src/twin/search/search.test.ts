import { atOnce, Stopped, scenarioOf, startOf } from '@syncloop/core/debug';
import { runOfText } from '@syncloop/core/debug/run-as-scenario';
import { type Deviation, Second } from '@syncloop/core/kernel';
import { withRun } from '@syncloop/core/scenario';
import { describe, expect, it } from 'vitest';
import { Attempt } from './attempt.js';
import { withDeviation } from './candidates.js';
import { type TwinSchedule, TwinSearch, type TwinSearchBudget } from './index.js';
import { plainJudge } from './testing/plain-judge.js';

/** Listing is slow, so that several cases of the loop's select are ready at once, again and again. */
const text = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: slow-lists
  title: { en: Slow lists, zh: 列出很慢 }
spec:
  seed: 1
  steps:
    - apply:
        apiVersion: v1
        kind: Pod
        metadata: { name: restless, uid: uid-of-restless }
        spec:
          terminationGracePeriodSeconds: 1
          containers:
            - { name: app, image: "localhost/busybox:dev", imagePullPolicy: IfNotPresent, command: ["sh", "-c", "sleep 1; exit 1"] }
    - fault: { name: slow, method: ListContainers, delay: 2500ms }
    - wait: 40s
`;
const until = 40 * Second;
const twin = { name: 'slow-lists', text, seenFrom: 0, until };

function run(schedule: TwinSchedule, scenario = text) {
  const attempt = new Attempt(startOf(scenarioOf('slow-lists', scenario)), schedule);
  for (const _ of attempt.run(until));
  return attempt;
}
const own = run({ seed: 1, deviations: [] });

/** The twin's own run, but for its n-th select with a choice, which takes the last case that it did not take. */
function flipped(...turns: number[]): TwinSchedule {
  const selects = own.points.filter((p) => p.kind === 'select');
  const deviations = turns.map((n) => {
    const p = selects.at(n) as (typeof selects)[number];
    return { decision: p.decision, case: p.options.filter((_, i) => i !== p.taken).at(-1) as number };
  });
  return { seed: 1, deviations };
}

const search = (seen: TwinSchedule, budget?: TwinSearchBudget) =>
  new TwinSearch({ twin, judge: plainJudge(run(seen).records), ...(budget && { budget }) });

describe('a search', () => {
  it('has nothing to do where the twin agrees as it stands', () => {
    const report = atOnce(search({ seed: 1, deviations: [] }).work());
    expect(report).toMatchObject({ state: 'agrees', tries: 1, choices: [], minimal: true });
  });

  it('finds the one choice that was made in another way, and says it', () => {
    const seen = flipped(2);
    const report = atOnce(search(seen).work());
    expect(report).toMatchObject({ state: 'agrees', minimal: true, best: seen });
    expect(report.choices).toHaveLength(1);
    expect(report.choices[0]?.text.en).toBe(
      'It happened because syncCh won over housekeepingCh in the sync loop, at 7.027 s of the twin.',
    );
    expect(report.summary.en).toContain('by 1 choice');
  });

  it('gives an ordinary scenario, which is the run that was found', () => {
    const seen = flipped(2);
    const { text: found } = atOnce(search(seen).work());
    const again = runOfText({ scenario: 'slow-lists', text: found });
    expect(again).toMatchObject(seen);
    const records = run({ seed: again.seed as number, deviations: again.deviations ?? [] }, again.text).records;
    expect(records).toEqual(run(seen).records);
  });

  it('gives the same each time, in slices of any size, stopped in between or not', () => {
    const seen = flipped(2);
    const whole = atOnce(search(seen).work());
    const sliced = search(seen);
    for (let tries = 1; !sliced.report().minimal; tries++) atOnce(sliced.work({ tries }));
    expect(sliced.report()).toEqual(whole);

    const stopped = search(seen);
    const work = stopped.work();
    for (let n = 0; n < 5; n++) work.next();
    expect(work.throw(new Stopped())).toMatchObject({ done: true, value: { state: 'searching' } });
    expect(atOnce(stopped.work())).toEqual(whole);
  });

  it('tells how far it came when its tries end, and goes on when it is given more', () => {
    const few = search(flipped(2), { tries: 3 });
    const report = atOnce(few.work());
    expect(report).toMatchObject({ state: 'tried', ended: true, tries: 3 });
    expect(report.summary.en).toMatch(/^No schedule was found in 3 tries .* The first that remains: /);
    expect(atOnce(few.work({ tries: 500 })).state).toBe('agrees');
  });

  it('leaves out what is not needed, and only that', () => {
    const [needed] = flipped(2).deviations;
    const seen = run(flipped(2));
    const judge = plainJudge(seen.records);
    // Another goroutine first, where nothing comes of it.
    const idle = seen.points
      .filter((p) => p.kind === 'goroutine')
      .map((p) => ({ decision: p.decision, goroutine: p.options[1] as number }))
      .find((d) => {
        const { records, deviations } = run({ seed: 1, deviations: withDeviation(flipped(2).deviations, d) });
        return deviations.length === 2 && judge(records, until).differences.length === 0;
      });
    const deviations = withDeviation(flipped(2).deviations, idle as Deviation);
    const section = { seed: 1, deviations };
    const withBoth = withRun(text, { name: 'slow-lists', title: { en: 'Slow', zh: '慢' } }, section);
    const report = atOnce(new TwinSearch({ twin: { ...twin, text: withBoth }, judge }).work());
    expect(report).toMatchObject({ state: 'agrees', minimal: true });
    expect(report.best?.deviations).toEqual([needed]);
  });

  it('runs no more records than it may', () => {
    const report = atOnce(search(flipped(2), { records: 5000 }).work());
    expect(report.state).toBe('tried');
    expect(report.records).toBeGreaterThan(5000);
    expect(report.records).toBeLessThan(5000 + own.records.length + 1);
  });
});
