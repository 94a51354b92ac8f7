import { expect, it } from 'vitest';
import { runs, timeout } from '../../conformance/invariants/testing/runs.js';
import { library } from '../../scenario/index.js';
import { scenarioStart } from '../run/subject.js';
import { explore } from './index.js';

/** SYNCLOOP_RUNS: schedules of each scenario. */
const maxSchedules = runs(2);

it.each(library.map((s) => s.name))(
  'breaks no invariant and meets its expectations under any schedule: %s',
  (scenario) => {
    const { findings, schedules } = explore({ ...scenarioStart(scenario), strategy: { kind: 'pct' }, maxSchedules });
    expect(findings).toEqual([]);
    expect(schedules).toBe(maxSchedules);
  },
  timeout,
);
