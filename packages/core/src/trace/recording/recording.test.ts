import { describe, expect, it } from 'vitest';
import { foldAll, type TraceRecord } from '../index.js';
import { crc32, setUint53, viewOf } from './bytes.js';
import {
  ByteChunks,
  bytesSource,
  openRecording,
  RECORDING_VERSION,
  type RecordedRun,
  RecordingError,
  type RecordingFile,
  RecordingWriter,
  readRecording,
} from './index.js';
import { BLOCK, BLOCK_HEADER } from './layout.js';
import { info, tape, write } from './testing/write.js';

const open = (bytes: Uint8Array): RecordingFile => openRecording(bytesSource(bytes));
function failure(fn: () => unknown): RecordingError {
  try {
    fn();
  } catch (error) {
    if (error instanceof RecordingError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}
/** Byte where the `n`-th block of a type begins. */
const blockAt = (bytes: Uint8Array, type: number, n = 0): number =>
  open(bytes).blocks.filter((b) => b.type === type)[n]?.at as number;

describe('a recording', () => {
  const records = tape(4);
  const bytes = write(records, { block: 16, checkpoint: 32 });

  it('gives back what was written', () => {
    const file = open(bytes);
    expect([...file]).toEqual(records);
    expect(file.header).toEqual({ format: 'syncloop-recording', version: RECORDING_VERSION, ...info });
    expect(file).toMatchObject({ warning: '', closed: true, first: 1, last: records.length, count: records.length });
    expect(file.writtenVersion).toBe(RECORDING_VERSION);
    expect([file.firstTime, file.lastTime]).toEqual([records[0]?.time, records.at(-1)?.time]);
    // To the byte: so an export of it is the same.
    expect(JSON.stringify([...file])).toBe(JSON.stringify(records));
  });

  it('is the same bytes for the same records, however often it was flushed into whole blocks', () => {
    expect(Buffer.compare(write(records, { block: 16, checkpoint: 32 }), bytes)).toBe(0);
  });

  it('is smaller than its text by far', () => {
    const text = records.reduce((sum, r) => sum + JSON.stringify(r).length + 1, 0);
    expect(write(records).length).toBeLessThan(text / 4);
    expect(readRecording(write(records, { compress: false })).records).toEqual(records);
  });

  it('gives records from anywhere', () => {
    const file = open(bytes);
    for (const seq of [0, 1, 15, 16, 17, 33, 100, records.length]) {
      expect(file.records(seq, 20)).toEqual(records.slice(Math.max(0, seq - 1), Math.max(0, seq - 1) + 20));
      expect(file.get(seq)).toEqual(records[seq - 1]);
    }
    expect(file.records(records.length + 1, 5)).toEqual([]);
    expect(file.records(5, 0)).toEqual([]);
    expect([...file.iterate(100)]).toEqual(records.slice(99));
  });

  it('reads only the blocks that it needs', () => {
    const read: number[] = [];
    const source = bytesSource(bytes);
    const file = openRecording({
      size: source.size,
      read(offset, length) {
        read.push(length);
        return source.read(offset, length);
      },
    });
    read.length = 0;
    file.get(70);
    expect(read).toHaveLength(2);
    file.get(71);
    expect(read).toHaveLength(2);
  });

  it('gives the state after any record', () => {
    const file = open(bytes);
    const order = records.map((_, i) => ((i * 37) % records.length) + 1);
    for (const seq of [0, ...order]) expect(file.stateAt(seq)).toEqual(foldAll(records.slice(0, seq)));
    for (const seq of [-1, 1.5, records.length + 1, Number.NaN])
      expect(() => file.stateAt(seq)).toThrow(/is not in the recording: it has 1 to \d+$/);
    // A copy: what is done to it is done to it alone.
    const state = file.stateAt(50);
    state.pods.evil = undefined as never;
    state.goroutines = {};
    expect(file.stateAt(50)).toEqual(foldAll(records.slice(0, 50)));
    expect(Object.getPrototypeOf(file.stateAt(64).pods)).toBe(null);
  });

  it('has whole states and states told by another, and a broken one costs nothing but time', () => {
    const types = open(bytes).blocks.map((b) => b.type);
    expect(types.filter((t) => t === BLOCK.state).length).toBeGreaterThan(1);
    expect(types.filter((t) => t === BLOCK.delta).length).toBeGreaterThan(2);
    for (const type of [BLOCK.state, BLOCK.delta]) {
      const broken = bytes.slice();
      const at = blockAt(bytes, type) + BLOCK_HEADER + 5;
      broken[at] = (broken[at] as number) ^ 1;
      const file = open(broken);
      for (const seq of [60, 100, records.length]) expect(file.stateAt(seq)).toEqual(foldAll(records.slice(0, seq)));
      expect(file.warning).toBe('');
    }
  });

  it('without checkpoints makes its own', () => {
    const many = tape(500);
    const file = open(write(many, { checkpoint: 1e9 }));
    expect(file.blocks.some((b) => b.type === BLOCK.state)).toBe(false);
    const whole = foldAll(many);
    expect(file.stateAt(many.length)).toEqual(whole);
    // From the checkpoint that was left on the way.
    expect(many.length).toBeGreaterThan(20_000);
    expect(file.stateAt(20_000)).toEqual(foldAll(many.slice(0, 20_000)));
  });

  it('finds the last record of a moment', () => {
    const file = open(bytes);
    const seqAt = (time: number) => records.filter((r) => r.time <= time).at(-1)?.seq ?? 0;
    for (const { time } of records)
      for (const t of [time - 1, time, time + 1]) expect(file.seqAtTime(t)).toBe(seqAt(t));
    expect(file.seqAtTime(-5)).toBe(0);
    expect(file.seqAtTime(1e15)).toBe(records.length);
  });

  it('may be empty, or begin in the middle', () => {
    const none = open(write([]));
    expect(none).toMatchObject({ first: 0, last: 0, count: 0, warning: '' });
    expect([...none]).toEqual([]);
    expect(none.stateAt(0).seq).toBe(0);
    expect(none.seqAtTime(5)).toBe(0);

    const base = foldAll(records.slice(0, 39));
    const late = open(write(records.slice(39), { block: 16, base }));
    expect(late).toMatchObject({ first: 40, last: records.length });
    expect([...late]).toEqual(records.slice(39));
    for (const seq of [39, 40, 60]) expect(late.stateAt(seq)).toEqual(foldAll(records.slice(0, seq)));
    expect(() => late.stateAt(38)).toThrow(RangeError);
  });

  it('keeps records as they are, whatever is in them', () => {
    const odd = [
      {
        seq: 3,
        time: 5,
        g: 0,
        span: 0,
        cause: 0,
        kind: 'input',
        verb: 'a\nb\u2028\u0000"\ud800',
        args: [{ __proto__: 1 }],
      },
      { kind: 'new-kind', seq: 4, time: 4, cause: 9, span: 7, g: 2 ** 40, extra: { ключ: ['値', -0.5, 1e300, null] } },
      { seq: 2 ** 51, time: 2 ** 51, g: 0, span: 0, cause: 0, kind: 'input', verb: '', args: [] },
    ] as unknown as TraceRecord[];
    const got = [...open(write(odd))].filter((r) => r.kind !== 'gap');
    expect(got).toEqual(odd);
  });
});

describe('holes', () => {
  const records = tape(2);
  it('are gap records, within a block and between two', () => {
    const holes: [number, number][] = [
      [3, 4],
      [10, 30],
      [16, 17],
      [20, 20],
    ];
    for (const [from, to] of holes) {
      const kept = records.filter((r) => r.seq < from || r.seq > to);
      const file = open(write(kept, { block: 8 }));
      const got = [...file];
      const gap = got.find((r) => r.kind === 'gap');
      expect(gap).toMatchObject({ kind: 'gap', seq: to, from, to, time: records[to]?.time });
      expect(got.filter((r) => r !== gap)).toEqual(kept);
      expect(file.count).toBe(kept.length);
      expect(file.get(from)).toEqual(from === to ? gap : undefined);
      expect(file.records(to, 1)).toEqual([gap]);
      expect(file.records(to + 1, 1)).toEqual([records[to]]);
      expect(file.stateAt(from)).toEqual(from === to ? expect.anything() : file.stateAt(from - 1));
    }
  });
  it('that were written as gap records are not told twice', () => {
    const gap = { ...records[0], kind: 'gap', seq: 9, from: 5, to: 9 } as TraceRecord;
    for (const block of [4, 100]) {
      const all = [...records.slice(0, 4), gap, ...records.slice(9, 20)];
      expect([...open(write(all, { block }))]).toEqual(all);
    }
  });
  it('are made of a block that is broken, and it says so', () => {
    const bytes = write(records, { block: 8 });
    const at = blockAt(bytes, BLOCK.records, 2);
    bytes[at + BLOCK_HEADER + 9] = (bytes[at + BLOCK_HEADER + 9] as number) ^ 64;
    const file = open(bytes);
    const block = file.blocks.findIndex((b) => b.at === at) + 1;
    expect(file.warning).toBe('');
    const got = [...file];
    expect(got).toEqual([
      ...records.slice(0, 16),
      expect.objectContaining({ kind: 'gap', seq: 24, from: 17, to: 24 }),
      ...records.slice(24),
    ]);
    expect(file.warning).toBe(
      `Block ${block} at byte ${at} is broken (its checksum is wrong): records 17 to 24 are missing.`,
    );
    expect(file.seqAtTime(records[19]?.time as number)).toBe(24);
  });
});

describe('a writer', () => {
  const records = tape();
  const writer = () => {
    const out = new ByteChunks();
    return { out, writer: new RecordingWriter(out.push, info) };
  };

  it('refuses records that do not come after the last, and what is no record', () => {
    const { writer: w, out } = writer();
    w.push(records[0] as TraceRecord);
    w.push(records[1] as TraceRecord);
    expect(failure(() => w.push(records[1] as TraceRecord)).message).toBe(
      'record 2 comes after record 2: records are written in order',
    );
    expect(failure(() => w.push({ ...records[2], time: 0.5 } as TraceRecord)).message).toMatch(
      /^this is not a record: .*whole numbers/,
    );
    expect(failure(() => w.push({ ...records[2], kind: undefined } as never)).message).toMatch(/kind a text$/);
    w.push(records[2] as TraceRecord);
    w.close();
    expect(readRecording(out.join()).records).toEqual(records.slice(0, 3));
    expect(failure(() => w.push(records[3] as TraceRecord)).message).toMatch(/is closed/);
  });

  it('hands out whole blocks, none of it later changed', () => {
    const seen: Uint8Array[] = [];
    const copies: Uint8Array[] = [];
    const w = new RecordingWriter((chunk) => {
      seen.push(chunk);
      copies.push(chunk.slice());
    }, info);
    for (const r of records) {
      w.push(r);
      w.flush();
      expect(w.bytes).toBe(seen.reduce((sum, c) => sum + c.length, 0));
    }
    w.close();
    w.close();
    expect(seen.map((c) => Buffer.from(c).toString('hex'))).toEqual(copies.map((c) => Buffer.from(c).toString('hex')));
    expect(readRecording(Buffer.concat(seen)).records).toEqual(records);
  });

  it('goes on with a record that cannot be folded; the reader names it', () => {
    const bad = { ...records[1], kind: 'source', source: 'file', origin: 'list', pods: null } as unknown as TraceRecord;
    const bytes = write([records[0] as TraceRecord, bad, ...records.slice(2)], { checkpoint: 8, block: 4 });
    const file = open(bytes);
    expect(file.stateAt(1).seq).toBe(1);
    const error = failure(() => file.stateAt(5));
    expect(error.message).toMatch(
      /^block 2 at byte \d+: record 2 is broken: the pods of its source is not a list of pods; .*get it once more$/,
    );
    expect(error).toMatchObject({ block: 2, byte: blockAt(bytes, BLOCK.records), place: { seq: 2 } });
  });
});

describe('the run of a simulation', () => {
  const run: RecordedRun = {
    scenario: 'mine',
    text: 'kind: Scenario\n',
    seed: 7,
    deviations: [
      { decision: 5, goroutine: 3 },
      { decision: 9, case: 1 },
    ],
  };
  const later: RecordedRun = {
    ...run,
    interventions: [
      { step: 100, after: 20, time: 5_000_000, command: { do: 'kill', uid: 'uid-web', container: 'app' } },
    ],
  };
  it('is in the header, and what is told later counts', () => {
    expect(open(write([], { info: { ...info, run } })).header.run).toEqual(run);
    const out = new ByteChunks();
    const writer = new RecordingWriter(out.push, { ...info, run });
    for (const r of tape()) {
      writer.push(r);
      if (r.seq === 20) writer.run(later);
    }
    // The file as a crash leaves it.
    const cut = out.join().slice();
    expect(open(cut).header.run).toEqual(later);
    const { bytes } = writer;
    writer.run(later);
    expect(writer.bytes).toBe(bytes);
    writer.close();
    expect(open(out.join()).header.run).toEqual(later);
  });
  it('that is none is refused by name', () => {
    for (const [bad, message] of [
      [{ ...run, scenario: 3 }, /scenario: it is 3; it must be a text/],
      [{ ...run, seed: 'x' }, /seed: it is "x"; it must be a number/],
      [{ ...run, deviations: [{ decision: -1 }] }, /deviations\[0\].decision: it is -1; it must be a whole number/],
      [
        { ...run, interventions: [{ step: 1, after: 1, time: 1 }] },
        /interventions\[0\].command: it is missing; it must be an object/,
      ],
      [{ ...run, interventions: 5 }, /interventions: it is 5; it must be a list/],
      [{ ...run, text: 5 }, /text: it is 5; it must be a text/],
    ] as const)
      expect(failure(() => open(write([], { info: { ...info, run: bad as never } }))).message).toMatch(message);
  });
});

describe('openRecording names what is wrong', () => {
  const bytes = write(tape(), { block: 8 });
  it('with files that are none', () => {
    const message = (b: Uint8Array) => failure(() => open(b)).message;
    expect(message(new Uint8Array(0))).toBe('the file is empty: this is not a recording');
    expect(message(new TextEncoder().encode('hello\n'))).toBe(
      'line 1 is not a header: this is not a syncloop-recording file',
    );
    expect(message(bytes.slice(0, 5))).toMatch(/^the recording is cut off at byte 5, within its first bytes/);
    expect(message(bytes.slice(0, 11))).toMatch(/^the recording is cut off at byte 11, within its first 12 bytes/);
    const crlf = bytes.slice();
    crlf[4] = 10;
    expect(message(crlf)).toMatch(
      /changed, as happens when a file is transferred as text: get it once more, as binary$/,
    );
  });
  it('with newer versions and broken headers', () => {
    const newer = bytes.slice();
    newer[8] = 99;
    expect(failure(() => open(newer))).toMatchObject({
      message: `the recording has version 99, this program reads versions up to ${RECORDING_VERSION}: open it with a newer one`,
      byte: 8,
    });
    newer[8] = 0;
    expect(failure(() => open(newer)).message).toMatch(/version is 0; it must be a whole number from 1 on/);
    const broken = bytes.slice();
    broken[100] = (broken[100] as number) ^ 1;
    expect(failure(() => open(broken)).message).toMatch(
      /^the recording's header, block 1 at byte 12, is broken: its checksum is wrong/,
    );
    expect(failure(() => open(bytes.slice(0, 50))).message).toMatch(/block 1 at byte 12, is broken: it is cut off/);
  });
  it('with blocks out of order', () => {
    const twice = Buffer.concat([
      write(tape(), { block: 8, close: false }),
      write(tape(), { block: 8 }).slice(blockAt(bytes, BLOCK.records)),
    ]);
    expect(failure(() => open(twice)).message).toMatch(
      /^block \d+ at byte \d+ is broken: its record 1 comes after record \d+; .*get it once more$/,
    );
  });
  it('an index that leads astray is not followed', () => {
    const records = tape();
    for (const edit of [
      (b: Uint8Array) => {
        // The trailer leads into the middle, with a right checksum.
        const view = viewOf(b);
        setUint53(view, b.length - 16, 500);
        view.setUint32(b.length - 8, crc32(b.subarray(b.length - 16, b.length - 8)), true);
      },
      (b: Uint8Array) => {
        b[b.length - 30] = (b[b.length - 30] as number) ^ 255;
      },
    ]) {
      const changed = bytes.slice();
      edit(changed);
      const file = open(changed);
      expect(file.closed).toBe(false);
      expect([...file]).toEqual(records);
      expect(file.warning).toMatch(`it ends with record ${records.length}.`);
    }
  });
});
