import { OSError } from '../../host/os.js';
import type { FileNode } from '../fs/inode.js';
import type { MemFS } from '../fs/memfs.js';
import { parentOf } from '../fs/path.js';
import type { ByteSink } from '../process/streams.js';

/**
 * Longest line that is written as one; longer ones are cut into partial (P) entries.
 * upstream: max_container_log_line_size
 */
const maxLine = 16 * 1024;

/** Writes a container's output to its log file, in the CRI's log format. */
export class LogWriter {
  readonly out: ByteSink;
  readonly err: ByteSink;
  private node: FileNode | null = null;
  /** Are called with the output as it comes, in addition to the file. */
  readonly listeners = new Set<(stream: 'stdout' | 'stderr', text: string) => void>();
  private readonly left = { stdout: '', stderr: '' };

  constructor(
    private readonly fs: MemFS,
    readonly path: string,
    /** RFC 3339 with nanoseconds, as each line begins. */
    private readonly stamp: () => string,
  ) {
    this.out = this.sink('stdout');
    this.err = this.sink('stderr');
    if (path) this.open();
  }

  /** Opens the file at its path again, after it was moved away. */
  open(): void {
    if (!this.path) return;
    this.fs.mkdirAllSync(parentOf(this.path));
    this.node = this.fs.openSync(this.path, 0o640);
  }

  private sink(stream: 'stdout' | 'stderr'): ByteSink {
    return {
      write: (text) => {
        this.write(stream, text);
        return true;
      },
      retain: () => {},
      release: () => {},
    };
  }

  private write(stream: 'stdout' | 'stderr', text: string): void {
    for (const listener of this.listeners) listener(stream, text);
    if (!this.node) return;
    let rest = this.left[stream] + text;
    let out = '';
    for (;;) {
      const i = rest.indexOf('\n');
      if (i < 0 && rest.length <= maxLine) break;
      const whole = i >= 0 && i <= maxLine;
      // As when Go reads lines, a carriage return before the newline goes with it.
      const line = rest.slice(0, whole ? (rest[i - 1] === '\r' ? i - 1 : i) : maxLine);
      rest = rest.slice(whole ? i + 1 : maxLine);
      out += `${this.stamp()} ${stream} ${whole ? 'F' : 'P'} ${line}\n`;
    }
    this.left[stream] = rest;
    if (out) this.append(out);
  }

  /** Appends text; if the disk has no room it is lost, as with a real runtime. */
  private append(text: string): void {
    try {
      if (this.node) this.fs.append(this.node, text, this.path);
    } catch (error) {
      if (!(error instanceof OSError)) throw error;
    }
  }

  /** Writes what was not ended by a newline; the process is gone. */
  flush(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      const text = this.left[stream];
      this.left[stream] = '';
      if (text && this.node) this.fs.append(this.node, `${this.stamp()} ${stream} P ${text}\n`, this.path);
    }
  }
}
