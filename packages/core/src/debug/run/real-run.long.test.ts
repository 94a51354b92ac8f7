import { beforeAll, describe, expect, it } from 'vitest';
import { deepEqual } from '../../base/deep.js';
import { isUsualSize, sampled } from '../../conformance/invariants/testing/runs.js';
import { defaultEra, type EraVersion, loadEras } from '../../kubelet/era/index.js';
import { library, parseScenario, type ScenarioRun, startScenario } from '../../scenario/index.js';
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
} from '../../trace/index.js';
import { type Command, type CommandResult, SimulationSession, simulationSource } from '../index.js';

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

/** Goroutines and containers of which the records tell something else than what is there, each with both. */
function untrue({ kernel, mock }: ScenarioRun, state: NodeState): string[] {
  const problems: string[] = [];
  // Hundreds of thousands of times: expect would take most of the time.
  const same = (what: string, told: unknown, there: unknown) => {
    const [a, b] = [JSON.stringify(told), JSON.stringify(there)];
    if (a !== b) problems.push(`at ${kernel.now()} ${what}: told ${a}, there ${b}`);
  };
  for (const g of kernel.goroutines.values()) {
    if (g.quiet) continue;
    const view = state.goroutines[g.id];
    same(
      `stack of ${g.name}`,
      view?.stack.map((f) => f.fn),
      g.frames.map((f) => f.fn),
    );
    // Of a channel that leaves no records there is no wait either.
    // In a call it waits for the client's own channel.
    if (view?.wait && view.wait.op !== 'call' && !deepEqual(view.wait, g.wait))
      same(`wait of ${g.name}`, view.wait, g.wait);
  }
  for (const g of Object.values(state.goroutines))
    if (g.state !== 'dead' && !kernel.goroutines.has(g.id)) problems.push(`goroutine ${g.id} is told, and not there`);
  const told = Object.values(state.containers).filter((c) => c.state !== 'removed');
  const names = (list: readonly { id: string; state: string }[]) => list.map((c) => `${c.id} ${c.state}`).sort();
  same('containers', names(told), names(mock.containers()));
  return problems;
}

/** The run for all who only look at it: the latest alone is kept, records of all would fill the memory. */
let latest: { text: string; problems: string[]; played: ReturnType<typeof play> } | null = null;
function once(text: string): NonNullable<typeof latest> {
  if (latest?.text === text) return latest;
  const problems: string[] = [];
  const played = play(text, (run, state) => problems.push(...untrue(run, state)));
  latest = { text, problems, played };
  return latest;
}

/** Channels of the loop's select. */
const cases: Readonly<Record<EraVersion, number>> = { 'v1.12': 5, 'v1.21': 7, 'v1.25': 7, 'v1.32': 8, 'v1.36': 8 };

beforeAll(() => loadEras());

const names = library.map(({ name }) => name).filter(isUsualSize);
/** Those that are run a second time. */
const twice = sampled(names, 8);
/** Those whose records are written, read again and told. */
const written = sampled(names, 2, 1);

describe.each(library.filter(({ name }) => isUsualSize(name)).map(({ name, text }) => [name, text] as const))(
  'records of the scenario %s',
  (name, text) => {
    it('tell what the kernel and the runtime hold, at any time', () => {
      const { problems, played } = once(text);
      expect(problems.slice(0, 5)).toEqual([]);
      expect(played.run.outcome).toBe('passed');
    });

    it('count the loop’s iterations, and leave nothing under way at the end', () => {
      const { records, state } = once(text).played;
      // Each kubelet counts again.
      const begin =
        records.findLast((r) => r.kind === 'process' && r.process === 'kubelet' && r.state === 'started')?.seq ?? 0;
      const entered = records.filter((r) => r.kind === 'enter' && r.fn === 'syncLoopIteration' && r.seq > begin).length;
      // The last one waits.
      expect(entered - state.loop.iteration).toBeLessThanOrEqual(1);
      expect(state.loop.iteration).toBeGreaterThan(10);
      expect(state.loop.cases).toHaveLength(cases[parseScenario(text, 'scenario.yaml').era ?? defaultEra]);
      // Pods that were refused have no worker, nor have mirrors.
      for (const { worker } of Object.values(state.pods))
        if (worker) expect(worker).toMatchObject({ working: false, pending: null, waitsForNewerThan: null });
      // A pod whose status cannot be read is seen again by the next relist, which then has the event.
      const { transitions } = state.pleg;
      const again = ({ seq, id, new: state }: (typeof transitions)[number]) =>
        transitions.some((t) => t.seq > seq && t.id === id && t.new === state && t.event !== '');
      expect(transitions.filter((t) => t.event === '' && t.new !== 'unknown' && !again(t))).toEqual([]);
    });

    if (written.includes(name))
      it('are JSON, survive a recording, and read as sentences in both languages', () => {
        const { records } = once(text).played;
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
        const read = readRecording(file.join()).records;
        expect(read).toHaveLength(records.length);
        // Only a suspect is worth the pains of expect: there are hundreds of thousands.
        for (const [i, r] of records.entries())
          if (JSON.stringify(read[i]) !== JSON.stringify(r)) expect(read[i]).toEqual(r);
        const state = initialState();
        const bad: string[] = [];
        for (const r of records) {
          reduce(state, r);
          for (const lang of ['en', 'zh'] as const) {
            const { text: sentence } = narrate(r, lookupOf(state), lang);
            if (/undefined|NaN|\[object/.test(sentence) || !sentence.endsWith(lang === 'en' ? '.' : '。'))
              bad.push(`${r.seq}: ${sentence}`);
          }
        }
        expect(bad.slice(0, 5)).toEqual([]);
      });

    if (twice.includes(name))
      it('are the same to the byte for the same seed', () => {
        const { records } = once(text).played;
        const again = play(text).records;
        expect(again.findIndex((r, i) => JSON.stringify(r) !== JSON.stringify(records[i]))).toBe(-1);
        expect(again).toHaveLength(records.length);
      });
  },
);

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
