import type { Go } from '../../kernel/index.js';
import type { FileNode } from '../fs/inode.js';
import type { MemFS } from '../fs/memfs.js';
import { BudgetExceeded } from './budget.js';
import type { Proc, ProcGroup } from './process.js';

/** A sink of a process. Holders are counted: a pipe's reader sees the end when the last writer has gone. */
export interface ByteSink {
  /** Writes a text; returns false if nobody will ever read it (SIGPIPE). */
  write(text: string): boolean;
  /** Waits until its reader has kept up, if it has one that may lag behind. */
  drained?(proc: Proc): Go<void>;
  retain(): void;
  release(): void;
}

/** The source that a process reads from. */
export interface ByteSource {
  /** Returns the text that is there, after a wait if need be; null at the end. */
  read(proc: Proc): Go<string | null>;
  /** Reads one line without its newline; null at the end. `text` may be a last line without a newline. */
  readLine(proc: Proc): Go<{ text: string; ended: boolean } | null>;
  retain(): void;
  release(): void;
}

class Null implements ByteSink, ByteSource {
  write(): boolean {
    return true;
  }
  *read(): Go<null> {
    return null;
  }
  *readLine(): Go<null> {
    return null;
  }
  retain(): void {}
  release(): void {}
}
/** /dev/null */
export const nullStream: ByteSink & ByteSource = new Null();

class Silence extends Null {
  override *read(proc?: Proc): Go<null> {
    if (proc) yield* proc.sleep(Number.POSITIVE_INFINITY);
    return null;
  }
  override *readLine(proc?: Proc): Go<null> {
    return yield* this.read(proc);
  }
}
/** Standard input that is open, and at which nobody types. */
export const silentStream: ByteSource = new Silence();

/** Keeps what is written, up to `limit` characters. */
export class Capture implements ByteSink {
  text = '';
  private holders = 0;
  /** Called each time that the last holder has let go. */
  onClose: (() => void) | null = null;
  /** With `group` it is part of what the group may hold, and too much is an error: BudgetExceeded. */
  constructor(
    private readonly limit = 16 << 20,
    private readonly group: ProcGroup | null = null,
  ) {}
  write(text: string): boolean {
    if (this.group && !this.group.hold(text.length)) {
      this.group.hold(-text.length);
      throw new BudgetExceeded('memory');
    }
    if (this.text.length < this.limit)
      this.text += text.length + this.text.length > this.limit ? text.slice(0, this.limit - this.text.length) : text;
    return true;
  }
  retain(): void {
    this.holders++;
  }
  release(): void {
    if (--this.holders === 0) this.onClose?.();
  }
  /** Returns the text that was kept; the group no longer holds it. */
  take(): string {
    const { text } = this;
    this.group?.hold(-text.length);
    this.text = '';
    return text;
  }
  get open(): boolean {
    return this.holders > 0;
  }
}

/** A file that is open for writing. */
export class FileSink implements ByteSink {
  constructor(
    private readonly fs: MemFS,
    private readonly node: FileNode,
    private readonly path: string,
  ) {}
  write(text: string): boolean {
    this.fs.append(this.node, text, this.path);
    return true;
  }
  retain(): void {}
  release(): void {}
}

abstract class BufferedSource implements ByteSource {
  protected buffer = '';
  /** Returns more of it, or null at the end. */
  protected abstract fill(proc: Proc): Go<string | null>;
  retain(): void {}
  release(): void {}
  *read(proc: Proc): Go<string | null> {
    if (this.buffer) {
      const text = this.buffer;
      this.buffer = '';
      return text;
    }
    return yield* this.fill(proc);
  }
  *readLine(proc: Proc): Go<{ text: string; ended: boolean } | null> {
    for (;;) {
      const i = this.buffer.indexOf('\n');
      if (i >= 0) {
        const text = this.buffer.slice(0, i);
        this.buffer = this.buffer.slice(i + 1);
        return { text, ended: true };
      }
      const more = yield* this.fill(proc);
      if (more === null) {
        if (!this.buffer) return null;
        const text = this.buffer;
        this.buffer = '';
        return { text, ended: false };
      }
      this.buffer += more;
    }
  }
}

/** A file that is open for reading. */
export class FileSource extends BufferedSource {
  private offset = 0;
  constructor(private readonly node: FileNode) {
    super();
  }
  protected *fill(): Go<string | null> {
    if (this.offset >= this.node.data.length) return null;
    const text = this.node.data.slice(this.offset);
    this.offset = this.node.data.length;
    return text;
  }
}

export class TextSource extends BufferedSource {
  private given = false;
  constructor(private readonly text: string) {
    super();
  }
  protected *fill(): Go<string | null> {
    if (this.given || !this.text) return null;
    this.given = true;
    return this.text;
  }
}

/** A pipe between two processes. Each end is held by those that may use it. */
export class Pipe extends BufferedSource {
  private data = '';
  private writers = 0;
  private readers = 0;
  private hadReader = false;
  private waiting: Proc | null = null;
  private blocked: Proc | null = null;
  constructor(private readonly group: ProcGroup) {
    super();
  }
  /** The end to write to. */
  readonly sink: ByteSink = {
    write: (text) => {
      if (this.hadReader && this.readers === 0) return false;
      if (!this.group.hold(text.length)) {
        this.group.hold(-text.length);
        throw new BudgetExceeded('memory');
      }
      this.data += text;
      this.waiting?.wake('io');
      return true;
    },
    drained: (proc) => this.drained(proc),
    retain: () => {
      this.writers++;
    },
    release: () => {
      if (--this.writers === 0) this.waiting?.wake('io');
    },
  };
  override retain(): void {
    this.readers++;
    this.hadReader = true;
  }
  override release(): void {
    if (--this.readers > 0) return;
    this.group.hold(-this.data.length);
    this.data = '';
    this.blocked?.wake('io');
  }
  private *drained(proc: Proc): Go<void> {
    while (this.data.length > 65_536 && this.readers > 0) {
      this.blocked = proc;
      yield* proc.park(null);
      this.blocked = null;
    }
  }
  protected *fill(proc: Proc): Go<string | null> {
    for (;;) {
      if (this.data) {
        const text = this.data;
        this.data = '';
        this.group.hold(-text.length);
        this.blocked?.wake('io');
        return text;
      }
      if (this.writers === 0) return null;
      this.waiting = proc;
      const why = yield* proc.park(null);
      this.waiting = null;
      if (why === 'signal') throw new Interrupted();
    }
  }
}

/** A caught signal came while a process read. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}
