/**
 * A text without those of the given characters that it ends with. A regular expression for the end of a text begins
 * again at each of such characters, which takes the square of their number. upstream: strings.TrimRight
 */
export function trimRight(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1] as string)) end--;
  return text.slice(0, end);
}
