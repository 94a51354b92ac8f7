/** Matches CRI spans with calls over the socket, and with the spans around them. */
import { oldestKey } from '@syncloop/core/base';
import type { CallEvidence, Evidence, ReturnEvidence, SpanEvidence } from '../evidence/index.js';
import { Relists } from './relists.js';
import { criMethod } from './sightings.js';

/** Most spans, and most calls of one method, that are remembered: a minute of a busy node. */
const MOST_SPANS = 20_000;
const MOST_CALLS = 2048;
/** Tolerance, microseconds, around a span for its request on the socket: clocks differ. */
const SLACK = 5000;

type SocketEvidence = CallEvidence | ReturnEvidence;

/** It looks at evidence before its turn, so that each side knows the other when it is heard. */
export class SpansAndCalls {
  readonly relists = new Relists();
  private readonly spans = new Map<string, SpanEvidence>();
  /** Calls without a partner by method, in the order in which they came. */
  private readonly loneCalls = new Map<string, SocketEvidence[]>();
  private readonly loneSpans = new Map<string, SpanEvidence[]>();
  private readonly partners = new WeakMap<SpanEvidence | SocketEvidence, SpanEvidence | SocketEvidence>();

  note(evidence: Evidence): void {
    if (evidence.kind === 'span') {
      this.spans.set(evidence.spanId, evidence);
      if (this.spans.size > MOST_SPANS) this.spans.delete(oldestKey(this.spans) as string);
      const method = callMethod(evidence);
      if (method === '') return;
      this.pair(evidence, method, this.loneCalls, this.loneSpans);
      if (evidence.parentSpanId === '') this.relists.note(evidence, method);
    } else if (evidence.kind === 'call' || (evidence.kind === 'return' && evidence.call === 0))
      this.pair(evidence, evidence.method, this.loneSpans, this.loneCalls);
  }

  /** True if a call of the socket and a span are the same call. */
  hasCall(span: SpanEvidence): boolean {
    return this.partners.has(span);
  }
  spanOf(call: SocketEvidence): SpanEvidence | undefined {
    return this.partners.get(call) as SpanEvidence | undefined;
  }

  /** The span and those that it is within, from the inside. */
  *lineage(span: SpanEvidence): IterableIterator<SpanEvidence> {
    // Bytes from outside may contain a cycle of parents.
    for (let at: SpanEvidence | undefined = span, depth = 0; at && depth < 16; depth++) {
      yield at;
      at = at.parentSpanId === '' ? undefined : this.spans.get(at.parentSpanId);
    }
  }

  private pair<Mine extends SpanEvidence | SocketEvidence, Other extends SpanEvidence | SocketEvidence>(
    mine: Mine,
    method: string,
    others: Map<string, Other[]>,
    own: Map<string, Mine[]>,
  ): void {
    const lone = others.get(method) ?? [];
    let best = -1;
    let nearest = Number.POSITIVE_INFINITY;
    for (const [i, other] of lone.entries()) {
      const [span, call] = mine.kind === 'span' ? [mine, other as SocketEvidence] : [other as SpanEvidence, mine];
      if (call.at === null || span.at === null) continue;
      if (call.at < span.at - SLACK || call.at > span.end + SLACK) continue;
      const distance = Math.abs(call.at - span.at);
      if (distance >= nearest) continue;
      nearest = distance;
      best = i;
    }
    const other = lone[best];
    if (other) {
      lone.splice(best, 1);
      this.partners.set(mine, other);
      this.partners.set(other, mine);
      return;
    }
    const list = own.get(method) ?? [];
    own.set(method, list);
    list.push(mine);
    if (list.length > MOST_CALLS) list.shift();
  }
}

/** The method of the CRI call that a kubelet's span reports; '' for other spans. */
export const callMethod = (span: SpanEvidence): string =>
  span.spanKind === 'client' && isKubelet(span) ? criMethod(span.name) : '';

/** Returns true for the kubelet's spans: a collector also passes on those of the runtime and the API server. */
export const isKubelet = ({ service, scope }: SpanEvidence): boolean =>
  service === 'kubelet' || (service === '' && scope.startsWith('k8s.io/kubernetes/pkg/kubelet'));
