/** `syncloop import`: makes a recording of an exported file, or of a kubelet's sources. */

import { closeSync, readSync, statSync } from 'node:fs';
import { redactRecord } from '@syncloop/core/redaction';
import {
  ByteChunks,
  bytesSource,
  importChromeTrace,
  type NodeState,
  openRecording,
  type RecordingFile,
  type RecordingInfo,
  RecordingWriter,
  recordWeight,
  type TraceRecord,
} from '@syncloop/core/trace';
import { Pseudonyms } from '@syncloop/core/trace/pseudonyms';
import { recognise } from '@syncloop/observe';
import { SetupError, UsageError } from '../base/errors.js';
import { openRegularSync, readRegularSync } from '../base/read-file.js';
import { sizeText } from '../base/size-text.js';
import { version } from '../base/version.js';
import { type FlagSpecs, type Flags, parseArgs } from '../cli/args.js';
import type { IO } from '../cli/io.js';
import { type Limits, limitsOf, STREAMED } from '../limits/limits.js';
import { ReadBudget } from '../limits/read-budget.js';
import { isPacked } from '../observe/bundles.js';
import { findEvidence, type Peeked, peekStream } from '../observe/evidence-files.js';
import { evidenceInfo, readEvidence } from '../observe/read-evidence.js';
import { openRecordingFile, withFileName } from '../recording/recording-file.js';
import type { Command } from './command.js';
import { evidenceFlags, sourcesOf } from './evidence-flags.js';
import { pseudonymsFlag, replacedText } from './pseudonyms.js';
import { writeOut, writeOutLater } from './write-out.js';

const flagSpecs = {
  output: { type: 'file', short: 'o', value: 'FILE', help: 'recording to write (required)' },
  pseudonyms: pseudonymsFlag,
  ...evidenceFlags,
} as const satisfies FlagSpecs;

/**
 * Makes a recording of an exported one (NDJSON, a Chrome trace with its arguments, a recording of an old version), or
 * of a kubelet's log and its other traces. What it is, is seen by its content.
 */
async function run(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('import', argv, flagSpecs);
  const { output } = flags;
  if (positionals.length === 0)
    throw new UsageError('a file is required: syncloop import FILE... -o OUT.syncloop, or - for standard input');
  if (output === undefined)
    throw new UsageError('--output FILE is required: syncloop import kubelet.log -o run.syncloop');
  const file = positionals[0] as string;
  const stdin = positionals.includes('-') ? await peekStream(process.stdin) : undefined;
  const found = whatIs(file, stdin);
  if (positionals.length > 1 && found === 'recording')
    throw new UsageError(`${file} is a recording: one recording at a time; several files are for logs and captures`);
  if (positionals.length > 1 || found === 'evidence')
    return await importEvidence(positionals, stdin, output, flags, io);
  io.progress?.({ doing: `reading ${file}` });
  const limits = limitsOf(flags);
  const foreign = stdin ? await recordingOf(stdin, limits) : readForeign(file, limits);
  const { warning, close } = foreign;
  const names = flags.pseudonyms ? new Pseudonyms() : null;
  let count = 0;
  try {
    withFileName(file, () =>
      writeOut(output, io, (write) => {
        count = writeRecording(write, foreign, names);
      }),
    );
  } finally {
    close();
  }
  if (names) io.err(replacedText(names));
  if (warning() !== '') io.err(`syncloop: warning: ${file}: ${warning()}\n`);
  io.out(`${output}: ${count} records\n`);
  return 0;
}

export const command: Command = {
  usage: 'syncloop import FILE... -o OUT.syncloop',
  flags: flagSpecs,
  run,
};

/** Rewrites a recording. Returns how many records it has. */
function writeRecording(
  write: (bytes: Uint8Array) => void,
  { info, records, base }: Pick<Foreign, 'info' | 'records' | 'base'>,
  names: Pseudonyms | null,
): number {
  names?.lookAtInfo(info);
  if (base) names?.lookAtState(base);
  if (names) for (const record of records) names.look(record);
  const state = base && (names?.state(base) ?? base);
  const writer = new RecordingWriter(write, names?.info(info) ?? info, state ? { base: state } : {});
  for (const record of records) writer.push(names?.record(record) ?? record);
  writer.close();
  return writer.records;
}

/** Records that are read before the header is written: by then the log has named its kubelet and node. */
const RECORDS_BEFORE_HEADER = 20_000;
/** Bytes of these records: each may have a line of a MiB. */
const BYTES_BEFORE_HEADER = 32 * 1024 * 1024;

async function importEvidence(
  paths: readonly string[],
  stdin: Peeked | undefined,
  output: string,
  flags: Flags<typeof flagSpecs>,
  io: IO,
): Promise<number> {
  const { files, left } = await findEvidence(paths, { ...sourcesOf(flags), ...(stdin && { stdin }) });
  for (const why of left) io.err(`syncloop: ${why}\n`);
  const budget = new ReadBudget(limitsOf(flags), STREAMED);
  const reading = readEvidence(files, { budget, progress: io.progress });
  const shown = (record: TraceRecord) => (flags['reveal-secrets'] ? record : redactRecord(record));
  let count = 0;
  await writeOutLater(output, io, async (out) => {
    // A name may be used long before a record shows that it is one.
    const whole = flags.pseudonyms ? new ByteChunks() : null;
    const write = whole ? whole.push : out;
    let writer: RecordingWriter | null = null;
    let first: TraceRecord[] = [];
    let weight = 0;
    const begin = () => {
      writer = new RecordingWriter(write, evidenceInfo(files, reading, version));
      for (const record of first) writer.push(record);
      first = [];
      return writer;
    };
    for await (const batch of reading.records())
      for (const record of batch) {
        if (writer) (writer as RecordingWriter).push(shown(record));
        else {
          const one = shown(record);
          weight += recordWeight(one);
          if (first.push(one) >= RECORDS_BEFORE_HEADER || weight > BYTES_BEFORE_HEADER) begin();
        }
      }
    const last = writer ?? begin();
    last.close();
    count = last.records;
    if (!whole) return;
    const names = new Pseudonyms();
    writeRecording(out, foreignOf(openRecording(bytesSource(whole.join()))), names);
    io.err(replacedText(names));
  });
  for (const { source, bytes, pieces } of reading.progress)
    io.err(
      budget.met
        ? `syncloop: warning: ${budget.warning(source.name, bytes, pieces)}\n`
        : `syncloop: ${source.name}: ${pieces} pieces of evidence in ${bytes} bytes\n`,
    );
  io.out(`${output}: ${count} records\n`);
  return budget.met ? 1 : 0;
}

/** The kind of a file, by its content. Throws a SetupError if it cannot be imported. */
function whatIs(file: string, stdin: Peeked | undefined): 'evidence' | 'recording' {
  if (!stdin && isFolder(file)) return 'evidence';
  const head = Buffer.from(stdin?.head ?? headOf(file));
  if (head.subarray(0, 4).equals(RECORDING_MAGIC) || looksLikeLines(head) || looksLikeTrace(head)) return 'recording';
  if (isPacked(head)) return 'evidence';
  const found = recognise(file === '-' ? '' : file, head);
  if (found.is === 'unknown')
    throw new SetupError(`cannot import ${file}: it is neither a recording nor an export of one. ${found.why}`);
  return 'evidence';
}

/** Returns false if it cannot be looked at, as a link in a loop: reading it will fail. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** A packed recording begins with this. */
const RECORDING_MAGIC = Buffer.from([0x8b, 0x53, 0x4c, 0x52]);
const looksLikeLines = (head: Buffer): boolean =>
  /^\ufeff?\s*\{[^\n]{0,4096}"format"\s*:\s*"syncloop-/.test(head.toString('utf8', 0, 8192));

async function recordingOf(stdin: Peeked, limits: Limits): Promise<Foreign> {
  const pieces: Uint8Array[] = [];
  const most = largest(limits);
  let length = 0;
  for await (const { bytes } of stdin.read()) {
    pieces.push(bytes);
    length += bytes.length;
    if (length > most) throw new SetupError(tooLarge('standard input', most));
  }
  const recording = withFileName('standard input', () => openRecording(bytesSource(Buffer.concat(pieces))));
  return { ...foreignOf(recording), warning: () => recording.warning, close() {} };
}

function foreignOf(recording: RecordingFile): Pick<Foreign, 'info' | 'records' | 'base'> {
  const { format: _f, version: _v, ...info } = recording.header;
  const { first } = recording;
  return { info, records: recording, ...(first > 1 && { base: recording.stateAt(first - 1) }) };
}

interface Foreign {
  readonly info: RecordingInfo;
  /** The state before the first record, of a recording that has lost those before. */
  readonly base?: NodeState;
  readonly records: Iterable<TraceRecord>;
  warning(): string;
  close(): void;
}

/** Bytes of a trace, or of a recording from standard input: they are read whole, and a trace is parsed as one text. */
const largest = ({ memory, size }: Limits): number => Math.min(memory / 8, size);
const tooLarge = (what: string, most: number) =>
  `${what} is larger than ${sizeText(most)}, and it has to be in memory as a whole: raise --memory-limit to eight times its size`;

function readForeign(file: string, limits: Limits): Foreign {
  // A Chrome trace is one JSON text, and begins differently from any recording.
  if (looksLikeTrace(headOf(file))) {
    const text = traceText(file, largest(limits));
    const { info, records } = withFileName(file, () => importChromeTrace(text));
    return { info, records, warning: () => '', close() {} };
  }
  const { recording, close } = openRecordingFile(file);
  return { ...foreignOf(recording), warning: () => recording.warning, close };
}

function traceText(file: string, limit: number): string {
  try {
    return readRegularSync(file, { limit }).toString('utf8');
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'EFBIG') throw new SetupError(tooLarge(file, limit));
    throw new SetupError(`cannot read ${file}: ${(err as Error).message}`);
  }
}

/** Enough to recognise a file. */
const HEAD_BYTES = 64 * 1024;

function headOf(file: string): Buffer {
  const bytes = Buffer.alloc(HEAD_BYTES);
  try {
    const { fd } = openRegularSync(file);
    try {
      return bytes.subarray(0, readSync(fd, bytes));
    } finally {
      closeSync(fd);
    }
  } catch (err) {
    throw new SetupError(`cannot read ${file}: ${(err as Error).message}`);
  }
}

const looksLikeTrace = (head: Buffer): boolean =>
  /^\ufeff?\s*(\[|\{\s*"(traceEvents|displayTimeUnit|otherData)")/.test(head.toString('utf8', 0, 256));
