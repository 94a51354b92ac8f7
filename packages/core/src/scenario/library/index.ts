import { ScenarioError, suggest } from '../errors.js';
import { parseScenario } from '../parse.js';
import type { Scenario } from '../scenario.js';
import { crashLoop } from './crash-loop.js';
import { gracefulDelete } from './graceful-delete.js';
import { hello } from './hello.js';
import { imageMissing } from './image-missing.js';
import { initAndSidecar } from './init-and-sidecar.js';
import { liveness } from './liveness.js';
import { slowRuntime } from './slow-runtime.js';

export interface LibraryEntry {
  readonly name: string;
  /** YAML, as parseScenario takes it. */
  readonly text: string;
}

/** Scenarios that come with the program, in the order to meet them. */
export const library: readonly LibraryEntry[] = [
  { name: 'hello', text: hello },
  { name: 'crash-loop', text: crashLoop },
  { name: 'init-and-sidecar', text: initAndSidecar },
  { name: 'liveness', text: liveness },
  { name: 'graceful-delete', text: gracefulDelete },
  { name: 'image-missing', text: imageMissing },
  { name: 'slow-runtime', text: slowRuntime },
];

/** A scenario of the library. Throws a ScenarioError that suggests the name most like it. */
export function findScenario(name: string): Scenario {
  const entry = library.find((s) => s.name === name);
  if (!entry)
    throw new ScenarioError(
      `there is no scenario "${name}"; ${suggest(
        name,
        library.map((s) => s.name),
      )}`,
    );
  return parseScenario(entry.text, `${name}.yaml`);
}
