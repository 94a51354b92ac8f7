/** What a bounded process tells the one that watches it. */

export interface Progress {
  /** What it does, as in "while it was ...": "reading kubelet.log". */
  readonly doing: string;
  /** How far it is, in words; absent if no source says so. */
  readonly far?: string;
  /** From now on it serves a page until a signal: only reading has a limit of time, which it keeps itself. */
  readonly serving?: true;
}

/** Tells how far a command is; free to be called often. */
export type OnProgress = (progress: Progress) => void;
