import { utf8Bytes } from '@syncloop/core/base';
import { expect, it } from 'vitest';
import { openObservation, recognise } from '../../index.js';
import { logOfPods } from '../../testing/log-of-pods.mjs';
import { compare, coverageOf, decisionsOf } from '../compare/index.js';
import { rerun, twinScenario, withText } from './index.js';

function observed(text: string) {
  const bytes = utf8Bytes(text);
  const found = recognise('kubelet.log', bytes);
  if (found.is !== 'source') throw new Error('it is no log');
  const context = { notAfter: Date.UTC(2027, 0, 1), startedMillis: null };
  const observation = openObservation([{ id: 'log', kind: 'log', name: 'log', format: found.format, context }]);
  const records = [...observation.push('log', bytes), ...observation.end('log')];
  return { records, epochMicros: observation.epochMicros };
}
const LOG = logOfPods({ pods: 4, seed: 3 });

it.each(['jo\\u0007b', '(', '1e+308', 'a b', '..', 'x'.repeat(300)])(
  'a pod that is called %j is left out, and told',
  (name) => {
    const { records, epochMicros } = observed(LOG.replaceAll('ci/job-2"', `ci/${name}"`));
    const twin = twinScenario(records, { epochMicros });
    expect(twin.left).toHaveLength(1);
    const [{ pod, why } = { pod: '', why: { en: '', zh: '' } }] = twin.left;
    expect(pod).toMatch(/^ci\//);
    expect(why.en).toMatch(/^it has a value that a simulated node cannot have: .+ \(log:\d+\)$/);
    expect(why.en).not.toMatch(/yaml|:\d+:\d+/);
    expect(why.zh).toMatch(/[\u4e00-\u9fff]/);
    // The others are re-enacted and compared.
    const run = rerun(twin);
    expect(run.failures).toEqual([]);
    const { seenFrom, until, left } = twin;
    const coverage = coverageOf(records);
    const verdict = compare(decisionsOf(records), decisionsOf(run.records), {
      coverage,
      seenFrom,
      until: seenFrom + until,
      left,
    });
    expect(verdict.kinds.config.same).toBeGreaterThanOrEqual(9);
    expect(JSON.stringify(verdict.differences)).not.toContain(JSON.stringify(pod).slice(1, -1));
  },
);

it('a step that cannot be done is not the last one', () => {
  const { records, epochMicros } = observed(LOG);
  const twin = twinScenario(records, { epochMicros });
  const text = twin.text.replace('  steps:\n', '  steps:\n    - delete: { pod: none, to: api }\n');
  const run = rerun(withText(twin, text));
  expect(run.failures).toEqual([expect.stringContaining('there is no pod "none"')]);
  const added = decisionsOf(run.records).filter(({ kind, what }) => kind === 'config' && what === 'ADD');
  expect(added.map(({ pod }) => pod)).toEqual(['ci/job-0', 'ci/job-1', 'ci/job-2', 'ci/job-3']);
});

it('a run of many days has a twin of its first hours', () => {
  const pause = LOG.split('\n').map((line, i, all) => (i > all.length / 2 ? line.replace(/^I1122/, 'I1210') : line));
  const { records, epochMicros } = observed(pause.join('\n'));
  const { until, left, text } = twinScenario(records, { epochMicros });
  expect(until).toBe(6 * 3600e6);
  expect(left).toEqual([
    {
      pod: '',
      why: expect.objectContaining({ en: expect.stringMatching(/^it covers 432(\.\d)? hours, and a twin at most 6:/) }),
    },
  ]);
  expect(text).toContain('until: 21600s');
});
