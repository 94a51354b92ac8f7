/** `syncloop info`: shows the content of a recording. */
import { percent } from '@syncloop/core/debug/incidents';
import { OverviewFold } from '@syncloop/core/debug/live';
import { formatDuration } from '@syncloop/core/kernel';
import type { RecordingFile } from '@syncloop/core/trace';
import { type FlagSpecs, parseArgs } from '../cli/args.js';
import type { IO } from '../cli/io.js';
import { openRecordingFile, withFileName } from '../recording/recording-file.js';
import type { Command } from './command.js';
import { clean, oneFile } from './one-recording.js';

const flagSpecs = {
  kinds: { type: 'bool', help: 'count the records of each kind, which reads the whole file' },
} as const satisfies FlagSpecs;

/** Prints it. Resolves with 1 when something of the recording is missing. */
async function run(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('info', argv, flagSpecs);
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

export const command: Command = {
  usage: 'syncloop info FILE',
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
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([kind, n]) => `${String(n).padStart(9)} ${clean(kind)}\n`)
    .join('');
}
