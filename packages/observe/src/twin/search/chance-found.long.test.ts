import { atOnce, scenarioOf, startOf } from '@syncloop/core/debug';
import { follow, RecordingPolicy, randomChooser } from '@syncloop/core/debug/explore';
import { runOfText } from '@syncloop/core/debug/run-as-scenario';
import { parseScenario } from '@syncloop/core/scenario';
import type { TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { sampled } from '../../testing/sampled.js';
import { captureOf } from '../capture/capture.js';
import { observeCapture } from '../capture/observe.js';
import { twinScenario } from '../make/index.js';
import { Attempt } from './attempt.js';
import { TwinSearch } from './index.js';
import { judgeOf } from './judge.js';
import { raceText } from './testing/races.js';

/** Scenario, how long a list of containers takes (ms), and the number of the schedule; 0 is the scenario's own. */
type Case = readonly [race: string, list: number, schedule: number];

/** A run under a schedule of `explore`, captured, observed, and its twin. */
function capturedRun([race, list, schedule]: Case) {
  const scenario = parseScenario(raceText(race, list), `${race}.yaml`);
  const rate = [0.02, 0.1, 0.4][schedule % 3] as number;
  const chooser = schedule === 0 ? follow([]) : randomChooser(schedule + 1, rate);
  const own: TraceRecord[] = [];
  const policy = new RecordingPolicy(scenario.seed, chooser);
  const capture = captureOf(scenario, { policy, sink: (r) => own.push(r) });
  const { records } = observeCapture(capture);
  const twin = twinScenario(records, { name: race });
  return { own, twin, judge: judgeOf(records, twin) };
}

/** Runs a file as a user does who opens it. */
function rerun(name: string, text: string, until: number): readonly TraceRecord[] {
  const run = runOfText({ scenario: name, text });
  const scenario = scenarioOf(name, run.text);
  const schedule = { seed: run.seed ?? scenario.seed, deviations: run.deviations ?? [] };
  const attempt = new Attempt(startOf(scenario), schedule);
  for (const _ of attempt.run(until));
  return attempt.records;
}

const rare: readonly Case[] = [
  ['ends-or-removed', 800, 5],
  ['two-come-one-ends', 800, 5],
  ['probe-or-end', 800, 5],
  ['loop-of-crashes', 800, 1],
  ['removed-and-back', 1300, 2],
  ['killed-or-removed', 1300, 2],
  ['ends-or-edited', 1900, 5],
  ['loop-of-crashes', 1900, 5],
  ['probe-or-end', 2500, 6],
  ['deadline-or-end', 2500, 1],
];

describe('a run with a rare schedule', () => {
  const found: { readonly name: string; readonly tries: number }[] = [];

  const tried = sampled(rare, 3);
  it.each(tried)('%s, lists of %d ms, schedule %d: what its twin has to choose is looked for', (...of) => {
    const usual = capturedRun([of[0], of[1], 0]);
    // It is the schedule that makes the difference, not how the twin was made.
    expect(usual.judge(rerun(of[0], usual.twin.text, usual.twin.until), usual.twin.until).differences).toEqual([]);
    const { own, twin, judge } = capturedRun(of);
    expect(judge(own, twin.until).differences).toEqual([]);

    const report = atOnce(new TwinSearch({ twin, judge, budget: { tries: 500 } }).work());
    expect(report.before?.differences).not.toEqual([]);
    if (report.state !== 'agrees') return;
    expect(judge(rerun(of[0], report.text, twin.until), twin.until).differences).toEqual([]);
    expect(report.choices.length).toBeGreaterThan(0);
    for (const choice of report.choices) expect(choice.text.zh).not.toBe('');
    found.push({ name: of.join(' '), tries: report.foundAfter });
  });

  it('has its choices found for all but one, within 500 tries', () => {
    expect(found.filter((f) => f.tries <= 500).length).toBeGreaterThanOrEqual(tried.length - 1);
  });
});
