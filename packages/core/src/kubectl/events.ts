/**
 * Events as the API server would hold them: the same one again only counts up. upstream: client-go tools/record
 * eventLogger
 */
import type { Micros, RecordOf, Seq } from '../trace/index.js';

export interface FoldedEvent {
  readonly key: string;
  /** The event's own: that of its object, or default for a node's. */
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly fieldPath: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  /** Micros since the run's start. */
  readonly first: Micros;
  readonly last: Micros;
  /** Records, oldest first. */
  readonly seqs: readonly Seq[];
}

type Growing = { -readonly [K in keyof FoldedEvent]: K extends 'seqs' ? Seq[] : FoldedEvent[K] };

/**
 * Gathers events from their records. Unlike a real recorder it leaves none out: no "combined from similar events", no
 * limit on how many a pod may have.
 */
export class EventFolder {
  private readonly byKey = new Map<string, Growing>();

  add(record: RecordOf<'kube-event'>): void {
    const { object: o, type, reason, message, time, seq } = record;
    const key = [o.kind, o.namespace, o.name, o.uid, o.fieldPath, type, reason, message].join('\u0000');
    const known = this.byKey.get(key);
    if (known) {
      known.count++;
      known.last = time;
      known.seqs.push(seq);
      // Newest last.
      this.byKey.delete(key);
      this.byKey.set(key, known);
      return;
    }
    const { kind, name, uid, fieldPath } = o;
    const namespace = o.namespace || 'default';
    this.byKey.set(key, {
      key,
      namespace,
      kind,
      name,
      uid,
      fieldPath,
      type,
      reason,
      message,
      count: 1,
      first: time,
      last: time,
      seqs: [seq],
    });
  }

  /** Lists the events in the order of their last occurrence. They grow: copy what is kept. */
  list(): readonly FoldedEvent[] {
    return [...this.byKey.values()];
  }
}

export function foldEvents(records: Iterable<RecordOf<'kube-event'>>): readonly FoldedEvent[] {
  const folder = new EventFolder();
  for (const r of records) folder.add(r);
  return folder.list();
}
