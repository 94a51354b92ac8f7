import { UsageError } from '../base/errors.js';
import { suggestion } from '../base/suggestion.js';

/**
 * A flag's value where it is one of `choices`; undefined where it was not given. Throws a UsageError that says which
 * there are.
 */
export function oneOf<T extends string>(flag: string, value: string | undefined, choices: readonly T[]): T | undefined {
  if (value === undefined) return undefined;
  const found = choices.find((choice) => choice === value);
  if (found === undefined)
    throw new UsageError(
      `${flag} is ${JSON.stringify(value)}${suggestion(value, choices)}, but must be one of ${choices.join(', ')}`,
    );
  return found;
}
