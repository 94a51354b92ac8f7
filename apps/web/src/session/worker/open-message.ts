/** The page's first message to its worker, to have a recording opened instead of a simulation. */
export interface OpenMessage {
  readonly type: 'open';
  readonly recording: Blob;
}

export function isOpenMessage(message: unknown): message is OpenMessage {
  const { type, recording } = (message ?? {}) as Partial<OpenMessage>;
  return type === 'open' && recording instanceof Blob;
}

/** A file that something of a kubelet may be read from. */
export interface ObservedFile {
  readonly name: string;
  readonly blob: Blob;
  /** The time of its last change, ms since 1970. */
  readonly modified: number;
}
/** The page's first message to its worker, to have a kubelet observed through files. */
export interface ObserveMessage {
  readonly type: 'observe';
  readonly files: readonly ObservedFile[];
  /** The node to read, if the files are of several. Default: the first one. */
  readonly node?: string;
}

export function isObserveMessage(message: unknown): message is ObserveMessage {
  const { type, files } = (message ?? {}) as Partial<ObserveMessage>;
  return type === 'observe' && Array.isArray(files) && files.every((file) => file?.blob instanceof Blob);
}

/** A file that nothing is read from: it is of no known kind, or of a kind that cannot be read. */
export interface RefusedFile {
  readonly name: string;
  readonly why: 'empty' | 'unknown' | 'unread' | 'damaged' | 'bomb';
}
/** The worker's answer: the session is there, or no file was a source of a kubelet. */
export type ObservedMessage =
  | {
      readonly type: 'observed';
      readonly refused: readonly RefusedFile[];
      readonly nodes: readonly string[];
      readonly shown: string;
    }
  | { readonly type: 'unobserved'; readonly refused: readonly RefusedFile[]; readonly error: string };
