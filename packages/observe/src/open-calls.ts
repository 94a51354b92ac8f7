import { oldestKey } from '@syncloop/core/base';
import type { Seq } from '@syncloop/core/trace';
import type { Evidence } from './evidence/index.js';
import type { Written } from './record-writer.js';

/** Most calls without a return that are remembered: those whose returns are lost are never removed otherwise. */
const MOST = 10_000;

interface OpenCall {
  /** The record of the call. */
  readonly seq: Seq;
  /** The form of its return: on the same goroutine and span, and caused by the call. */
  readonly how: Written;
}

/** The records of calls that have no return yet. */
export class OpenCalls {
  /** True if there has been any. */
  seen = false;
  private readonly open = new Map<string, OpenCall>();

  /** Takes a piece of evidence with its record, and the goroutine and span of that record. */
  hear(evidence: Evidence, seq: Seq, { g, span }: Written): void {
    if (evidence.kind === 'return') this.open.delete(key(evidence));
    if (evidence.kind !== 'call') return;
    this.seen = true;
    if (this.open.size >= MOST) this.open.delete(oldestKey(this.open) as string);
    const how = { cause: seq, ...(g !== undefined && { g }), ...(span !== undefined && { span }) };
    this.open.set(key(evidence), { seq, how });
  }

  /** The call that a return belongs to; undefined if there is none. */
  of(evidence: Evidence): OpenCall | undefined {
    return evidence.kind === 'return' ? this.open.get(key(evidence)) : undefined;
  }
}

const key = ({ source, call }: { readonly source: string; readonly call: number }): string => `${source} ${call}`;
