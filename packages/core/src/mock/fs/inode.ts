/** The attributes of every inode. */
export interface Attributes {
  mtimeMillis: number;
  mode: number;
  uid: number;
  gid: number;
}
/** The characters after which appended text is flattened: V8 keeps each `+=` as a node of some 100 bytes. */
const piece = 32 << 10;

/** A regular file. Whoever holds it as an open file keeps writing into it after a rename or a removal, as on Linux. */
export class FileNode implements Attributes {
  readonly kind = 'file';
  /** The type of file if it is not a regular one. */
  special?: 'socket' | 'char' | 'block' | 'pipe';
  /** Bytes on the disk in addition to `data`: nobody reads them, but they take up space. */
  extra?: number;
  mtimeMillis: number;
  mode: number;
  uid: number;
  gid: number;
  private head = '';
  private tail = '';

  constructor({ mtimeMillis, mode, uid, gid }: Attributes) {
    this.mtimeMillis = mtimeMillis;
    this.mode = mode;
    this.uid = uid;
    this.gid = gid;
  }

  get data(): string {
    if (this.tail) {
      this.head += this.tail;
      this.tail = '';
    }
    return this.head;
  }
  set data(text: string) {
    this.head = text;
    this.tail = '';
  }
  /** The length of `data`, in characters. */
  get length(): number {
    return this.head.length + this.tail.length;
  }
  append(text: string): void {
    this.tail += text;
    if (this.tail.length < piece) return;
    // V8 joins the parts when somebody looks at a character.
    this.tail.charCodeAt(0);
    this.head += this.tail;
    this.tail = '';
  }
}
export interface DirNode extends Attributes {
  readonly kind: 'dir';
  readonly entries: Map<string, Inode>;
}
export interface LinkNode extends Attributes {
  readonly kind: 'link';
  readonly target: string;
}
export type Inode = FileNode | DirNode | LinkNode;
