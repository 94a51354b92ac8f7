/** `syncloop export` and `syncloop import`: recordings in other programs' formats, and back. */
import { closeSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import {
  chromeTrace,
  importChromeTrace,
  klogText,
  ndjson,
  otlpLines,
  type RecordingFile,
  type RecordingInfo,
  RecordingWriter,
  type TraceRecord,
} from '@syncloop/core/trace';
import { parseArgs } from '../cli/args.js';
import { SetupError, UsageError } from '../cli/errors.js';
import type { IO } from '../cli/io.js';
import { readRegularSync } from '../host/read-file.js';
import { named, openRecordingFile } from '../node/recording-file.js';
import { oneOf } from './choice.js';
import { exportFlags, importFlags } from './flags.js';
import { oneFile } from './info.js';

const formats = ['chrome', 'otlp', 'ndjson', 'klog'] as const;
type Format = (typeof formats)[number];
const axes = ['time', 'record'] as const;

/** Writes a recording in another format, to --output or standard output. */
export async function exportCommand(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('export', argv, exportFlags);
  const file = oneFile('export', positionals);
  const format = oneOf('--format', flags.format, formats);
  if (format === undefined) throw new UsageError(`which format? give --format ${formats.join('|')}`);
  const axis = oneOf('--axis', flags.axis, axes) ?? 'time';
  const { from = 0, to = Number.POSITIVE_INFINITY, v } = flags;
  if (from > to) throw new UsageError(`--from ${from} is after --to ${to}: nothing lies between`);
  const { recording, close } = openRecordingFile(file);
  try {
    const records = slice(recording, from, to);
    const { header } = recording;
    const pieces: Record<Format, () => Iterable<string>> = {
      chrome: () => chromeTrace(header, records, { axis, args: !flags['no-args'] }),
      otlp: () => otlpLines(header, records, { own: !flags['no-own-spans'] }),
      ndjson: () => ndjson(header, records),
      klog: () => klogText(header, records, v === undefined ? {} : { v }),
    };
    named(file, () =>
      writeOut(flags.output, io, (write) => {
        for (const piece of pieces[format]()) write(Buffer.from(piece));
      }),
    );
    if (recording.warning !== '') io.err(`syncloop: warning: ${file}: ${recording.warning}\n`);
    return 0;
  } finally {
    close();
  }
}

/** Makes a recording of an exported one: NDJSON, a Chrome trace with its arguments, or a recording of an old version. */
export async function importCommand(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('import', argv, importFlags);
  const file = oneFile('import', positionals);
  const { output } = flags;
  if (output === undefined)
    throw new UsageError('where to? give --output FILE: syncloop import trace.json -o run.syncloop');
  const { info, records, warning, close } = readForeign(file);
  let count = 0;
  try {
    named(file, () =>
      writeOut(output, io, (write) => {
        const writer = new RecordingWriter(write, info);
        for (const record of records) writer.push(record);
        writer.close();
        count = writer.records;
      }),
    );
  } finally {
    close();
  }
  if (warning() !== '') io.err(`syncloop: warning: ${file}: ${warning()}\n`);
  io.out(`${output}: ${count} records\n`);
  return 0;
}

interface Foreign {
  readonly info: RecordingInfo;
  readonly records: Iterable<TraceRecord>;
  warning(): string;
  close(): void;
}

/** Bytes of a trace, which is read whole. */
const largestTrace = 256 * 1024 * 1024;

function readForeign(file: string): Foreign {
  // A Chrome trace is one JSON text; it begins otherwise than each recording does.
  if (file !== '-' && looksLikeTrace(file)) {
    const text = traceText(file);
    const { info, records } = named(file, () => importChromeTrace(text));
    return { info, records, warning: () => '', close() {} };
  }
  const { recording, close } = openRecordingFile(file);
  const { format: _f, version: _v, ...info } = recording.header;
  return { info, records: recording, warning: () => recording.warning, close };
}

function traceText(file: string): string {
  try {
    return readRegularSync(file, { limit: largestTrace }).toString('utf8');
  } catch (err) {
    throw new SetupError(`cannot read ${file}: ${(err as Error).message}`);
  }
}

function looksLikeTrace(file: string): boolean {
  const bytes = Buffer.alloc(256);
  try {
    const fd = openSync(file, 'r');
    try {
      readSync(fd, bytes);
    } finally {
      closeSync(fd);
    }
  } catch (err) {
    throw new SetupError(`cannot read ${file}: ${(err as Error).message}`);
  }
  const start = bytes.toString('utf8');
  return /^\ufeff?\s*(\[|\{\s*"(traceEvents|displayTimeUnit|otherData)")/.test(start);
}

/** The records of a part; it can be gone through again. */
function slice(recording: RecordingFile, from: number, to: number): Iterable<TraceRecord> {
  return {
    *[Symbol.iterator]() {
      for (const record of recording.iterate(from)) {
        if (record.seq > to) return;
        yield record;
      }
    },
  };
}

/** Into a file (mode 0600, in its place only when it is whole), or onto standard output. */
function writeOut(output: string | undefined, io: IO, produce: (write: (bytes: Uint8Array) => void) => void): void {
  if (output === undefined || output === '-') {
    produce((bytes) => io.out(Buffer.from(bytes).toString('utf8')));
    return;
  }
  const unfinished = `${output}.part`;
  let fd: number;
  try {
    fd = openSync(unfinished, 'w', 0o600);
  } catch (err) {
    throw new SetupError(`cannot write ${output}: ${(err as Error).message}; choose another file with --output`);
  }
  let waiting: Uint8Array[] = [];
  let size = 0;
  const flush = () => {
    try {
      for (let rest: Uint8Array = Buffer.concat(waiting); rest.length > 0; ) rest = rest.subarray(writeSync(fd, rest));
    } catch (err) {
      throw new SetupError(`cannot write ${output}: ${(err as Error).message}`);
    }
    waiting = [];
    size = 0;
  };
  try {
    produce((bytes) => {
      waiting.push(bytes);
      size += bytes.length;
      if (size > 1024 * 1024) flush();
    });
    flush();
    closeSync(fd);
    renameSync(unfinished, output);
  } catch (err) {
    rmSync(unfinished, { force: true });
    throw err;
  }
}
