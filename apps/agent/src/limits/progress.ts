/** What a bounded process tells the one that watches it. */

export interface Progress {
  /** What it does, as in "while it was ...": "reading kubelet.log". */
  readonly doing: string;
  /** How far it is, in words; absent where nothing tells. */
  readonly far?: string;
}

/** Tells how far a command is; free to be called often. */
export type OnProgress = (progress: Progress) => void;
