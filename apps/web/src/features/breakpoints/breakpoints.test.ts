import '../../fixtures/features.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CommandId, isAvailable, tryCommand } from '../../commands/index.js';
import { inProcess, ManualTimers } from '../../fixtures/in-process.js';
import { storageIn } from '../../fixtures/storage.js';
import { toySource } from '../../fixtures/toy-source.js';
import { useUI } from '../../page/ui-store.js';
import { useMarks } from '../../run/marks.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { session } from '../../session/session.js';
import { useTransport } from '../transport/transport-store.js';
import { followBreakpoints, markBreakpoints, refreshCounts } from './breakpoints.js';
import { useBreakpoints } from './breakpoints-store.js';

const timers = new ManualTimers();
const frames: (() => void)[] = [];
const settle = async () => {
  for (let i = 0; i < 30; i++) await Promise.resolve();
  for (const f of frames.splice(0)) f();
};
/** A command, let through to its end. */
const does = async (id: CommandId, arg?: unknown): Promise<void> => {
  const done = (tryCommand as (id: CommandId, arg?: unknown) => Promise<void>)(id, arg);
  await settle();
  await done;
  await settle();
};
const status = (id: string) => useBreakpoints.getState().status[id];
const run = () => useSession.getState().run;
let ends: (() => void)[] = [];
let connect: ReturnType<typeof inProcess>['connect'];
const kept = new Map<string, string>();

beforeEach(async () => {
  globalThis.requestAnimationFrame = (f) => frames.push(() => f(0));
  kept.clear();
  globalThis.localStorage = storageIn(kept);
  useUI.setState({ notice: null, selection: null });
  useBreakpoints.setState({ specs: [], status: {}, written: [], found: null, finding: '', editing: null });
  ends = [followBreakpoints(), markBreakpoints()];
  ({ connect } = inProcess(toySource, timers));
  session.connect(connect, 'worker');
  await settle();
});
afterEach(() => {
  for (const end of ends) end();
  session.disconnect();
  for (const f of frames.splice(0)) f();
});

const onConfig = { id: 'b1', on: 'channel', name: 'configCh', op: 'send' } as const;

describe('breakpoints of the page', () => {
  it('stop the session, count, and are kept', async () => {
    await does('breakpoint.put', onConfig);
    expect(status('b1')).toMatchObject({ hits: 0, enabled: true });
    expect(JSON.parse(kept.get('syncloop.breakpoints') ?? '')).toEqual([onConfig]);
    await does('transport.setSpeed', { mode: 'max' });
    await does('transport.toggle');
    timers.advance(1_000);
    await settle();
    expect(run()).toMatchObject({ running: false, hits: [{ id: 'b1', pause: true }] });
    await refreshCounts();
    expect(status('b1')?.hits).toBe(1);
    const seq = run().hits?.[0]?.seq ?? 0;
    expect(trace.records.get(seq)?.kind).toBe('send');
    expect(useMarks.getState().marks.breakpoints).toEqual([{ kind: 'breakpoint', seq, text: 'send on configCh' }]);
  });

  it('are sent again after a restart, and count from nothing', async () => {
    await does('breakpoint.put', onConfig);
    await does('transport.setSpeed', { mode: 'max' });
    for (let i = 0; i < 2; i++) {
      await does('transport.toggle');
      timers.advance(1_000);
      await settle();
      expect(run().hits).toHaveLength(1);
      await refreshCounts();
      expect(status('b1')?.hits).toBe(1);
      await does('transport.restart');
      await settle();
      expect(status('b1')?.hits).toBe(0);
    }
  });

  it('are sent to the next session', async () => {
    await does('breakpoint.put', onConfig);
    useBreakpoints.setState({ status: {} });
    session.connect(inProcess(toySource, timers).connect, 'worker');
    await settle();
    await settle();
    expect(status('b1')).toMatchObject({ hits: 0, spec: onConfig });
  });

  it('stay as they were where the session refuses one', async () => {
    await does('breakpoint.put', onConfig);
    const refused = tryCommand('breakpoint.put', { id: 'b2', on: 'cri', condition: 'knd' });
    await settle();
    await expect(refused).rejects.toThrow(/kind/);
    expect(useBreakpoints.getState().specs).toEqual([onConfig]);
    expect(kept.get('syncloop.breakpoints')).not.toContain('b2');
  });

  it('are set on what is selected, and taken away again', async () => {
    await does('transport.stepIteration');
    useUI.setState({ selection: { kind: 'channel', name: 'configCh' } });
    await does('breakpoint.toggle');
    expect(useBreakpoints.getState().specs).toEqual([{ id: 'b1', on: 'channel', name: 'configCh' }]);
    await does('breakpoint.toggle');
    expect(useBreakpoints.getState().specs).toEqual([]);
    useUI.setState({ selection: null });
    expect(isAvailable('breakpoint.toggle')).toBe(false);
  });

  it('can be switched off, on, and removed', async () => {
    await does('breakpoint.put', onConfig);
    await does('breakpoint.switch', { id: 'b1', on: false });
    expect(status('b1')?.enabled).toBe(false);
    await does('breakpoint.switchAll');
    expect(status('b1')?.enabled).toBe(true);
    await does('breakpoint.remove', 'b1');
    expect(useBreakpoints.getState()).toMatchObject({ specs: [], status: {} });
    expect(isAvailable('breakpoint.removeAll')).toBe(false);
  });

  it('write without stopping; what lies ahead again is forgotten', async () => {
    await does('breakpoint.put', { ...onConfig, log: 'sent at {seq}' });
    for (let i = 0; i < 3; i++) await does('transport.stepIteration');
    const { written } = useBreakpoints.getState();
    expect(written.length).toBeGreaterThan(0);
    expect(written[0]?.text).toBe(`sent at ${written[0]?.seq}`);
    expect(run().hits).toEqual([]);
    await does('transport.go', { seq: (written[0]?.seq ?? 0) - 1 });
    expect(useBreakpoints.getState().written).toEqual([]);
    await does('transport.toEnd');
    expect(useBreakpoints.getState().written.length).toBeLessThanOrEqual(written.length);
  });

  it('are found among what is known', async () => {
    for (let i = 0; i < 4; i++) await does('transport.stepIteration');
    await does('breakpoint.put', { ...onConfig, enabled: false });
    await does('breakpoint.find', 'b1');
    const { found } = useBreakpoints.getState();
    expect(found?.hits.length).toBeGreaterThan(0);
    for (const hit of found?.hits ?? []) expect(hit.record).toMatchObject({ kind: 'send', seq: hit.seq });
    await does('inspector.goTo', found?.hits[0]?.seq ?? 0);
    expect(run().seq).toBe(found?.hits[0]?.seq);
    expect(useBreakpoints.getState().found).toBe(found);
  });
});

describe('steps', () => {
  it('go to the next channel operation and back', async () => {
    await does('step.channel');
    const first = run().seq;
    expect(['send', 'receive', 'select', 'close']).toContain(trace.records.get(first)?.kind);
    await does('step.channel');
    expect(run().seq).toBeGreaterThan(first);
    await does('back.channel');
    expect(run().seq).toBe(first);
    // A little back within the last decision is not worth a way to its end; before it is.
    expect(isAvailable('transport.toEnd')).toBe(false);
    await does('transport.backDecision');
    expect(isAvailable('transport.toEnd')).toBe(true);
    await does('transport.toEnd');
    expect(run().end?.seq).toBe(run().seq);
    expect(isAvailable('transport.toEnd')).toBe(false);
  });
  it('go to a time that is still to come, which can be paused on the way', async () => {
    const far = tryCommand('transport.go', { time: 3_000_000_000_000 });
    await settle();
    expect(run().running).toBe(false);
    useTransport.setState({ going: true });
    await does('transport.toggle');
    await far;
    expect(run().time).toBeLessThan(3_000_000_000_000);
    useTransport.setState({ going: false });
  });
  it('say why there is nothing before the start', async () => {
    await does('transport.stepDecision');
    const back = tryCommand('back.cri');
    await settle();
    await expect(back).rejects.toThrow(/nothing of this kind comes before/);
  });
});
