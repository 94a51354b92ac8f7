import type { Seq } from '../../trace/index.js';
import type { BackendChange, CommandResult, SessionBackend } from './backend.js';
import type { Capabilities } from './capabilities.js';
import { type Command, isLooking, isMoving } from './commands.js';
import { commandIdOf, ProtocolError, parseClientMessage } from './messages.js';
import { type ClientMessage, type Company, PROTOCOL_VERSION, type RunState, type ServerMessage } from './protocol.js';

export interface ServerOptions {
  /** Most records in one message. Default 512. */
  readonly batch?: number;
  /**
   * A client that leaves this many messages, or records, unacknowledged gets no more until it does. Defaults 64 and
   * 8192.
   */
  readonly creditBatches?: number;
  readonly creditRecords?: number;
  /** The same for records up to the moment at which a client was greeted. Default: as `creditRecords`. */
  readonly creditPast?: number;
  /** The number of past records that a new client gets. Default 50,000. */
  readonly history?: number;
  /**
   * For a jump forward over more than twice as many records as this, a client gets a snapshot and at most this many
   * records before the position; so it does for a jump to before the records that it has. Default 12,288.
   */
  readonly jump?: number;
  /** A client that has said hello this often without acknowledging anything is refused the next one. Default 16. */
  readonly hellos?: number;
}

/** Options of {@link SessionServer.connect}. */
export interface ClientOptions {
  /** False: commands that change anything are refused. Default true. */
  readonly control?: boolean;
  /**
   * Returns true if its connection takes more now: while false no records are sent, whatever credit there is. A caller
   * that sets this calls `flush` once it is true again. Default: always true.
   */
  readonly ready?: () => boolean;
}

/** A page offers what its session can do; a client that may only look is offered nothing. */
const onlyLooking = (can: Capabilities): Capabilities =>
  // `observed` states a fact; it is not a command.
  Object.fromEntries(
    Object.entries(can).map(([name, value]) => [name, name === 'observed' && value]),
  ) as unknown as Capabilities;

/** A client that has always been alone gets no message about others. */
const ALONE = JSON.stringify({ pages: 1 } satisfies Company);

/** The command that moved the session last. */
interface Mover {
  readonly client: Client;
  readonly do: Command['do'];
  readonly back: boolean;
}

interface Client {
  readonly send: (message: ServerMessage) => void;
  readonly control: boolean;
  readonly ready: () => boolean;
  greeted: boolean;
  /** The name of its page; empty if it gave none. */
  page: string;
  /** Another page was there when it came. */
  later: boolean;
  /** Last record sent, last one acknowledged, and where the unacknowledged messages end. */
  sent: Seq;
  acked: Seq;
  /** It has no records up to and including this one. */
  from: Seq;
  /** Records up to this one are older than the position at which it was greeted. */
  past: Seq;
  readonly ends: Seq[];
  /** Messages and records of streams that ended before they were acknowledged: paid by the next acknowledgement. */
  owedBatches: number;
  owedRecords: number;
  /** The number of times that it has said hello since it last acknowledged anything. */
  hellos: number;
  /** The run state that it was last sent, so that an unchanged one is not sent again. */
  announcedRun: string;
  announcedCompany: string;
  gone: boolean;
}

const samePage = (a: Client, b: Client): boolean => a === b || (a.page !== '' && a.page === b.page);

/** A host's hold on one client. */
export interface ClientHandle {
  /** Takes a message as received, and checks it. */
  receive(message: unknown): void;
  /** Called when the connection has ended. */
  close(): void;
}

/**
 * Serves one session to any number of clients. Each has its own place in the stream and its own credit, so that a slow
 * one delays nobody; when the records it lacks are no longer in memory it gets a new welcome with a snapshot, never a
 * silent gap.
 */
export class SessionServer {
  private readonly clients = new Set<Client>();
  private readonly answers: { readonly client: Client; readonly message: ServerMessage }[] = [];
  private readonly batch: number;
  private readonly creditBatches: number;
  private readonly creditRecords: number;
  private readonly creditPast: number;
  private readonly history: number;
  private readonly jump: number;
  private readonly hellos: number;
  private mover: Mover | null = null;
  /** Some clients may have to be notified who watches. */
  private companyChanged = false;
  private readonly unlisten: () => void;

  constructor(
    readonly backend: SessionBackend,
    options: ServerOptions = {},
  ) {
    this.batch = options.batch ?? 512;
    this.creditBatches = options.creditBatches ?? 64;
    this.creditRecords = options.creditRecords ?? 8192;
    this.creditPast = options.creditPast ?? this.creditRecords;
    this.history = options.history ?? 50_000;
    this.jump = options.jump ?? 12_288;
    this.hellos = options.hellos ?? 16;
    this.unlisten = backend.listen((change) => this.changed(change));
  }

  get clientCount(): number {
    return this.clients.size;
  }
  /** True if a client has used up its credit: whoever makes records in its own time may wait for it. */
  get congested(): boolean {
    for (const client of this.clients) if (client.greeted && !this.hasCredit(client)) return true;
    return false;
  }

  /** Connects a client; `send` gets its messages. It must not throw; after `close` it is not called. */
  connect(send: (message: ServerMessage) => void, options: ClientOptions = {}): ClientHandle {
    const client: Client = {
      send,
      control: options.control ?? true,
      ready: options.ready ?? (() => true),
      greeted: false,
      page: '',
      later: false,
      sent: 0,
      acked: 0,
      from: 0,
      past: 0,
      ends: [],
      owedBatches: 0,
      owedRecords: 0,
      hellos: 0,
      announcedRun: '',
      announcedCompany: ALONE,
      gone: false,
    };
    this.clients.add(client);
    return {
      receive: (message) => this.receive(client, message),
      close: () => {
        client.gone = true;
        this.clients.delete(client);
        if (!client.greeted) return;
        this.companyChanged = true;
        this.sendCompany();
      },
    };
  }

  /** Sends every client what it lacks, as far as its credit goes. */
  flush(): void {
    this.sendAll();
    this.sendCompany();
  }
  private sendAll(): void {
    for (const client of this.clients) if (client.greeted) this.sendRecords(client);
  }

  /** Ends all connections' part here; hosts close the connections. */
  close(): void {
    this.unlisten();
    for (const client of this.clients) client.gone = true;
    this.clients.clear();
  }

  private changed(change: BackendChange): void {
    if (change === 'reset') {
      for (const client of this.clients) {
        if (!client.greeted) continue;
        client.send({ type: 'reset' });
        this.welcome(client, undefined);
      }
      return;
    }
    if (change === 'rewound') this.rewound();
    if (change === 'rewound' || change === 'jumped') this.jumped();
    this.sendAll();
    if (change === 'run') {
      const run = this.backend.runState();
      for (const client of this.clients) if (client.greeted) this.tellRun(client, run);
      this.sendCompany();
      const written = this.backend.takeWritten?.() ?? [];
      if (written.length > 0)
        for (const client of this.clients) if (client.greeted) client.send({ type: 'written', hits: written });
      this.sendAnswers();
    }
  }

  private rewound(): void {
    const last = this.backend.rewoundTo ?? this.backend.store.last;
    for (const client of this.clients) {
      if (!client.greeted || client.sent <= last) continue;
      if (last < client.from || this.isFar(last)) {
        // It would have to ask for all of it anew: spare it the way there and back.
        this.welcome(client, undefined, false, this.jump);
        continue;
      }
      this.startStream(client, last, Math.min(client.acked, last));
      client.send({ type: 'rewound', seq: last });
    }
  }

  /**
   * Sends a snapshot after a jump: all records between would take a client longer to take in than a moment may take to
   * be shown.
   */
  private jumped(): void {
    for (const client of this.clients)
      if (client.greeted && this.isFar(client.sent)) this.welcome(client, undefined, false, this.jump);
  }
  private isFar(seq: Seq): boolean {
    return this.backend.store.last - seq > 2 * this.jump;
  }

  private receive(client: Client, value: unknown): void {
    if (client.gone) return;
    let message: ClientMessage;
    try {
      message = parseClientMessage(value);
    } catch (error) {
      const text = error instanceof ProtocolError ? error.message : 'the message cannot be read';
      const id = commandIdOf(value);
      client.send(id === null ? { type: 'refused', error: text } : { type: 'result', id, ok: false, error: text });
      return;
    }
    if (message.type === 'hello') this.hello(client, message);
    else if (!client.greeted)
      client.send({ type: 'refused', error: 'say hello first: the first message must be of type "hello"' });
    else if (message.type === 'ack') this.ack(client, message.seq);
    else this.command(client, message);
  }

  private hello(client: Client, message: Extract<ClientMessage, { type: 'hello' }>): void {
    if (message.protocol !== PROTOCOL_VERSION) {
      const remedy = message.protocol < PROTOCOL_VERSION ? 'reload the page to get the newer one' : 'update the agent';
      client.send({
        type: 'refused',
        error: `this session speaks protocol ${PROTOCOL_VERSION}, the client ${message.protocol}: ${remedy}`,
      });
      return;
    }
    if (client.hellos >= this.hellos) {
      const error = `hello came ${client.hellos} times and nothing was acknowledged: acknowledge records, or connect anew`;
      client.send({ type: 'refused', error });
      return;
    }
    client.hellos++;
    client.page = message.page ?? '';
    if (!client.greeted) client.later = [...this.clients].some((other) => other.greeted && !samePage(other, client));
    client.greeted = true;
    this.companyChanged = true;
    // Only records of the same branch are surely the same: it may have gone back and another way in the meantime.
    const same = message.branch === undefined || message.branch === this.backend.runState().branch;
    this.welcome(client, message.session === this.backend.info.id ? message.resumeFrom : undefined, same);
    this.sendCompany();
  }

  /**
   * Greets, from `resumeFrom` on if that is possible, else from as far back as history goes. Only a client that holds
   * nothing may go without a snapshot, and only when all records are still there.
   */
  private welcome(client: Client, resumeFrom: Seq | undefined, mayResume = true, history = this.history): void {
    const { store, info } = this.backend;
    const resume = mayResume && resumeFrom !== undefined && resumeFrom >= store.first - 1 && resumeFrom <= store.last;
    const snapshot = resume ? null : store.checkpoint(history);
    const from = resume ? resumeFrom : (snapshot?.seq ?? 0);
    this.startStream(client, from, from);
    if (!resume) client.from = from;
    client.past = store.last;
    const run = this.backend.runState();
    client.announcedRun = JSON.stringify(run);
    client.send({
      type: 'welcome',
      protocol: PROTOCOL_VERSION,
      info: client.control ? info : { ...info, capabilities: onlyLooking(info.capabilities) },
      run,
      snapshot: snapshot && (snapshot.seq > 0 || resumeFrom !== undefined) ? snapshot : null,
    });
    this.sendRecords(client);
  }

  /**
   * Goes on with the records after `sent`. Records that are still under way to the client stay unpaid until it
   * acknowledges them.
   */
  private startStream(client: Client, sent: Seq, acked: Seq): void {
    client.owedBatches += client.ends.length;
    client.owedRecords += client.sent - client.acked;
    client.ends.length = 0;
    client.sent = sent;
    client.acked = acked;
  }

  private ack(client: Client, seq: Seq): void {
    // Ahead of what was sent or behind what was acknowledged: it is about the stream before a reset, or a mistake.
    if (seq > client.sent || seq <= client.acked) return;
    client.acked = seq;
    // Whoever has this has all that was sent before it, of earlier streams, too.
    client.owedBatches = 0;
    client.owedRecords = 0;
    client.hellos = 0;
    let n = 0;
    while (n < client.ends.length && (client.ends[n] as Seq) <= seq) n++;
    client.ends.splice(0, n);
    this.sendRecords(client);
  }

  private command(client: Client, message: Extract<ClientMessage, { type: 'command' }>): void {
    const { id, command } = message;
    const before = this.mover;
    let mover: Mover | null = null;
    const reply = (result: CommandResult) => {
      if (!result.ok && mover) this.unmoved(mover, before);
      this.answers.push({ client, message: { type: 'result', id, ...result } });
    };
    if (!client.control && !isLooking(command))
      reply({ ok: false, error: `${command.do} is not allowed: this connection may only watch` });
    else {
      if (isMoving(command)) {
        mover = { client, do: command.do, back: command.do === 'step' && command.back === true };
        this.mover = mover;
        this.companyChanged = true;
      }
      this.backend.execute(command, reply);
    }
    this.sendCompany();
    this.sendAnswers();
  }

  /** Called when a command was refused: it has not moved anything. */
  private unmoved(mover: Mover, before: Mover | null): void {
    if (this.mover !== mover) return;
    this.mover = before;
    this.companyChanged = true;
  }

  /** Sends each client who watches, if that has changed for it; a client that is not ready gets it later. */
  private sendCompany(): void {
    if (!this.companyChanged) return;
    this.companyChanged = false;
    const present = [...this.clients].filter((client) => client.greeted);
    const pages = new Set(present.map((client) => client.page || client)).size;
    const { mover } = this;
    const there = mover !== null && present.some((client) => samePage(client, mover.client));
    for (const client of present) {
      const company: Company = {
        pages,
        ...(client.later && pages > 1 && { later: true }),
        ...(mover &&
          there &&
          pages > 1 && {
            moved: {
              by: samePage(client, mover.client) ? 'this' : 'other',
              do: mover.do,
              ...(mover.back && { back: true }),
            },
          }),
      };
      const text = JSON.stringify(company);
      if (text === client.announcedCompany) continue;
      if (!client.ready()) {
        this.companyChanged = true;
        continue;
      }
      client.announcedCompany = text;
      client.send({ type: 'company', company });
    }
  }

  /** Sends the answers after what the commands led to: whoever has the answer stands where it says. */
  private sendAnswers(): void {
    for (const { client, message } of this.answers.splice(0)) if (!client.gone) client.send(message);
  }

  private hasCredit(client: Client): boolean {
    if (!client.ready()) return false;
    const batches = client.ends.length;
    // The first message of a stream is always sent: its acknowledgement is the only one that can pay for streams before
    // it.
    if (batches === 0) return true;
    return batches + client.owedBatches < this.creditBatches && this.unpaid(client) < this.creditOf(client);
  }

  private creditOf({ sent, past }: Client): number {
    return sent < past ? this.creditPast : this.creditRecords;
  }

  private unpaid(client: Client): number {
    return client.sent - client.acked + client.owedRecords;
  }

  private sendRecords(client: Client): void {
    const { store } = this.backend;
    while (!client.gone && client.sent < store.last && this.hasCredit(client)) {
      if (client.sent + 1 < store.first) {
        this.welcome(client, undefined);
        return;
      }
      const records = store.slice(
        client.sent + 1,
        Math.max(1, Math.min(this.batch, this.creditOf(client) - this.unpaid(client))),
      );
      client.sent += records.length;
      client.ends.push(client.sent);
      client.send({ type: 'records', records });
    }
  }

  private tellRun(client: Client, run: RunState): void {
    const text = JSON.stringify(run);
    if (text === client.announcedRun) return;
    client.announcedRun = text;
    client.send({ type: 'run', run });
  }
}
