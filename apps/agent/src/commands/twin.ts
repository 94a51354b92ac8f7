/** `syncloop twin`: runs our kubelet with the inputs that a kubelet's files show, and compares both runs. */

import { type Cut, longestSearchedText } from '@syncloop/observe/twin';
import { type Lang, textOf } from '@syncloop/observe/twin/report';
import { SetupError, UsageError } from '../base/errors.js';
import { version } from '../base/version.js';
import { type FlagSpecs, type Flags, parseArgs } from '../cli/args.js';
import { twinEra, twinEraFlag } from '../cli/era.js';
import type { IO } from '../cli/io.js';
import { HELD, limitsOf } from '../limits/limits.js';
import { ReadBudget } from '../limits/read-budget.js';
import { mustBeLoopback } from '../net/listen.js';
import { whereToListen } from '../net/own-address.js';
import { findEvidence } from '../observe/evidence-files.js';
import type { CauseOptions } from '../twin/causes.js';
import { proposedParts } from '../twin/parts.js';
import { type Observed, observe, reenact } from '../twin/reenact.js';
import { linksOf, pageUrl, reportKind, reportText } from '../twin/report-file.js';
import { timeOf } from '../twin/when.js';
import { oneOf } from './choice.js';
import type { Command } from './command.js';
import { evidenceFlags, sourcesOf } from './evidence-flags.js';
import { clean } from './one-recording.js';
import { pageFlags } from './page-flags.js';
import { writeOut } from './write-out.js';

const flagSpecs = {
  pod: {
    type: 'string',
    value: 'POD',
    many: true,
    help: 'only this pod, as namespace/name or name, and what it needs; may be repeated',
  },
  from: { type: 'string', value: 'TIME', help: 'compare the runs from this time on: 03:12:07 (UTC) or 90s' },
  to: { type: 'string', value: 'TIME', help: 'compare the runs up to this time' },
  output: { type: 'file', short: 'o', value: 'FILE', help: "write the twin's scenario: FILE.yaml" },
  report: {
    type: 'file',
    value: 'FILE',
    help: 'write a report of the incident for a ticket: FILE.md, FILE.html or FILE.json',
  },
  page: {
    type: 'string',
    value: 'URL',
    help: 'address of a page of syncloop; the report then has links that open the twin there, if they are short enough',
  },
  seed: { type: 'int', value: 'N', min: 0, max: 0xffff_ffff, help: "seed of the twin (default: its scenario's own)" },
  era: twinEraFlag,
  tries: {
    type: 'int',
    value: 'N',
    min: 0,
    max: 1_000_000,
    help: 'schedules to try if a decision differs, because chance may explain it (default 100; 0: none)',
  },
  causes: {
    type: 'int',
    value: 'N',
    min: 0,
    max: 10_000,
    help: 'if a decision still differs, try up to N causes: another grace period, a failed call, a kill, a restart, another version or setting; Ctrl-C ends the search (default 0: none)',
  },
  explained: {
    type: 'file',
    value: 'FILE',
    help: "with --causes: write the twin's scenario with the best cause that was found: FILE.yaml",
  },
  lang: { type: 'string', value: 'en|zh', help: 'language of what is printed and of the report (default en)' },
  json: { type: 'bool', help: 'print the whole report as JSON, as --report FILE.json has it' },
  quiet: { type: 'bool', short: 'q', help: 'print nothing if no decision differs' },
  open: { type: 'bool', help: 'then show both runs on the page' },
  ...pageFlags(7330, 'with --open: '),
  ...evidenceFlags,
} as const satisfies FlagSpecs;
type TwinFlags = Flags<typeof flagSpecs>;

/** Exit codes, for use in CI. */
const AGREES = 0;
const DIFFERS = 1;
const NO_VERDICT = 2;

/**
 * Resolves with 0 if both decided the same, 1 if a decision differs, and 2 if there is no verdict: a wrong
 * command line, nothing readable, nothing to compare.
 */
async function run(argv: readonly string[], io: IO): Promise<number> {
  try {
    return await judge(argv, io);
  } catch (error) {
    if (!(error instanceof Error) || error instanceof UsageError) throw error;
    // An error must not look like a verdict. One that is not the user's mistake is printed with its stack.
    const explained = ['SetupError', 'ScenarioError'].includes(error.name);
    io.err(`syncloop: ${explained ? error.message : (error.stack ?? error.message)}\n`);
    return NO_VERDICT;
  }
}

/** The most pods that are printed one by one as not compared. */
const MOST_PRINTED = 50;

async function judge(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('twin', argv, flagSpecs);
  if (positionals.length === 0)
    throw new UsageError(
      'a file is required: syncloop twin kubelet.log, several files of one node, or a folder with a capture',
    );
  const lang: Lang = oneOf('--lang', flags.lang, ['en', 'zh'] as const) ?? 'en';
  const kind = flags.report === undefined ? null : reportKind(flags.report);
  const page = flags.page === undefined ? null : pageUrl(flags.page);
  const [host, port] = [flags.host ?? '127.0.0.1', flags.port ?? 7330];
  if (flags.open) mustBeLoopback('--host', host, port);
  else if (flags.host !== undefined || flags.port !== undefined)
    throw new UsageError('--host and --port configure the page: give --open as well');
  if (flags.open && positionals.includes('-'))
    throw new UsageError(
      '--open reads the files a second time, and standard input can be read only once: save it to a file',
    );
  if (flags.explained !== undefined && !flags.causes)
    throw new UsageError('--explained writes what a search for causes finds: give --causes 80 as well');
  const chosen = await twinEra(flags.era);
  const { files, left } = await findEvidence(positionals, sourcesOf(flags));
  for (const why of left) io.err(`syncloop: ${why}\n`);
  const limits = limitsOf(flags);
  const budget = new ReadBudget(limits, HELD);
  const observed = {
    ...(await observe(files, {
      budget,
      progress: io.progress,
      ...(flags['reveal-secrets'] && { revealSecrets: true }),
      part: (epochMicros) => timesOf(flags, epochMicros),
    })),
    ...chosen,
  };
  for (const why of observed.cut) io.err(`syncloop: warning: ${why}\n`);
  const cut = cutOf(flags, observed);
  for (const line of proposedParts(observed, cut)) io.err(`syncloop: ${line}\n`);
  const {
    story,
    scenario,
    verdict,
    causes,
    left: strangers,
    failed,
  } = await reenact(observed, {
    cut,
    tries: flags.tries ?? 100,
    searching: (n) =>
      io.err(
        `syncloop: ${n === 1 ? 'a decision differs' : `decisions differ in ${n} places`}: up to ${flags.tries ?? 100} schedules are tried, because chance may explain it (--tries 0: none)\n`,
      ),
    notSearched: (characters) =>
      io.err(
        `syncloop: no other schedule is tried: the twin's scenario has ${characters} characters, and up to ${longestSearchedText} are searched (--pod, --from and --to make it shorter)\n`,
      ),
    doing: (doing, far) => io.progress?.({ doing, ...(far !== undefined && { far }) }),
    ...(flags.causes && { causes: causesWith(flags.causes, io) }),
    by: `syncloop ${version}`,
    ...(flags.seed !== undefined && { seed: flags.seed }),
    ...(page && { linksFor: (made) => linksOf(page, made) }),
  });
  for (const { pod, why } of strangers.slice(0, MOST_PRINTED))
    io.err(`syncloop: ${pod === '' ? 'left out' : `${clean(pod)} is not compared`}: ${clean(why[lang])}\n`);
  if (strangers.length > MOST_PRINTED)
    io.err(`syncloop: and ${strangers.length - MOST_PRINTED} more are not compared\n`);
  if (failed.length > 0)
    io.err(
      `syncloop: ${failed.length === 1 ? 'a step' : `${failed.length} steps`} of the twin could not be done: ${clean(failed[0] as string)}${failed.length > 1 ? '; …' : ''}\n`,
    );
  const { output, explained } = flags;
  const [best] = causes?.found ?? [];
  if (explained !== undefined && best) writeOut(explained, io, (write) => write(Buffer.from(best.scenario.text)));
  else if (explained !== undefined) io.err('syncloop: no cause was found: there is nothing to write for --explained\n');
  if (output !== undefined) writeOut(output, io, (write) => write(Buffer.from(scenario.text)));
  if (flags.report !== undefined && kind !== null) {
    const text = reportText(story, kind, lang);
    writeOut(flags.report, io, (write) => write(Buffer.from(text)));
  }
  const differs = !story.agrees;
  if (flags.json) io.out(`${JSON.stringify(story, null, 2)}\n`);
  else if (output !== '-' && flags.report !== '-' && (differs || !flags.quiet)) io.out(textOf(story, lang));
  if (flags.open) {
    const { openTwin } = await import('./twin-open.js');
    const revealSecrets = flags['reveal-secrets'] === true;
    const where = await whereToListen(flags.host);
    await openTwin(files, {
      observed,
      scenario,
      cut,
      where,
      port,
      revealSecrets,
      limits: { ...limits, size: Math.max(1, budget.read) },
      io,
    });
  }
  if (verdict.compared === 0)
    throw new SetupError(
      'nothing could be compared: give a log of at least -v=2 together with the pods, or a capture of the CRI socket',
    );
  if (differs) return DIFFERS;
  if (observed.cut.length === 0) return AGREES;
  // The part that was not read may differ.
  io.err('syncloop: no decision differs in the part that was read; the rest was not read, so there is no verdict\n');
  return NO_VERDICT;
}

export const command: Command = {
  usage: [
    'syncloop twin FILE... [--report out.html] [-o twin.yaml] [--open]',
    'syncloop twin FILE... --causes 80 [--explained twin-explained.yaml]',
    'syncloop twin capture/ --pod default/web --from 03:12:00 --to 03:15:00',
  ].join('\n       '),
  flags: flagSpecs,
  run,
};

/** A search that Ctrl-C ends, and that says now and then how far it is. */
function causesWith(tries: number, io: IO): CauseOptions {
  let said = 0;
  return {
    tries,
    stop: io.untilSignal(),
    progress(done, of) {
      io.progress?.({ doing: 'trying what may have caused it', far: `${done} of ${of}` });
      if (done < said + SAID_EVERY) return;
      said = done;
      io.err(`syncloop: ${done} of up to ${of} causes were tried (Ctrl-C ends the search)\n`);
    },
  };
}
const SAID_EVERY = 20;

/** The times of `--from` and `--to` on the clock of the records. */
const timesOf = ({ from, to }: TwinFlags, epochMicros: number): Pick<Cut, 'from' | 'to'> => ({
  ...(from !== undefined && { from: timeOf('from', from, epochMicros) }),
  ...(to !== undefined && { to: timeOf('to', to, epochMicros) }),
});

/** The selected part of the incident. Throws a UsageError for a pod or a time that is not in it. */
function cutOf(flags: TwinFlags, { records, epochMicros }: Observed): Cut {
  const { pod } = flags;
  const cut = {
    ...(pod && { pods: pod.map((name) => (name.includes('/') ? name : `default/${name}`)) }),
    ...timesOf(flags, epochMicros),
  };
  const end = records.at(-1)?.time ?? 0;
  if ((cut.from ?? 0) >= Math.min(cut.to ?? Number.POSITIVE_INFINITY, end + 1))
    throw new UsageError(
      `nothing was observed between --from and --to: the observed run goes from ${wall(epochMicros)} to ${wall(epochMicros + end)}`,
    );
  if (!cut.pods) return cut;
  const known = new Set(
    records.flatMap((r) => ('pod' in r && typeof r.pod === 'string' && r.pod !== '' ? [r.pod] : [])),
  );
  for (const name of cut.pods)
    if (!known.has(name)) {
      const some = [...known].sort().slice(0, 10);
      throw new UsageError(
        `--pod ${JSON.stringify(name)}: the observed run has no such pod${some.length > 0 ? `; there are ${some.join(', ')}${known.size > some.length ? ', …' : ''}` : ''}`,
      );
    }
  return cut;
}

const wall = (micros: number): string => new Date(micros / 1000).toISOString().slice(11, 23);
