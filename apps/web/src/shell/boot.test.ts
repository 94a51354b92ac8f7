import '../fixtures/features.js';
import { simulationSource } from '@syncloop/core/debug';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tryCommand } from '../commands/index.js';
import { refreshBranches } from '../features/branches/branches.js';
import { useBranches } from '../features/branches/branches-store.js';
import { takeCode } from '../features/connection/opener.js';
import { momentIn, openLink } from '../features/share/opener.js';
import { encodeMoment, loadOf } from '../features/share/share.js';
import { inProcess, ManualTimers } from '../fixtures/in-process.js';
import { useUI } from '../page/ui-store.js';
import { useSession } from '../run/session-store.js';
import { trace } from '../run/trace-store.js';
import { session } from '../session/session.js';

const timers = new ManualTimers();
const frames: (() => void)[] = [];
const settle = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
  for (const f of frames.splice(0)) f();
};
/** Commands that take time need the host to be pumped while they are waited for. */
const wait = async (promise: Promise<unknown>) => {
  let done = false;
  const ended = promise.finally(() => {
    done = true;
  });
  ended.catch(() => {});
  while (!done) {
    timers.advance(20);
    await settle();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return ended;
};
const goTo = (time: number) => wait(session.command({ do: 'go', to: { time } }));
const notice = () => useUI.getState().notice;

beforeEach(async () => {
  globalThis.requestAnimationFrame = (f) => frames.push(() => f(0));
  useUI.setState({ notice: null, selection: null, left: null, bottom: null, lang: 'en', dialog: null });
  session.connect(inProcess(simulationSource(), timers).connect, 'worker');
  await settle();
});
afterEach(() => {
  session.disconnect();
});

describe('addresses', () => {
  it('carry a token, or a moment', () => {
    expect(takeCode('http://x/#code=a&run=v1.j').clean).toBe('http://x/#run=v1.j');
    expect(momentIn('http://x/#run=v1.jabc-_')).toBe('v1.jabc-_');
    expect(momentIn('http://x/#code=a')).toBeNull();
  });
});

describe('a link', () => {
  it('goes to the moment that it was made at, in another session, with what was done', async () => {
    await goTo(5_000_000);
    await wait(tryCommand('faults.do', { fault: { relist: '3s' } }));
    await goTo(9_000_000);
    const link = await encodeMoment({
      load: loadOf(await session.command({ do: 'spec' })),
      lang: 'zh-CN',
      selection: { kind: 'part', part: 'pleg' },
    });
    const there = JSON.stringify(trace.state);
    session.connect(inProcess(simulationSource(), timers).connect, 'worker');
    await settle();
    expect(trace.state.time).toBeLessThan(1_000_000);
    await wait(openLink(link));
    await settle();
    expect(JSON.stringify(trace.state)).toBe(there);
    expect(useSession.getState().run.running).toBe(false);
    expect(useUI.getState()).toMatchObject({
      lang: 'zh-CN',
      inspectorOpen: true,
      selection: { kind: 'part', part: 'pleg' },
      notice: { bad: false },
    });
  });

  it('that is damaged, newer, or of no scenario is told of, and all stays as it is', async () => {
    await goTo(2_000_000);
    const { seq } = trace.state;
    const bad = [
      ['v1.jxyz', 'The link is damaged'],
      ['v9.jxyz', 'later version'],
      [await encodeMoment({ load: { do: 'load', scenario: 'helo' } }), 'did you mean "hello"?'],
      [await encodeMoment({ load: { do: 'load', scenario: 'x', text: 'kind: Scenari' } }), 'x.yaml:1:'],
    ] as const;
    for (const [moment, says] of bad) {
      useUI.setState({ notice: null });
      await wait(openLink(moment));
      expect(notice(), moment).toMatchObject({ bad: true });
      expect(notice()?.text).toContain(says);
      expect(trace.state.seq).toBe(seq);
    }
  });
});

describe('branches', () => {
  it('are begun by a fault in the past and named after it, compared, gone to and dropped', async () => {
    await goTo(8_000_000);
    await goTo(3_000_000);
    await wait(tryCommand('faults.do', { fault: { method: 'StartContainer', error: { message: 'no' } } }));
    const { branches } = useBranches.getState();
    expect(branches.map((b) => [b.name, b.parent, b.current])).toEqual([
      ['main', 0, false],
      ['calls of StartContainer fail', 1, true],
    ]);
    await goTo(8_000_000);
    await wait(tryCommand('branch.compare', 1));
    const { compared } = useBranches.getState();
    expect(compared).toMatchObject({ ours: { id: 2 }, theirs: { id: 1 } });
    expect(compared?.result.first[0]).toMatchObject({ kind: 'input', verb: 'fault' });
    const seq = compared?.result.first[1]?.seq ?? 0;
    await wait(tryCommand('branch.go', { branch: 1, seq }));
    await settle();
    expect(useSession.getState().run).toMatchObject({ branch: 1, seq });
    expect(useUI.getState().selection).toEqual({ kind: 'record', seq });
    await wait(tryCommand('branch.rename', { branch: 2, name: 'other' }));
    expect(useBranches.getState().branches[1]?.name).toBe('other');
    await wait(tryCommand('branch.drop', 2));
    expect(useBranches.getState()).toMatchObject({ compared: null, branches: [{ id: 1 }] });
  });

  it('are begun by letting another goroutine go first in the past, and named after it', async () => {
    const step = (back: boolean) => wait(session.command({ do: 'step', unit: 'decision', back }));
    let runnable: { id: number; name: string }[] = [];
    for (let i = 0; i < 60 && runnable.length < 2; i++) {
      await step(false);
      runnable = (await session.command({ do: 'runnable' })) as unknown as typeof runnable;
    }
    const second = runnable[1];
    if (!second) throw new Error('at none of the first decisions could two go');
    await step(false);
    await step(true);
    await wait(tryCommand('branch.pick', second));
    expect(useBranches.getState().branches.at(-1)).toMatchObject({ name: `${second.name} goes first`, current: true });
  });

  it('are not begun by what the session refuses', async () => {
    await goTo(8_000_000);
    await goTo(3_000_000);
    await expect(wait(tryCommand('faults.do', 'fault:\n  pul: x'))).rejects.toThrow('action:2:3: fault.pul');
    await settle();
    expect(useSession.getState().run.branch).toBe(1);
    await wait(refreshBranches());
    expect(useBranches.getState().branches).toHaveLength(1);
  });
});
