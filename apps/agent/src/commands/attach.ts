/** `syncloop attach`: shows the kubelet that runs on this node, from what it leaves behind. It changes nothing. */
import { hostname } from 'node:os';
import { UsageError } from '../base/errors.js';
import { version } from '../base/version.js';
import { type FlagSpecs, type Flags, parseArgs } from '../cli/args.js';
import { readFlagFile } from '../cli/flag-file.js';
import type { IO } from '../cli/io.js';
import { telemetryFlags } from '../config/telemetry-flags.js';
import { ObservedDebugger } from '../debugger/observed-debugger.js';
import { checkAccess } from '../observe/access.js';
import { JournalSource } from '../observe/journal.js';
import { LiveObservation } from '../observe/live-observation.js';
import { LogFileSource } from '../observe/log-file.js';
import type { EvidenceSource } from '../observe/source.js';
import { RecordFeed } from '../recording/record-feed.js';
import { startRecorderThread } from '../recording/recorder-thread.js';
import { redactRecord } from '../redaction/redact.js';
import { exporterFor } from '../telemetry/settings.js';
import type { Command } from './command.js';
import { webRoot } from './web-root.js';

const LINES = 20_000;
const MIB = 1024 * 1024;

const flagSpecs = {
  log: {
    type: 'string',
    value: 'FILE',
    help: "the kubelet's log file, which is followed across rotation (default: the journal)",
  },
  unit: { type: 'string', value: 'NAME', help: "the kubelet's systemd unit, such as k3s (default kubelet)" },
  'journal-directory': {
    type: 'string',
    value: 'DIR',
    help: "folder of the journal, where it is not this machine's own",
  },
  lines: {
    type: 'int',
    value: 'N',
    min: 0,
    help: `lines of the log from before the start with which to begin (default ${LINES})`,
  },
  'no-log': { type: 'bool', help: 'read no log; another source must be named' },
  'node-name': { type: 'string', value: 'NAME', help: 'name of the node (default: the host name)' },
  record: { type: 'string', value: 'FILE', help: 'keep a recording; those of the last four runs stay beside it' },
  'record-limit': {
    type: 'int',
    value: 'MIB',
    min: 1,
    max: 1024 * 1024,
    help: 'the recording ends at this size (default 1024)',
  },
  'ui-port': {
    type: 'int',
    value: 'PORT',
    min: 0,
    max: 65535,
    help: 'port of the page on 127.0.0.1; 0 picks any free port (default 7330)',
  },
  'ui-token-file': {
    type: 'string',
    value: 'FILE',
    help: 'file with the token of the page, of at least 32 characters (default: a new token at each start)',
  },
  'no-ui': { type: 'bool', help: 'serve no page' },
  'reveal-secrets': { type: 'bool', help: 'show secrets of the log on the page; recordings and spans never have them' },
  check: { type: 'bool', help: 'say what of the node can be read and what not, and end' },
  ...telemetryFlags,
} as const satisfies FlagSpecs;
type AttachFlags = Flags<typeof flagSpecs>;

/** Follows the kubelet until a signal. Resolves with the exit code; with --check, 1 where something cannot be read. */
async function run(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('attach', argv, flagSpecs);
  if (positionals[0] !== undefined)
    throw new UsageError(
      `unexpected argument ${JSON.stringify(positionals[0])}: attach takes flags only; the log file is --log FILE`,
    );
  const warn = (text: string) => io.err(`syncloop: warning: ${text}\n`);
  const sources = sourcesOf(flags);
  if (flags.check) return check(flags, io);
  const stopping = io.untilSignal();
  const closers: (() => Promise<void> | void)[] = [];
  io.onFatal?.(closers);
  try {
    let page: ObservedDebugger | null = null;
    const observation = new LiveObservation({
      sources,
      say: (sentence) => io.err(`syncloop: ${sentence}\n`),
      ready: async () => page?.ready(),
    });
    closers.push(() => observation.close());
    const epochMillis = await observation.begin();
    const node = flags['node-name'] ?? hostname();
    const info = {
      core: version,
      title: `Kubelet of ${node}`,
      scenario: '',
      seed: 0,
      runtime: '',
      node,
      epochMillis,
      virtual: false,
      createdBy: `syncloop ${version}`,
    };
    const cut = new Set<string>();
    const redacted = new RecordFeed({
      redact: redactRecord,
      onCut: ({ kind }, characters) => {
        if (!cut.has(kind))
          warn(`a record of kind ${kind} has ${characters} characters: such records are shortened; this is said once`);
        cut.add(kind);
      },
    });
    const shown = flags['reveal-secrets'] ? new RecordFeed({ redact: (record) => record }) : redacted;
    if (flags['reveal-secrets'])
      warn('--reveal-secrets: whoever has the URL of the page sees the secrets that stand in the log');
    if (flags.record !== undefined) {
      const limit = flags['record-limit'];
      const recorder = startRecorderThread(
        flags.record,
        info,
        warn,
        limit === undefined ? {} : { maxBytes: limit * MIB },
      );
      redacted.onBatch((batch) => recorder.take(batch));
      closers.push(() => {
        redacted.flush();
        return recorder.close();
      });
    }
    const exporter = await exporterFor(null, flags, info, warn);
    if (exporter) {
      redacted.onRecord((record) => exporter.sink(record));
      closers.push(() => exporter.close());
    }
    if (!flags['no-ui']) {
      const serving = debuggerOf(flags, shown, { node, epochMillis, warn });
      page = serving;
      closers.push(() => serving.close());
      await serving.serve();
      io.err(`syncloop: the kubelet of ${node}, to look only, at ${serving.url}\n`);
    }
    observation.open((record) => {
      redacted.sink(record);
      if (shown !== redacted) shown.sink(record);
    });
    // First of all, so that what it still tells is recorded.
    closers.push(() => observation.close());
    io.err(`syncloop: ${await stopping}: stopped; the kubelet goes on\n`);
    return 0;
  } finally {
    for (const close of [...closers].reverse()) await close();
  }
}

export const command: Command = {
  usage: 'syncloop attach [--log FILE | --unit NAME] [--record FILE] [FLAGS]',
  flags: flagSpecs,
  run,
};

/** The sources that the flags name; without any, the journal. Throws a UsageError for what does not go together. */
function sourcesOf(flags: AttachFlags): EvidenceSource[] {
  const lines = flags.lines ?? LINES;
  const sources: EvidenceSource[] = [];
  const { log, unit, 'journal-directory': directory } = flags;
  if (log !== undefined && (unit !== undefined || directory !== undefined))
    throw new UsageError('--log FILE reads a file and --unit the journal: give one of them');
  if (flags['no-log']) {
    if (log !== undefined || unit !== undefined)
      throw new UsageError('--no-log contradicts --log and --unit: leave one of them out');
  } else if (log !== undefined)
    sources.push(new LogFileSource({ id: 'log', path: log, lines, zoneMinutes: -new Date().getTimezoneOffset() }));
  else
    sources.push(
      new JournalSource({ id: 'log', unit: unit ?? 'kubelet', lines, ...(directory !== undefined && { directory }) }),
    );
  if (sources.length === 0) throw new UsageError('--no-log leaves nothing to look at: leave it out');
  return sources;
}

function debuggerOf(
  flags: AttachFlags,
  feed: RecordFeed,
  { node, epochMillis, warn }: { node: string; epochMillis: number; warn: (text: string) => void },
): ObservedDebugger {
  const file = flags['ui-token-file'];
  const token = file === undefined ? undefined : readFlagFile('--ui-token-file', file).trim();
  if (token !== undefined && !/^[\w-]{32,512}$/.test(token))
    throw new UsageError(
      `--ui-token-file ${file}: a token is 32 to 512 letters, digits, - and _: make one with: openssl rand -hex 32`,
    );
  return new ObservedDebugger(feed, {
    id: `attach-${node}-${epochMillis}`,
    title: `Kubelet of ${node}`,
    runtime: '',
    node,
    epochMillis,
    port: flags['ui-port'] ?? 7330,
    webRoot: webRoot(),
    remedy: 'choose another with --ui-port (0 for any free one), or leave the page out with --no-ui',
    warn,
    ...(token !== undefined && { token }),
  });
}

/** Tries what each source needs. */
async function check(flags: AttachFlags, io: IO): Promise<number> {
  const found = await checkAccess({
    ...(flags['no-log']
      ? {}
      : flags.log !== undefined
        ? { log: flags.log }
        : { unit: flags.unit ?? 'kubelet', directory: flags['journal-directory'] }),
  });
  for (const { what, problem } of found)
    io.out(problem === null ? `can be read:    ${what}\n` : `cannot be read: ${what}: ${problem}\n`);
  return found.every(({ problem }) => problem === null) ? 0 : 1;
}
