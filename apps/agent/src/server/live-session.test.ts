import type { Command, CommandResult } from '@syncloop/core/debug';
import { current, type Go, gosched, Kernel } from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LiveSession } from './live-session.js';

/** A program that never stops and makes one record each turn. */
function started() {
  const kernel = new Kernel({ clock: new RealClock() });
  const driver = new RealDriver(kernel);
  const session = new LiveSession(kernel, driver, {
    id: 'live',
    title: 't',
    runtime: 'r',
    node: 'n',
    control: true,
    redact: (record) => (record.kind === 'input' ? { ...record, verb: 'redacted' } : record),
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
  onTestFinished(() => {
    session.close();
    driver.stop();
  });
  const execute = (command: Command) => new Promise<CommandResult>((resolve) => session.execute(command, resolve));
  const breath = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  return { kernel, session, execute, breath, turns: () => turns };
}

describe('LiveSession', () => {
  it('keeps records without secrets', async () => {
    const { session, breath } = started();
    await breath();
    expect(session.store.last).toBeGreaterThan(10);
    const verbs = [...session.store.from(1)].flatMap((r) => (r.kind === 'input' ? [r.verb] : []));
    expect(new Set(verbs)).toEqual(new Set(['redacted']));
    expect(session.runState()).toMatchObject({ running: true, seq: session.store.last });
  });

  it('pauses, steps and goes on', async () => {
    const { session, execute, breath, turns } = started();
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
    const { session, execute } = started();
    await execute({ do: 'pause' });
    const step = execute({ do: 'step', unit: 'iteration', count: 5 });
    session.resume();
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
    const { session } = started();
    let told = 0;
    await new Promise<void>((resolve) => {
      session.listen((change) => {
        if (change === 'records' && ++told === 2) resolve();
      });
    });
    expect(session.store.last).toBeGreaterThan(told * 10);
  });

  it('stops at a breakpoint, steps to records of a kind, and answers from its records', async () => {
    const { session, execute, breath, turns } = started();
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
      error: expect.stringMatching(/does not go back/),
    });
    expect(await execute({ do: 'breakpoints', set: [{ on: 'nothing' }] })).toMatchObject({
      ok: false,
      error: expect.stringMatching(/breakpoints\[0\]/),
    });
  });
});
