import type { RecordOf, Seq, TraceRecord } from '../../trace/index.js';
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
  private readonly waiting = new Map<Seq, { readonly record: RecordOf<'log'> }>();
  private readonly groups = new Map<string, Group>();

  take(record: TraceRecord): void {
    for (const seq of record.basis ?? []) this.waiting.delete(seq);
    if (record.kind !== 'log' || record.evidence === undefined) return;
    this.lines++;
    this.waiting.set(record.seq, { record });
    if (this.waiting.size > WAITING)
      for (const [seq, { record: oldest }] of this.waiting) {
        this.waiting.delete(seq);
        this.count(oldest, this.groups);
        this.unread++;
        break;
      }
  }

  /** By message, the most frequent first, those that still wait included. */
  list(most: number): { readonly unread: number; readonly lines: readonly UnreadLines[] } {
    const groups = new Map([...this.groups].map(([key, group]) => [key, { ...group }]));
    for (const { record } of this.waiting.values()) this.count(record, groups);
    const lines = [...groups.values()].sort((a, b) => b.count - a.count || a.first.seq - b.first.seq).slice(0, most);
    return { unread: this.unread + this.waiting.size, lines };
  }

  private count(record: RecordOf<'log'>, groups: Map<string, Group>): void {
    // Text of printf and of other programs differs in its numbers and ids only.
    const msg = record.msg.replace(/0x[0-9a-f]+|[0-9a-f]{8,}|\d+/g, '#').slice(0, 200);
    const here = { seq: record.seq, time: record.time };
    const key = `${record.severity}${msg}`;
    const known = groups.get(key) ?? (groups.size >= MOST ? groups.get(OTHER) : undefined);
    if (known) {
      known.count++;
      known.last = here;
      return;
    }
    const full = groups.size >= MOST;
    const { severity } = record;
    groups.set(
      full ? OTHER : key,
      full
        ? { msg: OTHER, severity: '', count: 1, first: here, last: here }
        : { msg, severity, count: 1, first: here, last: here },
    );
  }
}
