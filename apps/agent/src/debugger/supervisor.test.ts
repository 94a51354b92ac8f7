import { fileURLToPath } from 'node:url';
import type { RunState } from '@syncloop/core/debug/live';
import { initialState, reduce, type TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FrameRing } from './frame-ring.js';
import type { ServeRequest } from './messages.js';
import { DebuggerSupervisor, type SupervisorOptions } from './supervisor.js';

const child = fileURLToPath(new URL('./testing/child.mjs', import.meta.url));
const run = { running: true, seq: 0 } as unknown as RunState;

/** `lives`: how each process behaves, one after the other; the last one is repeated. */
async function supervised(lives: readonly string[], options: Partial<SupervisorOptions> = {}) {
  const state = initialState();
  const ring = new FrameRing(state);
  const ends: string[] = [];
  const commands: string[] = [];
  let uncontrolled = 0;
  let life = 0;
  let wake: () => void = () => {};
  const started = DebuggerSupervisor.start({
    request: { port: 7330 } as ServeRequest,
    ring,
    runState: () => run,
    takeWritten: () => [],
    execute: (command) => void commands.push(command.do),
    uncontrolled: () => void uncontrolled++,
    ended: (why) => {
      ends.push(why);
      wake();
    },
    command: ({ heapMiB }) => [
      process.execPath,
      `--max-old-space-size=${heapMiB}`,
      child,
      lives[Math.min(life++, lives.length - 1)] as string,
    ],
    ...options,
    limits: { lookMillis: 20, silentMillis: 2000, firstWaitMillis: 1, heapMiB: 64, rssMiB: 400, ...options.limits },
  });
  const supervisor = await started;
  onTestFinished(() => supervisor.close());
  const endOf = (n: number) =>
    new Promise<string>((resolve) => {
      wake = () => {
        if (ends.length >= n) resolve(ends[n - 1] as string);
      };
      wake();
    });
  let seq = 0;
  /** A frame of a record each, of so many bytes. */
  const feed = (frames: number, bytes: number) => {
    for (let i = 0; i < frames; i++) {
      seq++;
      reduce(state, { seq, time: seq, g: 0, span: 0, cause: 0, kind: 'input', verb: 'x', args: [] } as TraceRecord);
      ring.push(Buffer.alloc(bytes));
      supervisor.flush();
    }
  };
  return { supervisor, ends, endOf, commands, uncontrolled: () => uncontrolled, feed };
}

describe("the debugger's process", () => {
  it.each([
    ['dies', 'TypeError: a mistake in the debugger'],
    ['hangs', 'it did not answer'],
    ['fills', 'it took more than 400 MiB of memory'],
    ['heap', 'its heap grew beyond 64 MiB'],
    ['babbles', 'it sent what cannot be read (too many messages)'],
    ['garbage', /^it sent what cannot be read \(a frame of \d+ bytes/],
    ['lies', /^it sent what cannot be read \(command\.do is "format"/],
  ])('that %s is ended, with the reason, and started again; the kubelet goes on', async (how, why) => {
    const { supervisor, endOf, uncontrolled } = await supervised([how, 'good']);
    const first = supervisor.pid;
    expect(await endOf(1)).toMatch(why);
    await expect.poll(() => supervisor.pid, { interval: 5 }).toSatisfy((pid) => pid !== undefined && pid !== first);
    // Whoever held the kubelet is gone with it.
    expect(uncontrolled()).toBeGreaterThan(0);
  });

  it('that dies again and again is started after longer and longer waits', async () => {
    const waits: number[] = [];
    await new Promise<void>((resolve) => {
      void supervised(['dies'], {
        ended: (_why, wait) => {
          if (waits.push(wait) === 4) resolve();
        },
        limits: { firstWaitMillis: 2, longestWaitMillis: 8 },
      });
    });
    expect(waits.slice(0, 4)).toEqual([2, 4, 8, 8]);
  });

  it('that takes nothing makes nothing wait but what the ring and the pipe may hold', async () => {
    const { supervisor, feed } = await supervised(['deaf']);
    const before = process.memoryUsage().arrayBuffers + process.memoryUsage().external;
    // 400 MB in all.
    feed(4000, 100_000);
    const held = process.memoryUsage().arrayBuffers + process.memoryUsage().external - before;
    expect(held).toBeLessThan(64 * 1024 * 1024);
    expect(supervisor.pid).toBeDefined();
  });

  it('that cannot serve ends the start with its reason', async () => {
    await expect(supervised(['refuses'])).rejects.toThrow('port 7330 of 127.0.0.1 is taken by another program');
  });

  it('that does not even start ends the start, and says how to go without', async () => {
    await expect(supervised(['stillborn'])).rejects.toThrow(
      "the debugger's process ended while it started: exit code 3; leave it out with --no-ui",
    );
  });

  it('that is no program is told', async () => {
    await expect(supervised(['x'], { command: () => ['/nonexistent/program'] })).rejects.toThrow(/cannot be started/);
  });

  it('ends with the kubelet', async () => {
    const { supervisor, ends } = await supervised(['good']);
    const pid = supervisor.pid as number;
    await supervisor.close();
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
    expect(ends).toEqual([]);
  });
});
