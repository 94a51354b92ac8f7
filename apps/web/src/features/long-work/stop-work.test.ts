import '../../fixtures/features.js';
import { simulationSource } from '@syncloop/core/debug';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCommand } from '../../commands/index.js';
import { inProcess, ManualTimers } from '../../fixtures/in-process.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import type { WatchedConnection } from '../../session/connection/worker-connection.js';
import { PATIENCE_MILLIS, StoppedError, session } from '../../session/session.js';
import { useLongWork } from './long-work-store.js';
import { followWork, stopOnEscape, stopWork } from './stop-work.js';

/** Workers that the page makes for itself. */
const made: { terminated: boolean; readonly said: unknown[] }[] = [];
class FakeWorker {
  terminated = false;
  readonly said: unknown[] = [];
  constructor() {
    made.push(this);
  }
  addEventListener(): void {}
  postMessage(message: unknown): void {
    this.said.push(message);
  }
  terminate(): void {
    this.terminated = true;
  }
}

let end = () => {};
const timers = new ManualTimers();
const settle = async () => {
  for (let i = 0; i < 40; i++) await Promise.resolve();
};
/** A session that reacts until it is hung; `closed`: whether it was ended. */
function connect() {
  const state = { hung: false, closed: false };
  session.connect((): WatchedConnection => {
    const real = inProcess(simulationSource(), timers).connect();
    return {
      ...real,
      send: (message) => {
        if (!state.hung) real.send(message);
      },
      ping: () => (state.hung ? new Promise(() => {}) : Promise.resolve()),
      close: () => {
        state.closed = true;
        real.close();
      },
    };
  }, 'worker');
  return state;
}
const FAR = { do: 'load', scenario: 'hello', seed: 7, to: { step: 1e9, seq: 1e9 } } as const;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('window', { addEventListener() {}, removeEventListener() {} });
  vi.stubGlobal('Worker', FakeWorker);
  vi.stubGlobal('requestAnimationFrame', (f: () => void) => setTimeout(f, 0));
  made.length = 0;
  useUI.setState({ notice: null, lang: 'en', left: null, bottom: null, dialog: null, inspectorOpen: false });
  useLongWork.setState({ held: null, question: null });
  end = followWork();
});
afterEach(() => {
  end();
  session.disconnect();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('work that takes long', () => {
  it('is told of after three seconds with where it is, and Escape stops it where it stands', async () => {
    const state = connect();
    await settle();
    const loaded = session.command(FAR);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(useLongWork.getState().held).toBeNull();
    timers.advance(100);
    await vi.advanceTimersByTimeAsync(1_500);
    expect(useLongWork.getState().held).toMatchObject({ title: 'progress.load', seconds: 3, silent: 0, of: 1e9 });
    expect(useLongWork.getState().held?.steps).toBeGreaterThan(1000);
    runCommand('view.close');
    await vi.advanceTimersByTimeAsync(10);
    expect(await loaded).toMatchObject({ stopped: { step: expect.any(Number) } });
    expect([state.closed, useLongWork.getState().held]).toEqual([false, null]);
    expect(useUI.getState().notice).toMatchObject({ bad: false, text: expect.stringContaining('Stopped.') });
    expect(useSession.getState().info?.seed).toBe(7);
  });

  it('leaves Escape to what is open while nothing takes long', () => {
    expect(stopOnEscape()).toBe(false);
    useUI.setState({ left: 'pods' });
    runCommand('view.close');
    expect(useUI.getState().left).toBeNull();
  });

  it('is ended where the session does not react, and another session is there at once', async () => {
    const state = connect();
    await settle();
    state.hung = true;
    const loaded = session.command(FAR).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(3_500);
    expect(useLongWork.getState().held).toMatchObject({ silent: 3, seconds: 3 });
    void stopWork();
    await vi.advanceTimersByTimeAsync(PATIENCE_MILLIS - 10);
    expect([state.closed, useLongWork.getState().held?.stopping]).toEqual([false, true]);
    await vi.advanceTimersByTimeAsync(20);
    expect(state.closed).toBe(true);
    expect(await loaded).toBeInstanceOf(StoppedError);
    expect(made).toHaveLength(1);
    expect(useLongWork.getState().question?.choices.map((c) => c.id)).toEqual(['start', 'another']);
    // No complaint is shown about what the user wanted.
    expect(useUI.getState().notice).toBeNull();
    expect(stopOnEscape()).toBe(true);
    expect([useLongWork.getState().question, useUI.getState().left]).toEqual([null, 'scenarios']);
  });

  it('that is a hung run is found out without a command, too', async () => {
    const state = connect();
    await settle();
    await session.command({ do: 'resume' });
    timers.advance(50);
    await settle();
    await vi.advanceTimersByTimeAsync(100);
    expect(useSession.getState().run.running).toBe(true);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(useLongWork.getState().held).toBeNull();
    state.hung = true;
    await vi.advanceTimersByTimeAsync(4_000);
    expect(useLongWork.getState().held).toMatchObject({ title: 'progress.running', silent: expect.any(Number) });
    expect(useLongWork.getState().held?.silent).toBeGreaterThanOrEqual(2);
  });

  it('gives way to another load: a hung session is replaced before it is asked for anything', async () => {
    const state = connect();
    await settle();
    state.hung = true;
    const first = session.command(FAR).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(100);
    void session.command({ do: 'load', scenario: 'crash-loop' }).catch(() => {});
    await vi.advanceTimersByTimeAsync(PATIENCE_MILLIS + 10);
    expect(await first).toBeInstanceOf(StoppedError);
    expect(state.closed).toBe(true);
    expect(made[0]?.said).toMatchObject([{ type: 'hello' }, { command: { do: 'load', scenario: 'crash-loop' } }]);
  });
});
