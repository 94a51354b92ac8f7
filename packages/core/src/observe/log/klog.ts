/** One record of a kubelet's log: klog's text form and its JSON form. */
import type { Json } from '../../trace/index.js';
import type { Severity } from '../evidence/index.js';
import { scanFields, scanGoString } from './go-values.js';

/** What a header says: local time without a year, the process, where in the source. */
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
  /** Where what is logged begins. */
  readonly body: number;
  /** Where the header itself begins: behind what a program put before it. */
  readonly at: number;
}
export interface KlogBody {
  readonly msg: string;
  /** By key; a null prototype. */
  readonly fields: { readonly [key: string]: Json };
  /** A message in quotes, with fields. All else is text as printf made it. */
  readonly structured: boolean;
  /** What follows the fields and is none: the record was cut within a field. */
  readonly rest?: string;
}

const HEADER = /([IWEF])(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{6}) +(\d{1,10}) ([^:\]\s]{1,200}):(\d{1,7})\](?: |$)/y;
const ANYWHERE = new RegExp(HEADER.source, 'g');
/** Characters that may stand before a header. */
const LONGEST_PREFIX = 300;

const between = (n: number, from: number, to: number): boolean => n >= from && n <= to;

/** The header that `line` begins with, or has behind a prefix; null where it has none. */
export function readHeader(line: string): KlogHeader | null {
  HEADER.lastIndex = 0;
  let found = HEADER.exec(line);
  if (!found) {
    // A cheap look first: most lines of other programs have no `] `.
    if (line.indexOf(']') < 0) return null;
    ANYWHERE.lastIndex = 0;
    found = ANYWHERE.exec(line.length > LONGEST_PREFIX * 2 ? line.slice(0, LONGEST_PREFIX * 2) : line);
    if (!found || found.index > LONGEST_PREFIX) return null;
    // A word that ends in a severity's letter is none: `XI1122 ...`.
    if (/[\w]/.test(line.charAt(found.index - 1))) return null;
  }
  const n = (group: number) => Number(found[group]);
  if (!between(n(2), 1, 12) || !between(n(3), 1, 31) || n(4) > 23 || n(5) > 59 || n(6) > 59) return null;
  return {
    severity: found[1] as Severity,
    month: n(2),
    day: n(3),
    micros: ((n(4) * 60 + n(5)) * 60 + n(6)) * 1e6 + n(7),
    pid: n(8),
    file: found[9] as string,
    line: n(10),
    at: found.index,
    body: found.index + found[0].length,
  };
}

/** What a text record says behind its header. Never throws: what is not structured is text. */
export function readBody(text: string, at = 0): KlogBody {
  const message = scanGoString(text, at);
  if (message && (message.end === text.length || text.charCodeAt(message.end) === 32)) {
    const { fields, rest } = scanFields(text, message.end);
    if (rest === '') return { msg: message.value, fields, structured: true };
    // A record that was cut within a field: what was before it holds.
    if (Object.keys(fields).length > 0) return { msg: message.value, fields, structured: true, rest };
  }
  return { msg: text.slice(at), fields: Object.create(null) as KlogBody['fields'], structured: false };
}

/** Whether a record goes on in the next line: it ends within a value of several lines. */
export const opensBlock = (text: string): boolean => text.endsWith('=<');
/** Whether this line is the end of such a value, and perhaps more fields. */
export const closesBlock = (line: string): boolean => line === ' >' || line.startsWith(' > ');

/** A record of `logging.format: json`. */
export interface KlogJson extends KlogBody {
  /** Microseconds since 1970. */
  readonly epochMicros: number;
  readonly severity: Severity;
  /** Verbosity; only information has one. */
  readonly v?: number;
  /** Base name of `caller`, and its line; '' and 0 where it has none. */
  readonly file: string;
  readonly line: number;
}

/** A line of the JSON form; null for JSON that is none, and for what is no JSON. */
export function readJson(line: string): KlogJson | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
  const { ts, caller, msg, v, ...others } = parsed as { [key: string]: Json };
  if (typeof ts !== 'number' || !Number.isFinite(ts) || typeof msg !== 'string') return null;
  const [, file = '', at = '0'] = /([^/]*):(\d+)$/.exec(typeof caller === 'string' ? caller : '') ?? [];
  const fields = Object.assign(Object.create(null) as { [key: string]: Json }, others);
  return {
    epochMicros: Math.round(ts * 1000),
    severity: typeof v === 'number' ? 'I' : 'E',
    ...(typeof v === 'number' && { v }),
    file,
    line: Number(at),
    msg,
    fields,
    structured: true,
  };
}
