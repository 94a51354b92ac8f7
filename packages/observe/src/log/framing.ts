/** Removes what programs that keep logs put around each line: the journal, container runtimes, kubectl. */

/** A line without its framing. */
export interface Unframed {
  /** The kubelet's own text, or a piece of it. */
  readonly text: string;
  readonly framing: FramingName;
  /** The keeper's time for it, microseconds since 1970; not all give one. */
  readonly epochMicros?: number;
  /** The process that wrote it, if the keeper names it. */
  readonly pid?: number;
  /** The program that wrote it, if the keeper names it: `kubelet`. */
  readonly program?: string;
  /** The next piece belongs to the same line. */
  readonly partial?: true;
}

export type FramingName = 'none' | 'journal' | 'journal-iso' | 'journal-json' | 'container' | 'docker' | 'timestamps';

type Framing = (line: string) => Unframed | null;

const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
/** `journalctl -o short` and `short-precise`, and syslog files: local time, no year. */
const SHORT = new RegExp(
  `^(?:${MONTHS}) [ \\d]\\d \\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})? \\S+ ([A-Za-z_(][^\\s\\[:]{0,100})(?:\\[(\\d+)\\])?: ?`,
);
const ISO = '(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d{1,9})?(?:Z|[+-]\\d\\d:?\\d\\d))';
const SHORT_ISO = new RegExp(`^${ISO} \\S+ ([A-Za-z_(][^\\s\\[:]{0,100})(?:\\[(\\d+)\\])?: ?`);
const CONTAINER = new RegExp(`^(?:\\[pod/[^\\]]+\\] )?${ISO} (?:stdout|stderr) ([FP])(?::\\S*)? ?`);
/** `kubectl logs --timestamps`, with or without `--prefix`. */
const TIMESTAMPS = new RegExp(`^(?:\\[pod/[^\\]]+\\] )?${ISO} `);

/**
 * Returns the microseconds since 1970 of a time in RFC 3339, with or without a colon in its zone; undefined for any
 * other text.
 */
export function isoMicros(text: string): number | undefined {
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)$/.exec(text);
  if (!parts) return undefined;
  const zone = (parts[3] as string).replace(/^([+-]\d\d)(\d\d)$/, '$1:$2');
  const millis = Date.parse(`${parts[1]}${zone}`);
  if (Number.isNaN(millis)) return undefined;
  return millis * 1000 + Number((parts[2] ?? '').padEnd(6, '0').slice(0, 6));
}

const short: Framing = (line) => {
  const found = SHORT.exec(line);
  return found && { text: line.slice(found[0].length), framing: 'journal', ...by(found[1], found[2]) };
};
const shortIso: Framing = (line) => {
  const found = SHORT_ISO.exec(line);
  return (
    found && {
      text: line.slice(found[0].length),
      framing: 'journal-iso',
      ...at(found[1]),
      ...by(found[2], found[3]),
    }
  );
};
const container: Framing = (line) => {
  const found = CONTAINER.exec(line);
  return (
    found && {
      text: line.slice(found[0].length),
      framing: 'container',
      ...at(found[1]),
      ...(found[2] === 'P' && { partial: true as const }),
    }
  );
};
const timestamps: Framing = (line) => {
  const found = TIMESTAMPS.exec(line);
  return found && { text: line.slice(found[0].length), framing: 'timestamps', ...at(found[1]) };
};
/** `journalctl -o json` and the json-file driver of Docker; klog's own JSON is no framing. */
const json: Framing = (line) => {
  // A cheap look first: klog's own JSON is parsed by its reader.
  if (!line.startsWith('{') || !(line.includes('"MESSAGE"') || line.includes('"log"'))) return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null) return null;
  const entry = parsed as { readonly [key: string]: unknown };
  if (Object.hasOwn(entry, 'MESSAGE')) return journalEntry(entry);
  if (typeof entry.log !== 'string' || typeof entry.time !== 'string') return null;
  const partial = !entry.log.endsWith('\n');
  return {
    text: partial ? entry.log : entry.log.slice(0, -1),
    framing: 'docker',
    ...at(entry.time),
    ...(partial && { partial: true as const }),
  };
};

/** An entry of the journal by its fields, whose values are texts. */
export function journalEntry(entry: { readonly [field: string]: unknown }): Unframed {
  const micros = Number(entry.__REALTIME_TIMESTAMP);
  const program = entry.SYSLOG_IDENTIFIER ?? entry._COMM;
  return {
    text: messageOf(entry.MESSAGE),
    framing: 'journal-json',
    ...(micros > 0 && Number.isFinite(micros) && { epochMicros: micros }),
    ...by(typeof program === 'string' ? program : undefined, String(entry._PID ?? entry.SYSLOG_PID ?? '')),
  };
}

/** The journal gives a message that is not an UTF-8 as a list of bytes, and one that was cut as null. */
function messageOf(message: unknown): string {
  if (typeof message === 'string') return message;
  if (!Array.isArray(message)) return '';
  if (message.every((b) => Number.isInteger(b) && b >= 0 && b < 256))
    return String.fromCharCode(...message.slice(0, 65_536));
  return messageOf(message.find((m) => typeof m === 'string') ?? '');
}

const at = (text: string | undefined) => {
  const epochMicros = isoMicros(text ?? '');
  return epochMicros === undefined ? {} : { epochMicros };
};
const by = (program: string | undefined, pid: string | undefined) => ({
  ...(program && { program }),
  ...(pid && /^\d{1,10}$/.test(pid) && { pid: Number(pid) }),
});

/** The framings in the order in which they are tried: the stricter first. */
const FRAMINGS: readonly Framing[] = [container, shortIso, short, timestamps, json];

const JSON_ONLY: readonly Framing[] = [json];

/** Takes lines out of their framing. It remembers the last one, for a file has one framing as a rule. */
export class Unframer {
  private last: Framing | null = null;

  read(line: string): Unframed {
    const usual = this.last?.(line);
    if (usual) return usual;
    const first = line.charCodeAt(0);
    // A bare record of klog begins with a letter of its severity and digits; nothing that frames does.
    const bare = (first === 73 || first === 69 || first === 87 || first === 70) && isDigit(line.charCodeAt(1));
    const framings = bare ? [] : first === 123 ? JSON_ONLY : FRAMINGS;
    for (const framing of framings) {
      const found = framing(line);
      if (!found) continue;
      this.last = framing;
      return found;
    }
    return { text: line, framing: 'none' };
  }
}
const isDigit = (code: number): boolean => code >= 48 && code <= 57;
