/** All connections between a kubelet and its runtime, as calls, returns and container events. */
import { concatBytes } from '@syncloop/core/base';
import { GrpcCode } from '@syncloop/core/cri';
import type { Json } from '@syncloop/core/trace';
import type { CallEvidence, Evidence, EvidencePlace, ReturnEvidence } from '../evidence/index.js';
import { Connection, type ConnectionEvent, type Direction } from './connection.js';
import { LARGEST_MESSAGE, Room } from './messages.js';
import { field, list, Subjects, text } from './subjects.js';

/** Stands for the method of a call whose path was not seen. */
export const UNKNOWN_METHOD = '(unknown)';

export interface ConversationOptions {
  /** `readMessage` of `@syncloop/core/cri/wire`, which is large: it is loaded only if there are such bytes. */
  readonly readMessage: (path: string | null, side: 'request' | 'response', bytes: Uint8Array) => Json;
  /**
   * The bytes of a compressed message, or null if the encoding is not known, or the result would be longer than
   * `most`. Without it such messages are gaps.
   */
  readonly inflate?: (encoding: string, bytes: Uint8Array, most: number) => Uint8Array | null;
  /** The number before that of the first call, by default 0: set if others of the same source were numbered before. */
  readonly firstCall?: number;
}

/** A call that has begun. */
interface Call {
  readonly number: number;
  readonly path: string | null;
  readonly method: string;
  readonly since: number;
  /** True if the evidence of the call has been returned. */
  reported: boolean;
  request: Json;
  subject: CallEvidence['subject'];
  /** Messages of the answer; several follow one another in a stream. */
  readonly answers: Uint8Array[];
  size: number;
  /** True if there was an answer whose bytes are lost. */
  lost: boolean;
}

/** Answers of all streams under way, and messages under way, together. */
const MOST_HELD = 64 * 1024 * 1024;
/** Connections at once: a kubelet has two. Those beyond are not followed. */
const MOST_CONNECTIONS = 256;

/**
 * Decodes a conversation. Times are microseconds, as the evidence will have them. It never throws; the same bytes in
 * the same pieces give the same evidence.
 */
export class Conversation {
  private readonly connections = new Map<
    number,
    { readonly connection: Connection; readonly calls: Map<number, Call> }
  >();
  private readonly room = new Room(MOST_HELD);
  readonly subjects = new Subjects();
  private calls: number;
  private place: EvidencePlace = {};
  private now: number | null = null;

  constructor(
    private readonly source: string,
    private readonly options: ConversationOptions,
  ) {
    this.calls = options.firstCall ?? 0;
  }

  /** Bytes of messages that are under way, of all connections. */
  get held(): number {
    return this.room.held;
  }

  /** A connection begins; its next bytes are its first. One of that number that is still open has ended. */
  open(conn: number, at: number, place: EvidencePlace = {}): Evidence[] {
    const out = this.close(conn, at, place);
    return [...out, ...this.follow(conn, true)];
  }

  /** Bytes of a connection. One that was not opened is seen from its middle. */
  bytes(conn: number, dir: Direction, bytes: Uint8Array, at: number, place: EvidencePlace = {}): Evidence[] {
    this.moment(at, place);
    const out: Evidence[] = [];
    if (!this.connections.has(conn)) {
      out.push(...this.follow(conn, false));
      if (this.connections.has(conn))
        out.push(this.gap('A connection is seen from its middle: methods and headers of its first calls are unknown.'));
    }
    const one = this.connections.get(conn);
    if (one) for (const event of one.connection.push(dir, bytes, at)) out.push(...this.event(one.calls, event));
    return out;
  }

  /** Bytes of a connection were not kept. */
  lost(conn: number, dir: Direction, bytes: number, at: number, place: EvidencePlace = {}): Evidence[] {
    this.moment(at, place);
    const why = 'Bytes of the socket were not kept, the decoder was too slow';
    const one = this.connections.get(conn);
    if (!one) return [this.gap(`${why}.`, bytes)];
    return one.connection.lose(dir, bytes, why).flatMap((event) => this.event(one.calls, event));
  }

  close(conn: number, at: number, place: EvidencePlace = {}): Evidence[] {
    this.moment(at, place);
    const one = this.connections.get(conn);
    this.connections.delete(conn);
    return one ? one.connection.end(at).flatMap((event) => this.event(one.calls, event)) : [];
  }

  /** Something of the source is missing that belongs to no connection. */
  missing(why: string, bytes: number | undefined, at: number | null, place: EvidencePlace): Evidence {
    this.now = at;
    this.place = place;
    return this.gap(why, bytes);
  }

  private moment(at: number, place: EvidencePlace): void {
    this.now = at;
    this.place = place;
  }

  private gap(why: string, bytes?: number): Evidence {
    return { ...this.head(), kind: 'gap', why, ...(bytes !== undefined && { bytes }) };
  }

  private head() {
    return { source: this.source, at: this.now, place: this.place };
  }

  private follow(conn: number, whole: boolean): Evidence[] {
    if (this.connections.size >= MOST_CONNECTIONS)
      return [this.gap(`More than ${MOST_CONNECTIONS} connections at once: connection ${conn} is not followed.`)];
    this.connections.set(conn, { connection: new Connection(whole, this.room), calls: new Map() });
    return [];
  }

  private event(calls: Map<number, Call>, event: ConnectionEvent): Evidence[] {
    if (event.kind === 'gap') return [this.gap(event.why, event.bytes)];
    if (event.kind === 'begin') {
      calls.set(event.stream, this.begin(event.path));
      return [];
    }
    const call = calls.get(event.stream);
    if (!call) return [];
    if (event.kind === 'message') {
      const { bytes, problem } = this.plain(event.bytes, event.encoding);
      const out = problem === null ? [] : [this.gap(problem, event.bytes?.length)];
      if (event.dir === 'c') return [...out, ...this.request(call, bytes)];
      return [...out, ...this.tell(call), ...this.answer(call, bytes)];
    }
    calls.delete(event.stream);
    return [...this.tell(call), ...this.end(call, event.status)];
  }

  private begin(path: string | null): Call {
    return {
      number: ++this.calls,
      path,
      method: path === null ? UNKNOWN_METHOD : path.slice(path.lastIndexOf('/') + 1, path.lastIndexOf('/') + 101),
      since: this.now ?? 0,
      reported: false,
      request: null,
      subject: {},
      answers: [],
      size: 0,
      lost: false,
    };
  }

  private plain(bytes: Uint8Array | null, encoding: string): { bytes: Uint8Array | null; problem: string | null } {
    if (bytes === null || encoding === '' || encoding === 'identity') return { bytes, problem: null };
    let plain: Uint8Array | null = null;
    try {
      plain = this.options.inflate?.(encoding, bytes, LARGEST_MESSAGE) ?? null;
    } catch {
      // The value is not in the encoding that it claims.
    }
    const problem = plain ? null : `A message is compressed (${encoding.slice(0, 40)}) and cannot be read here.`;
    return { bytes: plain, problem };
  }

  private request(call: Call, bytes: Uint8Array | null): Evidence[] {
    if (call.reported) return [];
    const { json, out } = this.read(call, 'request', bytes);
    call.request = json;
    return [...out, ...this.tell(call)];
  }

  /** The evidence of the call itself, once. */
  private tell(call: Call): Evidence[] {
    if (call.reported) return [];
    call.reported = true;
    call.subject = this.subjects.ofCall(call.request);
    const { number, method, request, subject } = call;
    return [{ ...this.head(), kind: 'call', call: number, method, request, ...(subject && { subject }) }];
  }

  private answer(call: Call, bytes: Uint8Array | null): Evidence[] {
    if (call.method === 'GetContainerEvents') {
      const { json, out } = this.read(call, 'response', bytes);
      if (json === null) return out;
      const sandbox = field(json, 'podSandboxStatus');
      this.subjects.learnSandbox(sandbox);
      for (const one of list(json, 'containersStatuses')) this.subjects.learnContainer(one, text(sandbox, 'id'));
      return [...out, { ...this.head(), kind: 'container-event', event: json }];
    }
    if (bytes === null || call.size + bytes.length > LARGEST_MESSAGE || !this.room.take(bytes.length)) {
      const out = bytes === null ? [] : [this.gap(`The answer of ${call.method} is too long to keep.`, bytes.length)];
      call.lost = true;
      return out;
    }
    call.size += bytes.length;
    call.answers.push(bytes);
    return [];
  }

  private end(call: Call, status: { code: number; details: string } | null): Evidence[] {
    const { number, method, request, since } = call;
    this.room.give(call.size);
    const head = { ...this.head(), kind: 'return', call: number, method } as const;
    const took = this.now === null ? null : Math.max(0, this.now - since);
    const failed = status !== null && status.code !== GrpcCode.OK;
    // Without a status: only a call that went well has an answer.
    if (failed || (status === null && call.answers.length === 0 && !call.lost)) {
      const error = status ?? { code: GrpcCode.Unknown, details: 'its status refers to headers that were not seen' };
      return [{ ...head, error, took, ...(call.subject && { subject: call.subject }) }];
    }
    if (call.lost || method === 'GetContainerEvents' || call.answers.length === 0) {
      const subject = this.subjects.ofReturn(method, request, null, call.subject ?? {});
      return [{ ...head, ...(method === 'GetContainerEvents' && { response: null }), took, subject }];
    }
    // The chunks of a stream follow one another: protobuf reads them as one message, lists and all.
    const bytes = call.answers.length === 1 ? (call.answers[0] as Uint8Array) : concatBytes(call.answers);
    const { json, out } = this.read(call, 'response', bytes);
    const subject = this.subjects.ofReturn(method, request, json, call.subject ?? {});
    const evidence: ReturnEvidence = { ...head, ...(json !== null && { response: json }), took, subject };
    return [...out, evidence];
  }

  private read(call: Call, side: 'request' | 'response', bytes: Uint8Array | null): { json: Json; out: Evidence[] } {
    if (bytes === null) return { json: null, out: [] };
    try {
      return { json: this.options.readMessage(call.path, side, bytes), out: [] };
    } catch (err) {
      const why = `The ${side} of ${call.method} cannot be decoded: ${(err as Error).message.slice(0, 200)}.`;
      return { json: null, out: [this.gap(why, bytes.length)] };
    }
  }
}
