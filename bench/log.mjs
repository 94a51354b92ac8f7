/**
 * Measures a kubelet's log to records: lines a second for klog's text, the same without its secrets, and its JSON, by
 * the clock and by the time of the processor (another program on the machine takes from the first, not from the
 * second); and the memory while a generated log of 1 GB goes through (`SYNCLOOP_BENCH_LOG_MB` for another size).
 * Records are made and let go, as when they are shown live. Then the same in a browser, see log-page.mjs; and how fast
 * grep counts lines with a word.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { redactRecord } from '@syncloop/core/redaction';
import { foreseeIdentities, LogEvidenceReader, LogExtractor, Observer } from '@syncloop/observe';
import { measureLogPage } from './log-page.mjs';

const CAPTURE = new URL('../packages/core/testdata/attach/v1.33-v4/crash-loop/kubelet.v4.log.gz', import.meta.url);
const PIECE = 256 * 1024;
const MEGABYTES = Number(process.env.SYNCLOOP_BENCH_LOG_MB ?? 1000);
const NOT_AFTER = Date.UTC(2040, 0, 1);

const text = gunzipSync(readFileSync(CAPTURE));

/** The offsets of the day in each header: the log is repeated for each day. */
function daysIn(bytes) {
  const found = [];
  for (let at = 0; at >= 0 && at < bytes.length; at = bytes.indexOf(10, at) + 1) {
    if (/^[IWEF]\d{4} \d\d:/.test(bytes.toString('latin1', at, at + 9))) found.push(at + 1);
    if (bytes.indexOf(10, at) < 0) break;
  }
  return found;
}

/** Yields the log of one day after another. */
function* days(bytes, count) {
  const places = daysIn(bytes);
  const copy = Buffer.from(bytes);
  for (let i = 0; i < count; i++) {
    const day = new Date(Date.UTC(2026, 0, 1 + i)).toISOString();
    const shown = Buffer.from(day.slice(5, 7) + day.slice(8, 10));
    for (const at of places) shown.copy(copy, at);
    yield copy;
  }
}

function start(shown = (records) => records) {
  const observer = new Observer({ sources: [], extractors: [new LogExtractor()], foresee: foreseeIdentities });
  const reader = new LogEvidenceReader('log', { notAfter: NOT_AFTER });
  return (bytes) => {
    let records = 0;
    for (let at = 0; at < bytes.length; at += PIECE)
      records += shown(observer.push(reader.push(bytes.subarray(at, at + PIECE)))).length;
    return records;
  };
}

/** Returns the same lines in the form of `logging.format: json`, without those that are not records of klog. */
function asJson() {
  const reader = new LogEvidenceReader('log', { notAfter: NOT_AFTER });
  const evidence = [...reader.push(text), ...reader.end()];
  const lines = evidence.flatMap(({ entry }) =>
    entry.kind === 'entry'
      ? [
          JSON.stringify({
            ts: entry.epochMicros / 1000,
            caller: `kubelet/${entry.file}:${entry.sourceLine}`,
            msg: entry.msg,
            ...(entry.severity === 'I' && { v: 2 }),
            ...entry.fields,
          }),
        ]
      : [],
  );
  return Buffer.from(`${lines.join('\n')}\n`);
}

const newlines = (bytes) => bytes.toString('latin1').split('\n').length - 1;

function speed(bytes, runs, shown) {
  const lines = newlines(bytes);
  const observe = start(shown);
  // Once to warm up.
  observe(bytes);
  const cpu = process.cpuUsage();
  const began = performance.now();
  let records = 0;
  for (const day of days(bytes, runs)) records += observe(day);
  const seconds = (performance.now() - began) / 1000;
  const used = process.cpuUsage(cpu);
  const cpuSeconds = (used.user + used.system) / 1e6;
  return {
    linesPerSecond: Math.round((lines * runs) / seconds),
    linesPerCpuSecond: Math.round((lines * runs) / cpuSeconds),
    megabytesPerSecond: Math.round((bytes.length * runs) / seconds / 1e5) / 10,
    recordsPerLine: Math.round((records / lines / runs) * 100) / 100,
  };
}

function memory(megabytes) {
  const observe = start();
  const count = Math.ceil((megabytes * 1e6) / text.length);
  const heap = [];
  let i = 0;
  for (const day of days(text, count)) {
    observe(day);
    if (++i % Math.ceil(count / 10) === 0) {
      globalThis.gc?.();
      heap.push(Math.round(process.memoryUsage().heapUsed / 1e5) / 10);
    }
  }
  return { megabytes, heapMegabytesAtEachTenth: heap, collected: globalThis.gc !== undefined };
}

/** Lines per second in which grep counts those with a word in the same log, as a file. */
function grepped() {
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-log-'));
  const file = join(folder, 'kubelet.log');
  try {
    let lines = 0;
    for (const day of days(text, runs(text))) {
      writeFileSync(file, day, { flag: 'a' });
      lines += newlines(day);
    }
    const since = performance.now();
    execFileSync('grep', ['-c', 'SyncLoop', file]);
    return { linesPerSecond: Math.round((lines / (performance.now() - since)) * 1000) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const runs = (bytes) => Math.ceil(60e6 / bytes.length);

const measures = {
  text: () => speed(text, runs(text)),
  // Redacted records, as import and open make them.
  redacted: () => speed(text, runs(text), (records) => records.map(redactRecord)),
  json() {
    const json = asJson();
    return speed(json, runs(json));
  },
  memory,
  page: (megabytes) => measureLogPage({ megabytes }),
  grep: grepped,
};

/** `parts`: which of them; `megabytes`: of the log for memory and for the page. */
export async function run({ parts = Object.keys(measures), megabytes = MEGABYTES } = {}) {
  const results = {};
  for (const part of parts) results[part] = await measures[part](megabytes);
  return results;
}
