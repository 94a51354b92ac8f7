/** The data of our own API server in a folder: those of the run before, and a journal of new ones. */
import { Worker } from 'node:worker_threads';
import type { ApiObject, ApiServer, Journal, Kept, KeptObject } from '@syncloop/core/apiserver';
import type { Kernel } from '@syncloop/core/kernel';
import { built } from '../base/built.js';
import { SetupError } from '../base/errors.js';
import type { TextChange } from './database.js';
import { type EncryptionRule, keyResource } from './encryption.js';
import { DataFolder } from './folder.js';
import type { Keeper } from './keeper.js';
import type { FromData, ToData, WorkerData } from './port.js';

/** The error text of etcd. */
const noSpace = 'etcdserver: mvcc: database space exceeded';
const utf8 = new TextDecoder();
/** The longest wait of `close` for the disk, ms. */
const closeMillis = 5000;
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

/** The side of the thread that the rest of the program sees. */
export interface DataThread {
  on(event: 'message', listener: (message: FromData) => void): void;
  on(event: 'error', listener: (err: Error) => void): void;
  on(event: 'exit', listener: () => void): void;
  postMessage(message: ToData): void;
  terminate(): Promise<unknown>;
}
export interface ApiDataOptions {
  /** Called with a sentence when the disk no longer accepts data, and when it does again. */
  readonly warn: (text: string) => void;
  /** Which resources are encrypted on the disk, and how. Default: none. */
  readonly encryption?: readonly EncryptionRule[] | undefined;
  /** Default: a thread on the machine's own disk. */
  readonly start?: (data: WorkerData) => DataThread;
}

const startThread = (workerData: WorkerData): DataThread =>
  new Worker(built('api-data/data-worker.js'), { execArgv: [], workerData, resourceLimits });

/** Called when changes that were given to the thread are on the disk, or could not be written. */
interface Reply {
  applied(): void;
  failed(message: string, full: boolean): void;
}

export class ApiData implements Journal, Keeper {
  private server: { readonly kernel: Kernel; readonly store: ApiServer['store'] } | null = null;
  private planned = false;
  /** True while changes of the server are on their way to the thread. */
  private flight = false;
  /** The thread answers in order. */
  private readonly replies: Reply[] = [];
  private trouble = false;
  private idle: (() => void) | null = null;
  private closing = false;

  private constructor(
    private readonly folder: DataFolder,
    private readonly thread: DataThread,
    private readonly found: { readonly version: number; readonly objects: KeptObject[] },
    private readonly keys: Map<string, string>,
    private readonly warn: (text: string) => void,
  ) {
    thread.on('message', (message) => {
      if (message.type === 'applied') this.replies.shift()?.applied();
      else if (message.type === 'failed') this.replies.shift()?.failed(message.message, message.full);
    });
    // Without the thread nothing is kept any more: better to exit with the reason, and to be started again.
    thread.on('error', (err) => {
      throw new Error(`the thread that keeps the data of the API server ended: ${err.message}`, { cause: err });
    });
  }

  /** Rejects with a SetupError that names the problem of the folder and the remedy. */
  static async open(path: string, { warn, encryption, start = startThread }: ApiDataOptions): Promise<ApiData> {
    const folder = await DataFolder.open(path);
    try {
      const thread = start({ folder: folder.path, encryption });
      const objects: KeptObject[] = [];
      const keys = new Map<string, string>();
      const version = await new Promise<number>((resolve, reject) => {
        thread.on('message', (message) => {
          if (message.type === 'objects')
            for (const [i, value] of (JSON.parse(utf8.decode(message.json)) as unknown[]).entries()) {
              const [resource, key] = message.keys[i] as readonly [string, string];
              if (resource === keyResource) keys.set(key, value as string);
              else objects.push({ resource, key, object: value as ApiObject });
            }
          else if (message.type === 'opened') resolve(message.version);
          else if (message.type === 'refused') reject(new SetupError(message.message));
        });
        thread.on('error', reject);
      });
      return new ApiData(folder, thread, { version, objects }, keys, warn);
    } catch (err) {
      await folder.release();
      throw err;
    }
  }

  /** The objects that a server starts with; undefined for the first run. */
  get kept(): Kept | undefined {
    return this.found.version > 0 ? this.found : undefined;
  }
  /** Sets the server whose journal this is. Its earlier changes are kept, too. */
  serve(server: { readonly kernel: Kernel; readonly store: ApiServer['store'] }): void {
    this.server = server;
    // The server has them now.
    this.found.objects.length = 0;
    this.wake();
  }

  async keep(name: string, make: () => string | Promise<string>): Promise<string> {
    const known = this.keys.get(name);
    if (known !== undefined) return known;
    const text = await make();
    const version = this.server?.store.version ?? this.found.version;
    await new Promise<void>((applied, reject) => {
      const failed = (message: string) =>
        reject(new SetupError(`cannot keep ${name} in ${this.folder.path}: ${message}`));
      this.send([[keyResource, name, version, JSON.stringify(text)]], { applied, failed });
    });
    this.keys.set(name, text);
    return text;
  }

  private send(changes: readonly TextChange[], reply: Reply): void {
    this.replies.push(reply);
    this.thread.postMessage({ type: 'apply', changes });
  }

  wake(): void {
    if (this.planned || this.flight) return;
    this.planned = true;
    // After the step that writes; changes that come while the disk works go together in the next batch.
    queueMicrotask(() => {
      this.planned = false;
      this.flush();
    });
  }
  private flush(): void {
    if (this.flight) return;
    const changes = this.server?.store.takeChanges() ?? [];
    const last = changes.at(-1);
    if (!last) {
      this.idle?.();
      return;
    }
    this.flight = true;
    // If an object changed more than once, only its last state counts.
    const newest = new Map<string, (typeof changes)[number]>();
    for (const change of changes) newest.set(`${change.resource} ${change.key}`, change);
    const texts = changes
      .filter((c) => newest.get(`${c.resource} ${c.key}`) === c)
      .map((c): TextChange => [c.resource, c.key, c.version, c.object && JSON.stringify(c.object)]);
    this.send(texts, {
      applied: () => this.applied(last.version),
      failed: (message, full) => this.failed(message, full),
    });
  }
  private applied(version: number): void {
    this.flight = false;
    if (this.trouble) this.warn(`the API server can write to ${this.folder.path} again, and accepts changes`);
    this.trouble = false;
    this.server?.kernel.post(() => this.server?.store.commit(version));
    this.flush();
  }
  private failed(message: string, full: boolean): void {
    this.flight = false;
    if (!this.trouble) {
      const remedy = full ? 'free space on that disk' : 'check that disk';
      this.warn(
        `the API server cannot write to ${this.folder.path} and refuses changes until it can: ${message}; ${remedy}`,
      );
    }
    this.trouble = true;
    const answer = full ? noSpace : `the data of the API server cannot be written: ${message}`;
    this.server?.kernel.post(() => this.server?.store.abort(answer));
    this.flush();
  }

  /** Writes the rest, closes the files and unlocks the folder; does not wait for a disk that does not answer. */
  async close(): Promise<void> {
    if (this.closing) return;
    this.closing = true;
    const closed = new Promise<void>((resolve) => {
      this.thread.on('exit', resolve);
      this.idle = () => this.thread.postMessage({ type: 'close' });
      this.flush();
    });
    const late = AbortSignal.timeout(closeMillis);
    const given = new Promise<void>((resolve) => late.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([closed, given]);
    if (late.aborted) await Promise.race([this.thread.terminate(), new Promise((resolve) => setTimeout(resolve, 500))]);
    await this.folder.release();
  }
}
