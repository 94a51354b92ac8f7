import { type FileEvent, type FileStat, OSError, type OSInterface } from '../../host/os.js';
import { type Chan, type Context, type Go, type Kernel, makeChan } from '../../kernel/index.js';

const missing = (path: string) => new OSError('ENOENT', `open ${path}: no such file or directory`);

/** A small file system for tests: text files, folders and links, and watches that tests feed through `put` and `rm`. */
export class MemOS implements OSInterface {
  readonly files = new Map<string, string>();
  readonly dirs = new Set<string>(['/']);
  /** Link -> target. */
  readonly links = new Map<string, string>();
  private readonly watches: { path: string; ch: Chan<FileEvent> }[] = [];
  /** The type of a path that is neither file nor folder. */
  readonly types = new Map<string, NonNullable<FileStat['type']>>();
  /** Paths whose file system does not answer. */
  readonly silent = new Set<string>();
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

  /** The path without links on the way. */
  private real(path: string): string {
    if (this.links.size === 0) return path;
    let at = '';
    for (const part of path.split('/').filter(Boolean)) {
      const next = `${at}/${part}`;
      const target = this.links.get(next);
      at = target === undefined ? next : this.real(target.startsWith('/') ? target : `${at}/${target}`);
    }
    return at;
  }
  /** The text of a file, through links. */
  text(path: string): string | undefined {
    return this.files.get(this.real(path));
  }

  *mkdirAll(path: string): Go<void> {
    this.addDirs(path);
  }
  *writeFile(path: string, data: string): Go<void> {
    this.put(path, data);
  }
  private answers(path: string): void {
    if (this.silent.has(path)) throw new OSError('ETIMEDOUT', `${path}: the file system does not answer`);
  }
  *readFile(path: string): Go<string> {
    this.answers(path);
    if (this.types.has(path)) throw new Error(`${path} was opened, which waits for ever`);
    const data = this.text(path);
    if (data === undefined) throw missing(path);
    return data;
  }
  *readDir(path: string): Go<{ name: string; dir: boolean }[]> {
    if (!this.dirs.has(path)) throw missing(path);
    const names = new Map<string, boolean>();
    for (const p of [...this.dirs, ...this.files.keys(), ...this.links.keys()]) {
      if (!p.startsWith(`${path}/`)) continue;
      const rest = p.slice(path.length + 1);
      if (rest && !rest.includes('/')) names.set(rest, this.dirs.has(p));
    }
    return [...names].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, dir]) => ({ name, dir }));
  }
  *stat(path: string): Go<FileStat | null> {
    const real = this.real(path);
    if (this.dirs.has(real)) return { dir: true, size: 0, mtimeMillis: 0 };
    this.answers(real);
    const data = this.files.get(real);
    const type = this.types.get(real);
    return data === undefined ? null : { dir: false, size: data.length, mtimeMillis: 0, ...(type && { type }) };
  }
  *lstat(path: string): Go<FileStat | null> {
    if (this.links.has(path)) return { dir: false, size: 0, mtimeMillis: 0, type: 'link' };
    return yield* this.stat(path);
  }
  *readlink(path: string): Go<string> {
    const target = this.links.get(path);
    if (target === undefined) throw missing(path);
    return target;
  }
  *rename(from: string, to: string): Go<void> {
    const target = this.links.get(from);
    if (target !== undefined) {
      this.links.set(to, target);
      this.links.delete(from);
      return;
    }
    this.put(to, yield* this.readFile(from));
    this.rm(from);
  }
  *remove(path: string): Go<void> {
    if (this.links.delete(path)) return;
    this.rm(path);
    this.dirs.delete(path);
  }
  *removeAll(path: string): Go<void> {
    for (const p of [...this.files.keys()]) if (p === path || p.startsWith(`${path}/`)) this.rm(p);
    for (const p of [...this.links.keys()]) if (p === path || p.startsWith(`${path}/`)) this.links.delete(p);
    for (const p of [...this.dirs]) if (p === path || p.startsWith(`${path}/`)) this.dirs.delete(p);
  }
  *symlink(target: string, link: string): Go<void> {
    this.links.set(link, target);
  }
  *gzip(): Go<void> {}
  *watch(_ctx: Context, path: string): Go<Chan<FileEvent> | null> {
    if (!this.watching) return null;
    const ch = makeChan<FileEvent>(this.kernel, `watch ${path}`, 100, { quiet: true });
    this.watches.push({ path, ch });
    return ch;
  }
}
