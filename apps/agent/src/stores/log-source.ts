/** A store of logs, as `syncloop fetch` reads it. */

/** The part of the time that is wanted, ms since 1970; `to` is not a part of it. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Bytes of one node's log: whole lines, or the next bytes of a file. */
export interface LogPiece {
  /** The node, or the file, that they are of; '' if the store does not say it. */
  readonly node: string;
  readonly bytes: Uint8Array;
  /** True if all that came of this node before is void: its file is written again. */
  readonly anew?: boolean;
}

/** Some pieces, and how far the reading has come. */
export interface LogPage {
  readonly pieces: readonly LogPiece[];
  /** Everything before this time has come, ms since 1970; null if the store has no times. */
  readonly until: number | null;
}

/** Reads a store page by page, oldest first. Throws a SetupError that says what is wrong and what to do. */
export interface LogSource {
  pages(range: TimeRange): AsyncIterable<LogPage>;
}
