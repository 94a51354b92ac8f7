/** `syncloop import`: makes a recording of an exported file. */
import { closeSync, openSync, readSync } from 'node:fs';
import { importChromeTrace, type RecordingInfo, RecordingWriter, type TraceRecord } from '@syncloop/core/trace';
import { SetupError, UsageError } from '../base/errors.js';
import { readRegularSync } from '../base/read-file.js';
import { type FlagSpecs, parseArgs } from '../cli/args.js';
import type { IO } from '../cli/io.js';
import { openRecordingFile, withFileName } from '../recording/recording-file.js';
import type { Command } from './command.js';
import { oneFile } from './one-recording.js';
import { writeOut } from './write-out.js';

const flagSpecs = {
  output: { type: 'string', short: 'o', value: 'FILE', help: 'recording to write (required)' },
} as const satisfies FlagSpecs;

/**
 * Makes a recording of an exported one: NDJSON, a Chrome trace with its arguments, or a recording of an old version.
 */
async function run(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('import', argv, flagSpecs);
  const file = oneFile('import', positionals);
  const { output } = flags;
  if (output === undefined)
    throw new UsageError('--output FILE is required: syncloop import trace.json -o run.syncloop');
  const { info, records, warning, close } = readForeign(file);
  let count = 0;
  try {
    withFileName(file, () =>
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

export const command: Command = {
  usage: 'syncloop import FILE -o OUT.syncloop',
  flags: flagSpecs,
  run,
};

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
    const { info, records } = withFileName(file, () => importChromeTrace(text));
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
