/**
 * Finding by a few letters: each word that was typed must be found in order, the better the more of it stands together
 * and at beginnings of words.
 */

/** How well a word is found in a text, both in lower case; null where it is not. */
function wordScore(word: string, text: string): number | null {
  const whole = text.indexOf(word);
  if (whole >= 0) return 100 + word.length * 4 + (startsWord(text, whole) ? 40 : 0) - Math.min(20, whole / 4);
  // A letter or two scattered about are in everything.
  if (word.length < 3) return null;
  let score = 0;
  let at = -1;
  for (const letter of word) {
    const next = text.indexOf(letter, at + 1);
    if (next < 0) return null;
    score += next === at + 1 ? 4 : startsWord(text, next) ? 3 : -Math.min(3, next - at - 1);
    at = next;
  }
  return score > 0 ? score : null;
}

const startsWord = (text: string, at: number): boolean => at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '');

/**
 * How well what was typed is found in a text; null where it is not. What is empty is found everywhere, equally well.
 */
export function fuzzyScore(typed: string, text: string): number | null {
  const lower = text.toLowerCase();
  let score = 0;
  for (const word of typed.toLowerCase().split(/\s+/).filter(Boolean)) {
    const found = wordScore(word, lower);
    if (found === null) return null;
    score += found;
  }
  return score;
}

/** Those that are found, the best first; of equals the first. `more`: what is searched too, and weighs less. */
export function fuzzyFind<T>(
  typed: string,
  items: readonly T[],
  text: (item: T) => string,
  more: (item: T) => string,
): T[] {
  return items
    .flatMap((item) => {
      const score = fuzzyScore(typed, text(item)) ?? fuzzyScore(typed, `${text(item)} ${more(item)}`);
      if (score === null) return [];
      return [{ item, score: fuzzyScore(typed, text(item)) === null ? score / 2 : score }];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);
}
