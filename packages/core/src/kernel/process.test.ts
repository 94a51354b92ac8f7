import { describe, expect, it } from 'vitest';
import type { TraceRecord } from '../trace/index.js';
import {
  asked,
  background,
  Canceled,
  call,
  current,
  DeadlockError,
  frame,
  frameSync,
  Kernel,
  Mutex,
  makeChan,
  type PanicError,
  receive,
  recv,
  Second,
  select,
  send,
  sleep,
  Ticker,
  withTimeout,
} from './index.js';

function traced(): { k: Kernel; records: TraceRecord[] } {
  const records: TraceRecord[] = [];
  return { k: new Kernel({ sink: (r) => records.push(r) }), records };
}

describe('panics', () => {
  it('end the program with the goroutine’s named calls, innermost first', () => {
    const { k, records } = traced();
    k.go('worker', function* () {
      yield* frame('SyncPod', undefined, function* () {
        frameSync('computePodActions', undefined, () => {
          throw new Error('boom');
        });
      });
    });
    let panic: PanicError | null = null;
    try {
      k.run();
    } catch (error) {
      panic = error as PanicError;
    }
    expect(panic?.message).toBe('panic in goroutine 1 [worker]: boom\n  in computePodActions\n  in SyncPod');
    expect(records.at(-1)).toMatchObject({
      kind: 'goroutine-end',
      id: 1,
      panic: { error: 'boom', stack: ['computePodActions', 'SyncPod'] },
    });
    expect(records.filter((r) => r.kind === 'exit').map((r) => r.kind === 'exit' && r.error)).toEqual(['boom', 'boom']);
  });

  it('can be taken by a handler; the others go on', () => {
    const panics: string[] = [];
    const k = new Kernel({ onPanic: (p) => panics.push(p.message) });
    let other = false;
    k.go('bad', function* () {
      throw 'text';
    });
    k.go('good', function* () {
      yield* sleep(1);
      other = true;
    });
    k.run();
    expect([panics, other]).toEqual([['panic in goroutine 1 [bad]: text'], true]);
  });

  it('an error that is thrown in many places names the place of this time', () => {
    const k = new Kernel();
    k.go('first', function* () {
      try {
        yield* frame('elsewhere', undefined, function* () {
          throw Canceled;
        });
      } catch {
        // handled
      }
    });
    k.go('second', function* () {
      yield* frame('here', undefined, function* () {
        throw Canceled;
      });
    });
    expect(() => k.run()).toThrow('panic in goroutine 2 [second]: context canceled\n  in here');
  });

  it('a caught error leaves no frame open', () => {
    const { k } = traced();
    k.go('g', function* () {
      try {
        yield* frame('outer', undefined, () =>
          frame('inner', undefined, function* () {
            throw new Error('x');
          }),
        );
      } catch {
        expect(current().g.frames).toEqual([]);
      }
    });
    k.run();
  });
});

describe('processes', () => {
  it('kill is SIGKILL: nothing of it runs again, nobody waits for it', () => {
    const { k, records } = traced();
    const ch = makeChan<number>(k, 'ch');
    const log: string[] = [];
    const kubelet = k.process('kubelet');
    k.go(
      'main',
      function* () {
        const t = new Ticker(k, Second);
        k.go('child', function* () {
          yield* send(ch, 1);
          log.push('child sent');
        });
        try {
          for (;;) yield* receive(t.c);
        } finally {
          log.push('finally');
        }
      },
      { process: kubelet },
    );
    k.run({ until: 3 * Second });
    k.kill(kubelet);
    k.kill(kubelet);
    expect(k.goroutines.size).toBe(0);
    expect(k.nextTimerAt()).toBeNull();
    // The value that it wanted to send is not sent.
    k.go('reader', function* () {
      log.push((yield* select({ ch: recv(ch), late: recv(new Ticker(k, 1).c) })).case);
    });
    k.run({ until: 4 * Second });
    expect(log).toEqual(['late']);
    expect(records.filter((r) => r.kind === 'goroutine-end' && r.killed)).toHaveLength(2);
    expect(records.filter((r) => r.kind === 'process').map((r) => r.kind === 'process' && r.state)).toEqual([
      'started',
      'killed',
    ]);
  });

  it('a goroutine may kill its own process, and is gone with it', () => {
    const { k, records } = traced();
    const p = k.process('suicidal');
    const ch = makeChan<number>(k, 'ch', 1);
    const log: string[] = [];
    k.go(
      'g',
      function* () {
        k.kill(p);
        yield* send(ch, 1);
        log.push('on');
      },
      { process: p },
    );
    k.go(
      'h',
      function* () {
        log.push('h');
      },
      { process: p },
    );
    k.run();
    expect([log, ch.len]).toEqual([[], 0]);
    expect(records.filter((r) => r.kind === 'goroutine-end')).toHaveLength(2);
    const late = k.go('late', function* () {}, { process: p });
    expect(late.state).toBe('dead');
  });

  it('takes an open question about the dead with it', () => {
    const k = new Kernel({ policy: asked(['select']) });
    const p = k.process('p');
    const a = makeChan<number>(k, 'a', 1);
    const b = makeChan<number>(k, 'b', 1);
    k.go(
      'g',
      function* () {
        a.trySend(1);
        b.trySend(1);
        yield* select({ a: recv(a), b: recv(b) });
      },
      { process: p },
    );
    expect(k.run()).toBe('choice');
    k.kill(p);
    expect(k.pendingChoice).toBeNull();
    expect(k.run()).toBe('idle');
    expect([a.len, b.len]).toEqual([1, 1]);
  });

  it('goroutines and timers belong to the process of who starts them', () => {
    const k = new Kernel();
    const p = k.process('p');
    k.go(
      'parent',
      function* () {
        withTimeout(k, background, 10 * Second);
        const child = k.go('child', function* () {
          yield* sleep(Second);
        });
        expect(child.process).toBe(p);
      },
      { process: p },
    );
    k.run({ until: 1 });
    expect(p.timers.size).toBeGreaterThan(0);
    k.kill(p);
    expect(k.nextTimerAt()).toBeNull();
  });
});

describe('deadlock', () => {
  it('names every goroutine that waits, on what, and leaves a record', () => {
    const { k, records } = traced();
    const a = makeChan<number>(k, 'configCh');
    const b = makeChan<number>(k, 'plegCh');
    const mu = new Mutex(k, 'podLock');
    k.go('loop', function* () {
      yield* select({ a: recv(a), b: recv(b), nil: recv<number>(null) });
    });
    k.go('worker', function* () {
      yield* mu.lock();
      yield* mu.lock();
    });
    k.go(
      'daemon',
      function* () {
        yield* receive(a);
      },
      { daemon: true },
    );
    let error: unknown;
    try {
      k.run();
    } catch (e) {
      error = e;
    }
    expect(error).toBeInstanceOf(DeadlockError);
    expect((error as Error).message).toBe(
      'all goroutines are asleep - deadlock!\n  goroutine 1 [loop]: select on configCh, plegCh, nil\n  goroutine 2 [worker]: lock on podLock',
    );
    expect(records.at(-1)).toMatchObject({
      kind: 'deadlock',
      waits: [{ g: 1 }, { g: 2, on: { op: 'lock', name: 'podLock' } }],
    });
  });

  it('is none when only daemons wait, or a timer is set', () => {
    const k = new Kernel();
    const ch = makeChan<number>(k, 'ch');
    k.go(
      'daemon',
      function* () {
        yield* receive(ch);
      },
      { daemon: true },
    );
    expect(k.run()).toBe('idle');
    k.addTimer(k.now() + Second, () => {});
    k.go('waiter', function* () {
      yield* receive(ch);
    });
    expect(k.run({ until: k.now() + 10 })).toBe('ran');
  });
});

describe('the outside', () => {
  it('cannot be called on a virtual clock, and the caller may handle that', () => {
    const k = new Kernel();
    const caught: string[] = [];
    k.go('g', function* () {
      try {
        yield* call('gRPC', () => Promise.resolve(1));
      } catch (error) {
        caught.push((error as Error).message);
      }
    });
    k.run();
    expect(caught).toEqual(['kernel: a call to the outside is not possible on a virtual clock']);
  });

  it('a kernel may be stepped from within another one', () => {
    const outer = new Kernel();
    const inner = new Kernel();
    inner.go('inner', function* () {
      expect(current().kernel).toBe(inner);
    });
    outer.go('outer', function* () {
      inner.run();
      expect(current().kernel).toBe(outer);
    });
    outer.run();
    expect(() => current()).toThrow('not in a goroutine');
  });
});
