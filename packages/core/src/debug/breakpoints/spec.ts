import type { BreakpointKind, BreakpointOn } from './kinds.js';

/** Stop at the n-th hit only, or at each n-th one. */
export type HitCount = { readonly at: number } | { readonly every: number };

export interface BreakpointCommon {
  readonly id: string;
  /** Default true. */
  readonly enabled?: boolean;
  /** Uid or name of the pod that it is about. */
  readonly pod?: string;
  /** Expression over record and state (docs/users/expressions.md); the hit counts only if it holds. */
  readonly condition?: string;
  readonly hitCount?: HitCount;
  /** Only the first one; then it is done. */
  readonly once?: boolean;
  /** Text with `{expression}` parts: it is written, and the run goes on. */
  readonly log?: string;
}

/** A breakpoint or logpoint as JSON. */
export type BreakpointSpec = BreakpointCommon & BreakpointOn;
export type SpecOf<K extends BreakpointKind> = BreakpointCommon & Extract<BreakpointOn, { on: K }>;

/** A breakpoint that is reached. */
export interface Hit {
  readonly id: string;
  readonly seq: number;
  /** The line that a logpoint writes. */
  readonly text?: string;
  /** False for logpoints. */
  readonly pause: boolean;
  /** UID of the pod that it is about; empty if the record does not name one and no state was computed. */
  readonly uid: string;
}
