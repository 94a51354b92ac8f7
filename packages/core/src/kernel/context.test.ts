import { describe, expect, it } from 'vitest';
import {
  background,
  Canceled,
  DeadlineExceeded,
  Kernel,
  receive,
  Second,
  withCancel,
  withDeadline,
  withoutCancel,
  withTimeout,
  withValue,
} from './index.js';

describe('Context', () => {
  it('cancel closes done, for children too, and says why', () => {
    const k = new Kernel();
    const [parent, cancel] = withCancel(k, background);
    const [child] = withCancel(k, withValue(parent, 'key', 'v'));
    const woken: string[] = [];
    for (const [name, ctx] of [
      ['parent', parent],
      ['child', child],
    ] as const)
      k.go(name, function* () {
        expect(yield* receive(ctx.done())).toEqual([undefined, false]);
        woken.push(name);
      });
    k.go('canceler', function* () {
      expect(parent.err()).toBeNull();
      cancel(new Error('pod was deleted'));
      cancel(new Error('too late'));
    });
    k.run();
    expect(woken).toEqual(['parent', 'child']);
    expect(child.err()).toBe(Canceled);
    expect(child.cause()?.message).toBe('pod was deleted');
    expect(parent.err()?.message).toBe('context canceled');
  });

  it('a child that is canceled leaves its parent alone', () => {
    const k = new Kernel();
    const [parent] = withCancel(k, background);
    const [child, cancel] = withCancel(k, parent);
    cancel();
    expect([child.err(), parent.err()]).toEqual([Canceled, null]);
    expect(child.cause()).toBe(Canceled);
  });

  it('ends at its deadline, or its parent’s if that is sooner', () => {
    const k = new Kernel();
    const [parent] = withTimeout(k, background, 2 * Second);
    const [late] = withTimeout(k, parent, 5 * Second);
    const [soon] = withDeadline(k, parent, Second);
    expect([parent.deadline(), late.deadline(), soon.deadline(), background.deadline()]).toEqual([
      2 * Second,
      2 * Second,
      Second,
      null,
    ]);
    k.run({ until: 1.5 * Second });
    expect([soon.err(), late.err()]).toEqual([DeadlineExceeded, null]);
    k.run({ until: 3 * Second });
    expect(late.err()).toBe(DeadlineExceeded);
    expect(late.err()?.message).toBe('context deadline exceeded');
    // Nothing of it is left behind.
    expect(k.nextTimerAt()).toBeNull();
  });

  it('cancel before the deadline takes its timer away', () => {
    const k = new Kernel();
    const [ctx, cancel] = withTimeout(k, background, Second);
    cancel();
    expect([ctx.err(), k.nextTimerAt()]).toEqual([Canceled, null]);
  });

  it('is over at once when its parent is, or its deadline has passed', () => {
    const k = new Kernel();
    const [parent, cancel] = withCancel(k, background);
    cancel(new Error('gone'));
    const [child] = withCancel(k, parent);
    expect([child.err(), child.cause()?.message, child.done()?.closed]).toEqual([Canceled, 'gone', true]);
    expect(withTimeout(k, background, 0)[0].err()).toBe(DeadlineExceeded);
  });

  it('looks values up from the inside out', () => {
    const ctx = withValue(withValue(background, 'a', 1), 'b', 2);
    expect([ctx.value('a'), ctx.value('b'), ctx.value('c'), withValue(ctx, 'a', 3).value('a')]).toEqual([
      1,
      2,
      undefined,
      3,
    ]);
  });

  it('withoutCancel keeps the values and never ends', () => {
    const k = new Kernel();
    const [parent, cancel] = withTimeout(k, withValue(background, 'a', 1), Second);
    const free = withoutCancel(parent);
    cancel();
    expect([free.err(), free.done(), free.deadline(), free.value('a')]).toEqual([null, null, null, 1]);
  });

  it('afterFunc runs once at the end, at once if it is over, and can be taken back', () => {
    const k = new Kernel();
    const [ctx, cancel] = withCancel(k, background);
    const ran: string[] = [];
    ctx.afterFunc(() => ran.push('a'));
    const stop = ctx.afterFunc(() => ran.push('b'));
    expect([stop(), stop()]).toEqual([true, false]);
    cancel();
    cancel();
    expect(ran).toEqual(['a']);
    expect(ctx.afterFunc(() => ran.push('c'))()).toBe(false);
    expect(ran).toEqual(['a', 'c']);
    expect(background.afterFunc(() => ran.push('never'))()).toBe(false);
  });
});
