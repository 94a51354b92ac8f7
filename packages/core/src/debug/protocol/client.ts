import type { NodeState, Seq } from '../../trace/index.js';
import { RecordStore, type RecordStoreOptions } from '../base/record-store.js';
import type { Hit } from '../breakpoints/index.js';
import type { Command } from './commands.js';
import {
  type Company,
  type Connection,
  PROTOCOL_VERSION,
  type RunState,
  type ServerMessage,
  type SessionInfo,
} from './protocol.js';
import type { ResultOf } from './results.js';

/** The kind of a change: `welcome` also stands for a new store, if it went back too; `closed` ends it all. */
export type ClientChange = 'welcome' | 'records' | 'run' | 'company' | 'closed' | 'refused';

export interface SessionClientOptions extends RecordStoreOptions {
  /** Tells this client's page from all others; see the message `hello`. */
  readonly page?: string;
}

/** Most lines of logpoints that are kept. */
const MOST_WRITTEN = 1000;

/**
 * The other end of a session: keeps its newest records and the state they make, acknowledges, and asks again for what
 * is missing. It lives where a user interface does, so commands give promises.
 */
export class SessionClient {
  info: SessionInfo | null = null;
  run: RunState | null = null;
  /** Replaced by each welcome that does not go on where the last stood. */
  store: RecordStore;
  /** Position of the session when the store was received: later records happened since then. */
  past: Seq = 0;
  /** The reason why nothing works any more: the server's refusal or the closing's reason, '' while it works. */
  error = '';
  closed = false;
  /** The pages that watch the session, as far as its server says. */
  company: Company = { pages: 1 };
  /** The lines that logpoints wrote, the newest last. */
  readonly written: Hit[] = [];
  /** The number of times that the stream began again because records were missing. */
  gaps = 0;

  private readonly pending = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  private readonly listeners = new Set<(change: ClientChange) => void>();
  private nextId = 1;
  private syncing = true;
  private resumeAt: Seq | null = null;

  /** Says hello. `resume`: a client of the same session whose connection was lost; its records are taken over. */
  constructor(
    private readonly connection: Connection,
    private readonly options: SessionClientOptions = {},
    resume?: SessionClient,
  ) {
    this.store = resume?.store ?? new RecordStore(options);
    this.info = resume?.info ?? null;
    this.run = resume?.run ?? null;
    this.written.push(...(resume?.written ?? []));
    connection.onMessage((message) => this.receive(message));
    connection.onClose((reason) => this.end(reason));
    this.hello();
  }

  get state(): NodeState {
    return this.store.state;
  }

  /** Called after each change. Returns a function that takes it out again. */
  listen(listener: (change: ClientChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Sends a command; its result, or an Error with the reason why it was refused. */
  command<const C extends Command>(command: C): Promise<ResultOf<C>> {
    if (this.closed) return Promise.reject(new Error(`the session is closed: ${this.error}`));
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.connection.send({ type: 'command', id, command });
    });
  }

  close(): void {
    this.connection.close();
    this.end('closed by this client');
  }

  /** Says hello. `anew`: no record in memory is of use. */
  private hello(anew = false): void {
    this.syncing = true;
    const { info, run, store } = this;
    this.resumeAt = info && !anew ? store.last : null;
    this.connection.send({
      type: 'hello',
      protocol: PROTOCOL_VERSION,
      ...(this.options.page !== undefined && { page: this.options.page }),
      ...(info && !anew
        ? { session: info.id, resumeFrom: store.last, ...(run?.branch !== undefined && { branch: run.branch }) }
        : {}),
    });
  }

  private receive(message: ServerMessage): void {
    if (this.closed) return;
    switch (message.type) {
      case 'welcome': {
        const resumed =
          !message.snapshot &&
          this.resumeAt !== null &&
          this.info?.id === message.info.id &&
          this.resumeAt === this.store.last;
        if (!resumed) this.store = new RecordStore(this.options, message.snapshot?.state);
        this.resumeAt = null;
        this.syncing = false;
        this.unwrite(this.info?.id === message.info.id ? message.run.seq : 0);
        this.info = message.info;
        this.run = message.run;
        this.past = message.run.seq;
        this.tell('welcome');
        return;
      }
      case 'records': {
        if (this.syncing) return;
        for (const record of message.records) {
          if (record.seq <= this.store.last) continue;
          if (record.seq !== this.store.last + 1 && !(record.kind === 'gap' && record.from === this.store.last + 1)) {
            this.gaps++;
            this.hello();
            return;
          }
          this.store.push(record);
        }
        this.connection.send({ type: 'ack', seq: this.store.last });
        this.tell('records');
        return;
      }
      case 'run':
        this.run = message.run;
        this.tell('run');
        return;
      case 'company':
        this.company = message.company;
        this.tell('company');
        return;
      case 'result': {
        const waiting = this.pending.get(message.id);
        this.pending.delete(message.id);
        if (message.ok) waiting?.resolve(message.value);
        else waiting?.reject(new Error(message.error));
        return;
      }
      case 'reset':
        this.syncing = true;
        this.resumeAt = null;
        this.info = null;
        return;
      case 'rewound':
        this.unwrite(message.seq);
        if (this.syncing || message.seq >= this.store.last) return;
        if (message.seq < this.store.first - 1) {
          // Further back than what is held here: take it all again.
          this.hello(true);
          return;
        }
        this.store = this.store.until(message.seq);
        this.past = message.seq;
        this.tell('welcome');
        return;
      case 'written':
        this.written.push(...message.hits);
        if (this.written.length > MOST_WRITTEN) this.written.splice(0, this.written.length - MOST_WRITTEN);
        this.tell('run');
        return;
      case 'refused':
        this.error = message.error;
        this.tell('refused');
        return;
    }
  }

  /** Drops what logpoints wrote after that record: it is written again when the session comes there again. */
  private unwrite(after: Seq): void {
    const kept = this.written.filter((hit) => hit.seq <= after);
    if (kept.length < this.written.length) this.written.splice(0, this.written.length, ...kept);
  }

  private end(reason: string): void {
    if (this.closed) return;
    this.closed = true;
    if (this.error === '') this.error = reason;
    for (const { reject } of this.pending.values()) reject(new Error(`the session was closed: ${reason}`));
    this.pending.clear();
    this.tell('closed');
  }

  private tell(change: ClientChange): void {
    for (const listener of [...this.listeners]) listener(change);
  }
}
