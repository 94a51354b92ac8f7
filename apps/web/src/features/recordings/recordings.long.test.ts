import { RecordingSession, SimulationSession, simulationSource } from '@syncloop/core/debug';
import { bytesSource, chromeTrace, openRecording, type RecordingError } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { fileName } from '../../files/pick-and-save.js';
import { aboutOf, blobSource, isOpenMessage, openBlob, type PieceReader } from '../../session/worker/recordings.js';
import { recordingOf, runOf } from './recordings.js';

/** A session that went on for a while, holding the newest records only. */
function simulated(capacity?: number) {
  const session = new SimulationSession(simulationSource(), {
    scenario: 'hello',
    seed: 3,
    ...(capacity !== undefined && { capacity, chunk: 64 }),
  });
  session.execute({ do: 'step', unit: 'iteration', count: 30 }, () => {});
  return session;
}
const breathe = async () => {};

describe('recordings of the page', () => {
  it('hold what the page holds, and how to run it again', async () => {
    const session = simulated();
    let spec: unknown;
    session.execute({ do: 'spec' }, (result) => {
      spec = result.ok ? result.value : null;
    });
    const bytes = await recordingOf(session.store, session.info, runOf(spec as never), breathe);
    const file = openRecording(bytesSource(bytes));
    expect(file.last).toBe(session.store.last);
    expect(file.last).toBeGreaterThan(200);
    expect([...file]).toEqual([...session.store.from(1)]);
    expect(file.header).toMatchObject({ title: session.info.title, seed: 3, run: { scenario: 'hello', seed: 3 } });
    // And it is a session of its own.
    expect(new RecordingSession(file).info).toMatchObject({ title: session.info.title });
  });

  it('of a long run hold its end, and the state before', async () => {
    const session = simulated(200);
    const { store } = session;
    expect(store.first).toBeGreaterThan(1);
    const file = openRecording(bytesSource(await recordingOf(store, session.info, null, breathe)));
    expect(file.first).toBe(store.first);
    expect(file.stateAt(store.last)).toEqual(store.state);
    expect(file.stateAt(store.first)).toEqual(store.stateAt(store.first));
    expect(file.header.run).toBeUndefined();
  });

  it('are named after their session', () => {
    expect(fileName('Simulation: hello')).toBe('simulation-hello.syncloop');
    expect(fileName('你好，Pod')).toBe('你好-pod.syncloop');
    expect(fileName('../..')).toBe('recording.syncloop');
  });
});

describe('a file in the worker', () => {
  /** A stand-in for FileReaderSync, of blobs whose bytes are in memory. */
  function fileOf(bytes: Uint8Array): { blob: Blob; reader: PieceReader; calls: number[] } {
    const calls: number[] = [];
    const piece = (from: number, to: number) => ({ bytes: bytes.slice(from, to) });
    const blob = { size: bytes.length, slice: piece } as unknown as Blob;
    const reader = {
      readAsArrayBuffer(b: Blob) {
        const { bytes: got } = b as unknown as { bytes: Uint8Array<ArrayBuffer> };
        calls.push(got.length);
        return got.buffer;
      },
    };
    return { blob, reader, calls };
  }

  it('is read in pieces, several small ones at once', async () => {
    const session = simulated();
    const bytes = await recordingOf(session.store, session.info, null, breathe);
    const { blob, reader, calls } = fileOf(bytes);
    const file = openBlob(blob, reader);
    expect([...file]).toEqual([...session.store.from(1)]);
    expect(calls.length).toBeLessThan(6);
    const large = fileOf(new Uint8Array(1_000_000).map((_, i) => i % 251));
    const source = blobSource(large.blob, large.reader);
    for (const [offset, length] of [
      [0, 10],
      [999_990, 10],
      [5, 700_000],
      [300_000, 100],
      [262_100, 100],
    ] as const)
      expect(source.read(offset, length)).toEqual(new Uint8Array(length).map((_, i) => (offset + i) % 251));
  });

  it('of the first version opens, too; any other is refused with a reason', () => {
    const text = (t: string) => fileOf(new TextEncoder().encode(t));
    const old = text('{"format":"syncloop-recording","version":1,"title":"old"}\n');
    expect(openBlob(old.blob, old.reader).header.title).toBe('old');
    const none = text('{}');
    let error: RecordingError | null = null;
    try {
      openBlob(none.blob, none.reader);
    } catch (e) {
      error = e as RecordingError;
    }
    expect(error?.message).toBe('line 1 is not a header: this is not a syncloop-recording file');
  });

  it('is opened too where it is in a Chrome trace; a trace of another program is refused with what to do', async () => {
    const session = simulated();
    const header = openRecording(bytesSource(await recordingOf(session.store, session.info, null, breathe))).header;
    const records = [...session.store.from(1)];
    const trace = fileOf(new TextEncoder().encode([...chromeTrace(header, records)].join('')));
    const file = openBlob(trace.blob, trace.reader);
    expect([...file]).toEqual(records);
    const { micros, ...about } = aboutOf(file);
    expect(about).toEqual({
      title: session.info.title,
      scenario: 'hello',
      seed: 3,
      node: session.info.node,
      runtime: session.info.runtime,
      records: records.length,
      begins: records[0]?.time,
    });
    expect(micros).toBe((records.at(-1)?.time ?? 0) - (records[0]?.time ?? 0));
    const other = fileOf(new TextEncoder().encode('{"traceEvents":[{"name":"x","ph":"X","ts":1}]}'));
    expect(() => openBlob(other.blob, other.reader)).toThrow(/no records in it/);
  });

  it('is asked for by the first message', () => {
    expect(isOpenMessage({ type: 'open', recording: new Blob([]) })).toBe(true);
    for (const other of [null, 5, {}, { type: 'hello' }, { type: 'open' }, { type: 'open', recording: 'x' }])
      expect(isOpenMessage(other)).toBe(false);
  });
});
