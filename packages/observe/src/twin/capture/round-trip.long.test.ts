import { findScenario, library } from '@syncloop/core/scenario';
import { expect, it } from 'vitest';
import { manyRuns, sampled } from '../../testing/sampled.js';
import { compare, coverageOf, decisionsOf } from '../compare/index.js';
import { rerun, twinScenario } from '../make/index.js';
import { captureOf } from './capture.js';
import { observeCapture } from './observe.js';
import { leftOut, reEnactedUntil } from './re-enacted.js';

it('a twin of our own kubelet, made of what it left behind, does what it did', () => {
  const total = { same: 0, compared: 0 };
  const unlike: string[] = [];
  for (const { name } of sampled(library, 6, 1)) {
    const scenario = findScenario(name);
    const left = leftOut(scenario);
    if (left === 'whole') continue;
    const capture = captureOf(scenario, { until: reEnactedUntil });
    const { records, observation } = observeCapture(capture);
    expect(
      records.filter((r) => r.kind === 'evidence-gap'),
      name,
    ).toEqual([]);
    const twin = twinScenario(records, { epochMicros: observation.epochMicros });
    const run = rerun(twin);
    const verdict = compare(decisionsOf(records), decisionsOf(run.records), {
      coverage: coverageOf(records),
      seenFrom: twin.seenFrom,
      until: twin.seenFrom + twin.until,
      kubelet: twin.kubelet,
      era: twin.era,
    });
    if (left === 'comparison') continue;
    total.same += verdict.same;
    total.compared += verdict.compared;
    if (verdict.same !== verdict.compared) unlike.push(`${name}: ${verdict.text.en}`);
  }
  expect(total.compared).toBeGreaterThan(manyRuns ? 1000 : 150);
  expect(total.same / total.compared, unlike.join('\n')).toBeGreaterThanOrEqual(0.99);
});
