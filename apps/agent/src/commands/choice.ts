import { UsageError } from '../base/errors.js';
import { suggestion } from '../base/suggestion.js';

/**
 * The value of a flag that must be one of `choices`; undefined if it was not given. Throws a UsageError that lists the
 * choices.
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
