/** Lines of container logs. upstream: staging/src/k8s.io/cri-client/pkg/logs/logs.go parseCRILog, parseDockerJSONLog */

import { utf8Bytes, utf8Text } from '../../base/index.js';

export interface LogLine {
  /** The time as in the line: RFC 3339 with up to nine decimal digits. */
  readonly time: string;
  /** ns since 1970. */
  readonly at: bigint;
  readonly stream: 'stdout' | 'stderr';
  /** With its line feed; without for a part of a line. */
  readonly content: Uint8Array;
}

export type ParseLine = (line: Uint8Array) => LogLine;

const space = 0x20;
const newline = 0x0a;

/** Reads an RFC 3339 time as ns since 1970; null for any other text. */
export function parseTimestamp(text: string): bigint | null {
  const m = /^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(?:[.,](\d{1,9})\d*)?([Zz]|[+-]\d\d:\d\d)$/.exec(text);
  if (!m) return null;
  const [, whole = '', fraction = '', zone = ''] = m;
  const millis = Date.parse(`${whole}${zone}`.toUpperCase());
  return Number.isNaN(millis) ? null : BigInt(millis) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

/** Always nine digits, in the time zone that the line has. upstream: timeFormatOut */
export function formatTimestamp(text: string): string {
  const [, whole = '', fraction = '', zone = ''] = /^([^.,]*?)(?:[.,](\d*))?(Z|[+-]\d\d:\d\d)$/i.exec(text) ?? [];
  return `${whole}.${fraction.slice(0, 9).padEnd(9, '0')}${zone.toUpperCase()}`;
}

const streamOf = (text: string): LogLine['stream'] => {
  if (text === 'stdout' || text === 'stderr') return text;
  throw new Error(`unexpected stream type ${JSON.stringify(text)}`);
};

/** `2026-01-02T03:04:05.678901234Z stdout F text`; a `P` is a part of a line. */
export const parseCRILog: ParseLine = (line) => {
  let from = 0;
  const word = (what: string): string => {
    const end = line.indexOf(space, from);
    if (end < 0) throw new Error(`${what} is not found`);
    const text = utf8Text(line.subarray(from, end));
    from = end + 1;
    return text;
  };
  const time = word('timestamp');
  const at = parseTimestamp(time);
  if (at === null)
    throw new Error(`unexpected timestamp format "2006-01-02T15:04:05.999999999Z07:00": ${JSON.stringify(time)}`);
  const stream = streamOf(word('stream type'));
  const partial = word('log tag').split(':')[0] === 'P';
  const end = partial && line.at(-1) === newline ? line.length - 1 : line.length;
  return { time, at, stream, content: line.subarray(Math.min(from, end), end) };
};

/** Parses a log line of a runtime from before the CRI. */
export const parseDockerJSONLog: ParseLine = (line) => {
  const { log, stream, time } = JSON.parse(utf8Text(line)) as { log?: unknown; stream?: unknown; time?: unknown };
  const at = typeof time === 'string' ? parseTimestamp(time) : null;
  if (typeof time !== 'string' || at === null) throw new Error('timestamp is not found');
  return {
    time,
    at,
    stream: streamOf(typeof stream === 'string' ? stream : ''),
    content: utf8Bytes(typeof log === 'string' ? log : ''),
  };
};

/** The parser that can read this line; throws if none can. upstream: getParseFunc */
export function parserFor(line: Uint8Array): ParseLine {
  for (const parse of [parseCRILog, parseDockerJSONLog]) {
    try {
      parse(line);
      return parse;
    } catch {
      // Try the other format.
    }
  }
  throw new Error(`unsupported log format: ${JSON.stringify(utf8Text(line.subarray(0, 200)))}`);
}
