import { nearest } from '../../words/index.js';

/** Longest message: what is quoted in it may be of any length. */
const longest = 4000;

/** A scenario that cannot be read or run. The message says where, what is wrong, and what to do instead. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
  constructor(message: string) {
    super(message.length > longest ? `${message.slice(0, longest)}...` : message);
  }
}

/** `did you mean "x"?` where something is near, else all that there is. */
export function suggest(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  return near === null ? `there are: ${candidates.join(', ') || 'none'}` : `did you mean "${near}"?`;
}
