import type { EraVersion } from '../../kubelet/era/versions.js';
import type { InputAction, Micros, Seq, TraceRecord } from '../../trace/index.js';
import type { Change } from '../inspect/index.js';
import type { Position } from './commands.js';

/** A branch as clients see it. */
export interface BranchInfo {
  readonly id: number;
  /** The name that a user gave it, or else what began it, in English. */
  readonly name: string;
  /** The action that began it; absent once a user has named it. */
  readonly did?: InputAction;
  /** The version of the kubelet, if it is not v1.36. */
  readonly era?: EraVersion;
  /** 0 for the first. */
  readonly parent: number;
  /** The position at which it left its parent. */
  readonly forkedAt: Position;
  /** The furthest that it has been run to. */
  readonly end: Position & { readonly time: Micros };
  /** The reason why it cannot go on from there, '' if it can. */
  readonly halted: string;
  readonly current: boolean;
}

/** The end of a pod, in few words. */
export interface PodOutcome {
  readonly pod: string;
  readonly phase: string;
  readonly reason: string;
  readonly containers: readonly { readonly name: string; readonly state: string; readonly restarts: number }[];
}

/**
 * Two branches side by side. Records up to `same` are the same in both; the first that differs in each, null if one
 * ends.
 */
export interface Comparison {
  readonly same: Seq;
  readonly first: readonly [TraceRecord | null, TraceRecord | null];
  /**
   * The times at which the two are looked at, µs since the start: both where the shorter one ends, or each at its own
   * end. A record may be a little earlier, never later.
   */
  readonly times: readonly [Micros, Micros];
  /** From the one to the other, at those times. */
  readonly changes: readonly Change[];
  readonly outcomes: readonly [readonly PodOutcome[], readonly PodOutcome[]];
}
