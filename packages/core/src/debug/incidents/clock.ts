import type { Micros } from '../../trace/index.js';
import type { Text } from '../why/types.js';
import type { Incident } from './types.js';

/** How a reader wants times: the run's own, UTC, or local ones. */
export interface IncidentClock {
  /** A time of day, as `11:30:04`. */
  time(at: Micros): string;
  /** Date and time as `journalctl --since` takes them; null if the date is not known. */
  stamp(at: Micros): string | null;
}

/** UTC, for a run whose time 0 is this many microseconds since 1970. */
export function utcClock(epochMicros: number): IncidentClock {
  const iso = (at: Micros) => {
    const date = new Date((epochMicros + at) / 1000);
    return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString();
  };
  return { time: (at) => iso(at).slice(11, 19), stamp: (at) => `${iso(at).slice(0, 19).replace('T', ' ')} UTC` };
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
  const body: Text = { en: `At ${at} ${stopped(text.en, '.')}`, zh: `${at}，${stopped(text.zh, '。')}` };
  if (expected || (incident.count === 1 && end === null && last.time === begin.time)) return body;
  if (end === null && live) return body;
  if (end === null)
    return {
      en: `${body.en} It was still so at the end.`,
      zh: `${body.zh}直到最后仍是如此。`,
    };
  const { en, zh } = ENDS[end.how];
  const to = clock.time(end.time);
  return { en: `${body.en} ${en} ${to}.`, zh: `${body.zh}${zh}${end.how === 'healed' ? ` ${to} 恢复` : ` ${to}`}。` };
}
const stopped = (text: string, stop: string): string => (/[.!?…。！？]$/.test(text) ? text : `${text}${stop}`);
