/**
 * Values with a name that says that they are secret: `password=x`, `"client_secret": "x"`, `--token x`,
 * `map[Authorization:[Bearer x]]`, JSON within JSON. Each text is gone through once, from the left.
 */
import { redacted } from '../cri/redact.js';
import { type NameKind, nameKind } from './secret-names.js';
import {
  bareEnd,
  closingBracket,
  closingQuote,
  isFile,
  isNoValue,
  isNumber,
  isQuote,
  isReference,
  isWord,
  lineEnd,
  looksRandom,
} from './secret-values.js';

/** A range of a text that is taken out: from the first index up to the second. */
export type Range = readonly [from: number, to: number];

/** Longer names are data. */
const LONGEST_NAME = 100;
const NAME = /[\w.$-]/;
/** Between a name and its value: what closes the name, then a sign. */
const SIGN =
  /(?:\\{0,7}["'`]|\]){0,2}(?:[ \t\n]|\\{1,7}[nt]){0,3}(?::=|=>|==?|:)(?:[ \t]|\\{1,7}t){0,8}|(?:%22)?%3[ADad](?:%2[02])?/y;
/** A flag before its value, also in a list of JSON or Go: `--token x`, `["--token","x"]`. */
const BEHIND_FLAG = /(?:\\{0,7}["'])?(?:,[ ]?|[ \t]{1,4})(?=\\{0,7}["']?[^\s\\"'-])/y;
/** `with password 'x'`, `setPassword("x")`, `password is x1`: of secrets and tokens it is the name that is quoted. */
const SPOKEN = /[ (](?=\\{0,7}["'])| (?:is|was):? (?=[^\s\d]{0,40}\d)/y;
const SPOKEN_OF = /(?:password|passwd|passphrase)$/i;
/** `<password>x</password>`. */
const MARKUP = />/y;

/** The way in which a value is written in the text. */
interface Stands {
  readonly kind: NameKind;
  readonly name: string;
  /** In a query of a URL, as a field of JSON or between quotes: no prose. */
  readonly exact: boolean;
  readonly query: boolean;
}

/** The value of the name in which the character at `at` stands; where to go on behind it. */
export function namedValue(text: string, at: number): { readonly range: Range | null; readonly end: number } {
  let from = at;
  const least = Math.max(0, at - LONGEST_NAME);
  while (from > least && NAME.test(text[from - 1] as string)) from--;
  let to = at;
  const most = Math.min(text.length, at + LONGEST_NAME);
  while (to < most && NAME.test(text[to] as string)) to++;
  const name = text.slice(from, to);
  const kind = nameKind(name);
  if (kind === 'none') return { range: null, end: to };
  const before = text[from - 1] ?? '';
  const query = before === '?' || before === '&' || text.startsWith('u0026', from);
  SIGN.lastIndex = to;
  let found = SIGN.exec(text);
  if (!found && name.startsWith('-')) {
    BEHIND_FLAG.lastIndex = to;
    found = BEHIND_FLAG.exec(text);
  } else if (!found && before === '<') {
    MARKUP.lastIndex = to;
    found = MARKUP.exec(text);
  } else if (!found && SPOKEN_OF.test(name)) {
    SPOKEN.lastIndex = to;
    found = SPOKEN.exec(text);
  }
  if (!found) return { range: null, end: to };
  const sign = found[0];
  const start = to + sign.length;
  const colon = /:[ \t]/.test(sign);
  // A field of YAML begins its line, and one of JSON is quoted; else what follows a colon may be prose.
  const field = /["'`][=:]/.test(sign) || /(?:^|\n|\\n)[ \t]*(?:- )?$/.test(text.slice(Math.max(0, from - 40), from));
  const flag = !/[=:>]/.test(sign);
  // In a query, or as a variable, what is a header elsewhere is one word.
  const as = kind === 'header' && !sign.includes(':') ? 'secret' : kind;
  return valueAt(text, start, { kind: as, name, query, exact: field || query || !(colon || flag) });
}

function valueAt(text: string, start: number, stands: Stands): { readonly range: Range | null; readonly end: number } {
  if (text.startsWith(redacted, start)) return { range: null, end: start + redacted.length };
  let at = start;
  while (text[at] === '\\') at++;
  const escapes = at - start;
  const none = { range: null, end: start };
  if (escapes > MOST_ESCAPES) return none;
  if (isQuote(text.charCodeAt(at))) {
    const from = at + 1;
    const to = closingQuote(text, from, escapes, text[at] as string);
    // A text in quotes that is not a secret itself may have names and values of its own.
    return isTaken(text.slice(from, to), stands) ? { range: [from, to], end: to } : { range: null, end: from };
  }
  if (escapes > 0) return none;
  OPEN.lastIndex = start;
  const open = OPEN.exec(text);
  if (open) {
    const from = start + open[0].length;
    const to = wholeEnd(text, from, open[0], stands);
    if (to === null) return { range: null, end: from };
    const inside = text.slice(from, to);
    if (isNoValue(inside)) return { range: null, end: to };
    // A list of JSON stays one.
    const quotes = open[0] === '[' ? /^(\s?\\{0,7}["'])[\s\S]*?(\\{0,7}["']\s?)$/.exec(inside) : null;
    return { range: [from + (quotes?.[1]?.length ?? 0), to - (quotes?.[2]?.length ?? 0)], end: to };
  }
  // `Secret:&SecretVolumeSource{`: what is in it has names of its own.
  OBJECT.lastIndex = start;
  if (OBJECT.test(text)) return none;
  const word = bareEnd(text, start);
  // A header's name is one of a field of Go, too: `Authorization:<nil> Log:[x]`.
  if (stands.kind === 'header' && isNoValue(text.slice(start, word))) return { range: null, end: word };
  const to = stands.kind === 'header' ? headerEnd(text, start) : word;
  const value = text.slice(start, to);
  if (!stands.exact && isProse(text, value, to, stands)) return none;
  return { range: isTaken(value, stands) ? [start, to] : null, end: to };
}

/** JSON in JSON in JSON has seven. */
const MOST_ESCAPES = 15;
const OPEN =
  /(?:map(?:\[string\](?:string|interface ?\{\}|\[\](?:byte|uint8|string)))?|\[\](?:string|byte|uint8))?[[{]/y;
const OBJECT = /[&*](?=[A-Za-z])|<\w{1,20}:|\w{1,60}(?:\.\w{1,60})?\{/y;

/** A header in a list of Go ends where its list does. */
function headerEnd(text: string, start: number): number {
  const to = lineEnd(text, start);
  const end = text.slice(start, to).search(/\]/);
  return end < 0 ? to : start + end;
}

/** One value in a list, or in braces that are its own; text for text, as JSON and YAML have it. All are bounded. */
const ALONE = /[^\s[\]{}]{1,4000}(?=\])/y;
const BRACED = /[^\s[\]{}:"']{1,400}(?=\})/y;
const FLAT = /\s?(?:\\{0,7}"|[\w.-]{1,100}: )[^[\]{}]{0,20000}(?=\})/y;
const FIELDS = /(?:^\s?|["']|, )(?:name|namespace|secretName|kind|key)\\{0,7}["']?\s?:/;

/**
 * The end of a list or map that is secret as a whole: the values of a header, `secrets=map[k:v]`; null for an object
 * with fields, which have names of their own.
 */
function wholeEnd(text: string, from: number, open: string, { kind, name }: Stands): number | null {
  const json = open === '{';
  if (kind === 'random') return null;
  if (kind === 'header' || open.startsWith('map') || (json && /applied-?configuration$/i.test(name)))
    return closingBracket(text, from - 1);
  if (!json && kind === 'secret' && !/^(?:\\{0,7}["'])?\s?[&{[]/.test(text.slice(from, from + 20)))
    return closingBracket(text, from - 1);
  const form = !json ? ALONE : /secrets$/i.test(name) ? FLAT : kind === 'secret' ? BRACED : null;
  if (!form) return null;
  form.lastIndex = from;
  const inside = form.exec(text)?.[0];
  if (inside === undefined) return null;
  const secret = json
    ? form === BRACED || !FIELDS.test(inside)
    : isSecretValue(inside.replace(/^\\{0,7}["']|\\{0,7}["']$/g, ''), kind, name);
  return secret ? from + inside.length : null;
}

/**
 * Returns true if a word behind a colon, or behind a flag that a sentence mentions, is the next word of that sentence.
 */
function isProse(text: string, value: string, to: number, { kind }: Stands): boolean {
  // `requires authorization: server message: ...`; schemes are words, too.
  if (kind === 'header') return /^(?!basic|bearer|token|digest|negotiate|apikey)[a-z]+[ :][^=]*$/.test(value);
  const bare = value.replace(/[.,!?]+$/, '');
  if (kind === 'likely')
    return !looksRandom(bare) && !(/\d/.test(bare) && /^[A-Za-z0-9]{6,}$/.test(bare) && /[A-Za-z]/.test(bare));
  return isWord(bare) && /^ [a-z]/.test(text.slice(to, to + 2));
}

const isTaken = (value: string, { kind, name, query }: Stands): boolean =>
  query ? !isNoValue(value) : isSecretValue(value, kind, name);

/** Returns true if `value` is a secret under a name of this kind. */
export function isSecretValue(value: string, kind: NameKind, name: string): boolean {
  if (kind === 'none' || isNoValue(value)) return false;
  if (kind === 'random') return looksRandom(value) && !isFile(value) && !isReference(value);
  if (kind === 'likely') {
    if (isNumber(value) || isFile(value) || isReference(value)) return false;
    // Short texts, and types such as kubernetes.io/tls, are not secrets.
    return value.length >= 3 && !/^kubernetes\.io\//.test(value);
  }
  // The current directory of a shell.
  if (/^(?:OLD)?PWD$/i.test(name) && value.startsWith('/')) return false;
  return kind === 'header' || !(isFile(value) && /key$/i.test(name));
}
