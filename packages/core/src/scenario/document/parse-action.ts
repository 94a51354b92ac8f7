import { type Path, SourceDocument } from './document.js';
import { ScenarioError } from './errors.js';
import { readAction } from './parse-steps.js';
import { Reader, type Source } from './reader.js';
import type { Action } from './scenario.js';

/** What is taken from a wire: so deep, so many values, so many letters. */
const deepest = 64;
const mostValues = 100_000;
const mostLetters = 1024 * 1024;

/**
 * An action out of any JSON value, written as a step of a scenario: `{"kill": {"pod": "web", "container": "app"}}`,
 * `"clearFaults"`. Also as text, YAML or JSON, as it stands in a scenario: then places are lines and columns. Throws a ScenarioError
 * that names the place and the remedy. Takes JSON values only; they are not kept.
 */
export function parseAction(json: unknown): Action {
  if (typeof json === 'string' && /[:\n]/.test(json)) return parseActionText(json);
  checkSize(json);
  return readAction(new Reader(source, json, []));
}

/** One step; the dash before it may be there or not. */
function parseActionText(text: string): Action {
  const doc = new SourceDocument(text, 'action');
  const whole = new Reader(doc, doc.value, []);
  return readAction(Array.isArray(doc.value) && doc.value.length === 1 ? whole.at(0) : whole);
}

/** A value without a text: places are paths. */
const source: Source = {
  position: () => ({ line: 0, col: 0 }),
  error: (path, what) => new ScenarioError(`${pathText(path)}: ${what}`),
  textOf: (_path, value) => `${JSON.stringify(value, null, 2)}\n`,
};

const pathText = (path: Path): string =>
  path.reduce<string>((s, p) => (typeof p === 'number' ? `${s}[${p}]` : `${s}.${String(p).slice(0, 200)}`), 'action');

function checkSize(json: unknown): void {
  let values = 0;
  let letters = 0;
  const open: { value: unknown; depth: number }[] = [{ value: json, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next;
    if (++values > mostValues)
      throw new ScenarioError(`action: it has more than ${mostValues} values; make it smaller`);
    if (typeof value === 'string') letters += value.length;
    if (typeof value === 'object' && value !== null) {
      if (depth >= deepest) throw new ScenarioError(`action: it is more than ${deepest} levels deep; write it flatter`);
      for (const key of Object.keys(value)) {
        letters += key.length;
        open.push({ value: (value as Record<string, unknown>)[key], depth: depth + 1 });
      }
    } else if (!['string', 'number', 'boolean'].includes(typeof value) && value !== null && value !== undefined)
      throw new ScenarioError(`action: a ${typeof value} is no JSON value; send plain JSON`);
    if (letters > mostLetters)
      throw new ScenarioError(`action: it is too long; at most ${mostLetters} characters are read`);
  }
}
