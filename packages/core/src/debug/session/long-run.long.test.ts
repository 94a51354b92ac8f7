/** A run that is much longer than its store: going back executes nothing, and looks hold nothing up. */
import { describe, expect, it } from 'vitest';
import { type Command, type CommandResult, SessionServer, SimulationSession, simulationSource } from '../index.js';
import { hashState } from '../inspect/index.js';
import { PROTOCOL_VERSION, type ServerMessage } from '../protocol/protocol.js';
import type { SimulationSource } from '../run/simulation.js';

/** The product's scenarios; `steps`: of all runs so far. */
function counted(): SimulationSource & { steps: number; runs: number } {
  const scenarios = simulationSource();
  const source = {
    ...scenarios,
    steps: 0,
    runs: 0,
    start(request: Parameters<SimulationSource['start']>[0]) {
      source.runs++;
      const simulation = scenarios.start(request);
      return {
        ...simulation,
        step: () => {
          source.steps++;
          return simulation.step?.() ?? simulation.kernel.step();
        },
      };
    },
  };
  return source;
}
const STEPS = 4_000;

function longRun(options: { past?: number } = {}) {
  const source = counted();
  const session = new SimulationSession(source, { scenario: 'crash-loop', capacity: 1024, chunk: 128, ...options });
  const ask = (command: Command): CommandResult[] => {
    const results: CommandResult[] = [];
    session.execute(command, (r) => results.push(r));
    return results;
  };
  const done = (command: Command): CommandResult => {
    const results = ask(command);
    while (results.length === 0) session.pump(1, () => true);
    return results[0] as CommandResult;
  };
  done({ do: 'go', to: { step: STEPS } });
  const shown = () => {
    const { seq, steps } = session.runState();
    return { seq, steps, hash: hashState(session.store.state) };
  };
  return { source, session, ask, done, shown };
}

describe('a long run', () => {
  it('is gone back and forth in anywhere without executing a decision', () => {
    const { source, session, done, shown } = longRun();
    expect(session.store.first).toBeGreaterThan(5000);
    const before = source.steps;
    const end = shown();
    for (let n = 1; n <= 20; n++) {
      expect(done({ do: 'step', unit: 'decision', back: true })).toEqual({ ok: true });
      expect(session.runState().steps).toBe(STEPS - n);
    }
    const there: unknown[] = [];
    const places = [3000, 100, 0, 1999, 2000];
    for (const step of places) {
      expect(done({ do: 'go', to: { step } })).toEqual({ ok: true });
      expect(session.runState().steps).toBe(step);
      there.push(shown());
    }
    for (let n = 0; n < 5; n++) done({ do: 'step', unit: 'iteration', back: true });
    expect(done({ do: 'step', unit: 'status', back: true })).toEqual({ ok: true });
    expect(done({ do: 'go', to: { time: 1_000_000 } })).toEqual({ ok: true });
    done({ do: 'go', to: { step: STEPS } });
    expect(shown()).toEqual(end);
    expect([source.runs, source.steps]).toEqual([1, before]);
    // Each moment is the one that a run which only goes there shows.
    const fresh = longRun();
    for (const [i, step] of places.entries()) {
      fresh.done({ do: 'restart' });
      fresh.done({ do: 'go', to: { step } });
      expect(there[i]).toEqual(fresh.shown());
    }
  });

  it('goes on from far back as it went, up to its head', () => {
    const { source, session, done, shown } = longRun();
    const end = shown();
    const before = source.steps;
    done({ do: 'go', to: { step: 500 } });
    for (let n = 0; n < 200; n++) done({ do: 'step', unit: 'decision' });
    expect(session.runState().steps).toBe(700);
    done({ do: 'go', to: { step: STEPS } });
    expect([shown(), source.steps]).toEqual([end, before]);
    done({ do: 'step', unit: 'decision' });
    expect(source.steps).toBeGreaterThan(before);
  });

  it('tells the manifests of a moment in the past without executing it', () => {
    const { source, ask, done } = longRun();
    const names = () =>
      (ask({ do: 'manifests' })[0] as unknown as { value: { file: string }[] }).value.map((m) => m.file);
    const old = names();
    done({ do: 'apply', manifest: 'kind: Pod', file: 'late.yaml', force: true });
    done({ do: 'step', unit: 'decision', count: 50 });
    expect(names()).toEqual([...old, 'late.yaml'].sort());
    const before = source.steps;
    done({ do: 'go', to: { step: STEPS - 1 } });
    expect(names()).toEqual(old);
    done({ do: 'go', to: { step: STEPS + 1 } });
    expect(names()).toEqual([...old, 'late.yaml'].sort());
    expect([source.runs, source.steps]).toEqual([1, before]);
  });

  it('is looked at aside: steps go first, and the look is about where they led', () => {
    const { source, session, ask, done } = longRun();
    done({ do: 'go', to: { step: 3500 } });
    const look = ask({ do: 'runnable' });
    session.pump(1, () => true);
    expect(look).toEqual([]);
    expect(session.runState().busy).toMatchObject({ do: 'runnable' });
    // At once, though the look has far to go.
    for (let n = 1; n <= 5; n++) {
      expect(ask({ do: 'step', unit: 'decision', back: true })).toEqual([{ ok: true }]);
      expect(session.runState().steps).toBe(3500 - n);
    }
    while (look.length === 0) session.pump(1, () => true);
    // The run that was on its way there is the one that came here.
    expect(source.runs).toBe(2);
    const before = source.steps;
    expect(ask({ do: 'runnable' })).toEqual(look);
    expect(source.steps).toBe(before);
    const fresh = longRun();
    fresh.done({ do: 'restart' });
    fresh.done({ do: 'go', to: { step: 3495 } });
    expect(fresh.ask({ do: 'runnable' })).toEqual(look);
  });

  it('stops a look with what is under way', () => {
    const { ask, done, session } = longRun();
    done({ do: 'go', to: { step: 3500 } });
    const look = ask({ do: 'objects' });
    expect(ask({ do: 'pause' })).toEqual([{ ok: true }]);
    expect(look).toMatchObject([{ ok: false }]);
    expect(session.runState().busy).toBeUndefined();
  });

  it('goes on where a connection broke in the middle of a long travel', () => {
    // Nothing is kept packed, so that the travel executes the run again.
    const { session } = longRun({ past: 0 });
    const server = new SessionServer(session);
    const connect = () => {
      const got: ServerMessage[] = [];
      const client = server.connect((message) => got.push(message));
      const { id } = session.info;
      client.receive({ type: 'hello', protocol: PROTOCOL_VERSION, session: id, resumeFrom: session.store.last });
      return { got, client };
    };
    const first = connect();
    first.client.receive({ type: 'command', id: 1, command: { do: 'go', to: { step: 3000 } } });
    session.pump(1, () => true);
    first.client.close();
    const { seq } = session.runState();
    const second = connect();
    // The one that comes back is where the session was, sees the work, and what it asks for waits for that.
    expect(second.got[0]).toMatchObject({ type: 'welcome', snapshot: null, run: { seq, busy: { do: 'go' } } });
    second.client.receive({ type: 'command', id: 2, command: { do: 'step', unit: 'decision', back: true } });
    for (let n = 0; !second.got.some((m) => m.type === 'result') && n < 100_000; n++) session.pump(1, () => true);
    expect(second.got.find((m) => m.type === 'result')).toEqual({ type: 'result', id: 2, ok: true });
    expect(session.runState().steps).toBe(2999);
    expect(first.got.some((m) => m.type === 'result')).toBe(false);
  });
});
