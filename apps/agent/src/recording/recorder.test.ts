import { readFileSync, statSync } from 'node:fs';
import { bytesSource, openRecording, type TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { KnownSecrets } from '../redaction/known-secrets.js';
import { tempFolder } from '../testing/harness.js';
import { klogPrinter } from './klog-printer.js';
import { startRecorder } from './recorder.js';
import { header, record } from './testing/records.js';

describe('startRecorder', () => {
  it('writes what the reader reads, for the owner only', async () => {
    const file = `${await tempFolder()}/r.syncloop`;
    const recorder = startRecorder(file, header, () => {}, { flushEvery: null });
    for (let seq = 1; seq <= 1000; seq++) recorder.push(record(seq));
    recorder.close();
    recorder.push(record(1001));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const recording = openRecording(bytesSource(readFileSync(file)));
    expect(recording.header).toMatchObject(header);
    expect(recording).toMatchObject({ closed: true, warning: '' });
    expect([...recording].map(({ seq }) => seq)).toEqual(Array.from({ length: 1000 }, (_, i) => i + 1));
  });

  it('what is flushed survives a crash', async () => {
    const file = `${await tempFolder()}/r.syncloop`;
    const recorder = startRecorder(file, header, () => {}, { flushEvery: 5 });
    recorder.push(record(1));
    const left = () => openRecording(bytesSource(readFileSync(file)));
    await expect.poll(() => left().last).toBe(1);
    expect(left().warning).toBe('The recording was not closed; it ends with record 1.');
    recorder.close();
  });

  it('does not fill the disk: at its limit it ends, and is whole', async () => {
    const file = `${await tempFolder()}/r.syncloop`;
    const warnings: string[] = [];
    const recorder = startRecorder(file, header, (text) => warnings.push(text), { flushEvery: null, maxBytes: 4096 });
    for (let seq = 1; seq <= 20_000; seq++) recorder.push(record(seq));
    recorder.close();
    expect(warnings).toEqual([`recording ${file} ends here: it has reached 0 MiB`]);
    const recording = openRecording(bytesSource(readFileSync(file)));
    expect(recording).toMatchObject({ closed: true, warning: '' });
    expect(recording.count).toBeGreaterThan(1000);
    expect(recording.count).toBeLessThan(20_000);
  });

  it('says what to do about a file that it cannot write', () => {
    expect(() => startRecorder('/nonexistent/r', header, () => {})).toThrow(/cannot write the recording.*--record$/);
  });

  it('ends with a word when the disk is full', () => {
    const warnings: string[] = [];
    const recorder = startRecorder('/dev/full', header, (text) => warnings.push(text), { flushEvery: null });
    recorder.push(record(1));
    recorder.close();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^recording \/dev\/full ends here: ENOSPC/);
  });
});

describe('klogPrinter', () => {
  it('prints errors always, the rest up to -v', () => {
    const lines: string[] = [];
    const print = klogPrinter(
      () => 2,
      Date.UTC(2026, 10, 21, 4, 0, 0),
      new KnownSecrets(),
      (line) => lines.push(line),
    );
    const log = (severity: 'I' | 'E', v: number, msg: string) =>
      print({
        ...record(1),
        kind: 'log',
        severity,
        v,
        msg,
        kv: { pod: 'default/web' },
        file: 'kubelet.go',
      } as TraceRecord);
    log('I', 2, 'shown');
    log('I', 3, 'too verbose');
    log('E', 9, 'error');
    print(record(2));
    const shape = /^[IE]1121 04:00:00\.000001 +\d+ kubelet\.go:\d+\] "(shown|error)" pod="default\/web"\n$/;
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(shape);
  });
});
