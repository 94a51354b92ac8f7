import type { RecordOf, TraceRecord } from '../../trace/index.js';
import type { UnreadLines } from './types.js';

/** Lines that wait whether a record will rest on them. */
const WAITING = 4096;
/** Messages that are kept apart. */
const MOST = 2000;
const OTHER = '…';

interface Group {
  readonly msg: string;
  readonly severity: UnreadLines['severity'];
  count: number;
  readonly first: UnreadLines['first'];
  last: UnreadLines['last'];
}

/** Lines of a log that no record was made of, counted by message. */
export class LinesLeft {
  /** Lines in all, and those that no record rests on. */
  lines = 0;
  unread = 0;
  /** The newest lines, each at its number modulo `WAITING`, as long as no record rests on it. */
  private readonly waiting: (RecordOf<'log'> | null)[] = new Array(WAITING).fill(null);
  private readonly groups = new Map<string, Group>();
  /** Groups by messages as they are in lines: most come again and again. */
  private readonly byMessage = new Map<string, Group>();

  take(record: TraceRecord): void {
    const { basis, seq } = record;
    if (basis) for (const at of basis) if (this.waiting[at % WAITING]?.seq === at) this.waiting[at % WAITING] = null;
    const place = seq % WAITING;
    const oldest = this.waiting[place];
    if (oldest) {
      this.count(oldest, this.groups, this.byMessage);
      this.unread++;
      this.waiting[place] = null;
    }
    if (record.kind !== 'log' || record.evidence === undefined) return;
    this.lines++;
    this.waiting[place] = record;
  }

  /** Returns the lines by message, the most frequent first, with those that still wait. */
  list(most: number): { readonly unread: number; readonly lines: readonly UnreadLines[] } {
    const groups = new Map([...this.groups].map(([key, group]) => [key, { ...group }]));
    let waiting = 0;
    for (const record of this.waiting) {
      if (!record) continue;
      this.count(record, groups);
      waiting++;
    }
    const lines = [...groups.values()].sort((a, b) => b.count - a.count || a.first.seq - b.first.seq).slice(0, most);
    return { unread: this.unread + waiting, lines };
  }

  private count(record: RecordOf<'log'>, groups: Map<string, Group>, byMessage?: Map<string, Group>): void {
    const here = { seq: record.seq, time: record.time };
    const { msg, severity } = record;
    const known = byMessage?.get(msg);
    if (known?.severity === severity) {
      known.count++;
      known.last = here;
      return;
    }
    const group = groupOf(groups, severity, msg, here);
    if (byMessage && byMessage.size < MOST && group.msg !== OTHER) byMessage.set(msg, group);
  }
}

/** The group of a line, with that line counted. */
function groupOf(groups: Map<string, Group>, severity: Group['severity'], msg: string, here: Group['first']): Group {
  // Text of printf and of other programs differs in its numbers and ids only.
  const text = msg.replace(/0x[0-9a-f]+|[0-9a-f]{8,}|\d+/g, '#').slice(0, 200);
  const key = `${severity}${text}`;
  const known = groups.get(key) ?? (groups.size >= MOST ? groups.get(OTHER) : undefined);
  if (known) {
    known.count++;
    known.last = here;
    return known;
  }
  const full = groups.size >= MOST;
  const made: Group = { msg: full ? OTHER : text, severity: full ? '' : severity, count: 1, first: here, last: here };
  groups.set(full ? OTHER : key, made);
  return made;
}
