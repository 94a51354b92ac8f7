import { RecordStore } from '@syncloop/core/debug';
import { why } from '@syncloop/core/debug/why';
import { findScenario, startScenario } from '@syncloop/core/scenario';
import { afterEach, expect, it, vi } from 'vitest';
import { trace } from '../../run/trace-store.js';
import { session } from '../../session/session.js';
import { answerTo } from './answers.js';

/** After the end of a side line of the answer, before its root. */
const PART = 1350;
const question = {
  about: 'container',
  uid: '800385bf213e7ef31c14dd5b2349cb0c',
  container: 'app',
  what: 'restart',
} as const;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('a page that holds a part of a run asks the session, which knows all lines of the chain', async () => {
  vi.stubGlobal('requestAnimationFrame', () => 0);
  const whole = new RecordStore();
  startScenario(findScenario('liveness'), { sink: (r) => whole.push(r) }).run();
  const ask = vi.spyOn(session, 'command').mockImplementation(async () => why(whole, question) as never);
  trace.use(whole);
  const all = await answerTo({ not: false, question }, 'brief');
  expect(all?.from).toBe('page');
  expect(ask).not.toHaveBeenCalled();

  // The main line is there to its root; of a side line the older records are not.
  const part = new RecordStore();
  for (const r of whole.from(PART)) part.push(r);
  const here = why(part, question);
  expect(here.cutOff).toBeUndefined();
  expect(here.links.length).toBeLessThan(all?.answer.links.length ?? 0);
  trace.use(part);
  const best = await answerTo({ not: false, question }, 'brief');
  expect(best?.from).toBe('session');
  expect(best?.answer.links.map((l) => l.seq)).toEqual(all?.answer.links.map((l) => l.seq));
});
