import '../fixtures/features.js';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { isAvailable, runCommand, tryCommand } from '../commands/index.js';
import { inProcess, ManualTimers } from '../fixtures/in-process.js';
import { toySource } from '../fixtures/toy-source.js';
import { useUI } from '../page/ui-store.js';
import { useHere } from '../run/here.js';
import { useSession } from '../run/session-store.js';
import { trace } from '../run/trace-store.js';
import { session } from './session.js';

const timers = new ManualTimers();
const frames: (() => void)[] = [];
const nextFrame = () => {
  for (const f of frames.splice(0)) f();
};
const messages = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};
const settle = async () => {
  await messages();
  nextFrame();
};

beforeEach(async () => {
  globalThis.requestAnimationFrame = (f) => frames.push(() => f(0));
  useUI.setState({ notice: null, selection: null, left: null, bottom: null });
  const { connect } = inProcess(toySource, timers);
  session.connect(connect, 'worker');
  await settle();
});
afterEach(() => {
  session.disconnect();
  nextFrame();
});

describe('the page and its session', () => {
  it('is greeted paused, knows what the session can do, and reads its folder', () => {
    const s = useSession.getState();
    expect(s.phase).toBe('ready');
    expect(s.run.running).toBe(false);
    expect(s.info?.capabilities.control).toBe(true);
    expect(s.manifests.map((m) => m.file)).toEqual(['hello.yaml']);
    expect(s.scenarios).toEqual([]);
  });

  it('makes no stop of what a long go passes through, and counts its way from where it began', async () => {
    await tryCommand('transport.stepIteration');
    await settle();
    const from = useHere.getState().seq;
    const stops: number[] = [];
    const onTheWay: number[] = [];
    const ends = [
      useHere.subscribe((h) => h.still && h.settled && stops.push(h.seq)),
      trace.subscribe(() => onTheWay.push(trace.cursor.seq)),
    ];
    const going = tryCommand('transport.go', { time: 3_000_000_000 });
    let over = false;
    void going.then(() => {
      over = true;
    });
    while (!over) {
      timers.advance(20);
      await settle();
      await new Promise((then) => setImmediate(then));
    }
    await settle();
    for (const end of ends) end();
    // It was seen on its way.
    expect(onTheWay.length).toBeGreaterThan(3);
    const { seq } = trace.cursor;
    expect(stops).toEqual([seq]);
    expect(useHere.getState()).toMatchObject({ seq, from, still: true, settled: true });
  });

  it('asks for the list of scenarios once, when there is nothing else to do', async () => {
    const asked: string[] = [];
    session.onCommand = (command) => asked.push(command.do);
    await new Promise((idle) => setTimeout(idle, 0));
    await settle();
    expect(useSession.getState().scenarios.map((x) => x.name)).toEqual(['hello']);
    await tryCommand('transport.restart');
    await settle();
    await new Promise((idle) => setTimeout(idle, 0));
    session.onCommand = null;
    expect(asked).toContain('restart');
    expect(asked.filter((command) => command === 'scenarios')).toHaveLength(1);
  });

  it('says that an agent has begun anew, where another session answers after the connection was lost', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const first = inProcess(toySource, timers, 'first');
    const lost: (() => void)[] = [];
    let at = first;
    session.connect(() => {
      const connection = at.connect();
      lost.push(() => connection.close());
      return connection;
    }, 'agent');
    await settle();
    lost.at(-1)?.();
    await vi.advanceTimersByTimeAsync(2_000);
    await settle();
    expect(useSession.getState().phase).toBe('ready');
    expect(useUI.getState().notice).toBeNull();
    at = inProcess(toySource, timers, 'second');
    lost.at(-1)?.();
    await vi.advanceTimersByTimeAsync(2_000);
    await settle();
    expect(useSession.getState().info?.id).toMatch(/^second/);
    expect(useUI.getState().notice?.text).toBe(
      'The agent was started again: what you see is a new run, from its beginning.',
    );
  });

  it('does nothing by itself while paused', async () => {
    const { steps } = useSession.getState().run;
    timers.advance(10_000);
    await settle();
    expect(useSession.getState().run.steps).toBe(steps);
    expect(timers.pending).toBe(0);
  });

  it('steps one decision, then one iteration, by the commands behind the keys', async () => {
    await tryCommand('transport.stepDecision');
    await settle();
    expect(useSession.getState().run.steps).toBe(1);
    await tryCommand('transport.stepIteration');
    await settle();
    expect(useSession.getState().run.iterations).toBe(1);
  });

  it('runs in real time, and its clock is the one that is shown', async () => {
    await tryCommand('transport.toggle');
    timers.advance(3_000);
    await settle();
    expect(useSession.getState().run.running).toBe(true);
    expect(trace.cursor.time / 1e6).toBeGreaterThan(2.5);
    expect(trace.cursor.time / 1e6).toBeLessThan(3.2);
    expect(Object.values(trace.state.pods)[0]?.phase).toBe('Running');
    await tryCommand('transport.toggle');
    await settle();
    expect(useSession.getState().run.running).toBe(false);
  });

  it('runs ten times as fast at 10×', async () => {
    await tryCommand('transport.setSpeed', { mode: 'time', factor: 10 });
    await tryCommand('transport.toggle');
    timers.advance(1_000);
    await settle();
    expect(trace.cursor.time / 1e6).toBeGreaterThan(8);
  });

  it('goes back one decision, and forgets what came after it', async () => {
    for (let i = 0; i < 3; i++) await tryCommand('transport.stepIteration');
    await settle();
    const { steps } = useSession.getState().run;
    const last = trace.cursor.seq;
    await tryCommand('transport.backDecision');
    await settle();
    expect(useSession.getState().run.steps).toBe(steps - 1);
    expect(trace.cursor.seq).toBeLessThan(last);
    await tryCommand('transport.backIteration');
    await settle();
    expect(useSession.getState().run.iterations).toBe(1);
    for (let i = 0; i < 2; i++) await tryCommand('transport.stepIteration');
    await settle();
    expect(trace.cursor.seq).toBe(last);
  });

  it('starts over', async () => {
    await tryCommand('transport.stepIteration');
    await tryCommand('transport.restart');
    await settle();
    expect(useSession.getState().run.steps).toBe(0);
    expect(useSession.getState().info?.id).toBe('test-2');
    expect(trace.state.loop.iteration).toBe(0);
  });

  it('applies a manifest, gives back the reason why one is refused, and deletes', async () => {
    await tryCommand('manifest.apply', { file: 'b.yaml', text: 'kind: Pod\n' });
    expect(useSession.getState().manifests.map((m) => m.file)).toContain('b.yaml');
    await expect(tryCommand('manifest.apply', { file: 'c.yaml', text: 'nonsense' })).rejects.toThrow('kind: Pod');
    await tryCommand('manifest.delete', 'b.yaml');
    expect(useSession.getState().manifests.map((m) => m.file)).toEqual(['hello.yaml']);
  });

  it('tells of a command that failed, by its name', async () => {
    runCommand('manifest.delete', 'none.yaml');
    for (let i = 0; i < 5; i++) await settle();
    expect(useUI.getState().notice).toMatchObject({ bad: true });
    expect(useUI.getState().notice?.text).toContain('none.yaml');
  });

  it('publishes at most once per frame, however many records come', async () => {
    await tryCommand('transport.setSpeed', { mode: 'max' });
    let published = 0;
    const stop = trace.subscribe(() => published++);
    await tryCommand('transport.toggle');
    for (let i = 0; i < 5; i++) {
      timers.advance(20);
      await messages();
    }
    const records = trace.records.last;
    expect(records).toBeGreaterThan(500);
    expect(published).toBe(0);
    nextFrame();
    expect(published).toBe(1);
    stop();
  });

  it('offers no command that the session cannot do', async () => {
    const info = useSession.getState().info;
    if (!info) throw new Error('no info');
    useSession.setState({ info: { ...info, capabilities: { ...info.capabilities, control: false, apply: false } } });
    expect(isAvailable('transport.toggle')).toBe(false);
    expect(isAvailable('manifest.apply')).toBe(false);
    expect(isAvailable('view.palette')).toBe(true);
    useSession.setState({ phase: 'closed' });
    expect(isAvailable('scenario.load')).toBe(false);
  });
});
