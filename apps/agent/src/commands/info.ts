/** `syncloop info`: shows the content of a recording. */
import { nodesText, shareText } from '@syncloop/core/debug/findings';
import { percent } from '@syncloop/core/debug/incidents';
import { OverviewFold } from '@syncloop/core/debug/live';
import { formatDuration } from '@syncloop/core/kernel';
import type { RecordingFile } from '@syncloop/core/trace';
import { type FlagSpecs, type Flags, parseArgs } from '../cli/args.js';
import type { IO } from '../cli/io.js';
import { limitsOf, STREAMED } from '../limits/limits.js';
import { ReadBudget } from '../limits/read-budget.js';
import { findEvidence } from '../observe/evidence-files.js';
import { isEvidence } from '../observe/is-evidence.js';
import { type EvidenceReading, readEvidence } from '../observe/read-evidence.js';
import { openRecordingFile, withFileName } from '../recording/recording-file.js';
import type { Command } from './command.js';
import { evidenceFlags, sourcesOf } from './evidence-flags.js';
import { clean, oneFile } from './one-recording.js';

const flagSpecs = {
  kinds: { type: 'bool', help: 'count the records of each kind, which reads the whole file' },
  ...evidenceFlags,
} as const satisfies FlagSpecs;

/** Prints it. Resolves with 1 when something of the recording is missing. */
async function run(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('info', argv, flagSpecs);
  if (positionals.length > 0 && positionals.every(isEvidence)) return await ofEvidence(positionals, flags, io);
  const file = oneFile('info', positionals);
  const { recording, close } = openRecordingFile(file);
  try {
    io.out(summary(recording));
    const share = withFileName(file, () => shareRead(recording));
    if (share !== '') io.out(share);
    if (flags.kinds) io.out(withFileName(file, () => kinds(recording)));
    if (recording.warning === '') return 0;
    io.err(`syncloop: ${file}: ${recording.warning}\n`);
    return 1;
  } finally {
    close();
  }
}

/** Reads a kubelet's log or other sources, and prints what they are and how much of them was read. */
async function ofEvidence(paths: readonly string[], flags: Flags<typeof flagSpecs>, io: IO): Promise<number> {
  const { files, left } = await findEvidence(paths, sourcesOf(flags));
  for (const why of left) io.err(`syncloop: ${why}\n`);
  const budget = new ReadBudget(limitsOf(flags), STREAMED);
  const reading = readEvidence(files, { budget, progress: io.progress });
  let records = 0;
  const byKind = new Map<string, number>();
  for await (const batch of reading.records()) {
    records += batch.length;
    for (const { kind } of batch) byKind.set(kind, (byKind.get(kind) ?? 0) + 1);
  }
  io.out(aboutEvidence(reading, records));
  if (flags.kinds) io.out(countsOf(byKind));
  if (budget.met) io.err('syncloop: a limit was met: the rest was not read\n');
  return budget.met ? 1 : 0;
}

function aboutEvidence({ facts, share, progress, epochMicros }: EvidenceReading, records: number): string {
  const rows: [string, string][] = [
    ['kubelet', facts.version || 'no source says its version'],
    ['node', facts.node || share.nodes[0]?.name || 'no source names it'],
    ['runtime', facts.runtime || 'no source names it'],
    ['began', epochMicros === null ? 'no source has a time' : new Date(epochMicros / 1000).toISOString()],
    ['records', String(records)],
    ...progress.map(({ source, pieces }): [string, string] => [
      'source',
      `${source.name}: ${source.kind}, ${pieces} pieces of evidence`,
    ]),
  ];
  const said = [shareText(share)?.en, nodesText(share)?.en].filter((text) => text !== undefined);
  if (share.duplicates > 0) said.push(`${share.duplicates} lines are in two of the files and count once.`);
  return `${rows.map(([name, value]) => `${name.padEnd(10)}${clean(value)}\n`).join('')}${said.map((text) => `${clean(text)}\n`).join('')}`;
}

export const command: Command = {
  usage: 'syncloop info FILE...',
  flags: flagSpecs,
  run,
};

function summary(recording: RecordingFile): string {
  const { header, count, size } = recording;
  const { run } = header;
  const rows: [string, string][] = [
    ['title', header.title],
    ['made by', header.createdBy],
    ['node', header.node],
    ['runtime', header.runtime],
    ['began', new Date(header.epochMillis).toISOString() + (header.virtual ? ' (virtual time)' : '')],
    ['lasts', formatDuration(recording.lastTime - recording.firstTime)],
    ['records', count === 0 ? 'none' : `${count} (${recording.first} to ${recording.last})`],
    ['size', `${size} bytes${count > 0 ? `, ${(size / count).toFixed(1)} per record` : ''}`],
    ['format', `version ${recording.writtenVersion}${recording.closed ? '' : ', not closed'}`],
  ];
  if (run)
    rows.push([
      'run again',
      `scenario ${run.scenario || '(its text)'}, seed ${run.seed ?? 'of the scenario'}, ${run.deviations?.length ?? 0} deviations, ${run.interventions?.length ?? 0} interventions`,
    ]);
  return rows.map(([name, value]) => `${name.padEnd(10)}${clean(value)}\n`).join('');
}

/** The share of lines that was read, of a recording that was made of a kubelet's sources; '' for others. */
function shareRead(recording: RecordingFile): string {
  let overview: OverviewFold | null = null;
  for (const record of recording) {
    if (!overview && record.kind !== 'evidence-source') return '';
    overview ??= new OverviewFold();
    overview.take(record);
  }
  if (!overview) return '';
  const { lines, unread } = overview.overview({ oldest: recording.first });
  if (lines === 0) return '';
  return `read      ${lines - unread} of ${lines} lines (${percent((lines - unread) / lines)})\n`;
}

function kinds(recording: RecordingFile): string {
  const counts = new Map<string, number>();
  for (const { kind } of recording) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return countsOf(counts);
}

function countsOf(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([kind, n]) => `${String(n).padStart(9)} ${clean(kind)}\n`)
    .join('');
}
