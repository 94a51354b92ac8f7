import { parseManifest } from '../../api/yaml.js';
import { deepEqual } from '../../base/deep.js';
import { ScenarioError } from '../../scenario/document/errors.js';
import { parseScenario } from '../../scenario/document/parse.js';
import { withoutRun, withRun } from '../../scenario/document/run-section.js';
import type { DoneInRun, LocalText } from '../../scenario/document/scenario.js';
import { type LibraryEntry, scenarioIn } from '../../scenario/library/entries.js';
import type { Json } from '../../trace/index.js';
import { type Intervention, type InterventionCommand, MAX_TEXT } from '../protocol/commands.js';
import type { RunSpec } from '../protocol/run-spec.js';

/** Writes each part of a run, besides its scenario, into the section `run` of a scenario's file. */
const written: {
  readonly [K in Exclude<keyof RunSpec, 'scenario' | 'text'>]-?: (value: NonNullable<RunSpec[K]>) => unknown;
} = {
  seed: (seed) => seed,
  era: (era) => era,
  deviations: (deviations) => (deviations.length > 0 ? deviations : undefined),
  interventions: (interventions) => (interventions.length > 0 ? interventions.map(asItem) : undefined),
};

/**
 * Returns the text of a scenario that repeats this run: it gives the same records, to the byte. `about` has its name
 * and title; `library` has the scenario of the run, unless the run has its text. Throws a ScenarioError with
 * the reason if the run cannot be written down.
 */
export function scenarioOfRun(
  spec: RunSpec,
  about: { readonly name: string; readonly title: LocalText },
  library: readonly LibraryEntry[],
): string {
  const base = spec.text ?? scenarioIn(library, spec.scenario).text;
  const section = Object.fromEntries(
    Object.entries(written).flatMap(([key, write]) => {
      const value = spec[key as keyof typeof written];
      const item = value === undefined ? undefined : (write as (value: unknown) => unknown)(value);
      return item === undefined ? [] : [[key, item]];
    }),
  );
  // A seed that nobody chose is the scenario's own, and is in its text.
  const text = withRun(base, about, section);
  if (text.length > MAX_TEXT)
    throw new ScenarioError(
      `the scenario would have ${text.length} characters, more than the ${MAX_TEXT} that can be opened; share a recording instead`,
    );
  const again = runOfText({ scenario: about.name, text });
  const gist = ({ seed, era, deviations = [], interventions = [] }: RunSpec) =>
    asJson({ seed, era, deviations, interventions: interventions.map(asItem) });
  if (!deepEqual(gist(spec), gist(again)))
    throw new ScenarioError('the run cannot be written as a scenario without loss; share a recording instead');
  return text;
}

/**
 * Turns a run of a scenario that was made from a run back into that run: the section `run` leaves the text and becomes
 * the run's own fields. Any other run is returned unchanged. Throws a ScenarioError if the text is not a scenario.
 */
export function runOfText(spec: RunSpec): RunSpec {
  if (spec.text === undefined || !/(^|[{,\s"'])run["']?\s*:/.test(spec.text)) return spec;
  const { run } = parseScenario(spec.text, `${spec.scenario || 'scenario'}.yaml`);
  if (!run) return spec;
  const seed = spec.seed ?? run.seed;
  const era = spec.era ?? run.era;
  const deviations = [...(run.deviations ?? []), ...(spec.deviations ?? [])];
  const interventions = [...(run.interventions ?? []).map(asIntervention), ...(spec.interventions ?? [])];
  return {
    scenario: spec.scenario,
    text: withoutRun(spec.text),
    ...(seed !== undefined && { seed }),
    ...(era !== undefined && { era }),
    ...(deviations.length > 0 && { deviations }),
    ...(interventions.length > 0 && { interventions }),
  };
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const asItem = ({ step, after, time, command }: Intervention): object => ({
  at: `${time / 1_000_000}s`,
  decision: step,
  record: after,
  do: stepOf(command),
});

/** An intervention in the words of a scenario's step. */
function stepOf(command: InterventionCommand): unknown {
  switch (command.do) {
    case 'apply':
      return { apply: { file: command.file, manifest: command.manifest } };
    case 'delete':
      return { delete: command.file };
    case 'kill':
      return command.container === undefined
        ? { killSandbox: command.uid }
        : { kill: { pod: command.uid, container: command.container } };
    case 'act':
      return typeof command.action === 'string' && /[:\n]/.test(command.action)
        ? oneStep(parseManifest(command.action))
        : command.action;
  }
}

/** A step that was typed may have the dash of a list before it. */
const oneStep = (value: unknown): unknown => (Array.isArray(value) && value.length === 1 ? value[0] : value);

/**
 * The inverse of `asItem`: a step becomes the page's own command if there is one, else an `act` with the same records.
 */
function asIntervention({ at, decision, record, do: { action, given } }: DoneInRun): Intervention {
  const where = { step: decision, after: record, time: at };
  const argument = Object.values(given as object)[0] as { readonly [key: string]: unknown };
  if (action.verb === 'apply' && !action.api && typeof argument.manifest === 'string' && argument.file === action.file)
    return { ...where, command: { do: 'apply', manifest: argument.manifest, file: action.file } };
  if (action.verb === 'killSandbox') return { ...where, command: { do: 'kill', uid: action.pod } };
  if (action.verb === 'kill' && argument.signal === undefined)
    return { ...where, command: { do: 'kill', uid: action.pod, container: action.container } };
  return { ...where, command: { do: 'act', action: given as Json } };
}
