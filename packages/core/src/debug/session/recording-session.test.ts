import { describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import {
  ByteChunks,
  bytesSource,
  type NodeState,
  openRecording,
  RecordingWriter,
  type TraceRecord,
} from '../../trace/index.js';
import {
  type Command,
  hashState,
  RecordingSession,
  SessionClient,
  SessionServer,
  SimulationSession,
  simulationSource,
} from '../index.js';

function recorded(): { bytes: Uint8Array; records: TraceRecord[]; stateAt: (seq: number) => NodeState } {
  const s = new SimulationSession(simulationSource(), { scenario: 'crash-loop', speed: { mode: 'max' } });
  s.execute({ do: 'go', to: { time: 120 * Second } }, () => {});
  while (s.runState().time < 120 * Second) s.pump(1, () => true);
  const out = new ByteChunks();
  const { title, scenario, seed, runtime, node, epochMillis, virtual } = s.info;
  const writer = new RecordingWriter(out.push, {
    core: '0',
    title,
    scenario,
    seed,
    runtime,
    node,
    epochMillis,
    virtual,
    createdBy: 'test',
  });
  const records = [...s.store.from(1)];
  for (const r of records) writer.push(r);
  writer.close();
  return { bytes: out.join(), records, stateAt: (seq) => s.store.stateAt(seq) };
}
const recording = recorded();

function open() {
  const session = new RecordingSession(openRecording(bytesSource(recording.bytes)), { chunk: 256, capacity: 1024 });
  const ask = (command: Command) => {
    let result: { ok: boolean; value?: unknown; error?: string } = { ok: false, error: 'no answer' };
    session.execute(command, (r) => {
      result = r;
    });
    for (let i = 0; result.error === 'no answer' && i < 10_000; i++) session.pump(1, () => true);
    return result;
  };
  const run = (command: Command) => {
    const result = ask(command);
    expect(result.error).toBeUndefined();
    return result.value;
  };
  const right = () => expect(hashState(session.store.state)).toBe(hashState(recording.stateAt(session.store.last)));
  return { session, ask, run, right };
}

describe('RecordingSession', () => {
  it('stands at any record with the state of then', () => {
    const { session, run, right } = open();
    const { length } = recording.records;
    for (const seq of [length, 1, Math.floor(length / 2), 3, length - 700, 0]) {
      run({ do: 'go', to: { seq } });
      expect(session.store.last).toBe(seq);
      right();
    }
    run({ do: 'go', to: { time: 30 * Second } });
    expect(session.store.state.time).toBeLessThanOrEqual(30 * Second);
    expect(recording.records[session.store.last]?.time).toBeGreaterThan(30 * Second);
    run({ do: 'go', to: { iteration: 20 } });
    expect(session.runState().iterations).toBe(20);
    run({ do: 'go', to: { iteration: 4 } });
    expect(session.runState().iterations).toBe(4);
    right();
  });

  it('steps forward and back over the same records', () => {
    const { session, run, right } = open();
    run({ do: 'go', to: { seq: 1500 } });
    for (const unit of ['record', 'iteration', 'milestone', 'into', 'channel', 'cri'] as const) {
      run({ do: 'step', unit });
      const stops = [session.store.last];
      for (let i = 0; i < 3; i++) {
        run({ do: 'step', unit });
        stops.push(session.store.last);
      }
      for (const stop of stops.slice(0, -1).reverse()) {
        run({ do: 'step', unit, back: true });
        expect(session.store.last, unit).toBe(stop);
      }
      right();
    }
  });

  it('plays at its speed, stops at breakpoints and at the end, and cannot be changed', () => {
    const { session, run, ask } = open();
    run({
      do: 'breakpoints',
      set: [
        { on: 'pleg-event', type: 'ContainerDied' },
        { on: 'cri', method: 'StartContainer', log: 'calls {method}' },
      ],
    });
    run({ do: 'resume' });
    for (let i = 0; i < 40; i++) session.pump(250, () => false);
    const { hits, time, running } = session.runState();
    expect([hits?.length, running]).toEqual([1, false]);
    expect(time).toBeLessThan(11 * Second);
    expect(session.store.get(session.store.last)).toMatchObject({ kind: 'pleg-event', type: 'ContainerDied' });
    expect(session.takeWritten()).toMatchObject([{ text: 'calls StartContainer' }]);
    run({ do: 'breakpoints', set: [] });
    run({ do: 'speed', speed: { mode: 'max' } });
    run({ do: 'resume' });
    while (session.runState().running && session.pump(1, () => false) !== null);
    expect(session.runState()).toMatchObject({
      running: false,
      seq: recording.records.length,
      stopped: 'this is the end of the recording',
    });
    expect(ask({ do: 'resume' }).error).toMatch(/cannot go on: this is the end/);
    expect(ask({ do: 'kill', uid: 'x' }).error).toMatch(/not possible in a recording/);
  });

  it('answers about all of it, as of where it stands', () => {
    const { session, run } = open();
    const restart = recording.records.findLast(
      (r) => r.kind === 'cri-call' && r.method === 'StartContainer',
    ) as TraceRecord;
    run({ do: 'go', to: { seq: restart.seq + 1 } });
    const uid = Object.keys(session.store.state.pods)[0] as string;
    const why = run({ do: 'why', question: { about: 'container', uid, container: 'app', what: 'restart' } }) as {
      links: { seq: number; kind: string }[];
    };
    expect(why.links.map((l) => l.kind)).toContain('pleg-event');
    expect(Math.max(...why.links.map((l) => l.seq))).toBeLessThanOrEqual(restart.seq + 1);
    const starts = recording.records.filter((r) => r.kind === 'cri-call' && r.method === 'StartContainer');
    expect(run({ do: 'search', breakpoint: { on: 'cri', method: 'StartContainer' } })).toMatchObject(
      starts.map((r) => ({ seq: r.seq })),
    );
    const phases = run({ do: 'history', path: `pods["${uid}"].phase` }) as { value: string }[];
    expect(phases.map((p) => p.value)).toContain('Running');
  });

  it('is watched by a client like any other session, wherever it jumps', () => {
    const { session, run } = open();
    const server = new SessionServer(session);
    const inbox: ((message: never) => void)[] = [];
    const handle = server.connect((m) => {
      for (const f of inbox) f(JSON.parse(JSON.stringify(m)) as never);
    });
    const client = new SessionClient(
      {
        send: (m) => queueMicrotask(() => handle.receive(JSON.parse(JSON.stringify(m)))),
        onMessage: (f) => inbox.push(f as never),
        onClose: () => {},
        close: () => {},
      },
      { capacity: 1024, chunk: 256 },
    );
    const settle = async () => {
      for (let i = 0; i < 50; i++) await Promise.resolve();
    };
    return (async () => {
      await settle();
      for (const seq of [40, 900, 2, recording.records.length, 1500, 1400]) {
        run({ do: 'go', to: { seq } });
        await settle();
        expect(client.store.last).toBe(seq);
        expect(hashState(client.state)).toBe(hashState(recording.stateAt(seq)));
      }
    })();
  });
});
