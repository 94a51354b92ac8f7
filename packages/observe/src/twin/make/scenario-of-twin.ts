/** Makes the scenario that runs out of a twin. */
import { defaultEra } from '@syncloop/core/kubelet/era/versions';
import { generatedScenario, parseScenario, type Scenario } from '@syncloop/core/scenario';
import type { TwinScenario } from '../base/types.js';

/**
 * The longest text of a twin whose schedules are searched, in UTF-16 units: the result is written into the text, which
 * must still be short enough to open.
 */
export const longestSearchedText = 900_000;

/**
 * The scenario of a twin, to be run. One that was generated is not written and read again, and is as large as it is; a
 * text that somebody gave has a scenario's limits. Throws a ScenarioError if the text is not a scenario.
 */
export const scenarioOfTwin = ({ name, text, document }: Pick<TwinScenario, 'name' | 'text' | 'document'>): Scenario =>
  document === undefined ? parseScenario(text, `${name}.yaml`) : generatedScenario(document, text);

/**
 * A twin with another text: that of its scenario changed, which may name another version of the kubelet. Throws a
 * ScenarioError for a text that is not a scenario.
 */
export function withText({ document: _, ...twin }: TwinScenario, text: string): TwinScenario {
  return { ...twin, text, era: parseScenario(text, `${twin.name}.yaml`).era ?? defaultEra };
}
