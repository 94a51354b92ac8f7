/** The messages of a bounded process to the one that watches it. */

export interface Progress {
  /** Its work, as in "while it was ...": "reading kubelet.log". */
  readonly doing: string;
  /** Its progress in words; absent if it is unknown. */
  readonly far?: string;
  /** True once it serves a page until a signal: only reading has a limit of time, which it keeps itself. */
  readonly serving?: true;
}

/** Reports the progress of a command; free to be called often. */
export type OnProgress = (progress: Progress) => void;
