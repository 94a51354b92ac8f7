import { messageOf, utf8Text } from '../../base/index.js';
import type { OSInterface } from '../../host/os.js';
import type { Go, Kernel } from '../../kernel/index.js';
import { Logger } from '../klog.js';
import { isMissing, lstat } from './host-util.js';

/** One file. upstream: pkg/volume/util FileProjection */
export interface FileProjection {
  readonly data: string | Uint8Array;
  readonly mode: number;
  readonly fsUser?: number;
}
/** Files by path, relative to the volume. */
export type Payload = ReadonlyMap<string, FileProjection>;

const dataDirName = '..data';
const newDataDirName = '..data_tmp';
const maxFileNameLength = 255;
const maxPathLength = 4096;

/**
 * Writes all files of a volume as one: into a folder of its own, to which `..data` then leads. Containers open links
 * through `..data`, so that they see the old files or the new ones and never some of both.
 * upstream: pkg/volume/util/atomic_writer.go AtomicWriter
 */
export class AtomicWriter {
  private readonly log: Logger;
  constructor(
    private readonly kernel: Kernel,
    private readonly os: OSInterface,
    private readonly targetDir: string,
    /** The writer's name for log lines: `pod ns/name volume v`. */
    private readonly logContext: string,
  ) {
    this.log = new Logger(kernel, 'atomic_writer.go');
  }

  /**
   * Writes the files. `setPerms` is called before the new files are visible. Returns true if something was written.
   * upstream: (*AtomicWriter).Write
   */
  *write(payload: Payload, setPerms: () => Go<void>): Go<boolean> {
    const { os, targetDir } = this;
    const files = this.validated(payload);
    const dataDir = `${targetDir}/${dataDirName}`;
    const oldDir = yield* this.readlink(dataDir);
    let toRemove: string[] = [];
    let shouldWrite = true;
    if (oldDir !== null) {
      toRemove = yield* this.pathsToRemove(files, `${targetDir}/${oldDir}`);
      shouldWrite = toRemove.length > 0 || (yield* this.differs(files, `${targetDir}/${oldDir}`));
      if (!shouldWrite) this.log.info(4, `${this.logContext}: write not required for data directory ${oldDir}`);
    }
    if (shouldWrite) {
      const name = yield* this.newTimestampDir();
      const dir = `${targetDir}/${name}`;
      yield* this.writeFiles(files, dir);
      yield* setPerms();
      const link = `${targetDir}/${newDataDirName}`;
      try {
        // A folder left behind by a kubelet that was killed at this point.
        if (yield* lstat(os, link)) yield* os.remove(link);
        yield* os.symlink(name, link);
        yield* os.rename(link, dataDir);
      } catch (err) {
        this.log.error(null, `${this.logContext}: error creating symbolic link for atomic update: ${messageOf(err)}`);
        yield* os.removeAll(dir);
        throw err;
      }
    }
    yield* this.createUserVisibleFiles(files);
    for (const name of toRemove)
      if (!name.includes('/') && (yield* lstat(os, `${targetDir}/${name}`))) yield* os.remove(`${targetDir}/${name}`);
    if (shouldWrite && oldDir !== null) yield* os.removeAll(`${targetDir}/${oldDir}`);
    return shouldWrite;
  }

  private validated(payload: Payload): Map<string, FileProjection> {
    const files = new Map<string, FileProjection>();
    for (const [path, file] of payload) {
      try {
        validatePath(path);
      } catch (err) {
        this.log.error(null, `${this.logContext}: invalid payload: ${messageOf(err)}`);
        throw err;
      }
      files.set(cleanRelative(path), file);
    }
    return files;
  }

  private *readlink(path: string): Go<string | null> {
    const { os } = this;
    if (!os.readlink)
      throw new Error(`${this.logContext}: this host has no symbolic links, which the volume is made of`);
    try {
      const target = yield* os.readlink(path);
      // Only the target of a link that this writer made counts; another link may lead anywhere.
      return /^\.\.[^/]+$/.test(target) ? target : null;
    } catch (err) {
      if (isMissing(err)) return null;
      throw err;
    }
  }

  /** upstream: shouldWritePayload */
  private *differs(files: Payload, oldDir: string): Go<boolean> {
    for (const [path, { data }] of files) {
      if (!(yield* lstat(this.os, `${oldDir}/${path}`))) return true;
      if (!(yield* this.holds(`${oldDir}/${path}`, data))) return true;
    }
    return false;
  }
  private *holds(path: string, data: string | Uint8Array): Go<boolean> {
    const { os } = this;
    if (typeof data === 'string') return (yield* os.readFile(path)) === data;
    if (!os.readBytes) return (yield* os.readFile(path)) === utf8Text(data);
    const old = yield* os.readBytes(path);
    return old.length === data.length && old.every((b, i) => b === data[i]);
  }

  /** Paths of the old version, folders too, that the new one has no use for. upstream: pathsToRemove */
  private *pathsToRemove(files: Payload, oldDir: string): Go<string[]> {
    const { os } = this;
    const keep = new Set<string>();
    for (const path of files.keys())
      for (let p = path; p !== ''; p = p.slice(0, Math.max(0, p.lastIndexOf('/')))) keep.add(p);
    const gone: string[] = [];
    const walk = function* (relative: string): Go<void> {
      const path = relative === '' ? oldDir : `${oldDir}/${relative}`;
      for (const { name } of yield* os.readDir(path)) {
        const child = relative === '' ? name : `${relative}/${name}`;
        if (!keep.has(child)) gone.push(child);
        if ((yield* lstat(os, `${oldDir}/${child}`))?.dir) yield* walk(child);
      }
    };
    try {
      yield* walk('');
    } catch (err) {
      if (isMissing(err)) return [];
      throw err;
    }
    return gone;
  }

  /** Makes a folder with a name such as `..2026_01_31_12_00_00.1234567890`. */
  private *newTimestampDir(): Go<string> {
    const { kernel, os, targetDir } = this;
    const at = new Date(kernel.clock.epochMillis + Math.floor(kernel.now() / 1000)).toISOString();
    const stamp = at.slice(0, 19).replaceAll(/[-T:]/g, '_');
    for (;;) {
      const name = `..${stamp}.${kernel.random.below(2 ** 32)}`;
      const path = `${targetDir}/${name}`;
      if (yield* lstat(os, path)) continue;
      yield* os.mkdirAll(path, 0o755);
      if (os.chmod) yield* os.chmod(path, 0o755);
      return name;
    }
  }

  /** upstream: writePayloadToDir */
  private *writeFiles(files: Payload, dir: string): Go<void> {
    const { os } = this;
    for (const [path, { data, mode, fsUser }] of files) {
      const full = `${dir}/${path}`;
      if (path.includes('/')) yield* os.mkdirAll(full.slice(0, full.lastIndexOf('/')), 0o755);
      if (typeof data === 'string') yield* os.writeFile(full, data, mode);
      else if (os.writeBytes) yield* os.writeBytes(full, data, mode);
      else yield* os.writeFile(full, utf8Text(data), mode);
      // The umask affects the mode of new files.
      if (os.chmod) yield* os.chmod(full, mode);
      if (fsUser !== undefined && os.lchown) yield* os.lchown(full, fsUser, -1);
    }
  }

  /** Makes a link for the first part of each path. upstream: createUserVisibleFiles */
  private *createUserVisibleFiles(files: Payload): Go<void> {
    const { os, targetDir } = this;
    for (const [path, { fsUser }] of files) {
      const [name = ''] = path.split('/');
      const link = `${targetDir}/${name}`;
      if ((yield* lstat(os, link)) !== null) continue;
      yield* os.symlink(`${dataDirName}/${name}`, link);
      if (fsUser !== undefined && os.lchown) yield* os.lchown(link, fsUser, -1);
    }
  }
}

/** Throws if a path could leave the volume or the writer's own names. upstream: atomic_writer.go validatePath */
export function validatePath(path: string): void {
  if (path === '') throw new Error('invalid path: must not be empty: ""');
  if (path.startsWith('/')) throw new Error(`invalid path: must be relative path: ${path}`);
  if (path.length > maxPathLength)
    throw new Error(`invalid path: must be less than or equal to ${maxPathLength} characters`);
  const items = path.split('/');
  for (const item of items) {
    if (item === '..') throw new Error(`invalid path: must not contain '..': ${path}`);
    if (item.length > maxFileNameLength)
      throw new Error(`invalid path: filenames must be less than or equal to ${maxFileNameLength} characters`);
  }
  if ((items[0] as string).startsWith('..')) throw new Error(`invalid path: must not start with '..': ${path}`);
}

/** Returns a path without `.` and empty parts. upstream: filepath.Clean */
export const cleanRelative = (path: string): string =>
  path
    .split('/')
    .filter((p) => p !== '' && p !== '.')
    .join('/');
