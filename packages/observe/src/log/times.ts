/** Times as programs write them: RFC 3339, syslog's and the journal's local times, zones by name. */

/** A local time as a framing has it: of the node, or of whoever printed the journal. */
export interface LocalTime {
  /** Absent in the journal's short form and in syslog. */
  readonly year?: number;
  /** 1 to 12; 0 if the month's name is in a language that is not known. */
  readonly month: number;
  readonly day: number;
  /** Microseconds since midnight. */
  readonly micros: number;
}

/**
 * Returns the microseconds since 1970 of a time in RFC 3339, with or without a colon in its zone; undefined for any
 * other text.
 */
export function isoMicros(text: string): number | undefined {
  const parts = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)$/.exec(text);
  if (!parts) return undefined;
  const zone = (parts[4] as string).replace(/^([+-]\d\d)(\d\d)$/, '$1:$2');
  const millis = Date.parse(`${parts[1]}T${parts[2]}${zone}`);
  if (Number.isNaN(millis)) return undefined;
  return millis * 1000 + fraction(parts[3]);
}

const fraction = (digits: string | undefined): number => Number((digits ?? '').padEnd(6, '0').slice(0, 6));

/** Microseconds since midnight of `11:27:16.346`. */
export function clockMicros(text: string): number {
  const two = (at: number) => (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
  return ((two(0) * 60 + two(3)) * 60 + two(6)) * 1e6 + (text.length > 9 ? fraction(text.slice(9)) : 0);
}

/** Beginnings of the months' names in languages whose journals are published, without accents. */
const MONTHS: readonly string[] = [
  'jan ene gen sty янв led',
  'feb fev fev. lut фев uno',
  'mar mrz mrt мар bre',
  'apr avr abr kwi апр dub',
  'may mai mei mag maj мая май kve',
  'jun giu cze июн cer',
  'jul juil lug lip июл',
  'aug ago aou sie авг srp',
  'sep set wrz сен zar',
  'oct okt out ott paz окт rij',
  'nov lis ноя',
  'dec dez dic gru дек pro',
];

/** 1 to 12 for `Nov`, `nov.`, `11月`, `févr.`; 0 if it is not known. */
export function monthOf(name: string): number {
  let month = KNOWN.get(name);
  if (month === undefined) {
    month = numberOf(name);
    if (KNOWN.size < 1000) KNOWN.set(name, month);
  }
  return month;
}
const KNOWN = new Map<string, number>();

function numberOf(name: string): number {
  const number = /^(\d{1,2})(?:月|월)$/.exec(name);
  if (number) return Number(number[1]) <= 12 ? Number(number[1]) : 0;
  const plain = name
    .normalize('NFD')
    .replace(/[\u0300-\u036f.]/g, '')
    .toLowerCase();
  const at = MONTHS.findIndex((names) => names.split(' ').some((one) => plain.startsWith(one)));
  return at + 1;
}

/** Minutes ahead of UTC. CST, IST and BST mean several zones, so they are not here. */
const ZONES: { readonly [name: string]: number } = {
  UTC: 0,
  GMT: 0,
  WET: 0,
  WEST: 60,
  CET: 60,
  CEST: 120,
  EET: 120,
  EEST: 180,
  MSK: 180,
  JST: 540,
  KST: 540,
  HKT: 480,
  AEST: 600,
  AEDT: 660,
  NZST: 720,
  NZDT: 780,
  EST: -300,
  EDT: -240,
  CDT: -300,
  MST: -420,
  MDT: -360,
  PST: -480,
  PDT: -420,
};

/** Minutes that `CET`, `+08` or `-0330` is ahead of UTC; undefined if the name does not say. */
export function zoneOf(name: string): number | undefined {
  const offset = /^([+-])(\d\d):?(\d\d)?$/.exec(name);
  if (!offset) return Object.hasOwn(ZONES, name) ? ZONES[name] : undefined;
  return (offset[1] === '-' ? -1 : 1) * (Number(offset[2]) * 60 + Number(offset[3] ?? 0));
}

const OFFSETS = new Set([210, 270, 330, 345, 390, 570, 630, 525, 765, 825, -210, -150, -570]);
/** True for minutes that some place on earth is ahead of UTC. */
export const isZone = (minutes: number): boolean =>
  Math.abs(minutes) <= 14 * 60 && (minutes % 60 === 0 || OFFSETS.has(minutes));

/** A date with its time in a text, and its zone in minutes if the text has it. */
export interface DatedTime {
  readonly epochMicros: number;
  readonly zoneMinutes?: number;
  /** Go's time.Now() as its process prints it: in the zone of the process, with the monotonic clock behind it. */
  readonly own?: true;
}

const DATED =
  /(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?: ?(Z|[+-]\d\d:?\d\d|[A-Z]{3,4})\b)?(?: [A-Z+-][\w+-]{1,4} (m=\+))?/;
/** The first date with a time in a text; null if it has none. Without a zone it is taken for UTC. */
export function datedTime(text: string): DatedTime | null {
  const found = DATED.exec(text);
  if (!found) return null;
  const zone = found[4] === undefined || found[4] === 'Z' ? 0 : zoneOf(found[4]);
  const utc = isoMicros(`${found[1]}T${found[2]}.${found[3] ?? '0'}Z`);
  if (utc === undefined) return null;
  return {
    epochMicros: utc - (zone ?? 0) * 60e6,
    ...(found[4] !== undefined && zone !== undefined && { zoneMinutes: zone }),
    ...(found[5] !== undefined && { own: true as const }),
  };
}
