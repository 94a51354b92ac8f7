/** Framings of `journalctl`, syslog and the kernel's ring. */
import { clockMicros, type LocalTime, monthOf, zoneOf } from '../times.js';
import { at, by, type Framing, HOST, ISO, type Unframed, WRITER } from './framing.js';

/** A month in any language: `Nov`, `févr.`, `12月`. */
const MONTH = '(\\d{1,2}[\u6708\uc6d4]|[A-Za-z\u00c0-\u024f\u0400-\u04ff]{3,6}\\.?)';
const TIME = '(\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?)';
/** `journalctl -o short` and `short-precise`, also with `--no-hostname`, and syslog files: local time, no year. */
const SHORT = new RegExp(`^(?:<\\d{1,3}>)?${MONTH} {1,2}(\\d{1,2}) ${TIME} (?:${HOST} )?${WRITER}`);
const SHORT_ISO = new RegExp(`^(?:<\\d{1,3}>)?${ISO} (?:${HOST} )?${WRITER}`);
/** `journalctl -o short-full`, and `with-unit`, whose writer is a unit. */
const FULL = new RegExp(
  `^[A-Za-z\u00c0-\uffff]{1,4}\\.? (\\d{4})-(\\d\\d)-(\\d\\d) ${TIME} ([A-Z]{2,5}|[+-]\\d{2,4}) (?:${HOST} )?${WRITER}`,
);
/** `journalctl -o short-monotonic`, and `short-delta`. */
const MONOTONIC = new RegExp(`^\\[ *(\\d+\\.\\d{6})(?: <[^>]{0,30}>)?\\] (?:${HOST} )${WRITER}`);
const UNIX = new RegExp(`^(\\d{9,11}\\.\\d{1,9}) (?:${HOST} )?${WRITER}`);
/** RFC 5424: priority and version, time, host, program, pid, message id, structured data. */
const RFC5424 = new RegExp(
  `^(?:<\\d{1,3}>)?1 (?:${ISO}|-) (\\S{1,255}) (\\S{1,128}) (\\S{1,128}) \\S{1,32} (?:-|(?:\\[(?:[^\\]"]|"(?:[^"\\\\]|\\\\.)*")*\\])+) ?\ufeff?`,
);
/** `dmesg`, with the time since the start, with `-d`, or with `-T`. */
const KERNEL =
  /^\[(?: *(\d+\.\d{6})| *\+ *[\d.]+|[A-Z][a-z]{2} ([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d:\d\d:\d\d) (\d{4}))\] /;
/** Explanations of `-x`, `-- Logs begin at … --`, `-- Boot … --`, `Hint: Some lines were ellipsized`. */
const KEEPER = /^(?:\u2591\u2591|-- |Hint: Some lines were ellipsized)/;

const named = (value: string | undefined): string => (value === undefined || value === '-' ? '' : value);
const local = (month: string, day: string, time: string): { readonly local: LocalTime } => ({
  local: { month: monthOf(month), day: Number(day), micros: clockMicros(time) },
});

export const short: Framing = (line) => {
  const found = SHORT.exec(line);
  if (!found) return null;
  const [all, month = '', day = '', time = '', host, program, pid] = found;
  const local = { month: monthOf(month), day: Number(day), micros: clockMicros(time) };
  const text = line.slice(all.length);
  // Most lines of most logs: made at once.
  if (host && program && pid) return { text, framing: 'journal', local, program, pid: Number(pid), host };
  return { text, framing: 'journal', local, ...by(program, pid, host) };
};
export const shortIso: Framing = (line) => {
  const found = SHORT_ISO.exec(line);
  if (!found) return null;
  const [all, time, host, program, pid] = found;
  return { text: line.slice(all.length), framing: 'journal-iso', ...at(time), ...by(program, pid, host) };
};
export const full: Framing = (line) => {
  const found = FULL.exec(line);
  if (!found) return null;
  const [all, year, month, day, time = '', zone = '', host, program, pid] = found;
  const micros = clockMicros(time);
  const minutes = zoneOf(zone);
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day)) * 1000;
  return {
    text: line.slice(all.length),
    framing: 'journal-full',
    ...(minutes === undefined
      ? { local: { year: Number(year), month: Number(month), day: Number(day), micros } }
      : { epochMicros: midnight + micros - minutes * 60e6 }),
    ...by(program, pid, host),
  };
};
export const monotonic: Framing = (line) => {
  const found = MONOTONIC.exec(line);
  if (!found) return null;
  const [all, seconds, host, program, pid] = found;
  return {
    text: line.slice(all.length),
    framing: 'journal-monotonic',
    sinceBoot: Math.round(Number(seconds) * 1e6),
    ...by(program, pid, host),
  };
};
export const unix: Framing = (line) => {
  const found = UNIX.exec(line);
  if (!found) return null;
  const [all, seconds, host, program, pid] = found;
  return {
    text: line.slice(all.length),
    framing: 'journal-unix',
    epochMicros: Math.round(Number(seconds) * 1e6),
    ...by(program, pid, host),
  };
};
export const rfc5424: Framing = (line) => {
  const found = RFC5424.exec(line);
  if (!found) return null;
  const [all, time, host, program, pid] = found;
  return {
    text: line.slice(all.length),
    framing: 'syslog',
    ...at(time),
    ...by(named(program), named(pid), named(host)),
  };
};
export const kernel: Framing = (line) => {
  const found = KERNEL.exec(line);
  if (!found) return null;
  const [all, seconds, month, day = '', time = '', year] = found;
  const date = month === undefined ? {} : { local: { year: Number(year), ...local(month, day, time).local } };
  return {
    text: line.slice(all.length),
    framing: 'kernel',
    program: 'kernel',
    ...(seconds !== undefined && { sinceBoot: Math.round(Number(seconds) * 1e6) }),
    ...date,
  };
};
export const keeper: Framing = (line) =>
  KEEPER.test(line) ? { text: line, framing: 'keeper', program: 'journalctl' } : null;

/** An entry of the journal by its fields, whose values are texts. */
export function journalEntry(entry: { readonly [field: string]: unknown }): Unframed {
  const micros = Number(entry.__REALTIME_TIMESTAMP);
  const program = entry.SYSLOG_IDENTIFIER ?? entry._COMM;
  const host = entry._HOSTNAME;
  return {
    text: messageText(entry.MESSAGE),
    framing: 'journal-json',
    ...(micros > 0 && Number.isFinite(micros) && { epochMicros: micros }),
    ...by(
      typeof program === 'string' ? program : undefined,
      String(entry._PID ?? entry.SYSLOG_PID ?? ''),
      typeof host === 'string' ? host : undefined,
    ),
  };
}

/** The journal gives a message that is not an UTF-8 as a list of bytes, and one that was cut as null. */
function messageText(message: unknown): string {
  if (typeof message === 'string') return message;
  if (!Array.isArray(message)) return '';
  if (message.every((b) => Number.isInteger(b) && b >= 0 && b < 256))
    return String.fromCharCode(...message.slice(0, 65_536));
  return messageText(message.find((m) => typeof m === 'string') ?? '');
}
