import { nearest } from '@syncloop/core/words';

/** ` (did you mean X?)`, or nothing. */
export function suggestion(word: string, candidates: Iterable<string>, prefix = ''): string {
  const found = nearest(word, candidates);
  return found === null ? '' : ` (did you mean ${prefix}${found}?)`;
}
