/** Values of a klog line, as the versions from 1.21 to 1.36 print them. */
import { parseShallowJson } from '@syncloop/core/base';
import type { Json } from '@syncloop/core/trace';

/** A value, and the index at which the text goes on behind it. */
export interface Scanned<T> {
  readonly value: T;
  readonly end: number;
}

const ESCAPES: { readonly [letter: string]: string } = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
  "'": "'",
};
/** Digits behind `\x`, `\u` and `\U`. */
const HEX_DIGITS: { readonly [letter: string]: number } = { x: 2, u: 4, U: 8 };

/**
 * Returns the string in Go's quotes that begins at `at`, as strconv.Unquote reads it; null if there is none or it does
 * not end. Bytes that are not UTF-8 are written `\xHH`: each becomes the character of that number, for its original is
 * unknown.
 */
export function scanGoString(text: string, at: number): Scanned<string> | null {
  const found = scanQuoted(text, at);
  return found && found.end <= text.length ? found : null;
}

/** Stands at the end of a text whose rest is not in the log. */
export const ELLIPSIS = '\u2026';

/** Returns the string in Go's quotes that begins at `at` and has no end, with an ellipsis; null if there is none. */
export function scanCutString(text: string, at: number): string | null {
  const found = scanQuoted(text, at);
  return found && found.end > text.length ? withEllipsis(found.value) : null;
}
const withEllipsis = (text: string): string => `${text.trimEnd()}${ELLIPSIS}`;

/** The same; a string without an end has its end behind the text. */
function scanQuoted(text: string, at: number): Scanned<string> | null {
  if (text.charCodeAt(at) !== 34) return null;
  let value = '';
  let from = at + 1;
  // Most have no escapes: their end is the next quote.
  const quote = text.indexOf('"', from);
  if (quote >= 0) {
    const plain = text.slice(from, quote);
    if (!plain.includes('\\')) return { value: plain, end: quote + 1 };
  }
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 34) return { value: value + text.slice(from, i), end: i + 1 };
    if (code !== 92) continue;
    value += text.slice(from, i);
    // A text that ends within an escape.
    if (i + 1 === text.length) return { value, end: text.length + 1 };
    const letter = text.charAt(i + 1);
    const digits = HEX_DIGITS[letter];
    if (digits !== undefined) {
      const hex = text.slice(i + 2, i + 2 + digits);
      const point = /^[0-9a-fA-F]+$/.test(hex) && hex.length === digits ? Number.parseInt(hex, 16) : -1;
      if (point < 0 || point > 0x10ffff) return null;
      value += String.fromCodePoint(point);
      i += 1 + digits;
    } else {
      const plain = ESCAPES[letter];
      if (plain === undefined) return null;
      value += plain;
      i += 1;
    }
    from = i + 1;
  }
  return { value: value + text.slice(from), end: text.length + 1 };
}

/** 1 for characters with which a key may begin, 2 for others in it. */
const IN_KEY = new Uint8Array(128);
for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_') IN_KEY[letter.charCodeAt(0)] = 1;
for (const sign of '0123456789.()/-') IN_KEY[sign.charCodeAt(0)] = 2;

/**
 * Returns where the equals sign is behind the key that begins at `at`, as klog's callers write them: `podUID`,
 * `pod.CreationTimestamp`, `subresource(s)`; -1 if there is no key.
 */
function endOfKey(text: string, at: number): number {
  if (IN_KEY[text.charCodeAt(at)] !== 1) return -1;
  let i = at + 1;
  while ((IN_KEY[text.charCodeAt(i)] ?? 0) > 0) i++;
  return text.charCodeAt(i) === 61 ? i : -1;
}
/** The beginning of the next field, at which a value without quotes ends at the latest. */
const NEXT_FIELD = / (?=[A-Za-z_][\w.()/-]*=)/g;
const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;

/** Fields whose beginning says something without its end. */
const PROSE = new Set(['err', 'error', 'message', 'output', 'pod', 'reason']);

/** The fields behind a message. The first text that is not a field ends them; `rest` is that text. */
export function scanFields(text: string, at: number): { fields: { [key: string]: Json }; rest: string } {
  const fields: { [key: string]: Json } = {};
  let i = at;
  while (i < text.length) {
    if (text.charCodeAt(i) === 32) {
      i++;
      continue;
    }
    const equals = endOfKey(text, i);
    if (equals < 0) break;
    const key = knownKey(text.slice(i, equals));
    const quoted = scanQuoted(text, equals + 1);
    if (quoted && quoted.end > text.length) {
      if (PROSE.has(key)) setField(fields, key, withEllipsis(quoted.value));
      break;
    }
    const { value, end } = quoted && endsAt(text, quoted.end) ? quoted : scanValue(text, equals + 1);
    // Current klog keeps the last value of a repeated key.
    setField(fields, key, value);
    i = end;
  }
  return { fields, rest: text.slice(i) };
}

/**
 * Keys as they were first read. A key that is cut out of a line is another string each time, which V8 has to look up
 * before it can be the name of a field.
 */
const KNOWN_KEYS = new Map<string, string>();
const MOST_KEYS = 2_000;
function knownKey(key: string): string {
  const known = KNOWN_KEYS.get(key);
  if (known !== undefined) return known;
  if (KNOWN_KEYS.size < MOST_KEYS) KNOWN_KEYS.set(key, key);
  return key;
}

/** A line may say `__proto__=`: that is a field like any other. */
export function setField(fields: { [key: string]: Json }, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true });
  else fields[key] = value;
}

/** A value that is not a whole string in quotes. */
function scanValue(text: string, at: number): Scanned<Json> {
  const first = text.charAt(at);
  if (first === '<' && text.charAt(at + 1) === '\n') return scanBlock(text, at + 2);
  if (first === '{' || first === '[') {
    const json = scanJson(text, at);
    if (json) return json;
  }
  const end = endOfBare(text, at);
  return { value: bareValue(text.slice(at, end)), end };
}

const endsAt = (text: string, at: number): boolean => at >= text.length || text.charCodeAt(at) === 32;

/** Several lines, each behind a TAB, up to the line ` >`. A line that was cut off ends it, too. */
function scanBlock(text: string, at: number): Scanned<string> {
  const lines: string[] = [];
  let i = at;
  while (i < text.length && text.charCodeAt(i) === 9) {
    const newline = text.indexOf('\n', i);
    const end = newline < 0 ? text.length : newline;
    lines.push(text.slice(i + 1, end));
    i = end + 1;
  }
  const closed = text.startsWith(' >', i) && endsAt(text, i + 2);
  return { value: lines.join('\n'), end: Math.min(text.length, closed ? i + 2 : i) };
}

/** Scans balanced brackets that hold JSON (klog 2.90 and later); null if it is Go's `%+v`. */
function scanJson(text: string, at: number): Scanned<Json> | null {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 34) {
      // To the end of this string.
      for (i++; i < text.length && text.charCodeAt(i) !== 34; i++) if (text.charCodeAt(i) === 92) i++;
    } else if (code === 123 || code === 91) depth++;
    else if ((code === 125 || code === 93) && --depth === 0) {
      if (!endsAt(text, i + 1)) return null;
      try {
        return { value: parseShallowJson(text.slice(at, i + 1)) as Json, end: i + 1 };
      } catch {
        return null;
      }
    }
  }
  return null;
}

/**
 * The end of a value without quotes. Inside brackets, a space and a word with `=` do not begin the next field. Brackets
 * that never close do not count: a text in `%+v` has no quotes and may contain a single bracket.
 */
function endOfBare(text: string, at: number): number {
  const opened = /^(?:&|map)?[[{]/.test(text.slice(at, at + 4));
  if (opened) {
    let depth = 0;
    for (let i = at; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === 123 || code === 91) depth++;
      else if ((code === 125 || code === 93) && --depth === 0) {
        NEXT_FIELD.lastIndex = i + 1;
        if (i + 1 === text.length || NEXT_FIELD.exec(text)?.index === i + 1) return i + 1;
        break;
      }
    }
  }
  NEXT_FIELD.lastIndex = at;
  return NEXT_FIELD.exec(text)?.index ?? text.length;
}

function bareValue(text: string): Json {
  if (text === '<nil>' || text === 'null' || text === 'nil') return null;
  if (text === 'true') return true;
  if (text === 'false') return false;
  return NUMBER.test(text) ? Number(text) : text;
}

/**
 * Returns the fields of a struct that Go printed by `%+v`, `&{ID:1f Type:ContainerDied Data:9d}`: texts, by name; inner
 * structs, lists and maps as their text. A name counts only at a place where a value may begin; null for a text of
 * another form.
 */
export function goStruct(text: string): { readonly [name: string]: string } | null {
  const body = /^&?(?:[\w.]*)\{([\s\S]*)\}$/.exec(text)?.[1];
  if (body === undefined) return null;
  const fields = Object.create(null) as { [name: string]: string };
  let i = 0;
  while (i < body.length) {
    const name = /^,? ?(\w+):/.exec(body.slice(i, i + 80));
    if (!name) return null;
    i += name[0].length;
    let depth = 0;
    let end = i;
    const quoted = scanGoString(body, i);
    if (quoted) {
      fields[name[1] as string] = quoted.value;
      i = quoted.end;
      continue;
    }
    for (; end < body.length; end++) {
      const c = body.charAt(end);
      if (c === '{' || c === '[') depth++;
      else if (c === '}' || c === ']') depth--;
      else if (c === ' ' && depth === 0 && /^ \w+:/.test(body.slice(end, end + 80))) break;
    }
    fields[name[1] as string] = body.slice(i, end);
    i = end;
  }
  return fields;
}

/**
 * Returns the elements of a list: of JSON, of Go's `[a b]`, or of a text with such a list. Null for any other value.
 */
export function goList(value: Json | undefined): readonly Json[] | null {
  if (Array.isArray(value)) return value as readonly Json[];
  if (typeof value !== 'string') return null;
  const inner = /^\[([^[\]{}]*)\]$/.exec(value.trim())?.[1];
  return inner === undefined ? null : inner.split(/[ ,]+/).filter((s) => s !== '');
}
