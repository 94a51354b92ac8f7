import { scenarioGroups } from '../document/groups.js';
import type { Scenario } from '../document/scenario.js';
import { type LibraryEntry, scenarioIn } from './entries.js';
import { entries } from './gen/index.js';

const groupIndex = ({ group }: LibraryEntry) => scenarioGroups.indexOf(group);

/** The scenarios that come with the program, in the order to meet them. */
export const library: readonly LibraryEntry[] = [...entries].sort(
  (a, b) => groupIndex(a) - groupIndex(b) || a.order - b.order,
);

/** A scenario of the library. Throws a ScenarioError that suggests the name most like it. */
export const findScenario = (name: string): Scenario => scenarioIn(library, name);
