/** Finds the end of a value in a text, and decides whether the value is a secret. */
import { redacted } from '../cri/redact.js';

/** A placeholder in the place of a value. */
const NO_VALUE =
  /^(?:[&*]?(?:nil|null|none|true|false|yes|no|unset|empty|undefined)|<[^<>]{0,40}>|\*+|x{3,}|\.{2,}|-+|\$\([\w.-]+\)|\$\{[\w.-]+\}|\{\{[^{}]*\}\}|\[\]|\{\}|0x[0-9a-f]{6,16})$/i;
/** The name of a variable in its place. */
const VARIABLE = /^\$[A-Z_][A-Z0-9_]*$/;
/** An amount, a duration, a time. */
const NUMBER = /^[-+]?\d[\d.,:]*(?:ns|us|µs|ms|s|m|h|d|%|[KMGT]i?B?)?(?:\d[\dhms.]*)?$/;
/** A tag of an image: in `kube-api-auth:v0.1.4` it is not a secret. */
const TAG = /^(?:v\d+(?:\.\d+)+[\w.-]{0,60}|\d+(?:\.\d+)+-[\w.-]{1,60}|latest|stable|main|master|edge)$/;
/** A name of Kubernetes with its namespace, or one of its own keys: `kube-system/regcred`. */
const REFERENCE = /^[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?\/[a-z0-9](?:[a-zA-Z0-9._-]{0,250}[a-zA-Z0-9])?$/;
const FILE =
  /^(?:\.{0,2}\/(?:etc|var|run|opt|usr|tmp|home|root|mnt|data|node|proc|sys|dev|srv|lib|bin|sbin|pki|secrets?|certs?|ssl|config)(?:\/[^\s]*)?|\/[\w.-]+(?:\/[\w.-]+)*\.(?:key|pem|crt|cert|conf|config|yaml|yml|json|sock|txt|env)|[A-Za-z]:[\\/][^\s]*|file:\/\/[^\s]*)$/;
const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const WORD = /^[a-z]+$/;

/** An authorization scheme whose credentials are already redacted. */
const REDACTED = /^[A-Za-z]{1,20} \[REDACTED\]$/;

/** Bits per character. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** True if a value looks random: upper and lower case letters and digits. No name, id or digest of Kubernetes does. */
export const looksRandom = (value: string): boolean =>
  value.length >= 12 &&
  /^[\w.~+/=-]+$/.test(value) &&
  /[a-z]/.test(value) &&
  /[A-Z]/.test(value) &&
  /\d/.test(value) &&
  !UID.test(value) &&
  entropy(value) >= 3;

export const isNoValue = (value: string): boolean =>
  value === '' ||
  value.startsWith(redacted) ||
  REDACTED.test(value) ||
  NO_VALUE.test(value) ||
  VARIABLE.test(value) ||
  !/[\p{L}\p{N}]/u.test(value);

export const isFile = (value: string): boolean => FILE.test(value);
export const isReference = (value: string): boolean => REFERENCE.test(value);
export const isNumber = (value: string): boolean => NUMBER.test(value) || TAG.test(value);
export const isWord = (value: string): boolean => WORD.test(value);

const QUOTE = 34;
const APOSTROPHE = 39;
const BACKTICK = 96;
const BACKSLASH = 92;
export const isQuote = (code: number): boolean => code === QUOTE || code === APOSTROPHE || code === BACKTICK;

/** The index of the next quote with exactly this many escapes; the end of the text if there is no such quote. */
export function closingQuote(text: string, from: number, escapes: number, quote = '"'): number {
  for (let at = text.indexOf(quote, from); at >= 0; at = text.indexOf(quote, at + 1)) {
    let before = at;
    while (before > from && text.charCodeAt(before - 1) === BACKSLASH) before--;
    // An even number of more is backslashes of the value's own.
    if (at - before === escapes || (escapes === 0 && (at - before) % 2 === 0)) return at - escapes;
  }
  return text.length;
}

const CLOSES: { readonly [open: string]: string } = { '[': ']', '{': '}', '(': ')' };

/** The index at which the bracket that opens at `at` closes; the end of the text if it does not close. */
export function closingBracket(text: string, at: number): number {
  const open = text[at] as string;
  const close = CLOSES[open] as string;
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    if (text[i] === open) depth++;
    else if (text[i] === close && --depth === 0) return i;
  }
  return text.length;
}

/** The text after a comma, `;` or `&` where another field begins. */
const FIELD = /\s|$|["'\\}\]]|[A-Za-z_][\w.-]{0,60}["'\\]{0,3}[=:]/y;
const ENDS = /[\s"'`,;&)}\]\\]|<\//g;

/** The index at which a value without quotes ends. */
export function bareEnd(text: string, from: number): number {
  let open = 0;
  ENDS.lastIndex = from;
  let counted = from;
  for (let found = ENDS.exec(text); found; found = ENDS.exec(text)) {
    const at = found.index;
    const char = found[0];
    if (char === ',' || char === ';' || char === '&') {
      FIELD.lastIndex = at + 1;
      if (FIELD.test(text)) return at;
    } else if (char === ')' || char === '}' || char === ']') {
      for (; counted < at; counted++) if ('([{'.includes(text[counted] as string)) open++;
      counted = at + 1;
      if (open-- === 0) return at;
    } else if (char === '\\') {
      if (/[nrt"'`\\]/.test(text[at + 1] ?? '')) return at;
    } else return at;
    ENDS.lastIndex = at + 1;
  }
  return text.length;
}

/** The index at which a line ends: at a line end, at a written `\n`, or at the next quote. */
export function lineEnd(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || code === 13 || code === QUOTE || code === APOSTROPHE || code === BACKTICK) return i;
    if (code === BACKSLASH && /[nr"'\\]/.test(text[i + 1] ?? '')) return i;
  }
  return text.length;
}
