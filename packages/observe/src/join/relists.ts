/** Finds relists of the PLEG among the calls that are outside of any span. */
import type { SpanEvidence } from '../evidence/index.js';

/** Calls that are remembered: some minutes of a quiet node, some seconds of a busy one. */
const MOST_CALLS = 4096;
/** From the end of one relist to the begin of the next. upstream: pkg/kubelet/kubelet.go genericPlegRelistPeriod */
const PERIOD = { least: 970_000, most: 1_100_000 };
/** The longest pause between the two lists of one relist, and between the calls that follow them. */
const BREATH = 30_000;

interface RootCall {
  readonly span: SpanEvidence;
  readonly at: number;
  readonly method: string;
}

/**
 * A relist lists sandboxes, then containers, then asks for what has changed; a period after its end comes the next.
 * Others list as well (housekeeping, the log manager, a worker that looks at its pod), so a pair of lists counts only
 * if one a period before and one a period after belong to it, and no other pair fits.
 */
export class Relists {
  /** In the order of their begin. */
  private readonly calls: RootCall[] = [];

  /** Takes a call that no span is around, before its turn. */
  note(span: SpanEvidence, method: string): void {
    if (span.at === null) return;
    let i = this.calls.length;
    while (i > 0 && (this.calls[i - 1]?.at ?? 0) > span.at) i--;
    this.calls.splice(i, 0, { span, at: span.at, method });
    if (this.calls.length > MOST_CALLS) this.calls.shift();
  }

  /** The list of containers that belongs to a list of sandboxes, if the two are a relist; undefined otherwise. */
  pairOf(list: SpanEvidence): SpanEvidence | undefined {
    const i = this.find(list.at ?? 0, list);
    const pair = i < 0 ? undefined : this.pair(i);
    if (!pair || this.after(this.trainEnd(i)).length === 0) return undefined;
    const begin = (list.at as number) - PERIOD.most - PERIOD.least;
    for (let k = this.first(begin); k < i; k++) {
      if (this.calls[k]?.method !== 'ListPodSandbox' || !this.pair(k)) continue;
      const next = this.after(this.trainEnd(k));
      if (next.length === 1 && next[0] === list) return pair;
    }
    return undefined;
  }

  /** Lists of sandboxes, with their pairs, that begin a period after `end`. */
  private after(end: number): SpanEvidence[] {
    const found: SpanEvidence[] = [];
    for (let k = this.first(end + PERIOD.least); k < this.calls.length; k++) {
      const call = this.calls[k] as RootCall;
      if (call.at > end + PERIOD.most) break;
      if (call.method === 'ListPodSandbox' && this.pair(k)) found.push(call.span);
    }
    return found;
  }

  /** The list of containers right after the call at `i`. */
  private pair(i: number): SpanEvidence | undefined {
    const { end } = (this.calls[i] as RootCall).span;
    for (let k = i + 1; k < this.calls.length; k++) {
      const { at, method, span } = this.calls[k] as RootCall;
      if (at > end + BREATH) return undefined;
      if (at >= end && method === 'ListContainers') return span;
    }
    return undefined;
  }

  /** Returns the end of the last call in the sequence without a break from the one at `i`. */
  private trainEnd(i: number): number {
    let { end } = (this.calls[i] as RootCall).span;
    for (let k = i + 1; k < this.calls.length; k++) {
      const { at, span } = this.calls[k] as RootCall;
      if (at > end + BREATH) break;
      end = Math.max(end, span.end);
    }
    return end;
  }

  /** The first call that begins at `at` or later. */
  private first(at: number): number {
    let low = 0;
    let high = this.calls.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.calls[middle] as RootCall).at < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  private find(at: number, span: SpanEvidence): number {
    for (let k = this.first(at); this.calls[k]?.at === at; k++) if (this.calls[k]?.span === span) return k;
    return -1;
  }
}
