/** Scenarios by name or from disk. */
import { findScenario, library, parseScenario, type Scenario } from '@syncloop/core/scenario';
import {
  behaviourText,
  imageQuestions,
  noteText,
  readWorkload,
  reasonText,
  scenarioOfWorkload,
  type WorkloadOptions,
} from '@syncloop/core/scenario/workload';
import { SetupError } from '../base/errors.js';
import { readRegularSync, settingsLimit } from '../base/read-file.js';

/**
 * Loads a file if the name looks like one, else a scenario of the library. ScenarioErrors name place and remedy. A file
 * of manifests becomes a scenario that runs them; `say` is called with each thing that is left out or assumed.
 * `absent`: as in WorkloadOptions.
 */
export function loadScenario(
  name: string,
  say: (sentence: string) => void = () => {},
  absent: WorkloadOptions['absent'] = 'pretend',
): { scenario: Scenario; text: string | undefined } {
  if (!/[/\\]|\.(ya?ml|json)$/.test(name)) {
    // The library may be another when it is run again.
    return { scenario: findScenario(name), text: library.find((entry) => entry.name === name)?.text };
  }
  let text: string;
  try {
    text = readRegularSync(name, { limit: settingsLimit }).toString('utf8');
  } catch (err) {
    throw new SetupError(`cannot read the scenario ${name}: ${(err as Error).message}`);
  }
  // Any other text is read as a scenario: its errors explain how one begins.
  const own = /^\s*["']?(apiVersion["']?\s*:\s*["']?syncloop\.dev\/|kind["']?\s*:\s*["']?Scenario\b)/m.test(text);
  const made = own ? null : ofManifests(text, name, say, absent);
  return made === null
    ? { scenario: parseScenario(text, name), text }
    : { scenario: parseScenario(made, name), text: made };
}

/** The way in which to say something else of an image than what is assumed. */
const answers = '; it is not simulated: to change that, drop the file onto the page, or write a step imageDoes';

/** The scenario of a file of manifests, as YAML; null if there is no pod in it. */
function ofManifests(
  text: string,
  file: string,
  say: (sentence: string) => void,
  absent: WorkloadOptions['absent'],
): string | null {
  const workload = readWorkload(text, { nodeName: 'node1', api: true, absent });
  const errors = workload.problems.filter((p) => p.severity === 'error');
  for (const note of workload.notes) say(noteText(note, 'en'));
  for (const { from, path, kubelet, params, code } of errors)
    say(`line ${text.slice(0, from).split('\n').length}: ${kubelet ?? `${path}: ${params.message ?? code}`}`);
  if (errors.length > 0 && workload.pods.length > 0) throw new SetupError('the manifests have errors; correct them');
  if (workload.pods.length === 0 && workload.notes.length > 0)
    throw new SetupError(`${file} contains neither a scenario nor a pod: give a scenario, or manifests of pods`);
  const questions = imageQuestions(workload.pods, {
    images: [{ tags: ['localhost/busybox:dev', 'localhost/pause:dev'] }],
  });
  for (const q of questions)
    say(`image ${q.ref}: ${behaviourText(q.does)} (${reasonText(q, 'en')})${q.because === 'command' ? '' : answers}`);
  return scenarioOfWorkload(workload, questions);
}
