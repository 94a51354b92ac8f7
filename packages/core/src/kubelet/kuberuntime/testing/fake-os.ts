import { utf8Bytes, utf8Text } from '../../../base/index.js';
import { OSError, type OSInterface } from '../../../host/os.js';
import type { Go } from '../../../kernel/index.js';

/** Files by path; a folder is a path that ends in '/', a link is a text that starts with '-> '. */
export class FakeOS implements OSInterface {
  readonly files = new Map<string, string>([['/', '']]);
  readonly modes = new Map<string, number>();
  /** Paths whose removal fails. */
  readonly stuck = new Set<string>();

  *mkdirAll(path: string, mode: number): Go<void> {
    this.modes.set(path, mode);
    let at = '';
    for (const part of path.split('/').filter(Boolean)) {
      at += `/${part}`;
      this.files.set(`${at}/`, '');
    }
  }
  *writeFile(path: string, data: string, mode: number): Go<void> {
    if (!this.files.has(path.slice(0, path.lastIndexOf('/') + 1)))
      throw new OSError('ENOENT', `open ${path}: no such file or directory`);
    this.files.set(path, data);
    this.modes.set(path, mode);
  }
  *readFile(path: string, options: { limit?: number; tail?: boolean } = {}): Go<string> {
    const data = this.files.get(this.follow(path));
    if (data === undefined) throw new OSError('ENOENT', `open ${path}: no such file or directory`);
    const { limit = Number.POSITIVE_INFINITY, tail } = options;
    const bytes = utf8Bytes(data);
    if (bytes.length <= limit) return data;
    return utf8Text(tail ? bytes.slice(-limit) : bytes.slice(0, limit));
  }
  *readDir(path: string): Go<{ name: string; dir: boolean }[]> {
    if (!this.files.has(`${path}/`)) throw new OSError('ENOENT', `open ${path}: no such file or directory`);
    const names = new Map<string, boolean>();
    for (const file of this.files.keys()) {
      if (!file.startsWith(`${path}/`) || file === `${path}/`) continue;
      const [name = '', ...rest] = file.slice(path.length + 1).split('/');
      names.set(name, rest.length > 0);
    }
    return [...names].sort().map(([name, dir]) => ({ name, dir }));
  }
  *stat(path: string): Go<{ dir: boolean; size: number; mtimeMillis: number } | null> {
    const real = this.follow(path);
    if (this.files.has(`${real}/`)) return { dir: true, size: 0, mtimeMillis: 0 };
    const data = this.files.get(real);
    return data === undefined ? null : { dir: false, size: utf8Bytes(data).length, mtimeMillis: 0 };
  }
  *rename(from: string, to: string): Go<void> {
    const data = this.files.get(from);
    if (data === undefined) throw new OSError('ENOENT', `rename ${from} ${to}: no such file or directory`);
    this.files.delete(from);
    this.files.set(to, data);
  }
  *remove(path: string): Go<void> {
    if (this.stuck.has(path)) throw new OSError('EACCES', `remove ${path}: permission denied`);
    if (!this.files.delete(path)) throw new OSError('ENOENT', `remove ${path}: no such file or directory`);
  }
  *removeAll(path: string): Go<void> {
    for (const file of [...this.files.keys()])
      if (file === path || file.startsWith(`${path}/`)) this.files.delete(file);
  }
  *symlink(target: string, link: string): Go<void> {
    this.files.set(link, `-> ${target}`);
  }
  *watch(): Go<null> {
    return null;
  }
  private follow(path: string): string {
    const data = this.files.get(path);
    return data?.startsWith('-> ') ? data.slice(3) : path;
  }
}
