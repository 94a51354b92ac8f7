/** The report of an exploration for a terminal. */
import { type ExploreFinding, type ExploreReport, outcomeText } from '@syncloop/core/debug';
import { formatDuration } from '@syncloop/core/kernel';

/** Returns the report in lines, with each finding's schedule as data. */
export function reportText(scenario: string, seed: number, r: ExploreReport): string {
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
