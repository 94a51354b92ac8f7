import { nearest } from '../words/index.js';

/**
 * An expression that cannot be read. `position` and `end` are 0-based offsets into the source; the message ends with
 * the position.
 */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  constructor(
    /** The mistake and its remedy, without the place. */
    readonly reason: string,
    readonly position: number,
    readonly end: number,
  ) {
    super(`${reason} at ${position}`);
  }
}

/** Returns `; did you mean "x"?` if a candidate is like `word`, else the empty text. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const near = nearest(word, candidates);
  return near === null ? '' : `; did you mean "${near}"?`;
}
