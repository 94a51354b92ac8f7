import { expect, it } from 'vitest';
import { findScenario, library } from '../../scenario/index.js';
import { coverageOf, decisionsOf, hold } from '../hold/index.js';
import { rerun, twinScenario } from '../make/index.js';
import { captureOf } from './capture.js';
import { observeCapture } from './observe.js';

/** What of a run a twin does not have as yet, for its capture does not say it in so many words. */
const WITHOUT: Readonly<Record<string, string>> = {
  'disk-pressure': 'how full the disk was',
  'memory-pressure': 'how much memory was left',
  'soft-eviction': 'how much memory was left',
  'node-shutdown': 'what the machine waited for',
  'start-error': 'that a runtime which says Unavailable was there',
  'apparmor-missing': 'that the machine has no AppArmor',
  'kubelet-crash': 'what came of a pull that its kubelet did not see',
  preemption: 'the specification of a pod that was gone before anybody asked for pods',
};
/** Scenarios of many pods take long, and post-mortems have faults that no real node has. */
const LEFT_OUT = /^(many-pods|full-node|postmortem-.*)$/;

it('a twin of our own kubelet, made of what it left behind, does what it did, in every scenario', () => {
  const total = { same: 0, compared: 0 };
  const unlike: string[] = [];
  for (const { name } of library) {
    // A twin is a kubelet of today.
    if (LEFT_OUT.test(name) || findScenario(name).era !== undefined) continue;
    const capture = captureOf(findScenario(name), { until: 60e6 });
    const { records, observation } = observeCapture(capture);
    expect(
      records.filter((r) => r.kind === 'evidence-gap'),
      name,
    ).toEqual([]);
    const twin = twinScenario(records, { epochMicros: observation.epochMicros });
    const run = rerun(twin);
    const verdict = hold(decisionsOf(records), decisionsOf(run.records), {
      coverage: coverageOf(records),
      seenFrom: twin.seenFrom,
      until: twin.seenFrom + twin.until,
      kubelet: twin.kubelet,
      era: twin.era,
    });
    if (Object.hasOwn(WITHOUT, name)) continue;
    total.same += verdict.same;
    total.compared += verdict.compared;
    if (verdict.same !== verdict.compared) unlike.push(`${name}: ${verdict.text.en}`);
  }
  expect(total.compared).toBeGreaterThan(1000);
  expect(total.same / total.compared, unlike.join('\n')).toBeGreaterThanOrEqual(0.99);
}, 240_000);
