import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ForwarderLimits, SpanForwarder } from './forwarder.js';
import type { Outcome } from './sender.js';

const taken: Outcome = { kind: 'taken', rejected: 0, message: '' };
const away: Outcome = { kind: 'again', why: 'it answered 503' };
const refused: Outcome = { kind: 'refused', why: 'it answered 400' };

function setup(outcome: (nth: number) => Outcome | Promise<Outcome>, limits: Partial<ForwarderLimits> = {}) {
  const bodies: string[] = [];
  const warnings: string[] = [];
  let nth = 0;
  const forwarder = new SpanForwarder({
    name: 'C',
    warn: (text) => warnings.push(text),
    limits,
    sender: {
      async send(body) {
        bodies.push(body.toString());
        return outcome(nth++);
      },
      close() {},
    },
  });
  return { forwarder, bodies, warnings, take: (text: string) => forwarder.take(Buffer.from(text)) };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('requests with spans are passed on', () => {
  it('one after the other, as they came', async () => {
    const { forwarder, bodies, warnings, take } = setup(() => taken);
    for (const text of ['a', 'b', 'c']) take(text);
    await vi.advanceTimersByTimeAsync(0);
    expect(bodies).toEqual(['a', 'b', 'c']);
    await forwarder.close();
    expect([forwarder.stats, warnings]).toEqual([{ sent: 3, dropped: 0, queued: 0 }, []]);
  });

  it('again after a collector was away, which is told once', async () => {
    const { forwarder, bodies, warnings, take } = setup((nth) => (nth < 2 ? away : taken));
    take('a');
    await vi.advanceTimersByTimeAsync(999);
    expect(bodies).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(2001);
    expect(bodies).toEqual(['a', 'a', 'a']);
    expect(warnings).toEqual([
      'spans cannot be passed on to the collector C: it answered 503',
      'the collector C takes spans again; not passed on meanwhile: 0',
    ]);
    await forwarder.close();
  });

  it('unless they are refused, or were tried for long', async () => {
    const { forwarder, bodies, take } = setup((nth) => (nth === 0 ? refused : away), { giveUp: 2500 });
    take('a');
    take('b');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(bodies).toEqual(['a', 'b', 'b']);
    expect(forwarder.stats).toEqual({ sent: 0, dropped: 2, queued: 0 });
    await forwarder.close();
  });

  it('as far as there is room', async () => {
    const { forwarder, take, warnings } = setup(() => new Promise(() => {}), { requests: 2, bytes: 10 });
    take('aaaa');
    take('bbbbbbb');
    take('cc');
    take('d');
    expect(forwarder.stats).toEqual({ sent: 0, dropped: 2, queued: 2 });
    const closing = forwarder.close();
    await vi.advanceTimersByTimeAsync(0);
    expect(warnings).toEqual([]);
    void closing;
  });

  it('at the end only as long as the end may wait', async () => {
    const { forwarder, take, warnings } = setup(() => away);
    take('a');
    take('b');
    const closing = forwarder.close();
    await vi.advanceTimersByTimeAsync(3000);
    await closing;
    expect(warnings.at(-1)).toBe('2 requests with spans were not passed on to the collector C');
  });
});
