import type { Scenario } from '../document/scenario.js';
import { inOrder, type LibraryEntry, scenarioIn } from './entries.js';
import { entries } from './gen/index.js';

/** The scenarios that come with the program, in the order to meet them. */
export const library: readonly LibraryEntry[] = inOrder(entries);

/** A scenario of the library. Throws a ScenarioError that suggests the name most like it. */
export const findScenario = (name: string): Scenario => scenarioIn(library, name);
