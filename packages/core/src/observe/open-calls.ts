import type { Seq } from '../trace/index.js';
import type { Evidence } from './evidence/index.js';

/** Calls without a return that are remembered: those of a conversation whose returns are lost are never taken out. */
const MOST = 10_000;

/** The records of calls that have no return yet. */
export class OpenCalls {
  private readonly seqs = new Map<string, Seq>();

  /** Takes a piece of evidence with its record. */
  hear(evidence: Evidence, seq: Seq): void {
    if (evidence.kind === 'return') this.seqs.delete(key(evidence));
    if (evidence.kind !== 'call') return;
    if (this.seqs.size >= MOST) this.seqs.delete(this.seqs.keys().next().value as string);
    this.seqs.set(key(evidence), seq);
  }

  /** The record of the call that a return belongs to; 0 where there is none. */
  of(evidence: Evidence): Seq {
    return evidence.kind === 'return' ? (this.seqs.get(key(evidence)) ?? 0) : 0;
  }
}

const key = ({ source, call }: { readonly source: string; readonly call: number }): string => `${source} ${call}`;
