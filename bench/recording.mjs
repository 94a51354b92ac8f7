#!/usr/bin/env node
/**
 * A recording of 1,000,000 records, made by a simulated node with 110 pods, a third of them crash-looping, that runs
 * for as long as it takes: bytes per record on disk, records written per second, time to open, to get at the state of
 * random moments, to search all of it, and to read everything. Reading happens in a process of its own, so that its
 * memory is its own. With a file for its lines, some of the same records are also lines of JSON, packed by gzip, which
 * zcat and grep search. Prints JSON.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { RecordingSession } from '@syncloop/core/debug';
import { Kernel, Second, seeded } from '@syncloop/core/kernel';
import { SimulatedNode } from '@syncloop/core/scenario';
import { openRecording, RecordingWriter } from '@syncloop/core/trace';
import { CRASHING, manifest, PODS, STEADY } from './manifests.mjs';
import { driven } from './travel/session.mjs';

const SEEKS = 200;
/** A word that no record has: the search looks at all of them. */
const ABSENT = 'not-in-this-recording';
/** Records that are also lines of JSON. */
const LINES = 200_000;

const info = {
  core: '0.1.0',
  title: 'bench',
  scenario: '',
  seed: 1,
  runtime: 'mock runtime',
  node: 'node1',
  epochMillis: 1_767_225_600_000,
  virtual: true,
  createdBy: 'bench',
};

/** Writes `records` records into `file`, and some of them into `lines`; only the writer's time counts. */
export function write(file, records, lines) {
  const fd = openSync(file, 'w');
  let waiting = [];
  let text = 0;
  const asLines = [];
  const kernel = new Kernel({ seed: 1, policy: seeded(1), sink: (record) => waiting.push(record) });
  const node = new SimulatedNode(kernel, { config: { staticPodPath: '/etc/kubernetes/manifests', maxPods: PODS } });
  for (let i = 0; i < PODS; i++) node.putManifest(`p${i}.yaml`, manifest(i, i % 3 === 0 ? CRASHING : STEADY));
  node.startKubelet();
  let micros = 0;
  const timed = (fn) => {
    const t = performance.now();
    fn();
    micros += (performance.now() - t) * 1000;
  };
  let writer;
  timed(() => {
    writer = new RecordingWriter((chunk) => writeSync(fd, chunk), info);
  });
  while (writer.records < records) {
    kernel.run({ until: kernel.now() + Second });
    const batch = waiting.slice(0, records - writer.records);
    waiting = [];
    timed(() => {
      for (const record of batch) writer.push(record);
    });
    if (lines) asLines.push(...batch.slice(0, LINES - asLines.length).map((record) => JSON.stringify(record)));
    // A sample is enough for the size of the same records as lines of JSON.
    if (text === 0 && writer.records > 50_000)
      text = batch.reduce((sum, r) => sum + JSON.stringify(r).length + 1, 0) / batch.length;
  }
  timed(() => writer.close());
  const { size } = fstatSync(fd);
  closeSync(fd);
  if (lines) writeFileSync(lines, gzipSync(`${asLines.join('\n')}\n`));
  return {
    records: writer.records,
    simulatedSeconds: Math.round(kernel.now() / Second),
    bytes: size,
    bytesPerRecord: round(size / writer.records),
    bytesPerRecordAsText: round(text),
    recordsWrittenPerSecond: Math.round((writer.records / micros) * 1e6),
  };
}

/** In the other process. */
function read(file) {
  const millis = (fn) => {
    const t = performance.now();
    fn();
    return performance.now() - t;
  };
  const fd = openSync(file, 'r');
  const source = {
    size: fstatSync(fd).size,
    read(offset, length) {
      const bytes = new Uint8Array(length);
      let n = 0;
      while (n < length) n += readSync(fd, bytes, n, length - n, offset + n);
      return bytes;
    },
  };
  let recording;
  const openMillis = millis(() => {
    recording = openRecording(source);
  });
  const checkpoints = recording.blocks.filter((b) => b.type === 3 || b.type === 6);
  // A generator of our own, so that the moments are the same each time.
  let x = 42;
  const moment = () => {
    x = (Math.imul(x, 1103515245) + 12345) & 0x7fffffff;
    return 1 + (x % recording.last);
  };
  for (let i = 0; i < 10; i++) recording.stateAt(moment());
  const cpu = [];
  const states = Array.from({ length: SEEKS }, () => {
    const seq = moment();
    const before = process.cpuUsage();
    const wall = millis(() => recording.stateAt(seq));
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1000);
    return wall;
  });
  const found = Array.from({ length: SEEKS }, () => {
    const seq = moment();
    return millis(() => recording.records(seq, 100));
  });
  const seekRSS = process.resourceUsage().maxRSS;
  const search = millis(() => {
    if (searched(recording, ABSENT) > 0) throw new Error(`a record has ${ABSENT}`);
  });
  let n = 0;
  const readAll = millis(() => {
    for (const _ of recording.iterate()) n++;
  });
  if (n !== recording.count) throw new Error(`${n} of ${recording.count} records were read: ${recording.warning}`);
  closeSync(fd);
  return {
    openMillis: round(openMillis),
    stateMillis: quantiles(states),
    // On a machine that is busy otherwise this is more reliable; the garbage collector's threads are in it.
    stateCPUMillis: quantiles(cpu),
    recordsMillis: quantiles(found),
    recordsSearchedPerSecond: Math.round((recording.count / search) * 1000),
    readAllMillis: Math.round(readAll),
    recordsReadPerSecond: Math.round((n / readAll) * 1000),
    blocks: recording.blocks.length,
    checkpoints: checkpoints.length,
    checkpointBytesPerRecord: round(checkpoints.reduce((sum, b) => sum + b.stored, 0) / n),
    peakRSSMiBAfterSeeks: Math.round(seekRSS / 1024),
    peakRSSMiB: Math.round(process.resourceUsage().maxRSS / 1024),
  };
}

/** Searches all records for a text, as a session does it: one question after the other. Returns the number of hits. */
function searched(recording, text) {
  const session = driven(new RecordingSession(recording));
  let hits = 0;
  for (let from = 1; ; ) {
    const found = session.run({ do: 'find', text, from }).value;
    hits += found.hits.length;
    if (found.to >= found.last) return hits;
    from = found.to + 1;
  }
}

/** Lines per second in which zcat and grep look for a word without regard to case, as the search does. */
function grepped(lines) {
  const t = performance.now();
  const { status, stdout, error } = spawnSync('sh', ['-c', 'zcat "$1" | grep -ciF "$2"', 'sh', lines, ABSENT], {
    encoding: 'utf8',
  });
  // grep ends with 1 if no line has the word.
  if (error || status !== 1 || stdout.trim() !== '0') throw new Error(`zcat and grep failed: ${error ?? stdout}`);
  return Math.round((LINES / (performance.now() - t)) * 1000);
}

const round = (x) => Number(x.toFixed(1));
function quantiles(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (q) => round(sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]);
  return { p50: at(0.5), p99: at(0.99), max: round(sorted[sorted.length - 1]) };
}

/**
 * `records`: how long the recording is; `grep`: whether zcat and grep search its records too; `kept`: a folder that
 * keeps the recording, which is then not written again.
 */
export function run({ records = 1_000_000, grep = false, kept } = {}) {
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'syncloop-bench-'));
  const file = join(folder, `bench-${records}.syncloop`);
  try {
    const lines = grep ? join(folder, `bench-${records}.ndjson.gz`) : undefined;
    const written = existsSync(file) && (!lines || existsSync(lines)) ? null : writeWhole(file, records, lines);
    const answer = execFileSync(process.execPath, [fileURLToPath(import.meta.url), '--read', file], {
      encoding: 'utf8',
    });
    return {
      pods: PODS,
      ...(written && { write: written }),
      read: JSON.parse(answer),
      ...(lines && { gzipLines: { linesSearchedPerSecond: grepped(lines) } }),
    };
  } finally {
    if (!kept) rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes under another name first: a file that is there is whole. */
function writeWhole(file, records, lines) {
  const written = write(`${file}.part`, records, lines);
  renameSync(`${file}.part`, file);
  return written;
}

if (process.argv[2] === '--read') console.log(JSON.stringify(read(process.argv[3])));
