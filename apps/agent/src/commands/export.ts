/** `syncloop export`: converts a recording to the format of another program. */
import { chromeTrace, klogText, ndjson, otlpLines, type RecordingFile, type TraceRecord } from '@syncloop/core/trace';
import { UsageError } from '../base/errors.js';
import { type FlagSpecs, parseArgs } from '../cli/args.js';
import type { IO } from '../cli/io.js';
import { openRecordingFile, withFileName } from '../recording/recording-file.js';
import { oneOf } from './choice.js';
import type { Command } from './command.js';
import { oneFile } from './one-recording.js';
import { pseudonymsFlag, pseudonymsOf, replacedText, withPseudonyms } from './pseudonyms.js';
import { writeOut } from './write-out.js';

const flagSpecs = {
  format: {
    type: 'string',
    value: 'FORMAT',
    help: 'chrome (Perfetto, Firefox Profiler), otlp (OpenTelemetry, JSON lines), ndjson (records), klog (the log)',
  },
  output: { type: 'file', short: 'o', value: 'FILE', help: 'file to write (default: standard output)' },
  from: { type: 'int', value: 'SEQ', min: 0, help: 'sequence number of the first record to export' },
  to: { type: 'int', value: 'SEQ', min: 0, help: 'sequence number of the last record to export' },
  axis: {
    type: 'string',
    value: 'time|record',
    help: 'chrome: what the horizontal axis shows: time (default), or one microsecond per record, so that nothing overlaps',
  },
  'no-args': {
    type: 'bool',
    help: "chrome: leave out the records' contents; the file is smaller but cannot be imported again",
  },
  'no-own-spans': { type: 'bool', help: 'otlp: only the spans that a real kubelet makes' },
  pseudonyms: pseudonymsFlag,
  v: {
    type: 'int',
    value: 'N',
    min: 0,
    help: "klog: highest verbosity of the lines, as the kubelet's -v (default: all lines)",
  },
} as const satisfies FlagSpecs;

const formats = ['chrome', 'otlp', 'ndjson', 'klog'] as const;
type Format = (typeof formats)[number];
const axes = ['time', 'record'] as const;

/** Writes a recording in another format, to --output or standard output. */
async function run(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('export', argv, flagSpecs);
  const file = oneFile('export', positionals);
  const format = oneOf('--format', flags.format, formats);
  if (format === undefined) throw new UsageError(`a format is required: give --format ${formats.join('|')}`);
  const axis = oneOf('--axis', flags.axis, axes) ?? 'time';
  const { from = 0, to = Number.POSITIVE_INFINITY, v } = flags;
  if (from > to) throw new UsageError(`--from ${from} is after --to ${to}: swap them`);
  const { recording, close } = openRecordingFile(file);
  try {
    // All records are looked at, so that two parts of one recording have the same names.
    const names = flags.pseudonyms ? pseudonymsOf(recording.header, recording) : null;
    const records = slice(names ? withPseudonyms(names, recording) : recording, from, to);
    const header = names?.info(recording.header) ?? recording.header;
    const pieces: Record<Format, () => Iterable<string>> = {
      chrome: () => chromeTrace(header, records, { axis, args: !flags['no-args'] }),
      otlp: () => otlpLines(header, records, { own: !flags['no-own-spans'] }),
      ndjson: () => ndjson(header, records),
      klog: () => klogText(header, records, v === undefined ? {} : { v }),
    };
    withFileName(file, () =>
      writeOut(flags.output, io, (write) => {
        for (const piece of pieces[format]()) write(Buffer.from(piece));
      }),
    );
    if (names) io.err(replacedText(names));
    if (recording.warning !== '') io.err(`syncloop: warning: ${file}: ${recording.warning}\n`);
    return 0;
  } finally {
    close();
  }
}

export const command: Command = {
  usage: 'syncloop export FILE --format chrome|otlp|ndjson|klog [-o OUT]',
  flags: flagSpecs,
  run,
};

/** The records of a range; they can be iterated several times. */
function slice(recording: Pick<RecordingFile, 'iterate'>, from: number, to: number): Iterable<TraceRecord> {
  return {
    *[Symbol.iterator]() {
      for (const record of recording.iterate(from)) {
        if (record.seq > to) return;
        yield record;
      }
    },
  };
}
