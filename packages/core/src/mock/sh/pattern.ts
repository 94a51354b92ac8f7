const regexes = new Map<string, RegExp>();

/** The characters of a text as a pattern that matches only them. */
export const escapePattern = (text: string): string => text.replace(/[\\*?[\]]/g, '\\$&');

/** Whether a pattern (with `\` before what is literal) has anything to match. */
export const hasGlob = (pattern: string): boolean => /(^|[^\\])(\\\\)*[*?[]/.test(pattern);

/** Takes the backslashes of `escapePattern` away. */
export const unescapePattern = (pattern: string): string => pattern.replace(/\\(.)/gs, '$1');

/** A shell pattern as a regular expression for a whole text; `files`: `*` and `?` stop at slashes. */
export function patternRegex(pattern: string, files = false): RegExp {
  const key = `${files ? 'f' : 's'}${pattern}`;
  let regex = regexes.get(key);
  if (regex) return regex;
  const any = files ? '[^/]' : '[^]';
  let out = '';
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i] as string;
    if (c === '\\') out += quote(pattern[++i] ?? '\\');
    else if (c === '*') out += `${any}*`;
    else if (c === '?') out += any;
    else if (c === '[') {
      const end = pattern.indexOf(']', i + (/[!^]/.test(pattern[i + 1] ?? '') ? 3 : 2));
      if (end < 0) out += '\\[';
      else {
        const body = pattern
          .slice(i + 1, end)
          .replace(/^!/, '^')
          .replace(/\[:(\w+):\]?/g, (_, name: string) => classes[name] ?? '');
        out += `[${body.replace(/\\/g, '\\\\').replace(/\[/g, '\\[')}]`;
        i = end;
      }
    } else out += quote(c);
  }
  try {
    regex = new RegExp(`^${out}$`);
  } catch {
    regex = new RegExp(`^${quote(pattern)}$`);
  }
  if (regexes.size > 500) regexes.clear();
  regexes.set(key, regex);
  return regex;
}

const classes: Readonly<Record<string, string>> = {
  alpha: 'A-Za-z',
  digit: '0-9',
  alnum: 'A-Za-z0-9',
  space: ' \t\n',
  upper: 'A-Z',
  lower: 'a-z',
};
const quote = (s: string): string => s.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** `${x#pattern}` and its siblings. */
export function trimPattern(text: string, op: string, pattern: string): string {
  const n = text.length;
  const regex = patternRegex(pattern);
  if (op === '#') {
    for (let i = 0; i <= n; i++) if (regex.test(text.slice(0, i))) return text.slice(i);
  } else if (op === '##') {
    for (let i = n; i >= 0; i--) if (regex.test(text.slice(0, i))) return text.slice(i);
  } else if (op === '%') {
    for (let i = n; i >= 0; i--) if (regex.test(text.slice(i))) return text.slice(0, i);
  } else {
    for (let i = 0; i <= n; i++) if (regex.test(text.slice(i))) return text.slice(0, i);
  }
  return text;
}
