import { current, type Go, gosched } from '@syncloop/core/kernel';
import { describe, expect, it } from 'vitest';
import { liveHalves } from './testing/live.js';

/** A program that never stops and makes one record each turn. */
function started(options: Parameters<typeof liveHalves>[0] = {}) {
  const { kernel, driver, ...halves } = liveHalves({
    redact: (record) => (record.kind === 'input' ? { ...record, verb: 'redacted' } : record),
    ...options,
  });
  let turns = 0;
  kernel.go('loop', function* (): Go<void> {
    for (;;) {
      turns++;
      current().kernel.emit({ kind: 'input', verb: 'turn', args: [turns] });
      yield* gosched();
    }
  });
  driver.start();
  const breath = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  return { ...halves, breath, turns: () => turns };
}

describe('a live node', () => {
  it('keeps records without secrets', async () => {
    const { backend: session, feed, breath } = started();
    await breath();
    feed.flush();
    expect(session.store.last).toBeGreaterThan(10);
    const verbs = [...session.store.from(1)].flatMap((r) => (r.kind === 'input' ? [r.verb] : []));
    expect(new Set(verbs)).toEqual(new Set(['redacted']));
    expect(session.runState()).toMatchObject({ running: true });
  });

  it('pauses, steps and goes on', async () => {
    const { backend: session, execute, breath, turns } = started();
    await breath();
    await execute({ do: 'pause' });
    const at = turns();
    await breath();
    expect(turns()).toBe(at);
    expect(session.runState()).toMatchObject({ running: false, next: 'loop' });
    expect(await execute({ do: 'step', unit: 'decision', count: 3 })).toEqual({ ok: true });
    expect(turns()).toBe(at + 3);
    await breath();
    expect(turns()).toBe(at + 3);
    await execute({ do: 'step', unit: 'record', count: 2 });
    expect(turns()).toBe(at + 5);
    await execute({ do: 'resume' });
    await breath();
    expect(turns()).toBeGreaterThan(at + 5);
  });

  it('answers a step that another command ends', async () => {
    const { backend: session, brake, execute } = started();
    await execute({ do: 'pause' });
    const step = execute({ do: 'step', unit: 'iteration', count: 5 });
    brake.resume();
    expect(await step).toEqual({ ok: true });
    expect(session.runState().running).toBe(true);
  });

  it('refuses what is for simulations', async () => {
    const { execute } = started();
    for (const command of [{ do: 'restart' }, { do: 'delete', file: 'x' }, { do: 'choose', index: 0 }] as const) {
      expect(await execute(command)).toEqual({
        ok: false,
        error: `${command.do} is not possible on a live node: it is for simulations`,
      });
    }
  });

  it('tells listeners of records now and then, not each time', async () => {
    const { backend: session } = started();
    let told = 0;
    await new Promise<void>((resolve) => {
      session.listen((change) => {
        if (change === 'records' && ++told === 2) resolve();
      });
    });
    expect(session.store.last).toBeGreaterThan(told * 10);
  });

  it('stops at a breakpoint, steps to records of a kind, and answers from its records', async () => {
    const { backend: session, execute, breath, turns } = started();
    await execute({ do: 'breakpoints', set: [{ on: 'record', kind: 'input', condition: 'args[0] == 3' }] });
    await breath();
    expect(turns()).toBe(3);
    expect(session.runState()).toMatchObject({ running: false, hits: [{ seq: session.store.last }] });
    await execute({ do: 'breakpoints', set: [] });
    await execute({ do: 'step', unit: 'record', count: 4 });
    expect(turns()).toBe(7);
    expect(session.runState().hits).toEqual([]);
    expect(await execute({ do: 'search', breakpoint: { on: 'record', kind: 'input' }, limit: 2 })).toMatchObject({
      ok: true,
      value: [{ seq: expect.any(Number) }, { seq: expect.any(Number) }],
    });
    expect(await execute({ do: 'step', unit: 'record', back: true })).toMatchObject({
      ok: false,
      error: expect.stringMatching(/cannot go back/),
    });
    expect(await execute({ do: 'breakpoints', set: [{ on: 'nothing' }] })).toMatchObject({
      ok: false,
      error: expect.stringMatching(/breakpoints\[0\]/),
    });
  });

  it('goes on, and is stopped by nothing any more, when the debugger has gone', async () => {
    const { brake, execute, breath, turns } = started();
    await execute({ do: 'breakpoints', set: [{ on: 'record', kind: 'input' }] });
    await breath();
    const at = turns();
    brake.release();
    await breath();
    expect(turns()).toBeGreaterThan(at + 2);
    expect(brake.runState()).toMatchObject({ running: true, hits: [] });
  });

  it('takes breakpoints out that cost the kubelet more than a fifth of a second in a second', async () => {
    // A clock on which each look at a record takes 5 ms.
    let clock = 0;
    const { execute, breath, told } = started({ now: () => (clock += 5) });
    await execute({ do: 'breakpoints', set: [{ on: 'record', kind: 'input', condition: 'args[0] < 0' }] });
    await breath();
    expect(told).toEqual(['Breakpoints were taken out: they took too much of the time of the kubelet']);
    expect(await execute({ do: 'breakpoints', set: [] })).toEqual({ ok: true, value: [] });
  });

  it('looks at no further breakpoint once they have had their time, be they 500 and dear', async () => {
    // Each look at the clock is 5 ms later: one for each breakpoint that is looked at.
    let clock = 0;
    const now = () => (clock += 5);
    const { brake, breath, execute, told } = started({ now });
    const set = Array.from({ length: 500 }, (_, i) => ({ id: `b${i}`, on: 'record', condition: 'seq < 0' }));
    await execute({ do: 'breakpoints', set });
    clock = 0;
    await breath();
    expect(told).toHaveLength(1);
    // Set again within the same second, they are refused.
    clock = 500;
    expect(await execute({ do: 'breakpoints', set })).toMatchObject({
      ok: false,
      error: expect.stringMatching(/too much of the kubelet's time/),
    });
    expect(clock).toBeLessThan(600);
    clock = 1000;
    expect(await execute({ do: 'breakpoints', set })).toMatchObject({ ok: true });
    brake.close();
  });

  it('tells no more hits and lines than a page could use, however much one decision does', () => {
    const { kernel, brake, execute } = liveHalves({ now: () => 0 });
    const line = `${'x'.repeat(3000)}{args[0]}`;
    void execute({
      do: 'breakpoints',
      set: [
        { id: 'a', on: 'record', kind: 'input' },
        { id: 'b', on: 'record', kind: 'input', log: line },
      ],
    });
    for (let i = 0; i < 900; i++) kernel.emit({ kind: 'input', verb: 'x', args: [i] });
    expect(brake.runState().hits).toHaveLength(500);
    const written = brake.takeWritten();
    expect(written.reduce((sum, hit) => sum + (hit.text?.length ?? 0), 0)).toBeLessThanOrEqual(1024 * 1024);
    expect(written.at(-1)?.text).toBe(`${'x'.repeat(3000)}899`);
    expect(brake.takeWritten()).toEqual([]);
  });

  it('keeps what logpoints wrote only as far as somebody may want it', async () => {
    const { brake, execute, breath } = started();
    await execute({ do: 'pause' });
    await execute({ do: 'breakpoints', set: [{ on: 'record', kind: 'input', log: 'turn {args[0]}' }] });
    await execute({ do: 'resume' });
    for (let i = 0; i < 50; i++) await breath();
    expect(brake.takeWritten().length).toBeLessThanOrEqual(1000);
  });

  it('does nothing at all that anybody asks where control is not allowed', async () => {
    const { execute, breath, turns } = started({ control: false });
    for (const command of [{ do: 'pause' }, { do: 'step', unit: 'decision' }, { do: 'breakpoints', set: [] }] as const)
      expect(await execute(command)).toMatchObject({
        ok: false,
        error: expect.stringMatching(/may only be watched/),
      });
    const at = turns();
    await breath();
    expect(turns()).toBeGreaterThan(at);
  });
});
