import { expect, it } from 'vitest';
import { type Batch, Copy } from './copy.js';
import type { PipeEvent } from './pipe.js';

function watched(most = 1000) {
  const sent: { batch: Batch; done: () => void }[] = [];
  const flushes: (() => void)[] = [];
  let now = 0;
  const copy = new Copy({
    send: (batch, done) => void sent.push({ batch, done }),
    now: () => ++now,
    later: (flush) => void flushes.push(flush),
    most,
  });
  return { copy, sent, flush: () => flushes.splice(0).forEach((one) => void one()) };
}
const chunk = (conn: number, dir: 'c' | 's', length: number): PipeEvent => ({
  type: 'bytes',
  conn,
  dir,
  bytes: new Uint8Array(length).fill(length),
});

it('gathers events in their order, with their bytes', () => {
  const { copy, sent, flush } = watched();
  copy.take({ type: 'open', conn: 1 });
  copy.take(chunk(1, 'c', 2));
  copy.take(chunk(1, 's', 3));
  flush();
  expect(sent).toHaveLength(1);
  expect(sent[0]?.batch).toEqual({
    events: [
      { type: 'open', conn: 1, at: 1 },
      { type: 'bytes', conn: 1, dir: 'c', at: 2, length: 2 },
      { type: 'bytes', conn: 1, dir: 's', at: 3, length: 3 },
    ],
    bytes: Uint8Array.of(2, 2, 3, 3, 3),
  });
});

it('leaves out what comes while too much waits, and says how much of which direction, before what comes next', () => {
  const { copy, sent, flush } = watched(500);
  copy.take(chunk(1, 'c', 300));
  copy.take(chunk(1, 's', 300));
  copy.take(chunk(1, 's', 50));
  copy.take(chunk(1, 'c', 200));
  copy.take({ type: 'close', conn: 2 });
  flush();
  const kinds = (batch: Batch | undefined) => batch?.events.map((e) => [e.type, 'length' in e ? e.length : 0]);
  expect(kinds(sent[0]?.batch)).toEqual([
    ['bytes', 300],
    ['lost', 300],
    ['bytes', 50],
    ['close', 0],
  ]);
  expect(copy.dropped).toBe(500);
  sent[0]?.done();
  copy.take(chunk(1, 'c', 10));
  copy.take(chunk(1, 's', 10));
  flush();
  expect(kinds(sent[1]?.batch)).toEqual([
    ['lost', 200],
    ['bytes', 10],
    ['bytes', 10],
  ]);
});
