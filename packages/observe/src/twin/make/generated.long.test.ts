/** A twin's scenario is as large as the observed run: it runs without being written and read again. */

import { utf8Bytes } from '@syncloop/core/base';
import { longestScenarioText, parseScenario } from '@syncloop/core/scenario';
import { expect, it } from 'vitest';
import { openObservation, recognise } from '../../index.js';
import { logOfPods } from '../../testing/log-of-pods.mjs';
import { scenarioOfTwin, twinScenario, withText } from './index.js';

function twinOf(pods: number) {
  const bytes = utf8Bytes(logOfPods({ pods, seed: 3, everyMillis: 100 }));
  const found = recognise('kubelet.log', bytes);
  if (found.is !== 'source') throw new Error('it is no log');
  const context = { notAfter: Date.UTC(2027, 0, 1), startedMillis: null };
  const observation = openObservation([{ id: 'log', kind: 'log', name: 'log', format: found.format, context }]);
  const records = [...observation.push('log', bytes), ...observation.end('log')];
  return twinScenario(records, { epochMicros: observation.epochMicros });
}

it('runs the same scenario that its text says', () => {
  const twin = twinOf(12);
  expect(twin.document).toBeDefined();
  const withoutLines = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value, (key, one) => (key === 'line' || key === 'file' ? undefined : one)));
  const { steps: generated, ...rest } = scenarioOfTwin(twin);
  const { steps: read, ...others } = parseScenario(twin.text);
  expect(generated.length).toBeGreaterThan(40);
  expect(withoutLines(generated)).toEqual(withoutLines(read));
  expect(withoutLines(rest)).toMatchObject(withoutLines({ ...others, file: undefined }) as object);
});

it('may be longer than the text of a stranger', () => {
  const pods = 800;
  const twin = twinOf(pods);
  expect(twin.left).toEqual([]);
  expect(twin.text.length).toBeGreaterThan(longestScenarioText);
  expect(scenarioOfTwin(twin).steps.length).toBeGreaterThan(2 * pods);
  // A file is a stranger's, and so is a text that somebody has changed.
  expect(() => parseScenario(twin.text)).toThrow('the text is too long');
  expect(() => withText(twin, `${twin.text}\n`)).toThrow('the text is too long');
});
