import type { Micros, RecordKind, RecordOf, TraceRecord } from '../../trace/index.js';
import { innermost } from '../findings/innermost.js';
import type { Moment } from '../findings/types.js';
import { type IncidentKind, kindRows } from './kinds.js';
import { Past, type PodPast } from './past.js';
import { Problems } from './problems.js';
import type { Sign } from './sign.js';

/** A kubelet that starts may say so for this long. */
const STARTED: Micros = 180e6;
/** A kubelet runs for about this long before it says so. */
const BEFORE: Micros = 2e6;
const MOST_STARTS = 256;

/** The memory of the records so far: the rules read and change it, and incidents are made of it. */
export class IncidentState {
  readonly past = new Past();
  readonly problems = new Problems();
  /** When the kubelet started, as far as it is reported. */
  readonly starts: Moment[] = [];
  /** Set by a kubelet that did its work, or ended its managers in order as one that was asked to stop. */
  reached = false;
  /** A kubelet was there before. */
  ran = false;
  /** Kubelets in a row that ended before they did any work. */
  early = 0;
  /** The time of the first record; null before it. */
  from: Micros | null = null;

  get begin(): Micros {
    return this.from ?? 0;
  }
  /** A kubelet reports what one that starts reports: it started a moment ago, even if no line says so. */
  startSeen({ seq, time }: TraceRecord, sure = false): void {
    const last = this.starts.at(-1);
    if (sure || last === undefined || time - last.time > STARTED)
      this.starts.push({ seq, time: sure ? time : time - BEFORE });
    if (this.starts.length > MOST_STARTS) this.starts.splice(1, 1);
  }
  /** The same sign with its pod by one name, whichever names its line has, and with the text that says why. */
  identified(sign: Sign): Sign {
    const what = sign.what && innermost(sign.what);
    const { uid = '' } = sign;
    if (sign.pod === uid) return { ...sign, what, pod: this.past.nameOf(uid) };
    if (uid === '' || !sign.pod) return { ...sign, what };
    // Lines about volumes have a pod's name without its namespace.
    const whole = sign.pod.includes('/');
    this.past.know(uid, sign.pod, whole);
    return { ...sign, what, pod: whole ? sign.pod : this.past.nameOf(uid) };
  }
  /** True if a trouble of this kind goes on: then a record that proves the opposite ends it. */
  isOpen(kind: IncidentKind): boolean {
    return this.problems.isOpen(kind);
  }
  /** A pod is not there any more: its troubles end, except those that outlive it. */
  podGone(past: PodPast, time: Micros): void {
    this.problems.endAt(
      { pod: past.name, uid: past.uid },
      (p) => kindRows[p.kind].scope !== 'node' && kindRows[p.kind].weight > 0 && kindRows[p.kind].outlives !== true,
      time,
      'gone',
    );
  }
}

/** The rule of each kind of record: the signs that it is of, and what the state remembers of it. */
export type Rules = {
  readonly [K in RecordKind]?: (record: RecordOf<K>, state: IncidentState) => Sign | null | undefined | readonly Sign[];
};
