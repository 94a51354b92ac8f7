import { suggest } from '../../shape/index.js';
import { ScenarioError } from '../document/errors.js';
import type { ScenarioGroup } from '../document/groups.js';
import { parseScenario } from '../document/parse.js';
import type { LocalText, Scenario } from '../document/scenario.js';
import { hello } from './gen/hello.js';

/** A scenario that comes with the program: a file of packages/core/content/scenarios, and what a list shows of it. */
export interface LibraryEntry {
  readonly name: string;
  readonly group: ScenarioGroup;
  /** Its place within the group. */
  readonly order: number;
  readonly title: LocalText;
  readonly summary: LocalText;
  /** The YAML text, as parseScenario takes it. */
  readonly text: string;
}

/** The scenario to begin with, for those who have not loaded the others yet. */
export const starter: LibraryEntry = hello;

/** One of these scenarios. Throws a ScenarioError that suggests the name most like it. */
export function scenarioIn(entries: readonly LibraryEntry[], name: string): Scenario {
  const entry = entries.find((s) => s.name === name);
  if (!entry)
    throw new ScenarioError(
      `there is no scenario "${name}"; ${suggest(
        name,
        entries.map((s) => s.name),
      )}`,
    );
  return parseScenario(entry.text, `${name}.yaml`);
}
