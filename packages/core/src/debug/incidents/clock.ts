import type { Micros } from '../../trace/index.js';
import type { Text } from '../why/types.js';
import type { Incident } from './types.js';

/** How a reader wants times: the run's own, UTC, or local ones. */
export interface IncidentClock {
  /**
   * A time of day, as `11:30:04`. In a run of more than one day its date stands before it, unless it is that of
   * `after`, a time that was said just before. '' if no time of the run is known.
   */
  time(at: Micros, after?: Micros): string;
  /** Date and time as `journalctl --since` takes them; null if the date is not known. */
  stamp(at: Micros): string | null;
}

/** The times of a run's first and last record. */
export interface Span {
  readonly from: Micros;
  readonly to: Micros;
}

/**
 * Returns the `time` of a clock. `text` is a time with its date, as `2026-11-22 11:30:04`. Dates are said if the run
 * has more than one.
 */
export function timeWithDates(text: (at: Micros) => string, span?: Span): IncidentClock['time'] {
  const date = (at: Micros) => text(at).slice(0, 10);
  const dated = span !== undefined && date(span.from) !== date(span.to);
  return (at, after) => {
    const said = text(at);
    return !dated || (after !== undefined && date(after) === date(at)) ? said.slice(11) : said;
  };
}

/** UTC, for a run whose time 0 is this many microseconds since 1970; null if no source has a time. */
export function utcClock(epochMicros: number | null, span?: Span): IncidentClock {
  if (epochMicros === null) return { time: () => '', stamp: () => null };
  const text = (at: Micros) => {
    const date = new Date((epochMicros + at) / 1000);
    return (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString().slice(0, 19).replace('T', ' ');
  };
  return { time: timeWithDates(text, span), stamp: (at) => `${text(at)} UTC` };
}

const ENDS = {
  healed: { en: 'It was over at', zh: '已于' },
  gone: { en: 'It ended with the pod at', zh: '随 Pod 消失而结束于' },
  quiet: { en: 'It was last seen at', zh: '最后一次出现于' },
};

/** An incident in one or two sentences, with its times. `live`: the run goes on, so nothing is said of its end. */
export function incidentSentence(incident: Incident, clock: IncidentClock, { live = false } = {}): Text {
  const { begin, last, end, text, expected } = incident;
  const at = clock.time(begin.time);
  const said = { en: stopped(text.en, '.'), zh: stopped(text.zh, '。') };
  if (at === '') return { en: said.en.charAt(0).toUpperCase() + said.en.slice(1), zh: said.zh };
  const body: Text = { en: `At ${at} ${said.en}`, zh: `${at}，${said.zh}` };
  if (expected || (incident.count === 1 && end === null && last.time === begin.time)) return body;
  if (end === null && live) return body;
  if (end === null)
    return {
      en: `${body.en} It was still so at the end.`,
      zh: `${body.zh}直到最后仍是如此。`,
    };
  const { en, zh } = ENDS[end.how];
  const to = clock.time(end.time, begin.time);
  return { en: `${body.en} ${en} ${to}.`, zh: `${body.zh}${zh}${end.how === 'healed' ? ` ${to} 恢复` : ` ${to}`}。` };
}
const stopped = (text: string, stop: string): string => (/[.!?…。！？]$/.test(text) ? text : `${text}${stop}`);
