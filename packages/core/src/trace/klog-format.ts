import { klogLines } from './gen/klog-lines.js';
import type { Json, RecordOf } from './records.js';

export interface KlogOptions {
  /** Wall time of the run's start, ms since 1970. */
  readonly epochMillis: number;
  readonly pid?: number;
  /** Minutes that local time is ahead of UTC at a moment (ms since 1970). Default: UTC. */
  readonly offsetMinutes?: (millis: number) => number;
}

const pad = (n: number, width: number): string => String(n).padStart(width, '0');

/** A text as Go's strconv.Quote prints it. */
export function quoteGo(text: string): string {
  let out = '"';
  for (const ch of text) {
    const code = ch.codePointAt(0) as number;
    if (ch === '"' || ch === '\\') out += `\\${ch}`;
    else if (ch === '\n') out += '\\n';
    else if (ch === '\t') out += '\\t';
    else if (ch === '\r') out += '\\r';
    else if (code === 7) out += '\\a';
    else if (code === 8) out += '\\b';
    else if (code === 11) out += '\\v';
    else if (code === 12) out += '\\f';
    else if (code < 0x20 || code === 0x7f) out += `\\x${pad16(code, 2)}`;
    else if ((code >= 0x80 && code < 0xa0) || (code >= 0xd800 && code < 0xe000) || code === 0xfeff)
      out += `\\u${pad16(code, 4)}`;
    else out += ch;
  }
  return `${out}"`;
}
const pad16 = (n: number, width: number): string => n.toString(16).padStart(width, '0');

/** A field's value as klog 2.90 and later writes it: strings quoted, several lines as a block, all else as JSON. */
export function formatValue(value: Json | undefined): string {
  if (value === undefined) return 'null';
  if (typeof value !== 'string') return JSON.stringify(value);
  if (!value.includes('\n')) return quoteGo(value);
  // A block: each line behind a TAB, closed by a line with one space and the mark.
  const body = value.endsWith('\n') ? value.slice(0, -1) : value;
  return `<\n${body
    .split('\n')
    .map((line) => `\t${line}\n`)
    .join('')} >`;
}

/** The message and fields of a line, without its header. */
export function formatKlogBody(record: RecordOf<'log'>): string {
  if (record.text !== undefined) return record.text;
  let out = quoteGo(record.msg);
  for (const [key, value] of Object.entries(record.kv)) out += ` ${key}=${formatValue(value)}`;
  return out;
}

/** The line of upstream's file at which this is said; 1 where that is not known. */
function lineOf({ file, msg, kv, line }: RecordOf<'log'>): number {
  if (line !== undefined) return line;
  const places = klogLines[file]?.[msg] ?? 1;
  if (typeof places === 'number') return places;
  const told = places.find(([, fields]) =>
    fields.split(' ').every((field) => field === '' || Object.hasOwn(kv, field)),
  );
  return (told ?? places[0])?.[0] ?? 1;
}

/**
 * A log record as a line of klog's text format: `I1121 04:11:52.096259    6979 kubelet.go:2636] "message" key="value"`.
 * File and line are upstream's.
 */
export function formatKlog(record: RecordOf<'log'>, options: KlogOptions): string {
  const total = Math.round(options.epochMillis * 1000) + Math.floor(record.time);
  const micros = total % 1000;
  const utc = (total - micros) / 1000;
  const at = new Date(utc + (options.offsetMinutes?.(utc) ?? 0) * 60_000);
  const date = `${pad(at.getUTCMonth() + 1, 2)}${pad(at.getUTCDate(), 2)}`;
  const clock = `${pad(at.getUTCHours(), 2)}:${pad(at.getUTCMinutes(), 2)}:${pad(at.getUTCSeconds(), 2)}.${pad(at.getUTCMilliseconds(), 3)}${pad(micros, 3)}`;
  return `${record.severity}${date} ${clock} ${String(options.pid ?? 1).padStart(7)} ${record.file}:${lineOf(record)}] ${formatKlogBody(record)}`;
}
