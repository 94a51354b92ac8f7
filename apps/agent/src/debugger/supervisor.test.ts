import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { RunState } from '@syncloop/core/debug/live';
import { initialState, reduce, type TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FrameRing } from './frame-ring.js';
import type { ServeRequest } from './messages.js';
import { DebuggerSupervisor, type SupervisorOptions } from './supervisor.js';

const child = fileURLToPath(new URL('./testing/child.mjs', import.meta.url));
/** Longer than any test lasts, ms. */
const NEVER = 900_000;
const run = { running: true, seq: 0 } as unknown as RunState;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
/** Returns the bytes of buffers in use, without those that only wait to be collected. */
async function held(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    collect();
    // Another thread frees what was collected.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().arrayBuffers;
}

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
    limits: { lookMillis: 20, silentMillis: NEVER, firstWaitMillis: 1, heapMiB: 64, rssMiB: 400, ...options.limits },
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
  /** A frame of a record each, of this many bytes. */
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
  it('is told which links were used in its earlier lives', async () => {
    const { commands, endOf } = await supervised(['links', 'knows']);
    await endOf(1);
    await expect.poll(() => commands, { interval: 5 }).toEqual(['pause']);
  });

  it.each([
    ['dies', 'TypeError: a mistake in the debugger'],
    ['hangs', 'it did not answer'],
    ['fills', 'it took more than 400 MiB of memory'],
    ['heap', 'its heap grew beyond 64 MiB'],
    ['babbles', 'it sent something that cannot be read (too many messages)'],
    ['garbage', /^it sent something that cannot be read \(the frame's body has \d+ bytes/],
    ['lies', /^it sent something that cannot be read \(command\.do: it is "format"/],
  ])('that %s is ended, with the reason, and started again; the kubelet goes on', async (how, why) => {
    // One that has another end may take its time on a busy machine.
    const limits = { millisPerLook: 1e9, silentMillis: how === 'hangs' ? 2000 : NEVER };
    const { supervisor, endOf, uncontrolled } = await supervised([how, 'good'], { limits });
    const first = supervisor.pid;
    expect(await endOf(1)).toMatch(why);
    await expect.poll(() => supervisor.pid, { interval: 5 }).toSatisfy((pid) => pid !== undefined && pid !== first);
    // The client that had the kubelet under control is gone with it.
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
    const before = await held();
    // 400 MB in all.
    feed(4000, 100_000);
    expect((await held()) - before).toBeLessThan(64 * 1024 * 1024);
    expect(supervisor.pid).toBeDefined();
  });

  it('that says more than there is time for waits with the rest, and its end is noticed all the same', async () => {
    // Each command takes 60 ms of a clock that stands still otherwise.
    let clock = 0;
    const commands: string[] = [];
    const { supervisor, endOf } = await supervised(['busy', 'good'], {
      now: () => clock,
      execute: (command) => {
        commands.push(command.do);
        clock += 60;
      },
      limits: { lookMillis: 400, millisPerLook: 50 },
    });
    const pid = supervisor.pid as number;
    expect(await endOf(1)).toBe('signal SIGKILL');
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
    // Without a bound all 40 would have been carried out before it ended.
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.length).toBeLessThan(30);
  });

  it('that reads no answer is ended before they fill the kubelet', async () => {
    let answers = 0;
    const { endOf } = await supervised(['greedy', 'good'], {
      execute: (_command, reply) => {
        answers++;
        reply({ ok: true, value: 'x'.repeat(100_000) });
      },
    });
    expect(await endOf(1)).toBe('it does not read the answers to its commands');
    expect(answers).toBeLessThan(20);
  });

  it('that takes nothing is not told again and again how the kubelet runs', async () => {
    let seq = 0;
    const hits = [{ id: 'a', seq: 1, uid: '', pause: true, text: 'x'.repeat(1000) }];
    const { supervisor, feed } = await supervised(['deaf'], {
      runState: () => ({ ...run, seq: seq++, hits }) as RunState,
    });
    feed(1, 100);
    for (let i = 0; i < 50_000; i++) supervisor.flush();
    // Half a megabyte may wait, and each is a thousand bytes; a pipe takes some, too.
    expect(seq).toBeLessThan(2000);
  });

  it('of a node whose state is too long for a text ends, and nothing else does', async () => {
    const ring = {
      get: () => undefined,
      start() {
        throw new RangeError('Invalid string length');
      },
    } as unknown as FrameRing;
    await expect(supervised(['good'], { ring })).rejects.toThrow(
      'the state of the node cannot be sent to it (Invalid string length)',
    );
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
