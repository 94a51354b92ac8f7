import type { Evidence, Source } from '@syncloop/observe';

/** Takes evidence; a source that can wait goes on when it has resolved. */
export type Emit = (evidence: Evidence[]) => Promise<void>;
/** Takes a full sentence; `again`: its subject works again. */
export type Say = (sentence: string, again?: boolean) => void;

/**
 * A source of evidence on a live node, such as a log that grows. It goes on until it is stopped, and recovers from
 * errors by itself. It reads only.
 */
export interface EvidenceSource {
  readonly source: Source;
  /**
   * Begins. `emit` takes evidence in the source's own order. `say` takes a full sentence when it cannot be read, and
   * with `again` when it can be read again; once for each change.
   */
  start(emit: Emit, say: Say): void;
  /** Resolves once nothing more comes from it. */
  stop(): Promise<void>;
}
