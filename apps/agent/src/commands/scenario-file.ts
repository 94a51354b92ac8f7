/** Scenarios by name or from disk. */
import { findScenario, library, parseScenario, type Scenario } from '@syncloop/core/scenario';
import { SetupError } from '../base/errors.js';
import { readRegularSync, settingsLimit } from '../base/read-file.js';

/** A file if it looks like one, else a name of the library. ScenarioErrors say place and remedy. */
export function loadScenario(name: string): { scenario: Scenario; text: string | undefined } {
  if (!/[/\\]|\.ya?ml$/.test(name)) {
    // The library may be another when it is run again.
    return { scenario: findScenario(name), text: library.find((entry) => entry.name === name)?.text };
  }
  let text: string;
  try {
    text = readRegularSync(name, { limit: settingsLimit }).toString('utf8');
  } catch (err) {
    throw new SetupError(`cannot read the scenario ${name}: ${(err as Error).message}`);
  }
  return { scenario: parseScenario(text, name), text };
}
