/** One record of a kubelet's log: klog's text form and its JSON form. */
import { parseShallowJson } from '@syncloop/core/base';
import type { Json } from '@syncloop/core/trace';
import type { Severity } from '../evidence/index.js';
import { scanCutString, scanFields, scanGoString } from './go-values.js';

/** The fields of a header: local time without a year, the process, the place in the source. */
export interface KlogHeader {
  readonly severity: Severity;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  /** Microseconds since midnight. */
  readonly micros: number;
  readonly pid: number;
  /** Base name. */
  readonly file: string;
  readonly line: number;
  /** The index at which the message begins. */
  readonly body: number;
  /** The index at which the header begins, after what a program put before it. */
  readonly at: number;
}
export interface KlogBody {
  readonly msg: string;
  /** By key. */
  readonly fields: { readonly [key: string]: Json };
  /** A message in quotes, with fields. All else is text as printf made it. */
  readonly structured: boolean;
  /** Text after the fields that is not a field: the record was cut within one. '' if it was cut within its message. */
  readonly rest?: string;
}

const BEGIN = /[IWEF]\d{4} \d\d:/g;
/** Characters that may be before a header. */
const LONGEST_PREFIX = 300;

/** The value of `count` digits; -1 if one of the characters is not a digit. */
function digits(line: string, from: number, count: number): number {
  let value = 0;
  for (let i = from; i < from + count; i++) {
    const digit = line.charCodeAt(i) - 48;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}

const isSeverity = (code: number): boolean => code === 73 || code === 69 || code === 87 || code === 70;
const SPACE = 32;

/** The header that begins at `at`: `I1122 10:00:00.000000    1432 kubelet.go:1] `. A log has a million of them. */
function headerAt(line: string, at: number): KlogHeader | null {
  if (!isSeverity(line.charCodeAt(at))) return null;
  const month = digits(line, at + 1, 2);
  const day = digits(line, at + 3, 2);
  if (month < 1 || month > 12 || day < 1 || day > 31 || line.charCodeAt(at + 5) !== SPACE) return null;
  const h = digits(line, at + 6, 2);
  const m = digits(line, at + 9, 2);
  const s = digits(line, at + 12, 2);
  const micros = digits(line, at + 15, 6);
  if (h < 0 || h > 23 || m < 0 || m > 59 || s < 0 || s > 59 || micros < 0) return null;
  if (line.charCodeAt(at + 8) !== 58 || line.charCodeAt(at + 11) !== 58 || line.charCodeAt(at + 14) !== 46) return null;
  let i = at + 21;
  if (line.charCodeAt(i) !== SPACE) return null;
  while (line.charCodeAt(i) === SPACE) i++;
  const pidAt = i;
  while (i - pidAt <= 10 && digits(line, i, 1) >= 0) i++;
  if (i === pidAt || i - pidAt > 10 || line.charCodeAt(i) !== SPACE) return null;
  const bracket = line.indexOf(']', i);
  const colon = line.lastIndexOf(':', bracket);
  if (bracket < 0 || bracket - i > 220 || colon <= i + 1 || bracket - colon - 1 < 1 || bracket - colon - 1 > 7)
    return null;
  const sourceLine = digits(line, colon + 1, bracket - colon - 1);
  if (sourceLine < 0) return null;
  for (let c = i + 1; c < colon; c++) {
    const code = line.charCodeAt(c);
    if (code === SPACE || code === 58 || code === 9) return null;
  }
  const after = line.charCodeAt(bracket + 1);
  if (!Number.isNaN(after) && after !== SPACE) return null;
  return {
    severity: line.charAt(at) as Severity,
    month,
    day,
    micros: ((h * 60 + m) * 60 + s) * 1e6 + micros,
    pid: digits(line, pidAt, i - pidAt),
    file: line.slice(i + 1, colon),
    line: sourceLine,
    at,
    body: Number.isNaN(after) ? bracket + 1 : bracket + 2,
  };
}

/** The header that `line` begins with, or has behind a prefix; null if it has none. */
export function readHeader(line: string): KlogHeader | null {
  const found = headerAt(line, 0);
  if (found) return found;
  // A cheap look first: most lines of other programs have no `] `.
  if (line.indexOf(']') < 0) return null;
  BEGIN.lastIndex = 0;
  for (let begin = BEGIN.exec(line); begin && begin.index <= LONGEST_PREFIX; begin = BEGIN.exec(line)) {
    const header = headerAt(line, begin.index);
    // A word that ends in a severity's letter is not a header: `XI1122 ...`.
    if (header && !/\w/.test(line.charAt(begin.index - 1))) return header;
    BEGIN.lastIndex = begin.index + 1;
  }
  return null;
}

/** A header that somebody shortened: `09:48:43 reconciler.go:252] `, `W0216 eviction_manager.go:329] `. */
export interface ShortHeader {
  /** Null if the letter of the severity is gone, too. */
  readonly severity: Severity | null;
  readonly file: string;
  readonly line: number;
  readonly body: number;
}

const SHORT_HEADER =
  /^(?:\.{3} ?|\u2026 ?)?(?:kubelet(?:\[\d+\])?: )?(?:([IWEF])(?:(?:0[1-9]|1[0-2])[0-3]\d)? {1,5})?(?:\d\d:\d\d:\d\d(?:\.\d{1,9})? {1,8})?(?:\d{1,10} )?([a-z][\w.-]{0,80}\.go):(\d{1,6})\] /;
/** The words of lines that are errors, if their severity is not there. */
const WORDS_OF_ERRORS = /fail|error|unable|cannot|can't|could not|expired|not found|forbidden|unauthorized/i;

/** A header without its time or more of it; null for any other text. */
export function readShortHeader(text: string): ShortHeader | null {
  if (!text.includes('.go:')) return null;
  const found = SHORT_HEADER.exec(text);
  if (!found) return null;
  const [all, severity, file = '', line] = found;
  return { severity: (severity ?? null) as Severity | null, file, line: Number(line), body: all.length };
}
/** Returns the severity that a line's words speak for, where its header does not have it. */
export const severityOf = (text: string): Severity => (WORDS_OF_ERRORS.test(text) ? 'E' : 'I');

/** Reads the part of a text record behind its header. Never throws: unstructured parts are text. */
export function readBody(text: string, at = 0): KlogBody {
  const message = scanGoString(text, at);
  if (message && (message.end === text.length || text.charCodeAt(message.end) === 32)) {
    const { fields, rest } = scanFields(text, message.end);
    if (rest === '') return { msg: message.value, fields, structured: true };
    // A record that was cut within a field: the fields before it are valid.
    if (hasFields(fields) || FIELD.test(rest)) return { msg: message.value, fields, structured: true, rest };
  }
  const cut = scanCutString(text, at);
  if (cut !== null) return { msg: cut, fields: {}, structured: true, rest: '' };
  return { msg: text.slice(at), fields: {}, structured: false };
}

/** A field's key in front of its value. */
const FIELD = /^[A-Za-z_][\w.()/-]*="/;
const hasFields = (fields: KlogBody['fields']): boolean => {
  for (const _ in fields) return true;
  return false;
};

/** True if a record goes on in the next line, because it ends within a value of several lines. */
export const opensBlock = (text: string): boolean => text.charAt(text.length - 1) === '<' && text.endsWith('=<');
/** True if this line ends such a value; more fields may follow. */
export const closesBlock = (line: string): boolean => line === ' >' || line.startsWith(' > ');

/** A record of `logging.format: json`. */
export interface KlogJson extends KlogBody {
  /** Microseconds since 1970. */
  readonly epochMicros: number;
  readonly severity: Severity;
  /** Verbosity; only information has one. */
  readonly v?: number;
  /** Base name of `caller`, and its line; '' and 0 if it has none. */
  readonly file: string;
  readonly line: number;
}

/** `kubelet/kubelet.go:2724`: base name and line. */
function callerOf(caller: string): { file: string; line: number } {
  const colon = caller.lastIndexOf(':');
  const line = colon < 0 ? -1 : digits(caller, colon + 1, caller.length - colon - 1);
  if (line < 0 || colon === caller.length - 1) return { file: '', line: 0 };
  return { file: caller.slice(caller.lastIndexOf('/', colon) + 1, colon), line };
}

/** A line of klog's JSON form; null for other JSON, and for text that is not JSON. */
export function readJson(line: string): KlogJson | null {
  let parsed: unknown;
  try {
    parsed = parseShallowJson(line);
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
  const { ts, caller, msg, v, ...others } = parsed as { [key: string]: Json };
  if (typeof ts !== 'number' || !Number.isFinite(ts) || typeof msg !== 'string') return null;
  const { file, line: at } = callerOf(typeof caller === 'string' ? caller : '');
  return {
    epochMicros: Math.round(ts * 1000),
    severity: typeof v === 'number' ? 'I' : 'E',
    ...(typeof v === 'number' && { v }),
    file,
    line: at,
    msg,
    // JSON.parse makes `__proto__` a field of its own, and so does taking the rest.
    fields: others,
    structured: true,
  };
}
