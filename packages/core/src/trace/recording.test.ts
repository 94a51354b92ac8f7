import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkUpgrades,
  RECORDING_VERSION,
  type RecordingError,
  RecordingReader,
  RecordingWriter,
  readRecording,
  type TraceRecord,
} from './index.js';
import { allSamples, Tape } from './testing/samples.js';

const header = {
  core: '0.1.0',
  title: 'Simulation: hello',
  scenario: 'hello',
  seed: 7,
  runtime: 'mock',
  node: 'node1',
  epochMillis: Date.UTC(2026, 0, 1),
  virtual: true,
  createdBy: 'test',
};

function write(records: readonly TraceRecord[]): string {
  let text = '';
  const writer = new RecordingWriter((chunk) => {
    expect(chunk.endsWith('\n')).toBe(true);
    text += chunk;
  }, header);
  for (const r of records) writer.push(r);
  writer.flush();
  return text;
}
function tape(): TraceRecord[] {
  const t = new Tape();
  for (const b of allSamples) if (b.kind !== 'gap') t.add(b);
  return t.records;
}

describe('recordings', () => {
  it('give back what was written, in pieces of any size', () => {
    const records = tape();
    const text = write(records);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 50 }), (sizes) => {
        const got: TraceRecord[] = [];
        const reader = new RecordingReader({ record: (r) => got.push(r) });
        for (let at = 0, i = 0; at < text.length; i++) {
          const size = sizes[i % sizes.length] as number;
          reader.push(text.slice(at, at + size));
          at += size;
        }
        reader.end();
        expect(got).toEqual(records);
        expect(reader.header).toEqual({ format: 'syncloop-recording', version: RECORDING_VERSION, ...header });
        expect(reader.warning).toBe('');
      }),
      { numRuns: 30, seed: 1 },
    );
  });

  it('a file that was cut off opens up to its last whole line, and says so', () => {
    const records = tape();
    const text = write(records);
    const firstLine = text.indexOf('\n');
    for (const cut of [3, 40, 200]) {
      const { records: got, warning } = readRecording(text.slice(0, text.length - cut));
      expect(got).toEqual(records.slice(0, got.length));
      expect(got.length).toBeLessThan(records.length);
      if (text[text.length - cut - 1] !== '\n')
        expect(warning).toBe(`The recording is cut off in line ${got.length + 2}; it ends with record ${got.length}.`);
    }
    expect(readRecording(text.slice(0, firstLine + 1)).records).toEqual([]);
    // Only the line's end is missing: nothing is lost.
    expect(readRecording(text.slice(0, -1))).toMatchObject({ warning: '', records });
  });

  it('names what is wrong', () => {
    const good = write(tape().slice(0, 3));
    const [first = ''] = good.split('\n');
    const error = (text: string): RecordingError => {
      try {
        readRecording(text);
      } catch (e) {
        return e as RecordingError;
      }
      throw new Error('it was read');
    };
    expect(error('').message).toBe('the file is empty: this is not a recording');
    expect(error('hello\n').message).toBe('line 1 is not a header: this is not a syncloop-recording file');
    expect(error('{"format":"har"}\n').message).toMatch(/line 1 is not a header/);
    expect(error('[1]\n').message).toMatch(/line 1 is not a header/);
    expect(error('{"for').message).toMatch(/line 1 is not a header/);
    expect(error(`${JSON.stringify({ ...JSON.parse(first), version: 99 })}\n`).message).toBe(
      `the recording has version 99, this program reads versions up to ${RECORDING_VERSION}: open it with a newer one`,
    );
    expect(error(`${JSON.stringify({ ...JSON.parse(first), version: '1' })}\n`).message).toMatch(/version is "1"/);
    expect(
      error(`${first}\n{"seq":1,"time":0,"kind":"x"}\n{"seq":2,,}\n{"seq":3,"time":1,"kind":"x"}\n`),
    ).toMatchObject({
      line: 3,
      message: 'line 3 is broken: it is not a JSON object; records up to 1 were read',
    });
    expect(error(`${first}\n{"seq":"1","time":0,"kind":"x"}\n`).message).toMatch(
      /line 2 is broken: it is not a record/,
    );
    expect(error(`${first}\n{"seq":2,"time":0,"kind":"x"}\n{"seq":2,"time":0,"kind":"x"}\n`).message).toBe(
      'line 3 is broken: record 2 comes after record 2',
    );
  });

  it('turns a hole into a gap record', () => {
    const records = tape();
    const lines = write(records).split('\n');
    lines.splice(3, 2);
    const got = readRecording(lines.join('\n')).records;
    expect(got[2]).toMatchObject({ kind: 'gap', seq: 4, from: 3, to: 4 });
    expect(got[3]).toEqual(records[4]);
  });

  it('is safe against names that mean something to JavaScript', () => {
    const lines = write([]);
    const evil =
      '{"__proto__":{"polluted":true},"seq":1,"time":0,"kind":"input","verb":"x","args":[{"__proto__":{"polluted":true}}]}\n';
    const { records } = readRecording(lines + evil);
    expect(records).toHaveLength(1);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(() => readRecording('{"__proto__":{"format":"syncloop-recording","version":1}}\n')).toThrow(/not a header/);
  });

  it('takes a byte order mark, empty lines and Windows line ends', () => {
    const text = write(tape().slice(0, 2));
    expect(readRecording(`\ufeff${text.replaceAll('\n', '\r\n')}\r\n\r\n`).records).toEqual(tape().slice(0, 2));
  });
});

describe('upgrades', () => {
  it('every step exists, and none leads beyond', () => {
    expect(() => checkUpgrades()).not.toThrow();
    expect(() => checkUpgrades({ 1: {} }, 3)).toThrow('no upgrade from version 2 to 3');
    expect(() => checkUpgrades({ 1: {}, 2: {} }, 2)).toThrow('upgrade from version 2 leads nowhere');
  });

  it('are applied one after another', () => {
    const steps = {
      1: { record: (r: Record<string, unknown>) => ({ ...r, trail: [1] }) },
      2: {
        header: (h: Record<string, unknown>) => ({ ...h, title: `${h.title} (old)` }),
        record: (r: Record<string, unknown>) => ({ ...r, trail: [...(r.trail as number[]), 2] }),
      },
    };
    checkUpgrades(steps, 3);
    const got: TraceRecord[] = [];
    const reader = new RecordingReader({ record: (r) => got.push(r) }, steps, 3);
    reader.push(write(tape().slice(0, 1)));
    reader.end();
    expect(reader.header).toMatchObject({ version: 3, title: 'Simulation: hello (old)' });
    expect(got[0]).toMatchObject({ trail: [1, 2] });
  });
});
