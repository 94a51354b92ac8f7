import { json, plainSource, Reader, read } from '../../shape/index.js';
import { YamlSource } from './document.js';
import { readingScenario } from './errors.js';
import { readAction } from './parse-steps.js';
import type { Action } from './scenario.js';

/** The limits of a value from a wire. */
const bounded = json({ depth: 64, values: 100_000, characters: 1024 * 1024 });

/**
 * An action out of any JSON value, written as a step of a scenario: `{"kill": {"pod": "web", "container": "app"}}`,
 * `"clearFaults"`. Also as text, YAML or JSON, as it is in a scenario: then places are lines and columns. Throws a
 * ScenarioError that names the place and the remedy. Takes JSON values only; they are not kept.
 */
export function parseAction(value: unknown): Action {
  return readingScenario(() => {
    if (typeof value === 'string' && /[:\n]/.test(value)) return parseActionText(value);
    const source = { ...plainSource('action'), nullIsMissing: true };
    return readAction(Reader.of(read(bounded, value, source), source));
  });
}

/** One step; the dash before it may be there or not. */
function parseActionText(text: string): Action {
  const yaml = new YamlSource(text, 'action');
  const whole = Reader.of(yaml.value, yaml);
  return readAction(Array.isArray(yaml.value) && yaml.value.length === 1 ? whole.at(0) : whole);
}
