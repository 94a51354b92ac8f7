/**
 * Finds texts by a few letters: each typed word must occur in order; the score is better the more of it is together and
 * at beginnings of words.
 */

/** Returns how well a word matches a text, both in lower case; null if it does not. */
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
 * Returns how well the typed words match a text; null if they do not. Nothing typed matches everything equally well.
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

const HAN = /\p{Script=Han}/u;

/**
 * Like `fuzzyScore`, for texts of many words: each typed word must begin a word of the text; in text without spaces
 * between words, it may be anywhere.
 */
export function plainScore(typed: string, text: string): number | null {
  const lower = text.toLowerCase();
  let score = 0;
  for (const word of typed.toLowerCase().split(/\s+/).filter(Boolean)) {
    let at = lower.indexOf(word);
    while (at > 0 && !HAN.test(word) && !startsWord(lower, at)) at = lower.indexOf(word, at + 1);
    if (at < 0) return null;
    score += 140 + word.length * 4 - Math.min(20, at / 4);
  }
  return score;
}
