/** Servers of the session and of the classroom whose limits are driven, and clients that drive them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectTCP, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { Command, CommandResult } from '@syncloop/core/debug';
import type { TraceRecord } from '@syncloop/core/trace';
import { onTestFinished } from 'vitest';
import { openClassroom } from '../../../classroom/classroom-host.js';
import { type Allowance, audienceAllowance, type LimitName, sessionAllowance } from '../../../server/limits.js';
import { serveSession } from '../../../server/session-host.js';
import { RawClient, upgrade } from '../../../testing/raw-socket.js';
import { TestSession } from '../../../testing/session.js';

/**
 * A classroom for tests: each number that depends on its size is small, and those per address differ from those in all.
 */
export const size = { seats: 6, seatsPerAddress: 4 };
export const A = '127.0.0.1';
export const B = '127.0.0.2';

/** A session whose commands are answered with as many letters as they ask for. */
class EchoSession extends TestSession {
  override execute(command: Command, reply: (result: CommandResult) => void): void {
    reply({ ok: true, ...(command.do === 'logs' && { value: 'x'.repeat(command.from ?? 0) }) });
  }
}

/** A client in the namespace that it asked for, or refused. */
export class Client {
  constructor(
    readonly raw: RawClient,
    readonly socket: Duplex,
    private readonly namespace: string,
    private readonly event: string,
  ) {}
  get status(): number {
    const answer = this.raw.packets.find((p) => p.startsWith('44'));
    return answer === undefined ? 200 : JSON.parse(answer.slice(answer.indexOf('{'))).data.status;
  }
  get said(): Record<string, unknown>[] {
    const head = `42${this.namespace}`;
    return this.raw.packets.flatMap((p) => (p.startsWith(head) ? [JSON.parse(p.slice(head.length))[1]] : []));
  }
  packet(message: unknown): string {
    return `42${this.namespace}${JSON.stringify([this.event, message])}`;
  }
  say(message: unknown): void {
    this.raw.text(this.packet(message));
  }
  /** Resolves with the first message to it that has this property. */
  async told(property: (message: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    await this.raw.until(() => this.said.some(property));
    return this.said.find(property) as Record<string, unknown>;
  }
  async answered(count: number): Promise<void> {
    await this.raw.until(() => this.said.length >= count);
  }
}

export interface Served {
  readonly port: number;
  readonly token: string;
  readonly most: Allowance;
  /** Limits that connections were ended for. */
  readonly ended: (LimitName | null)[];
  readonly backend: EchoSession;
  pass(millis: number): void;
  /** Resolves once a connection was ended for that limit. */
  untilEnded(limit: LimitName, times?: number): Promise<void>;
  /**
   * A plain connection; `ask` sends a request over it and resolves with the status, or with null if it was closed.
   */
  dial(from?: string): Promise<{ socket: Socket; closed: Promise<void>; ask(): Promise<number | null> }>;
  /** Opens a WebSocket that has sent nothing. */
  stranger(from?: string): Promise<{ raw: RawClient; socket: Duplex }>;
  /** A client that came with the token; `auth` adds to it. */
  client(options?: { from?: string; auth?: object; token?: string }): Promise<Client>;
  /** Opens a client that may present to the class; the session's server only. */
  presenter(): Promise<Client>;
}

export type DoorName = 'session' | 'audience';

/** Opens a server on a clock that stands still. `given`: numbers in place of the table's. */
export async function open(door: DoorName, given: Partial<Allowance> = {}, webRoot = '/nonexistent'): Promise<Served> {
  let now = 0;
  const ended: (LimitName | null)[] = [];
  let wake = () => {};
  const common = {
    host: A,
    port: 0,
    webRoot,
    remedy: '',
    now: () => now,
    onEnded: (limit: LimitName | null) => {
      ended.push(limit);
      wake();
    },
  };
  const backend = new EchoSession();
  const audience = await openClassroom({
    ...common,
    most: size.seats,
    perAddress: size.seatsPerAddress,
    ...(door === 'audience' && { allowance: given }),
  });
  onTestFinished(() => audience.close());
  const session = await serveSession(backend, {
    ...common,
    control: true,
    ...(door === 'session' && { allowance: given }),
    extend: (io, gate) => audience.present(io, gate),
  });
  onTestFinished(() => session.close());
  const { port, token } = door === 'session' ? session : audience;
  const stranger = async (from?: string, at = port) => {
    const socket = await upgrade(at, {}, undefined, from);
    if ('status' in socket) throw new Error(`refused: ${socket.status}`);
    const raw = new RawClient(socket);
    onTestFinished(() => raw.close());
    await raw.until(() => raw.packets.length > 0);
    return { raw, socket };
  };
  const enter = async (at: number, namespace: string, event: string, auth: object, from?: string) => {
    const { raw, socket } = await stranger(from, at);
    raw.text(`40${namespace}${JSON.stringify(auth)}`);
    await raw.until(() => raw.packets.some((p) => /^4[04]/.test(p)));
    return new Client(raw, socket, namespace, event);
  };
  return {
    port,
    token,
    backend,
    ended,
    most: door === 'session' ? { ...sessionAllowance, ...given } : { ...audienceAllowance(size), ...given },
    pass(millis) {
      now += millis;
    },
    async untilEnded(limit, times = 1) {
      while (ended.filter((e) => e === limit).length < times)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    },
    dial: (from = A) =>
      new Promise((resolve) => {
        const socket = connectTCP({ port, host: A, localAddress: from });
        socket.on('error', () => {});
        onTestFinished(() => void socket.destroy());
        const closed = new Promise<void>((done) => void socket.once('close', () => done()));
        let text = '';
        socket.on('data', (data) => {
          text += data.toString('latin1');
        });
        const ask = async () => {
          text = '';
          socket.write(`GET /none HTTP/1.1\r\nHost: ${A}:${port}\r\n\r\n`);
          const answer = new Promise<void>((done) => void socket.once('data', () => done()));
          await Promise.race([answer, closed]);
          return text === '' ? null : Number(text.split(' ')[1]);
        };
        socket.once('connect', () => resolve({ socket, closed, ask }));
      }),
    stranger,
    client: ({ from, auth = {}, token: given = token } = {}) =>
      door === 'session'
        ? enter(port, '', 'm', { token: given, ...auth }, from)
        : enter(port, '/class,', 'c', { token: given, ...auth }, from),
    presenter: () => enter(session.port, '/class,', 'c', { token: session.token }),
  };
}

export const never = Number.POSITIVE_INFINITY;
export const hello = { type: 'hello', protocol: 1 };
export const times = async <T>(count: number, make: (i: number) => Promise<T>): Promise<T[]> => {
  const made: T[] = [];
  for (let i = 0; i < count; i++) made.push(await make(i));
  return made;
};
export const file = (bytes: number): string => {
  const folder = mkdtempSync(join(tmpdir(), 'limits-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'index.html'), Buffer.alloc(bytes, 'x'));
  writeFileSync(join(folder, 'data.bin'), Buffer.alloc(bytes, 'x'));
  return folder;
};
export const view = (n: number) => ({
  type: 'view',
  view: { n, run: 1, step: n, seq: n, time: 0, running: false, speed: { mode: 'max' }, sight: {} },
});

/** Drives one limit of one server up to its number and beyond it. */
export type Drive = (door: DoorName) => Promise<void>;

/** A packet with an event that is refused with one message. */
export const unknownEvent = '42["nobody knows"]';
export const refusedEvent = (door: DoorName) => (door === 'session' ? unknownEvent : '42/class,["c"]');
export const lastSeq = (m: Record<string, unknown>) => (m.records as TraceRecord[] | undefined)?.at(-1)?.seq;
