/** `syncloop explain`: the verdict on what a kubelet left behind, for a ticket or a terminal. */
import { type Incident, wrongOf } from '@syncloop/core/debug/incidents';
import { redactRecord } from '@syncloop/core/redaction';
import { notShown } from '@syncloop/observe/twin/remedies';
import {
  htmlOf,
  type Lang,
  markdownOf,
  type PreventionStory,
  textOf,
  type VerdictStory,
  verdictStory,
} from '@syncloop/observe/verdict';
import { SetupError, UsageError } from '../base/errors.js';
import { version } from '../base/version.js';
import { type FlagSpecs, type Flags, parseArgs } from '../cli/args.js';
import type { IO } from '../cli/io.js';
import { HELD, limitsOf, STREAMED } from '../limits/limits.js';
import { ReadBudget } from '../limits/read-budget.js';
import { SeveralNodesError } from '../observe/bundles.js';
import { type FoundFiles, findEvidence } from '../observe/evidence-files.js';
import { readVerdict } from '../observe/read-verdict.js';
import { chosenShard, shardFlags } from '../shards/shard-flags.js';
import { observe } from '../twin/reenact.js';
import { preventionOf, remediesInTwin } from '../twin/remedies.js';
import { timeOf } from '../twin/when.js';
import { oneOf } from './choice.js';
import type { Command } from './command.js';
import { evidenceFlags, sourcesOf } from './evidence-flags.js';
import { explainFleet, FLEET_FORMATS } from './explain-fleet.js';
import { preventedAlone, preventedFlag, writeBest } from './prevented.js';

const FORMATS = ['text', 'markdown', 'html', 'json'] as const;
const flagSpecs = {
  since: {
    type: 'string',
    value: 'TIME',
    help: 'what began before this does not count: 03:12:00 or 2026-11-22T03:12:00Z (UTC)',
  },
  until: { type: 'string', value: 'TIME', help: 'what began after this does not count' },
  format: { type: 'string', value: FORMATS.join('|'), help: 'output format (default text)' },
  lang: { type: 'string', value: 'en|zh', help: 'language of what is printed (default en)' },
  prevent: {
    type: 'int',
    value: 'N',
    min: 1,
    max: 10_000,
    help: 'say what would have prevented the first incident: a twin is made, and changes are run in it, up to N (try 60)',
  },
  fleet: {
    type: 'bool',
    help: 'each file, and each folder with a log, is a node: say what went wrong on all of them, and what they share (default for a folder of several nodes)',
  },
  ...shardFlags,
  prevented: preventedFlag,
  ...evidenceFlags,
} as const satisfies FlagSpecs;

/** Exit codes: nothing is wrong, as far as it was read; there are incidents; nothing could be read. */
const CALM = 0;
const INCIDENTS = 1;
const UNREADABLE = 2;

/** A log that cannot be read must not look like one with incidents. */
const run: Command['run'] = (argv, io) =>
  explain(argv, io).catch((error: unknown) => {
    if (error instanceof UsageError || !(error instanceof Error)) throw error;
    io.err(`syncloop: ${error instanceof SetupError ? error.message : (error.stack ?? error.message)}\n`);
    return UNREADABLE;
  });

async function explain(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('explain', argv, flagSpecs);
  if (positionals.length === 0)
    throw new UsageError(
      'a file is required: syncloop explain kubelet.log, a folder, or - for standard input, as in journalctl -u kubelet | syncloop explain -',
    );
  if (flags.prevent !== undefined && positionals.includes('-'))
    throw new UsageError('--prevent reads the files a second time, and standard input can be read only once: save it');
  if (flags.prevented !== undefined && flags.prevent === undefined) throw new UsageError(preventedAlone);
  const format = oneOf('--format', flags.format, FORMATS) ?? 'text';
  const lang: Lang = oneOf('--lang', flags.lang, ['en', 'zh'] as const) ?? 'en';
  const found = await nodeOrFleet(positionals, flags);
  if (!found) return await fleet(positionals, flags, lang, io);
  const { files, left } = found;
  for (const why of left) io.err(`syncloop: ${why}\n`);
  const budget = new ReadBudget(limitsOf(flags), STREAMED);
  const window = windowOf(flags);
  const input = await readVerdict(files, {
    budget,
    progress: io.progress,
    by: `syncloop ${version}`,
    ...(!flags['reveal-secrets'] && { redact: redactRecord }),
    ...(window && { window }),
  });
  const [first] = wrongOf(input.answer);
  const prevention = flags.prevent ? await prevented(files, first, flags.prevent, flags, io) : null;
  const story = verdictStory({ ...input, ...(prevention && { prevention }) });
  io.out(rendered(story, format, lang));
  if (budget.met) io.err('syncloop: a limit was met: the rest was not read, and the verdict does not speak of it\n');
  const { level } = story.verdict;
  if (level === 'nothing') {
    io.err('syncloop: no line was understood: give the log of a kubelet, such as from journalctl -u kubelet\n');
    return UNREADABLE;
  }
  return level === 'wrong' ? INCIDENTS : budget.met ? UNREADABLE : CALM;
}

/** The part of the time that counts, if the flags name one. */
const windowOf = ({ since, until }: Flags<typeof flagSpecs>) =>
  since === undefined && until === undefined
    ? undefined
    : (epoch: number) => ({
        from: since === undefined ? 0 : timeOf('since', since, epoch),
        to: until === undefined ? Number.POSITIVE_INFINITY : timeOf('until', until, epoch),
      });

/** The files of one node; null if they are of many. */
async function nodeOrFleet(paths: readonly string[], flags: Flags<typeof flagSpecs>): Promise<FoundFiles | null> {
  if (flags.fleet && flags.node !== undefined)
    throw new UsageError('--node chooses one node, --fleet reads all: give one of them');
  if (flags.fleet || chosenShard(flags)) return null;
  try {
    return await findEvidence(paths, sourcesOf(flags));
  } catch (error) {
    if (error instanceof SeveralNodesError) return null;
    throw error;
  }
}

async function fleet(paths: readonly string[], flags: Flags<typeof flagSpecs>, lang: Lang, io: IO): Promise<number> {
  if (flags.prevent !== undefined) throw new UsageError('--prevent is for one node: choose it with --node');
  if (paths.includes('-')) throw new UsageError('a fleet is read from files and folders, not from standard input');
  const window = windowOf(flags);
  const { zoneMinutes } = sourcesOf(flags);
  const { since = null, until = null, output } = flags;
  return await explainFleet(
    {
      paths,
      format: oneOf('--format', flags.format, FLEET_FORMATS) ?? 'text',
      lang,
      shard: chosenShard(flags),
      budget: new ReadBudget(limitsOf(flags), STREAMED),
      asked: { since, until, zone: flags['time-zone'] ?? null, secrets: flags['reveal-secrets'] === true },
      revealSecrets: flags['reveal-secrets'] === true,
      ...(zoneMinutes !== undefined && { zoneMinutes }),
      ...(window && { window }),
      ...(output !== undefined && { output }),
    },
    io,
  );
}

/**
 * Reads the files once more, because a twin needs all records. A twin that cannot be made is not an error of the
 * verdict. If nothing went wrong, something that was asked for may have done harm.
 */
async function prevented(
  files: Parameters<typeof observe>[0],
  incident: Incident | undefined,
  runs: number,
  flags: Flags<typeof flagSpecs>,
  io: IO,
): Promise<PreventionStory | null> {
  try {
    const budget = new ReadBudget(limitsOf(flags), HELD);
    const observed = await observe(files, {
      budget,
      progress: io.progress,
      revealSecrets: flags['reveal-secrets'] === true,
    });
    const report = await remediesInTwin(observed, {
      ...(incident && { kind: incident.kind }),
      runs,
      progress: (done, of) => io.progress?.({ doing: 'running what would have prevented it', far: `${done} of ${of}` }),
    });
    if (flags.prevented !== undefined) writeBest(flags.prevented, report, io);
    if (report) return preventionOf(report);
    if (incident) return { incident: incident.text, tried: [], unknown: notShown(incident.kind) };
  } catch (error) {
    if (!(error instanceof Error) || !['SetupError', 'ScenarioError'].includes(error.name)) throw error;
    io.err(`syncloop: no twin can be made, so nothing can be said of what would have prevented it: ${error.message}\n`);
  }
  return null;
}

function rendered(story: VerdictStory, format: (typeof FORMATS)[number], lang: Lang): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(story, null, 2)}\n`;
    case 'html':
      return htmlOf(story, lang);
    case 'markdown':
      return markdownOf(story, lang);
    default:
      return textOf(story, lang);
  }
}

export const command: Command = {
  usage: [
    'syncloop explain FILE|DIR|-... [--format text|markdown|html|json]',
    'journalctl -u kubelet | syncloop explain -',
    'syncloop explain capture/ --prevent 60',
    'syncloop explain nodes/ [--fleet] [--shard I/N]',
  ].join('\n       '),
  flags: flagSpecs,
  run,
};
