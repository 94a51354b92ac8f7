import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bytesSource,
  checkUpgrades,
  NdjsonReader,
  openRecording,
  RECORDING_VERSION,
  type RecordingError,
  readRecording,
  type TraceRecord,
} from '../index.js';
import { info, tape, write, writeText } from './testing/write.js';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('recordings as text', () => {
  it('are read in pieces of any size', () => {
    const records = tape();
    const text = writeText(records);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 50 }), (sizes) => {
        const got: TraceRecord[] = [];
        const reader = new NdjsonReader({ record: (r) => got.push(r) });
        for (let at = 0, i = 0; at < text.length; i++) {
          const size = sizes[i % sizes.length] as number;
          reader.push(text.slice(at, at + size));
          at += size;
        }
        reader.end();
        expect(got).toEqual(records);
        expect(reader.header).toEqual({ format: 'syncloop-recording', version: RECORDING_VERSION, ...info });
        expect(reader.writtenVersion).toBe(1);
        expect(reader.warning).toBe('');
      }),
      { numRuns: 30, seed: 1 },
    );
  });

  it('open like any other, states and all', () => {
    const records = tape(3);
    const file = openRecording(bytesSource(bytesOf(writeText(records))));
    const packed = openRecording(bytesSource(write(records)));
    expect([...file]).toEqual(records);
    expect(file).toMatchObject({ writtenVersion: 1, warning: '', first: 1, last: records.length });
    expect(file.size).toBe(bytesOf(writeText(records)).length);
    expect(file.stateAt(100)).toEqual(packed.stateAt(100));
  });

  it('that were cut off open up to the last whole line, and say so', () => {
    const records = tape();
    const text = writeText(records);
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
    // In the middle of a letter.
    const wide = bytesOf(`${writeText(records.slice(0, 2))}{"seq":3,"verb":"値`).slice(0, -1);
    expect(readRecording(wide).warning).toBe('The recording is cut off in line 4; it ends with record 2.');
  });

  it('name what is wrong', () => {
    const good = writeText(tape().slice(0, 3));
    const [first = ''] = good.split('\n');
    const error = (text: string): RecordingError => {
      try {
        readRecording(text);
      } catch (e) {
        return e as RecordingError;
      }
      throw new Error('it was read');
    };
    const line = (seq: unknown, more = '') =>
      `{"seq":${JSON.stringify(seq)},"time":0,"g":0,"span":0,"cause":0,"kind":"x"${more}}\n`;
    expect(error('').message).toBe('the file is empty: this is not a recording');
    expect(error('hello\n').message).toBe('line 1 is not a header: this is not a syncloop-recording file');
    expect(error('{"format":"har"}\n').message).toMatch(/line 1 is not a header/);
    expect(error('[1]\n').message).toMatch(/line 1 is not a header/);
    expect(error('{"for').message).toMatch(/line 1 is not a header/);
    expect(error(`${JSON.stringify({ ...JSON.parse(first), version: 99 })}\n`).message).toBe(
      `the recording has version 99, this program reads versions up to ${RECORDING_VERSION}: open it with a newer one`,
    );
    expect(error(`${JSON.stringify({ ...JSON.parse(first), version: '1' })}\n`).message).toMatch(/version is "1"/);
    expect(error(`${first}\n${line(1)}{"seq":2,,}\n${line(3)}`)).toMatchObject({
      line: 3,
      message: 'line 3 is broken: it is not a JSON object; records up to 1 were read',
    });
    expect(error(`${first}\n${line('1')}`).message).toBe(
      'line 2 is broken: its seq is not a whole number; records up to 0 were read',
    );
    expect(error(`${first}\n${line(2)}${line(2)}`).message).toBe('line 3 is broken: record 2 comes after record 2');
    expect(error(`${first}\n${line(1).replace('"x"', '"log","msg":5')}`).message).toMatch(
      /^line 2 is broken: the severity of its log is not a text/,
    );
  });

  it('turn a hole into a gap record', () => {
    const records = tape();
    const lines = writeText(records).split('\n');
    lines.splice(3, 2);
    const got = readRecording(lines.join('\n')).records;
    expect(got[2]).toMatchObject({ kind: 'gap', seq: 4, from: 3, to: 4 });
    expect(got[3]).toEqual(records[4]);
    expect(got).toHaveLength(records.length - 1);
  });

  it('may have a byte order mark, empty lines and Windows line ends', () => {
    const text = writeText(tape().slice(0, 2));
    expect(readRecording(`\ufeff${text.replaceAll('\n', '\r\n')}\r\n\r\n`).records).toEqual(tape().slice(0, 2));
  });
});

describe('upgrades', () => {
  const steps = {
    1: { record: (r: Record<string, unknown>) => ({ ...r, trail: [1] }) },
    2: {
      header: (h: Record<string, unknown>) => ({ ...h, title: `${h.title} (old)` }),
      record: (r: Record<string, unknown>) => ({ ...r, trail: [...((r.trail ?? []) as number[]), 2] }),
    },
  };

  it('every step exists, and none leads beyond', () => {
    expect(() => checkUpgrades()).not.toThrow();
    expect(() => checkUpgrades({ 1: {} }, 3)).toThrow('no upgrade from version 2 to 3');
    expect(() => checkUpgrades({ 1: {}, 2: {} }, 2)).toThrow('upgrade from version 2 leads nowhere');
  });

  it('are applied one after another, each where it is due', () => {
    checkUpgrades(steps, 3);
    const options = { upgrades: steps, version: 3 };
    const old = openRecording(bytesSource(bytesOf(writeText(tape().slice(0, 1)))), options);
    expect(old.header).toMatchObject({ version: 3, title: 'Simulation: hello (old)' });
    expect(old.writtenVersion).toBe(1);
    expect([...old][0]).toMatchObject({ trail: [1, 2] });
    const newer = openRecording(bytesSource(write(tape().slice(0, 1))), options);
    expect(newer.header).toMatchObject({ version: 3, title: 'Simulation: hello (old)' });
    expect([...newer][0]).toMatchObject({ trail: [2] });
  });
});
