import { describe, expect, it } from 'vitest';
import { library, parseScenario, type ScenarioRun, startScenario } from '../scenario/index.js';
import {
  ByteChunks,
  initialState,
  lookupOf,
  type NodeState,
  narrate,
  RecordingWriter,
  readRecording,
  reduce,
  type TraceRecord,
} from '../trace/index.js';
import { type Command, type CommandResult, SimulationSession, simulationSource } from './index.js';

/** A library scenario from its begin to its end, with a look at the state now and then. */
function play(
  text: string,
  look: (run: ScenarioRun, state: NodeState) => void = () => {},
): { records: TraceRecord[]; state: NodeState; run: ScenarioRun } {
  const records: TraceRecord[] = [];
  const state = initialState();
  const run = startScenario(parseScenario(text, 'scenario.yaml'), {
    sink(record) {
      records.push(record);
      reduce(state, record);
    },
  });
  for (let until = 0; !run.done && until < 600_000_000; until += 500_000) {
    run.run({ until });
    look(run, state);
  }
  return { records, state, run };
}

/** The same run for all who only look. */
const played = new Map<string, ReturnType<typeof play>>();
function once(text: string): ReturnType<typeof play> {
  const known = played.get(text) ?? play(text);
  played.set(text, known);
  return known;
}

describe.each(library.map(({ name, text }) => [name, text] as const))('records of the scenario %s', (_name, text) => {
  it('tell what the kernel and the runtime hold, at any time', () => {
    const { run } = play(text, ({ kernel, mock }, state) => {
      for (const g of kernel.goroutines.values()) {
        if (g.quiet) continue;
        const view = state.goroutines[g.id];
        expect(view?.stack.map((f) => f.fn)).toEqual(g.frames.map((f) => f.fn));
        // Of a channel that leaves no records there is no wait either.
        // In a call it waits for the client's own channel.
        if (view?.wait && view.wait.op !== 'call') expect(view.wait).toEqual(g.wait);
      }
      const live = Object.values(state.goroutines).filter((g) => g.state !== 'dead');
      expect(live.map((g) => g.id).filter((id) => !kernel.goroutines.has(id))).toEqual([]);
      const seen = Object.values(state.containers).filter((c) => c.state !== 'removed');
      expect(seen.map((c) => `${c.id} ${c.state}`).sort()).toEqual(
        mock
          .containers()
          .map((c) => `${c.id} ${c.state}`)
          .sort(),
      );
    });
    expect(run.outcome).toBe('passed');
  });

  it('count the loop’s iterations, and leave nothing under way at the end', () => {
    const { records, state } = once(text);
    // Each kubelet counts anew.
    const begin =
      records.findLast((r) => r.kind === 'process' && r.process === 'kubelet' && r.state === 'started')?.seq ?? 0;
    const entered = records.filter((r) => r.kind === 'enter' && r.fn === 'syncLoopIteration' && r.seq > begin).length;
    // The last one waits.
    expect(entered - state.loop.iteration).toBeLessThanOrEqual(1);
    expect(state.loop.iteration).toBeGreaterThan(10);
    expect(state.loop.cases).toHaveLength(8);
    // Pods that were refused have no worker, nor have mirrors.
    for (const { worker } of Object.values(state.pods))
      if (worker) expect(worker).toMatchObject({ working: false, pending: null, waitsForNewerThan: null });
    expect(state.pleg.transitions.every((t) => t.event !== '' || t.new === 'unknown')).toBe(true);
  });

  it('are JSON, survive a recording, and read as sentences in both languages', () => {
    const { records } = once(text);
    const file = new ByteChunks();
    const writer = new RecordingWriter(file.push, {
      core: '0',
      title: '',
      scenario: '',
      seed: 1,
      runtime: '',
      node: '',
      epochMillis: 0,
      virtual: true,
      createdBy: '',
    });
    for (const r of records) writer.push(r);
    writer.close();
    expect(readRecording(file.join()).records).toEqual(records);
    const state = initialState();
    for (const r of records) {
      reduce(state, r);
      for (const lang of ['en', 'zh'] as const) {
        const { text: sentence } = narrate(r, lookupOf(state), lang);
        expect(sentence).not.toMatch(/undefined|NaN|\[object/);
        expect(sentence).toMatch(lang === 'en' ? /\.$/ : /。$/);
      }
    }
  });

  it('are the same to the byte for the same seed', () => {
    expect(JSON.stringify(play(text).records)).toBe(JSON.stringify(once(text).records));
  });
});

describe('a session over a real scenario', () => {
  it('goes back to where it was, records and state to the byte', () => {
    const session = new SimulationSession(simulationSource(), { scenario: 'crash-loop', speed: { mode: 'max' } });
    const run = (command: Command) => {
      let result: CommandResult = { ok: false, error: 'not answered' };
      session.execute(command, (r) => {
        result = r;
      });
      expect(result).toEqual({ ok: true });
    };
    run({ do: 'step', unit: 'iteration', count: 12 });
    const seq = session.store.last;
    const state = JSON.stringify(session.store.state);
    const uid = Object.keys(session.store.state.pods)[0] ?? '';
    run({ do: 'kill', uid });
    run({ do: 'step', unit: 'iteration', count: 10 });
    const later = JSON.stringify([...session.store.from(1)]);
    const there = session.store.last;
    run({ do: 'step', unit: 'iteration', count: 3 });
    run({ do: 'rewind', unit: 'record', to: there });
    expect(JSON.stringify([...session.store.from(1)]) === later).toBe(true);
    run({ do: 'rewind', unit: 'record', to: seq });
    expect(JSON.stringify(session.store.state) === state).toBe(true);
    expect(session.runState().branch).toBe(1);
  });
});
