import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionHealth } from './health.js';

describe('[1:E23] ConnectionHealth', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Watches a server that answers after this long, or never; records the events of one watch of it. */
  function watching(answers: () => number | null) {
    let pings = 0;
    let losses = 0;
    const health = new ConnectionHealth((signal) => {
      pings++;
      return new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('late')));
        const after = answers();
        if (after !== null) setTimeout(resolve, after);
      });
    });
    const end = health.watch(() => losses++);
    const wait = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);
    return { health, end, wait, seen: () => ({ pings, losses }) };
  }

  it('asks after 30 silent seconds, and gives up 15 seconds later', async () => {
    const t = watching(() => null);
    await t.wait(29);
    expect(t.seen()).toEqual({ pings: 0, losses: 0 });
    await t.wait(2);
    expect(t.seen()).toEqual({ pings: 1, losses: 0 });
    await t.wait(15);
    expect(t.seen()).toEqual({ pings: 1, losses: 1 });
    // Nobody watches any more.
    await t.wait(600);
    expect(t.seen()).toEqual({ pings: 1, losses: 1 });
  });
  it('asks again and again where there is an answer', async () => {
    const t = watching(() => 14_000);
    await t.wait(10 * 44 + 1);
    expect(t.seen()).toEqual({ pings: 10, losses: 0 });
  });
  it('asks nothing while anything comes from the server, as a renewed lease does every ten seconds', async () => {
    const t = watching(() => null);
    for (let i = 0; i < 60; i++) {
      await t.wait(10);
      t.health.heard();
    }
    expect(t.seen()).toEqual({ pings: 0, losses: 0 });
  });
  it('takes what comes while it waits for a sign of life', async () => {
    const t = watching(() => null);
    await t.wait(40);
    t.health.heard();
    await t.wait(10);
    expect(t.seen()).toEqual({ pings: 1, losses: 0 });
  });
  it('asks nothing where nobody watches', async () => {
    const t = watching(() => null);
    t.end();
    await t.wait(600);
    expect(t.seen()).toEqual({ pings: 0, losses: 0 });
    expect(vi.getTimerCount()).toBe(0);
  });
});
