/**
 * End of the function's argument list that begins after `from`, and the commas at its top level; null if it never
 * ends.
 */
function extent(text: string, from: number): { readonly end: number; readonly commas: readonly number[] } | null {
  const commas: number[] = [];
  let depth = 1;
  for (let i = from; i < text.length; i++) {
    const c = text[i];
    if (c === '(') depth++;
    else if (c === ')' && --depth === 0) return { end: i, commas };
    else if (c === ',' && depth === 1) commas.push(i);
  }
  return null;
}

const NAME = 'light-dark(';

/** A style's text with each `light-dark(a, b)` decided: a picture has no theme to follow. */
export function decideLightDark(text: string, dark: boolean): string {
  let out = '';
  let at = 0;
  for (;;) {
    const found = text.indexOf(NAME, at);
    const begin = found + NAME.length;
    const args = found < 0 ? null : extent(text, begin);
    const comma = args?.commas[0];
    if (!args || comma === undefined) return out + text.slice(at);
    const chosen = dark ? text.slice(comma + 1, args.end) : text.slice(begin, comma);
    out += text.slice(at, found) + decideLightDark(chosen.trim(), dark);
    at = args.end + 1;
  }
}
