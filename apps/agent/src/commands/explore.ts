/** `syncloop explore`: a scenario under many schedules. */
import { createHash } from 'node:crypto';
import {
  Exploration,
  type ExploreOptions,
  explore,
  invariantNames,
  type Strategy,
  scenarioStart,
} from '@syncloop/core/debug';
import { compile, ExpressionError } from '@syncloop/core/expression';
import { UsageError } from '../base/errors.js';
import { loadLearnerCode } from '../base/learner-code.js';
import { type FlagSpecs, parseArgs } from '../cli/args.js';
import { chosenEra, eraFlag } from '../cli/era.js';
import type { IO } from '../cli/io.js';
import { resultLine } from '../shards/result-file.js';
import { chosenShard, shardFlags } from '../shards/shard-flags.js';
import { oneOf } from './choice.js';
import type { Command } from './command.js';
import { reportText } from './explore-text.js';
import { loadScenario } from './scenario-file.js';
import { writeOut } from './write-out.js';

const flagSpecs = {
  era: eraFlag,
  schedules: {
    type: 'int',
    value: 'N',
    min: 1,
    max: 1_000_000,
    help: 'largest number of schedules to run (default 200)',
  },
  strategy: {
    type: 'string',
    value: 'NAME',
    help: 'random (default); pct: random priorities, which find bugs that need few preemptions; exhaustive: all schedules with up to two deviations',
  },
  seed: {
    type: 'int',
    value: 'N',
    min: 0,
    max: 0xffff_ffff,
    help: "seed of the schedules (default: the scenario's own)",
  },
  never: {
    type: 'string',
    value: 'EXPR',
    many: true,
    help: 'expression that must not be true at any record; may be repeated',
  },
  finally: {
    type: 'string',
    value: 'EXPR',
    many: true,
    help: 'expression that must be true at the end of each run; may be repeated',
  },
  invariant: {
    type: 'string',
    value: 'NAME',
    many: true,
    help: `invariant of the kubelet that each run must keep; may be repeated (default: all): ${invariantNames.join(', ')}`,
  },
  until: { type: 'duration', help: 'longest virtual time of one run (default: as long as the scenario lasts)' },
  json: { type: 'bool', help: 'print the whole report as JSON' },
  ...shardFlags,
} as const satisfies FlagSpecs;

const strategies = ['random', 'pct', 'exhaustive'] as const;
const usual = 200;

/** Runs it under many schedules and prints the results. Resolves with 1 if one of them broke something. */
async function run(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('explore', argv, flagSpecs);
  const [name, extra] = positionals;
  if (name === undefined)
    throw new UsageError(
      'a scenario is required: give a name of the library or a file: syncloop explore unfair-select',
    );
  if (extra !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(extra)}: one scenario at a time`);
  const strategy: Strategy = { kind: oneOf('--strategy', flags.strategy, strategies) ?? 'random' };
  for (const source of flags.never ?? []) check('--never', source);
  for (const source of flags.finally ?? []) check('--finally', source);
  const invariants = flags.invariant?.map((given) => oneOf('--invariant', given, invariantNames) ?? given);
  const { scenario, text } = loadScenario(name);
  const { seed = scenario.seed, schedules = usual } = flags;
  await loadLearnerCode(scenario);
  const era = await chosenEra(flags.era ?? scenario.run?.era ?? scenario.era);
  const shard = chosenShard(flags);
  if (shard) {
    if (strategy.kind === 'exhaustive')
      throw new UsageError(
        '--strategy exhaustive cannot be split, for what it runs next depends on all before: take random or pct, or leave out --shard',
      );
    if (flags.json)
      throw new UsageError('--json is for the whole report: give it to syncloop merge; a shard prints its part');
    if (shard.of > schedules)
      throw new UsageError(`${shard.of} shards are more than the ${schedules} schedules: give --schedules more`);
  }
  const options: ExploreOptions = {
    ...scenarioStart(scenario.name, { era, ...(text !== undefined && { text }) }),
    seed,
    strategy,
    maxSchedules: schedules,
    ...(invariants && { invariants }),
    ...(flags.never && { never: flags.never }),
    ...(flags.finally && { finally: flags.finally }),
    ...(flags.until !== undefined && { until: flags.until }),
    ...(shard && { shard }),
  };
  if (shard) {
    const exploration = new Exploration(options);
    while (exploration.step());
    const question = {
      scenario: scenario.name,
      text: createHash('sha256')
        .update(text ?? '')
        .digest('hex'),
      era,
      seed,
      strategy: strategy.kind,
      schedules,
      invariants: invariants ?? null,
      never: flags.never ?? null,
      finally: flags.finally ?? null,
      until: flags.until ?? null,
    };
    const line = Buffer.from(resultLine('explore', question, exploration.part()));
    writeOut(flags.output, io, (write) => write(line));
    // Whoever has all parts says what was found.
    return 0;
  }
  const report = explore(options);
  io.out(flags.json ? `${JSON.stringify(report, null, 2)}\n` : reportText(scenario.name, seed, report));
  return report.findings.length > 0 ? 1 : 0;
}

export const command: Command = {
  usage:
    "syncloop explore SCENARIO [--schedules N] [--strategy random|pct|exhaustive] [--never 'EXPRESSION'] [--invariant NAME]\n       syncloop explore SCENARIO --shard I/N [--output FILE]",
  flags: flagSpecs,
  run,
};

/** Throws a UsageError for an invalid expression; it points at the place of the error. */
function check(flag: string, source: string): void {
  try {
    compile(source);
  } catch (err) {
    if (!(err instanceof ExpressionError)) throw err;
    throw new UsageError(`${flag}: ${err.reason}:\n  ${source}\n  ${' '.repeat(err.position)}^`);
  }
}
