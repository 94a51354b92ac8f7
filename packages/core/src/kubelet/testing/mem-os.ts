import { type Chan, type Context, type Go, type Kernel, makeChan } from '../../kernel/index.js';
import { type FileEvent, OSError, type OSInterface } from '../host.js';

const missing = (path: string) => new OSError('ENOENT', `open ${path}: no such file or directory`);

/** A small file system for tests: text files and folders, and watches that tests feed through `put` and `rm`. */
export class MemOS implements OSInterface {
  readonly files = new Map<string, string>();
  readonly dirs = new Set<string>(['/']);
  private readonly watches: { path: string; ch: Chan<FileEvent> }[] = [];
  /** False: folders cannot be watched. */
  watching = true;
  constructor(private readonly kernel: Kernel) {}

  /** Writes a file as somebody else would. */
  put(path: string, data: string): void {
    const op = this.files.has(path) ? 'modify' : 'add';
    this.addDirs(path.slice(0, path.lastIndexOf('/')));
    this.files.set(path, data);
    this.notify(path, op);
  }
  rm(path: string): void {
    this.files.delete(path);
    this.notify(path, 'delete');
  }
  private notify(path: string, op: FileEvent['op']): void {
    for (const w of this.watches) if (path.startsWith(`${w.path}/`)) w.ch.trySend({ path, op });
  }
  private addDirs(path: string): void {
    for (let p = path; p !== ''; p = p.slice(0, p.lastIndexOf('/'))) this.dirs.add(p);
  }

  *mkdirAll(path: string): Go<void> {
    this.addDirs(path);
  }
  *writeFile(path: string, data: string): Go<void> {
    this.put(path, data);
  }
  *readFile(path: string): Go<string> {
    const data = this.files.get(path);
    if (data === undefined) throw missing(path);
    return data;
  }
  *readDir(path: string): Go<{ name: string; dir: boolean }[]> {
    if (!this.dirs.has(path)) throw missing(path);
    const names = new Map<string, boolean>();
    for (const p of [...this.dirs, ...this.files.keys()]) {
      if (!p.startsWith(`${path}/`)) continue;
      const rest = p.slice(path.length + 1);
      if (rest && !rest.includes('/')) names.set(rest, this.dirs.has(p));
    }
    return [...names].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, dir]) => ({ name, dir }));
  }
  *stat(path: string): Go<{ dir: boolean; size: number; mtimeMillis: number } | null> {
    if (this.dirs.has(path)) return { dir: true, size: 0, mtimeMillis: 0 };
    const data = this.files.get(path);
    return data === undefined ? null : { dir: false, size: data.length, mtimeMillis: 0 };
  }
  *rename(from: string, to: string): Go<void> {
    this.put(to, yield* this.readFile(from));
    this.rm(from);
  }
  *remove(path: string): Go<void> {
    this.rm(path);
    this.dirs.delete(path);
  }
  *removeAll(path: string): Go<void> {
    for (const p of [...this.files.keys()]) if (p === path || p.startsWith(`${path}/`)) this.rm(p);
    for (const p of [...this.dirs]) if (p === path || p.startsWith(`${path}/`)) this.dirs.delete(p);
  }
  *symlink(): Go<void> {}
  *gzip(): Go<void> {}
  *watch(_ctx: Context, path: string): Go<Chan<FileEvent> | null> {
    if (!this.watching) return null;
    const ch = makeChan<FileEvent>(this.kernel, `watch ${path}`, 100, { quiet: true });
    this.watches.push({ path, ch });
    return ch;
  }
}
