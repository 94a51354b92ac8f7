/** `syncloop explore`: a scenario under many schedules. */
import {
  type ExploreFinding,
  type ExploreReport,
  explore,
  invariantNames,
  outcomeText,
  type Strategy,
  scenarioStart,
} from '@syncloop/core/debug';
import { compile, ExpressionError } from '@syncloop/core/expression';
import { formatDuration } from '@syncloop/core/kernel';
import { UsageError } from '../base/errors.js';
import { loadLearnerCode } from '../base/learner-code.js';
import { type FlagSpecs, parseArgs } from '../cli/args.js';
import { chosenEra, eraFlag } from '../cli/era.js';
import type { IO } from '../cli/io.js';
import { oneOf } from './choice.js';
import type { Command } from './command.js';
import { loadScenario } from './scenario-file.js';

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
  const report = explore({
    ...scenarioStart(scenario.name, { era, ...(text !== undefined && { text }) }),
    seed,
    strategy,
    maxSchedules: schedules,
    ...(invariants && { invariants }),
    ...(flags.never && { never: flags.never }),
    ...(flags.finally && { finally: flags.finally }),
    ...(flags.until !== undefined && { until: flags.until }),
  });
  io.out(flags.json ? `${JSON.stringify(report, null, 2)}\n` : reportText(scenario.name, seed, report));
  return report.findings.length > 0 ? 1 : 0;
}

export const command: Command = {
  usage:
    "syncloop explore SCENARIO [--schedules N] [--strategy random|pct|exhaustive] [--never 'EXPRESSION'] [--invariant NAME]",
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

function reportText(scenario: string, seed: number, r: ExploreReport): string {
  const lines = [
    `${scenario} (seed ${seed}): ${counted(r.schedules, 'schedule')} (${r.strategy.kind}), ${r.distinct} of them different; ${r.choices} choices, ${r.steps} decisions, ${r.records} records`,
  ];
  if (r.exhaustive)
    lines.push(
      r.exhaustive.bound < 0
        ? 'not even all schedules without a deviation were run: give more with --schedules'
        : `all schedules with up to ${counted(r.exhaustive.bound, 'deviation')} were run`,
    );
  lines.push('outcomes:');
  for (const { outcome, times } of r.outcomes) lines.push(`${String(times).padStart(7)}  ${outcomeText(outcome)}`);
  if (r.otherOutcomes > 0) lines.push(`${String(r.otherOutcomes).padStart(7)}  others`);
  lines.push(r.findings.length === 0 ? 'nothing was broken' : `${counted(r.findings.length, 'problem')}:`);
  for (const finding of r.findings) lines.push(...findingText(scenario, finding, r.schedules));
  return `${lines.join('\n')}\n`;
}

function findingText(
  scenario: string,
  { problem, times, inBase, schedule, shrunk }: ExploreFinding,
  of: number,
): string[] {
  const { seed, deviations } = shrunk ?? schedule;
  const shown = shrunk?.problem ?? problem;
  return [
    `  ${problem.kind} ${JSON.stringify(problem.name)}, in ${times} of ${of}${inBase ? ', also without any deviation' : ''}`,
    `    ${shown.text.replaceAll('\n', '\n    ')}`,
    `    at ${formatDuration(shown.time)}, decision ${shown.decision}, record ${shown.seq}${shown.pod && `, pod ${shown.pod}`}`,
    deviations.length === 0
      ? `    with seed ${seed} as it is`
      : shrunk
        ? `    the schedule, made smaller in ${counted(shrunk.trials, 'run')} from ${schedule.deviations.length} to ${counted(deviations.length, 'deviation')}${shrunk.minimal ? '' : ' (it can perhaps be made smaller)'}${shrunk.replays ? '' : '; it could not be repeated'}:`
        : '    the schedule:',
    ...deviations.map(
      (d) =>
        `      decision ${d.decision}: ${d.goroutine === undefined ? `case ${d.case}` : `goroutine ${d.goroutine} goes`}`,
    ),
    `    as data, for the command load: ${JSON.stringify({ scenario, seed, deviations })}`,
  ];
}

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
