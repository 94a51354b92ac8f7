/** `syncloop simulate`: a scenario in virtual time, without a page. */
import { wholeRun } from '@syncloop/core/debug';
import { formatDuration } from '@syncloop/core/kernel';
import { defaultEra } from '@syncloop/core/kubelet';
import { eraNotes, type ScenarioRun } from '@syncloop/core/scenario';
import type { RecordSink, TraceRecord } from '@syncloop/core/trace';
import { preventionText } from '@syncloop/observe/verdict';
import { UsageError } from '../base/errors.js';
import { loadLearnerCode } from '../base/learner-code.js';
import { version } from '../base/version.js';
import { type FlagSpecs, parseArgs } from '../cli/args.js';
import { chosenEra, eraFlag } from '../cli/era.js';
import type { IO } from '../cli/io.js';
import { type Recorder, startRecorder } from '../recording/recorder.js';
import { preventionOf, remediesInScenario } from '../twin/remedies.js';
import type { Command } from './command.js';
import { preventedAlone, preventedFlag, writeBest } from './prevented.js';
import { loadScenario } from './scenario-file.js';

const flagSpecs = {
  seed: {
    type: 'int',
    value: 'N',
    min: 0,
    help: "seed of the run; the same seed gives the same run (default: the scenario's own)",
  },
  era: eraFlag,
  record: { type: 'file', value: 'FILE', help: 'write a recording to this file' },
  prevent: {
    type: 'int',
    value: 'N',
    min: 1,
    max: 10_000,
    help: 'then say what would have prevented its weightiest incident: changes are run, up to N (try 60)',
  },
  prevented: preventedFlag,
  missing: {
    type: 'bool',
    help: 'leave ConfigMaps and Secrets out that the manifests name and do not contain; otherwise values are made up',
  },
  until: { type: 'duration', help: 'how much virtual time to simulate (default: as long as the scenario lasts)' },
} as const satisfies FlagSpecs;

/** Runs to the scenario's end, or up to --until. Resolves with 1 if a step of the scenario did not come true. */
async function run(argv: readonly string[], io: IO): Promise<number> {
  const { flags, positionals } = parseArgs('simulate', argv, flagSpecs);
  const [name, extra] = positionals;
  if (flags.prevented !== undefined && flags.prevent === undefined) throw new UsageError(preventedAlone);
  if (name === undefined)
    throw new UsageError('a scenario is required: give a name of the library or a file: syncloop simulate hello');
  if (extra !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(extra)}: one scenario at a time`);
  const { scenario, text } = loadScenario(
    name,
    (sentence) => io.err(`syncloop: ${sentence}\n`),
    flags.missing ? 'missing' : 'pretend',
  );
  await loadLearnerCode(scenario);
  // The header needs the run, and the run makes its first records at once: those wait here.
  const early: TraceRecord[] = [];
  let keep: RecordSink = (record) => void early.push(record);
  let records = 0;
  const era = await chosenEra(flags.era ?? scenario.run?.era ?? scenario.era);
  const { run, proceed } = wholeRun(scenario, {
    era,
    ...(flags.seed !== undefined && { seed: flags.seed }),
    sink: (record) => {
      records++;
      keep(record);
    },
  });
  let recorder: Recorder | null = null;
  if (flags.record !== undefined) {
    recorder = startRecorder(flags.record, header(run, text), (warning) => io.err(`syncloop: warning: ${warning}\n`), {
      flushEvery: null,
    });
    for (const record of early) recorder.push(record);
  }
  keep = recorder ? recorder.push : () => {};
  try {
    proceed(flags.until);
  } finally {
    recorder?.close();
  }
  io.out(summary(run, records));
  if (flags.prevent !== undefined) {
    const { name, text } = scenario;
    const own = { name, text, era, ...(flags.seed !== undefined && { seed: flags.seed }) };
    const report = await remediesInScenario(own, { runs: flags.prevent });
    io.out(
      report
        ? `${preventionText(preventionOf(report), 'en').join('\n')}\n`
        : 'nothing went wrong, so nothing is to be prevented\n',
    );
    if (flags.prevented !== undefined) writeBest(flags.prevented, report, io);
  }
  for (const { message } of run.failures) io.err(`syncloop: ${scenario.file}: ${message}\n`);
  return run.failures.length > 0 ? 1 : 0;
}

export const command: Command = {
  usage: 'syncloop simulate SCENARIO [--seed N] [--record FILE] [--until 60s] [--missing] [--prevent 60]',
  flags: flagSpecs,
  run,
};

/** Without anything of this machine or moment: the same scenario and seed give the same bytes. */
function header(run: ScenarioRun, text: string | undefined) {
  const { scenario, seed, era, kernel, config } = run;
  return {
    core: version,
    title: scenario.title.en,
    scenario: scenario.name,
    seed,
    runtime: era === defaultEra ? 'mock runtime' : `kubelet ${era} on mock runtime`,
    ...(era !== defaultEra && { era }),
    node: config.nodeName,
    epochMillis: kernel.clock.epochMillis,
    virtual: true,
    createdBy: `syncloop ${version}`,
    run: { scenario: scenario.name, ...(text !== undefined && { text }), seed, ...(run.ofAnotherEra && { era }) },
  };
}

function summary(run: ScenarioRun, records: number): string {
  const { scenario, seed, kernel } = run;
  const pods = (run.kubelet?.getPods() ?? []).map(({ metadata, status }) => {
    const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map((c) => {
      const { waiting, terminated } = c.state ?? {};
      const state = waiting
        ? (waiting.reason ?? 'waiting')
        : terminated
          ? `${terminated.reason} (${terminated.exitCode})`
          : 'running';
      return `${c.name} ${state}${c.restartCount > 0 ? `, ${c.restartCount} restarts` : ''}`;
    });
    return `  ${metadata.namespace}/${metadata.name}: ${status.phase}${containers.length > 0 ? ` [${containers.join('; ')}]` : ''}\n`;
  });
  const end = run.ofAnotherEra
    ? `run by the kubelet of ${run.era}; the expectations are written for ${scenario.era ?? defaultEra}, so they were not checked`
    : run.outcome === 'running'
      ? 'it has not ended'
      : run.outcome;
  const notes = eraNotes(scenario, run.era).map(({ text }) => `  ${text.en}\n`);
  return (
    `${scenario.name} (seed ${seed}): ${end}\n` +
    (notes.length > 0 ? `parts of it that ${run.era} cannot run:\n${notes.join('')}` : '') +
    `simulated ${formatDuration(Math.round(kernel.now() / 1000) * 1000)}, ${kernel.steps} decisions, ${records} records\n` +
    `pods at the end:${pods.length > 0 ? `\n${pods.join('')}` : ' none\n'}`
  );
}
