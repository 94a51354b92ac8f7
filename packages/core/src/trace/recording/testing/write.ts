import type { TraceRecord } from '../../records.js';
import { allSamples, Tape } from '../../testing/samples.js';
import { ByteChunks, type RecordingInfo, RecordingWriter, type WriterOptions } from '../index.js';

export const info: RecordingInfo = {
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

/** A recording of `records`; `close: false`: as a crash leaves it after a flush. */
export function write(
  records: readonly TraceRecord[],
  options: WriterOptions & { close?: boolean; info?: RecordingInfo } = {},
): Uint8Array {
  const out = new ByteChunks();
  const writer = new RecordingWriter(out.push, options.info ?? info, options);
  for (const r of records) writer.push(r);
  if (options.close === false) writer.flush();
  else writer.close();
  return out.join();
}

/** Returns records of every kind, `times` over. */
export function tape(times = 1): TraceRecord[] {
  const t = new Tape();
  for (let n = 0; n < times; n++) for (const b of allSamples) if (b.kind !== 'gap') t.add(b);
  return t.records;
}

/** The same as text, as version 1 was written. */
export function writeText(records: readonly object[], header: object = {}): string {
  return [{ format: 'syncloop-recording', version: 1, ...info, ...header }, ...records]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

/** Draws small whole numbers below `n`, the same ones for the same seed. */
export function dice(seed: number): (n: number) => number {
  let x = seed >>> 0;
  return (n) => {
    x = (x + 0x6d2b79f5) >>> 0;
    let t = Math.imul(x ^ (x >>> 15), 1 | x);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}
