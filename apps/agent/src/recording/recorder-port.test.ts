import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { bytesSource, openRecording } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../testing/harness.js';
import { keepOlderRecordings, openForRecording } from './recorder.js';
import { type FromRecorder, type RecorderPort, type ToRecorder, writeFromPort } from './recorder-port.js';
import { header, record } from './testing/records.js';

async function port() {
  const file = `${await tempFolder()}/r.syncloop`;
  const said: FromRecorder[] = [];
  let take: (message: ToRecorder) => void = () => {};
  let over = false;
  const end: RecorderPort = {
    on: (_event, listener) => {
      take = listener;
    },
    postMessage: (message) => void said.push(message),
    close: () => {
      over = true;
    },
  };
  writeFromPort(end, { fd: openForRecording(file), file, header, options: { flushEvery: null } });
  const batch = (...seqs: number[]) => take({ type: 'records', json: JSON.stringify(seqs.map(record)) });
  return { file, said, batch, close: () => take({ type: 'close' }), over: () => over };
}

describe('the thread of a recording', () => {
  it('writes what it is given, says how much of it, and ends with a whole file', async () => {
    const { file, said, batch, close, over } = await port();
    batch(1, 2, 3);
    batch(4);
    const written = { type: 'written', length: expect.any(Number) };
    expect(said).toEqual([{ type: 'ready' }, written, written]);
    expect(over()).toBe(false);
    close();
    expect(over()).toBe(true);
    const recording = openRecording(bytesSource(readFileSync(file)));
    expect(recording).toMatchObject({ closed: true, warning: '' });
    expect([...recording].map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  it('says which records are missing where some were left out', async () => {
    const { file, batch, close } = await port();
    batch(1, 2);
    batch(6, 7);
    close();
    const kinds = [...openRecording(bytesSource(readFileSync(file)))].map((r) =>
      r.kind === 'gap' ? `${r.from}-${r.to}` : r.seq,
    );
    expect(kinds).toEqual([1, 2, '3-5', 6, 7]);
  });
});

describe('keepOlderRecordings', () => {
  it('keeps four of them, the newest as .1', async () => {
    const folder = await tempFolder();
    const file = `${folder}/run.syncloop`;
    expect(keepOlderRecordings(file)).toBeNull();
    for (let run = 1; run <= 7; run++) {
      writeFileSync(file, `run ${run}`);
      expect(keepOlderRecordings(file)).toBe(`${folder}/run.1.syncloop`);
    }
    const left = [1, 2, 3, 4].map((n) => readFileSync(`${folder}/run.${n}.syncloop`, 'utf8'));
    expect(left).toEqual(['run 7', 'run 6', 'run 5', 'run 4']);
    expect(existsSync(`${folder}/run.5.syncloop`)).toBe(false);
    expect(existsSync(file)).toBe(false);
  });

  it('leaves an empty file and what is no file where it is', async () => {
    const folder = await tempFolder();
    writeFileSync(`${folder}/empty`, '');
    expect(keepOlderRecordings(`${folder}/empty`)).toBeNull();
    expect(keepOlderRecordings('/dev/null')).toBeNull();
    expect(keepOlderRecordings(folder)).toBeNull();
  });
});
