import { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FromThread, ThreadSettings } from './simulation-thread.js';
import { MOST_SILENT, SimulationWatch, type WatchedThread } from './simulation-watch.js';

const SETTINGS: ThreadSettings = {
  host: '127.0.0.1',
  port: 0,
  webRoot: '/none',
  scenario: 'hello',
  id: 'serve-1',
  token: 'token',
  observer: 'observer',
  audience: null,
};
const SERVING = `parentPort.postMessage({ is: 'serving', serving: { url: 'http://x/', port: 7000, audience: null } });`;
const REACTS = `parentPort.on('message', (m) => parentPort.postMessage({ is: m === 'close' ? 'closed' : 'alive' }));`;
const HANGS = `parentPort.once('message', () => { parentPort.postMessage({ is: 'alive' }); for (;;); });`;
const FILLS = `parentPort.once('message', () => { const all = []; for (;;) all.push(new Array(1000).fill({ all })); });`;

/** A watch of real threads with that code, one after the other, whose timer the test moves. */
function watch(...codes: string[]) {
  const started: ThreadSettings[] = [];
  const threads: Worker[] = [];
  const restarts: string[] = [];
  let tick = () => {};
  let woken = () => {};
  let ticking = false;
  const made = new SimulationWatch(SETTINGS, {
    start: (settings): WatchedThread => {
      started.push(settings);
      const code = codes[Math.min(started.length, codes.length) - 1] as string;
      const thread = new Worker(`const { parentPort } = require('node:worker_threads'); ${code}`, {
        eval: true,
        resourceLimits: { maxOldGenerationSizeMb: 32 },
      });
      thread.on('message', (m: FromThread) => m.is === 'serving' && woken());
      threads.push(thread);
      return thread;
    },
    every: (_millis, then) => {
      tick = then;
      ticking = true;
      return () => {
        ticking = false;
      };
    },
    now: () => 0,
    onRestart: (why) => restarts.push(why),
  });
  onTestFinished(async () => {
    await Promise.all(threads.map((t) => t.terminate()));
  });
  return {
    made,
    started,
    threads,
    restarts,
    tick: () => tick(),
    ticking: () => ticking,
    /** Resolves when a thread serves. */
    serves: () =>
      new Promise<void>((resolve) => {
        woken = resolve;
      }),
    answered: (thread = threads.at(-1)) => new Promise<void>((resolve) => thread?.once('message', () => resolve())),
  };
}

describe('the watch of a simulation', () => {
  it('leaves one alone that reacts, and closes it in peace', async () => {
    const w = watch(SERVING + REACTS);
    expect(await w.made.open()).toMatchObject({ port: 7000 });
    for (let n = 0; n < 3 * MOST_SILENT; n++) {
      const answered = w.answered();
      w.tick();
      await answered;
    }
    expect([w.started.length, w.restarts]).toEqual([1, []]);
    await w.made.close();
    expect(w.ticking()).toBe(false);
  });

  it('ends one in an endless computation, and starts another at the same port with the same tokens', async () => {
    const w = watch(SERVING + HANGS, SERVING + REACTS);
    await w.made.open();
    const hung = w.answered();
    w.tick();
    await hung;
    const again = w.serves();
    for (let n = 0; n < MOST_SILENT; n++) w.tick();
    expect(w.restarts).toEqual([]);
    w.tick();
    expect(w.restarts).toEqual(['it has not reacted for 10 s']);
    await again;
    expect(w.started).toEqual([SETTINGS, { ...SETTINGS, port: 7000, id: 'serve-1-2' }]);
    // The new one has all its time.
    const answered = w.answered();
    w.tick();
    await answered;
    expect(w.restarts).toHaveLength(1);
  });

  it('starts another where one has used up its memory', async () => {
    const w = watch(SERVING + FILLS, SERVING + REACTS);
    await w.made.open();
    const again = w.serves();
    w.tick();
    await again;
    expect(w.restarts).toEqual(['it has used up its 1024 MB of memory']);
    expect(w.started).toHaveLength(2);
  });

  it('ends one in an endless computation when it is closed', async () => {
    const w = watch(SERVING + HANGS);
    await w.made.open();
    const hung = w.answered();
    w.tick();
    await hung;
    const ended = new Promise((resolve) => w.threads[0]?.once('exit', resolve));
    await w.made.close();
    await ended;
    expect(w.restarts).toEqual([]);
  });

  it('gives up where it ends again and again', async () => {
    const w = watch(SERVING, ...Array.from({ length: 10 }, () => SERVING));
    await w.made.open();
    await expect(w.made.failed).rejects.toThrow(
      /the simulation ended 6 times within a minute, last because its thread/,
    );
    expect(w.started).toHaveLength(6);
  });

  it('starts another where one ends as it says that it serves', async () => {
    const made: EventEmitter[] = [];
    const start = () => {
      const thread = Object.assign(new EventEmitter(), { postMessage: () => {}, terminate: async () => {} });
      made.push(thread);
      return thread;
    };
    const restarts: string[] = [];
    const w = new SimulationWatch(SETTINGS, { start, every: () => () => {}, onRestart: (why) => restarts.push(why) });
    const opened = w.open();
    made[0]?.emit('message', { is: 'serving', serving: { url: 'http://x/', port: 7000, audience: null } });
    made[0]?.emit('exit');
    await opened;
    await expect.poll(() => made.length).toBe(2);
    expect(restarts).toEqual(['its thread ended']);
  });

  it('says what a thread could not begin with', async () => {
    const failed = `parentPort.postMessage({ is: 'failed', name: 'SetupError', message: 'port 1 is taken' });`;
    await expect(watch(failed).made.open()).rejects.toThrow('port 1 is taken');
    await expect(watch('throw new Error("no such module");').made.open()).rejects.toThrow('no such module');
  });
});
