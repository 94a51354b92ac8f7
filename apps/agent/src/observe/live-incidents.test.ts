import type { RecordBody, TraceRecord } from '@syncloop/core/trace';
import { expect, it } from 'vitest';
import { LiveIncidents } from './live-incidents.js';

/** Symptoms at seconds, with a look after each. */
function watched() {
  const said: string[] = [];
  const incidents = new LiveIncidents(Date.UTC(2026, 10, 22, 10) * 1000, (sentence) => said.push(sentence));
  let seq = 0;
  const take = (at: number, body: object, look = true) => {
    seq++;
    const record = { seq, time: at * 1e6, g: 0, span: 0, cause: 0, ...(body as RecordBody) };
    incidents.take(record as unknown as TraceRecord);
    if (look) incidents.look();
  };
  const symptom = (code: string, facts: object = {}, state = 'failing') => ({
    ...{ kind: 'symptom', code, state, program: 'kubelet', facts },
  });
  const tick = { kind: 'metrics', values: {} };
  return { said, take, symptom, tick };
}

it('says an incident once, when it has begun, and once more when it is over', () => {
  const { said, take, symptom, tick } = watched();
  take(1, tick);
  take(10, symptom('runtime-down', { error: 'gone' }));
  expect(said).toEqual([]);
  take(11, tick);
  take(12, symptom('runtime-down', { error: 'gone' }));
  expect(said).toEqual(['incident: At 10:00:10 the container runtime could not be reached: gone.']);
  take(20, symptom('runtime-down', {}, 'healed'));
  take(21, tick);
  expect(said.slice(1)).toEqual([
    'over: At 10:00:10 the container runtime could not be reached: gone. It was over at 10:00:20.',
  ]);
});

it('says a cause that comes a moment later, and not what follows from it', () => {
  const { said, take, symptom, tick } = watched();
  take(1, tick);
  take(10, symptom('node-not-ready', { reason: 'KubeletNotReady' }));
  take(11, symptom('runtime-down', { error: 'gone' }));
  take(12, tick);
  expect(said).toEqual(['incident: At 10:00:11 the container runtime could not be reached: gone.']);
});

it('leaves out what was over before anybody looked, and says again what comes back', () => {
  const { said, take, symptom, tick } = watched();
  take(10, symptom('runtime-down', { error: 'gone' }), false);
  take(12, symptom('runtime-down', {}, 'healed'), false);
  take(13, tick);
  take(14, tick);
  expect(said).toEqual([]);
  take(15, symptom('runtime-down', { error: 'gone' }));
  take(16, tick);
  take(18, symptom('runtime-down', {}, 'healed'));
  expect(said.map((s) => s.slice(0, 9))).toEqual(['incident:', 'over: At ']);
});
