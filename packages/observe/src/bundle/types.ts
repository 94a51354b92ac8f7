/** A file of a bundle: on a disk, dropped onto a page, or within an archive. */
export interface BundleFile {
  /** Its path within what was opened, with `/` between folders. */
  readonly path: string;
  /** Bytes as they are stored; null if unknown. */
  readonly size: number | null;
  /** Milliseconds since 1970 of its last change. */
  readonly modified: number;
  /** Its bytes from the start, each time. */
  open(): AsyncIterable<Uint8Array>;
}

/** Cannot be unpacked: `message` is a sentence with the remedy. */
export class BundleError extends Error {
  override readonly name = 'BundleError';
}

/** The role of a file in what a node left behind. */
export type Role = 'kubelet' | 'journal' | 'runtime' | 'kernel' | 'pods' | 'other';

export interface NodeFile extends BundleFile {
  readonly role: Role;
}
/** A node of a bundle, with the files that something about its kubelet can be read from. */
export interface BundleNode {
  /** '' if nothing names it. */
  readonly name: string;
  readonly files: readonly NodeFile[];
}
export interface Bundle {
  /** Such as "kind export logs"; '' for a folder that no collector of the table made. */
  readonly kind: string;
  readonly nodes: readonly BundleNode[];
}

/** An entry begins, has bytes, and ends, before the next one begins. */
export type ArchiveEvent =
  | { readonly is: 'entry'; readonly path: string; readonly size: number | null; readonly modified: number }
  | { readonly is: 'bytes'; readonly bytes: Uint8Array }
  | { readonly is: 'end' };
