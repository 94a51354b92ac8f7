import { suggest } from '../../shape/index.js';
import { ScenarioError } from '../document/errors.js';
import { type ScenarioGroup, scenarioGroups } from '../document/groups.js';
import { parseScenario } from '../document/parse.js';
import { firstScenarioAPIVersion, type LocalText, type Scenario, scenarioAPIVersion } from '../document/scenario.js';
import { hello } from './gen/hello.js';

/** A scenario that comes with the program: a file of packages/core/content/scenarios, and its place in the list. */
export interface LibraryEntry {
  readonly name: string;
  readonly group: ScenarioGroup;
  /** Its place within the group. */
  readonly order: number;
  /** The YAML text, as parseScenario takes it. */
  readonly text: string;
}

/** The scenario to begin with, for those who have not loaded the others yet. */
export const starter: LibraryEntry = hello;

/** The part of a scenario of the library that a list shows. */
export interface ListedScenario extends Omit<LibraryEntry, 'text'> {
  readonly title: LocalText;
  readonly summary: LocalText;
}

/** Returns scenarios in the order to meet them. */
export const inOrder = <T extends Omit<LibraryEntry, 'text'>>(scenarios: readonly T[]): readonly T[] =>
  [...scenarios].sort((a, b) => scenarioGroups.indexOf(a.group) - scenarioGroups.indexOf(b.group) || a.order - b.order);

/**
 * Returns the text for a name of the library: `crash-loop`, or `crash-loop@v1alpha1` for the same with what the format
 * left out in that version. Null for a name without a version.
 */
export function textOfVersion(entries: readonly LibraryEntry[], called: string): { name: string; text: string } | null {
  const [name = '', version, ...more] = called.split('@');
  const entry = entries.find((s) => s.name === name);
  const apiVersion = `syncloop.dev/${version}`;
  if (!entry || more.length > 0 || apiVersion !== firstScenarioAPIVersion) return null;
  return { name, text: entry.text.replace(`apiVersion: ${scenarioAPIVersion}\n`, `apiVersion: ${apiVersion}\n`) };
}

/** The scenarios that were read. Nobody changes one, and each start and restart asks for it. */
const known = new WeakMap<LibraryEntry, Scenario>();

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
  const scenario = known.get(entry) ?? parseScenario(entry.text, `${name}.yaml`);
  known.set(entry, scenario);
  return scenario;
}
