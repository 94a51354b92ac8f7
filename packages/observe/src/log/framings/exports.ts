/** Exports of stores of logs: the message is a field of JSON or of CSV, with its time, host and program. */
import { parseShallowJson } from '@syncloop/core/base';
import { isoMicros } from '../times.js';
import { at, by, type Framing, type Unframed } from './framing.js';
import { journalEntry } from './journal.js';

/** The names that stores give to a field, the most telling first; nested ones are matched by the end of their path. */
const MESSAGE = 'message textpayload @message log.original event.original log line _raw body content msg text'.split(
  ' ',
);
const TIME =
  '_source_realtime_timestamp @timestamp timestamp _time time timegenerated eventtime ts date receivetimestamp'.split(
    ' ',
  );
const NODE =
  '_hostname hostname host.name node_name nodename kubernetes.host compute.googleapis.com/resource_name host computer node instance'.split(
    ' ',
  );
const PROGRAM =
  'syslog_identifier programname program process.name _comm appname _systemd_unit systemd_unit systemd.unit unit ident service container_name component logger'.split(
    ' ',
  );
const PID = ['_pid', 'syslog_pid', 'process.pid', 'procid', 'pid'];

/** Most fields and depth of an entry that are looked at. */
const MOST_FIELDS = 300;
const DEEPEST = 6;

type Fields = Map<string, string | number>;

/** The single values of an object by their path in lower case: `kubernetes.host`. */
export function flat(value: object, into: Fields = new Map(), path = '', depth = 0): Fields {
  if (depth > DEEPEST) return into;
  for (const [key, one] of Object.entries(value)) {
    if (into.size >= MOST_FIELDS) return into;
    const name = (path + key).toLowerCase();
    if (typeof one === 'string' || typeof one === 'number') into.set(name, one);
    else if (Array.isArray(one)) {
      if (one.length === 1 && typeof one[0] === 'string') into.set(name, one[0]);
    } else if (typeof one === 'object' && one !== null) flat(one, into, `${name}.`, depth + 1);
  }
  return into;
}

function look(fields: Fields, names: readonly string[]): string | number | undefined {
  for (const name of names) {
    const whole = fields.get(name);
    if (whole !== undefined && whole !== '') return whole;
    for (const [key, value] of fields) if (key.endsWith(`.${name}`) && value !== '') return value;
  }
  return undefined;
}

/** The time of an export: RFC 3339, or a number of seconds, milli-, micro- or nanoseconds. */
export function timeOf(value: string | number | undefined): { readonly epochMicros?: number } {
  if (value === undefined) return {};
  if (typeof value === 'string' && !/^\d{10,19}(?:\.\d+)?$/.test(value)) {
    const exact = isoMicros(value) ?? isoMicros(`${value}Z`);
    return exact === undefined ? {} : { epochMicros: exact };
  }
  const number = Number(value);
  const scale = number < 1e11 ? 1e6 : number < 1e14 ? 1e3 : number < 1e17 ? 1 : 1e-3;
  return number > 1e8 ? { epochMicros: Math.round(number * scale) } : {};
}

const text = (value: string | number | undefined) => (value === undefined ? undefined : String(value));
const ending = (message: string) => message.replace(/\r?\n$/, '');

/** An entry by its fields; null if none of them is a message. */
export function exported(fields: Fields, framing: 'json' | 'csv'): Unframed | null {
  const message = look(fields, MESSAGE);
  if (typeof message !== 'string') return null;
  return {
    text: ending(message),
    framing,
    ...timeOf(look(fields, TIME)),
    ...by(text(look(fields, PROGRAM)), text(look(fields, PID)), text(look(fields, NODE))),
  };
}

const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** A record of klog's JSON form. */
const isKlog = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value.msg === 'string' &&
  (typeof value.ts === 'number' || typeof value.caller === 'string');

/** An entry of an export; null for another object, such as klog's own JSON. */
export function entryOf(entry: { readonly [key: string]: unknown }): Unframed | null {
  if (Object.hasOwn(entry, 'MESSAGE')) return journalEntry(entry);
  if (isKlog(entry)) return null;
  // Docker's json-file driver.
  if (typeof entry.log === 'string' && typeof entry.time === 'string' && !isRecord(entry.kubernetes)) {
    const partial = !entry.log.endsWith('\n');
    return {
      text: ending(entry.log),
      framing: 'docker',
      ...at(entry.time),
      ...(partial && { partial: true as const }),
    };
  }
  const fields = flat(entry);
  const nested = [entry.jsonPayload, entry._source, entry.attributes, entry.log].find(isKlog);
  if (nested !== undefined) fields.set('message', JSON.stringify(nested));
  return exported(fields, 'json');
}

/** `journalctl -o json`, Docker's json-file driver, and exports with one object in each line. */
export const json: Framing = (line) => {
  // A cheap look first: klog's own JSON is parsed by its reader.
  if (
    !line.startsWith('{') ||
    line.startsWith('{"ts":') ||
    !/"[@_]?(?:MESSAGE|message|log|line|textPayload|raw|body|content|msg)"/.test(line)
  )
    return null;
  let parsed: unknown;
  try {
    parsed = parseShallowJson(line);
  } catch {
    return null;
  }
  return isRecord(parsed) ? entryOf(parsed) : null;
};

/** Entries of a whole document: an array, or an answer of a store with entries anywhere inside. */
export function* entriesOf(value: unknown, depth = 0): Generator<Unframed> {
  if (depth > 12) return;
  if (Array.isArray(value)) {
    for (const one of value) yield* entriesOf(one, depth + 1);
    return;
  }
  if (!isRecord(value)) return;
  // Loki: the lines of a stream, each with its time in nanoseconds, and the labels of all.
  if (isRecord(value.stream) && Array.isArray(value.values)) {
    for (const pair of value.values)
      if (Array.isArray(pair) && typeof pair[1] === 'string') {
        const labels = flat(value.stream);
        labels.set('message', pair[1]);
        labels.set('timestamp', String(pair[0]));
        const entry = exported(labels, 'json');
        if (entry) yield entry;
      }
    return;
  }
  if (isKlog(value)) {
    yield { text: JSON.stringify(value), framing: 'json' };
    return;
  }
  const inside = Object.values(value).filter((one) => Array.isArray(one) && one.some(isRecord));
  if (inside.length === 0) {
    const entry = entryOf(value);
    if (entry) {
      yield entry;
      return;
    }
  }
  for (const one of Object.values(value)) yield* entriesOf(one, depth + 1);
}
