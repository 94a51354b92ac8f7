/** `syncloop merge`: one report of the results that shards wrote. */
import { PartsError } from '@syncloop/core/base';
import { mergeParts, partialReport } from '@syncloop/core/debug';
import { list, object, read, ShapeError } from '@syncloop/core/shape';
import { fleetNodeShape } from '@syncloop/observe/fleet';
import { SetupError, UsageError } from '../base/errors.js';
import { type FlagSpecs, parseArgs } from '../cli/args.js';
import type { IO } from '../cli/io.js';
import { limitFlags } from '../limits/limits.js';
import { readResults, type ShardResult, type Work } from '../shards/result-file.js';
import { shardShape } from '../shards/shard-shape.js';
import { oneOf } from './choice.js';
import type { Command } from './command.js';
import { FLEET_FORMATS, mergeFleet, printFleet } from './explain-fleet.js';
import { reportText } from './explore-text.js';

const flagSpecs = {
  json: { type: 'bool', help: 'print the whole report as JSON' },
  format: { type: 'string', value: FLEET_FORMATS.join('|'), help: 'with results of explain: output format' },
  lang: { type: 'string', value: 'en|zh', help: 'with results of explain: language of the output (default en)' },
  ...limitFlags,
} as const satisfies FlagSpecs;

/** Exit codes besides those of the command that was split. */
const NOT_MERGED = 2;
const INCOMPLETE = 3;

const run: Command['run'] = (argv, io) =>
  merge(argv, io).catch((error: unknown) => {
    if (!(error instanceof SetupError || error instanceof PartsError)) throw error;
    io.err(`syncloop: ${error.message}\n`);
    return NOT_MERGED;
  });

async function merge(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('merge', argv, flagSpecs);
  if (positionals.length === 0)
    throw new UsageError(
      'the results of shards are required: syncloop merge part-*.json, a folder, or - for standard input',
    );
  const { results, left } = await readResults(positionals, process.stdin);
  for (const why of left) io.err(`syncloop: ${why}\n`);
  const lang = oneOf('--lang', flags.lang, ['en', 'zh'] as const) ?? 'en';
  const format = oneOf('--format', flags.format, FLEET_FORMATS) ?? (flags.json ? 'json' : 'text');
  const [{ work }] = results as readonly [ShardResult];
  if (work !== 'explain' && (flags.format !== undefined || flags.lang !== undefined))
    throw new UsageError(
      `--format and --lang apply only to results of explain, and these are from ${work}: leave them out`,
    );
  if (work.startsWith('conformance') && flags.json)
    throw new UsageError('--json does not apply to results of conformance: leave it out');
  const made = await MERGERS[work](results, flags.json === true);
  const { missing, repeated, of } = made;
  if (repeated > 0) io.err(`syncloop: results that were given again are not counted: ${repeated}\n`);
  const code = made.print(io, { format, lang });
  if (missing.length === 0) return code;
  io.err(
    `syncloop: ${missing.length} of ${counted(of, 'shard')} ${missing.length === 1 ? 'is' : 'are'} missing: ${ranges(missing.map((i) => i + 1))}; the report lacks their share: run them again with --shard I/${of}, and merge once more\n`,
  );
  return INCOMPLETE;
}

interface Merged {
  /** Indexes of shards whose results are not there. */
  readonly missing: readonly number[];
  readonly repeated: number;
  readonly of: number;
  /** Prints the report, and returns the exit code that the whole work would have had. */
  print(io: IO, how: { readonly format: (typeof FLEET_FORMATS)[number]; readonly lang: 'en' | 'zh' }): number;
}

function mergedExploration(results: readonly ShardResult[], json: boolean): Merged {
  const [{ question }] = results as readonly [ShardResult];
  const parts = results.map(({ result, file }) => shaped(() => read(partialReport, result, 'result'), file));
  const { report, missing, repeated } = mergeParts(parts);
  return {
    missing,
    repeated,
    of: parts[0]?.shard.of ?? 0,
    print(io) {
      io.out(
        json
          ? `${JSON.stringify(report, null, 2)}\n`
          : reportText(String(question.scenario), Number(question.seed), report),
      );
      return report.findings.length > 0 ? 1 : 0;
    },
  };
}

const fleetPart = object({ shard: shardShape, nodes: list(fleetNodeShape) });

function mergedFleet(results: readonly ShardResult[]): Merged {
  const { nodes, ...merged } = mergeFleet(
    results.map(({ result, file }) => shaped(() => read(fleetPart, result, 'result'), file)),
  );
  return { ...merged, print: (io, how) => printFleet(nodes, how, io) };
}

/** A merged text; `failed` is true, or counts what failed. */
const mergedText = ({
  text,
  failed,
  ...merged
}: Omit<Merged, 'print'> & { text: string; failed: boolean | number }): Merged => ({
  ...merged,
  print(io) {
    io.out(text);
    return failed ? 1 : 0;
  },
});

async function mergedConformance(results: readonly ShardResult[]): Promise<Merged> {
  const { conformancePart, mergeConformance } = await import('../conformance/shards.js');
  return mergedText(
    mergeConformance(results.map(({ result, file }) => shaped(() => read(conformancePart, result, 'result'), file))),
  );
}

async function mergedTwins(results: readonly ShardResult[]): Promise<Merged> {
  const { twinPart } = await import('../conformance/twin/part.js');
  const { mergeTwins } = await import('../conformance/twin/main.js');
  return mergedText(
    mergeTwins(results.map(({ result, file }) => shaped(() => read(twinPart, result, 'result'), file))),
  );
}

const MERGERS: { readonly [W in Work]: (results: readonly ShardResult[], json: boolean) => Merged | Promise<Merged> } =
  {
    explore: mergedExploration,
    explain: mergedFleet,
    conformance: mergedConformance,
    'conformance --twin': mergedTwins,
  };

function shaped<T>(work: () => T, file: string): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new SetupError(`${file} is not a result that a shard wrote: ${error.message}`);
  }
}

/** `1-3, 7` of sorted numbers. */
function ranges(numbers: readonly number[]): string {
  const spans: [number, number][] = [];
  for (const n of numbers) {
    const last = spans.at(-1);
    if (last && last[1] === n - 1) last[1] = n;
    else spans.push([n, n]);
  }
  return spans.map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)).join(', ');
}

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

export const command: Command = {
  usage: [
    'syncloop merge FILE|DIR|-... [--json]',
    'kubectl logs -l batch.kubernetes.io/job-name=explore --tail=-1 | syncloop merge -',
  ].join('\n       '),
  flags: flagSpecs,
  run,
};
