import { expect, it } from 'vitest';
import { runs, sampled } from '../../conformance/invariants/testing/runs.js';
import { findScenario, library } from '../../scenario/index.js';
import { scenarioStart } from '../run/subject.js';
import { explore } from './index.js';

/** SYNCLOOP_RUNS: schedules of each scenario; without it, every sixth scenario is explored. */
const maxSchedules = runs(2);

/** The designs of older kubelets break some: `counter-examples.long.test.ts`. */
const ofToday = library.map((s) => s.name).filter((name) => findScenario(name).era === undefined);

it.each(sampled(ofToday, 6, 1))('breaks no invariant and meets its expectations under any schedule: %s', (scenario) => {
  const { findings, schedules } = explore({ ...scenarioStart(scenario), strategy: { kind: 'pct' }, maxSchedules });
  expect(findings).toEqual([]);
  expect(schedules).toBe(maxSchedules);
});
