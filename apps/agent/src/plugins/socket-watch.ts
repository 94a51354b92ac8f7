/** Sockets below a folder as they come and go. upstream: pkg/kubelet/pluginmanager/pluginwatcher */
import { type FSWatcher, watch } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Chan, type Context, call, current, type Go, makeChan, recv, select, sendTo } from '@syncloop/core/kernel';
import { mkdirAll } from '../host/mkdir-all.js';
import { Inbox } from './inbox.js';
import { limits } from './limits.js';

export interface SocketEvent {
  readonly path: string;
  readonly op: 'add' | 'delete';
}

/** See PluginHost.watchSockets. A missing folder is created. */
export function* watchSockets(
  ctx: Context,
  folder: string,
  opened: (watcher: { close(): void }) => void,
): Go<Chan<SocketEvent>> {
  const { kernel } = current();
  const inbox = new Inbox<SocketEvent>();
  const watcher = new SocketWatcher(folder, (event) => inbox.push(event));
  opened(watcher);
  yield* call('watch plug-in sockets', () => watcher.start(), ctx);
  const chan = makeChan<SocketEvent>(kernel, 'pluginSockets', 0, { describe: (event) => ({ ...event }) });
  const pump = function* (): Go<void> {
    try {
      for (;;) {
        const next = yield* call('plug-in sockets', (signal) => inbox.next(signal), ctx);
        const sent = yield* select({ sent: sendTo(chan, next), done: recv(ctx.done()) });
        if (sent.case === 'done') break;
      }
    } catch {
      // The context has ended.
    }
    watcher.close();
    chan.close();
  };
  kernel.go('plug-in sockets', pump, { quiet: true, daemon: true });
  return chan;
}

interface Folder {
  readonly watcher: FSWatcher;
  /** Null: not being read. True: it has changed again since its reading began. */
  reading: boolean | null;
  /** The folder's sockets by name, with what distinguishes one from another of the same name. */
  readonly sockets: Map<string, string>;
  readonly folders: Set<string>;
}

/**
 * An event of the file system only means that something may have changed, and several may come as one. After each event
 * the folder is read again and compared with its last contents.
 */
class SocketWatcher {
  private readonly folders = new Map<string, Folder>();
  private sockets = 0;
  private closed = false;

  constructor(
    private readonly top: string,
    private readonly tell: (event: SocketEvent) => void,
  ) {}

  /** Resolves when all existing sockets have been reported. Rejects if the folder cannot be watched. */
  async start(): Promise<void> {
    await mkdirAll(this.top, 0o750);
    const top = this.open(this.top);
    if (top instanceof Error) {
      const text = `failed to watch ${this.top}, err: ${top.message} (fs.inotify.max_user_watches may be too small)`;
      throw new Error(text, { cause: top });
    }
    await this.read(this.top, top);
  }

  close(): void {
    this.closed = true;
    for (const { watcher } of this.folders.values()) watcher.close();
    this.folders.clear();
  }

  private open(path: string): Folder | Error {
    try {
      const watcher = watch(path, { persistent: false });
      const folder: Folder = { watcher, reading: null, sockets: new Map(), folders: new Set() };
      watcher.on('error', () => watcher.close());
      watcher.on('change', (kind) => {
        // Something was made, removed or renamed; the other kind is a change of content or mode.
        if (kind === 'rename') void this.read(path, folder);
      });
      this.folders.set(path, folder);
      return folder;
    } catch (err) {
      return err as Error;
    }
  }

  /** Reads a folder, again if it changes meanwhile. */
  private async read(path: string, folder: Folder): Promise<void> {
    if (folder.reading !== null) {
      folder.reading = true;
      return;
    }
    do {
      folder.reading = false;
      const found = await list(path).catch(() => ({ sockets: new Map<string, string>(), folders: new Set<string>() }));
      if (this.closed || this.folders.get(path) !== folder) return;
      await this.compare(path, folder, found);
    } while (folder.reading && !this.closed);
    folder.reading = null;
  }

  private async compare(path: string, folder: Folder, found: Found): Promise<void> {
    for (const [name, identity] of [...folder.sockets]) {
      // A socket that was removed and made again within a moment is another one: both changes are reported.
      if (found.sockets.get(name) !== identity) this.forget(path, folder, name);
    }
    for (const name of folder.folders) {
      if (found.folders.has(name)) continue;
      folder.folders.delete(name);
      this.forgetFolder(join(path, name));
    }
    for (const [name, identity] of found.sockets) {
      if (folder.sockets.has(name) || this.sockets >= limits.sockets) continue;
      this.sockets++;
      folder.sockets.set(name, identity);
      this.tell({ path: join(path, name), op: 'add' });
    }
    for (const name of found.folders) {
      if (folder.folders.has(name) || this.folders.size >= limits.folders) continue;
      const inner = this.open(join(path, name));
      if (inner instanceof Error) continue;
      folder.folders.add(name);
      await this.read(join(path, name), inner);
    }
  }

  private forget(path: string, folder: Folder, name: string): void {
    this.sockets--;
    folder.sockets.delete(name);
    this.tell({ path: join(path, name), op: 'delete' });
  }

  private forgetFolder(path: string): void {
    const folder = this.folders.get(path);
    if (!folder) return;
    this.folders.delete(path);
    folder.watcher.close();
    for (const name of [...folder.sockets.keys()]) this.forget(path, folder, name);
    for (const name of folder.folders) this.forgetFolder(join(path, name));
  }
}

interface Found {
  readonly sockets: Map<string, string>;
  readonly folders: Set<string>;
}

/** Names that begin with a dot are left out. Links to sockets count as sockets, links to folders are not followed. */
async function list(path: string): Promise<Found> {
  const found: Found = { sockets: new Map(), folders: new Set() };
  let entries = 0;
  for await (const entry of await opendir(path)) {
    if (++entries > limits.entries) break;
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) found.folders.add(entry.name);
    else if (entry.isSocket() || entry.isSymbolicLink()) {
      const there = await stat(join(path, entry.name), { bigint: true }).catch(() => null);
      if (there?.isSocket()) found.sockets.set(entry.name, `${there.ino} ${there.birthtimeNs}`);
    }
  }
  return found;
}
