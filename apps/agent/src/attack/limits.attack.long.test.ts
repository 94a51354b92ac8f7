/** Goes through the table of limits: each is driven on a real server, up to its number and beyond it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectTCP, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import {
  type BackendChange,
  type Command,
  type CommandResult,
  RecordStore,
  type SessionBackend,
} from '@syncloop/core/debug';
import type { TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openClassroom } from '../classroom/classroom-host.js';
import { type Allowance, audienceAllowance, type LimitName, limits, sessionAllowance } from '../server/limits.js';
import { serveSession } from '../server/session-host.js';
import { frameOf, get, RawClient, upgrade } from '../testing/raw-socket.js';

/** A class for tests: each number that depends on its size is small, and those per address differ from those in all. */
const size = { seats: 6, seatsPerAddress: 4 };
const A = '127.0.0.1';
const B = '127.0.0.2';

/** A session whose commands are answered with as many letters as they ask for. */
class Echo implements SessionBackend {
  readonly store = new RecordStore({ capacity: 20_000, chunk: 5_000 });
  private readonly listeners = new Set<(change: BackendChange) => void>();
  readonly info = {
    id: 's1',
    title: '',
    capabilities: { control: true, speed: false, apply: false, intervene: false, choose: false, scenarios: false },
    scenario: '',
    seed: 0,
    runtime: '',
    node: '',
    epochMillis: 0,
    virtual: false,
  };
  runState() {
    const speed = { mode: 'max' } as const;
    const none = { time: 0, steps: 0, iterations: 0, choice: null, next: '', stopped: '' };
    return { running: true, seq: this.store.last, speed, ...none };
  }
  execute(command: Command, reply: (result: CommandResult) => void): void {
    reply({ ok: true, ...(command.do === 'logs' && { value: 'x'.repeat(command.from ?? 0) }) });
  }
  listen(listener: (change: BackendChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
  make(count: number, bytes: number): void {
    const args = ['y'.repeat(bytes)];
    for (let i = 0; i < count; i++) {
      const seq = this.store.last + 1;
      this.store.push({ seq, time: seq, g: 0, span: 0, cause: 0, kind: 'input', verb: 'x', args } as TraceRecord);
    }
    for (const listener of this.listeners) listener('records');
  }
}

/** One client in the namespace that it asked for, or refused. */
class Client {
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
  /** What it was told, once that is something with this property. */
  async told(property: (message: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    await this.raw.until(() => this.said.some(property));
    return this.said.find(property) as Record<string, unknown>;
  }
  async answered(count: number): Promise<void> {
    await this.raw.until(() => this.said.length >= count);
  }
}

interface Served {
  readonly port: number;
  readonly token: string;
  readonly most: Allowance;
  /** Limits that connections were ended for. */
  readonly ended: (LimitName | null)[];
  readonly backend: Echo;
  pass(millis: number): void;
  /** Resolves once a connection was ended for that limit. */
  untilEnded(limit: LimitName, times?: number): Promise<void>;
  /** A plain connection; `ask` sends a request over it and resolves with the status, or with null where it was closed. */
  dial(from?: string): Promise<{ socket: Socket; closed: Promise<void>; ask(): Promise<number | null> }>;
  /** A WebSocket that has said nothing. */
  stranger(from?: string): Promise<{ raw: RawClient; socket: Duplex }>;
  /** A client that came with the token; `auth` adds to it. */
  client(options?: { from?: string; auth?: object; token?: string }): Promise<Client>;
  /** One that may present to the class; the session's server only. */
  presenter(): Promise<Client>;
}

type DoorName = 'session' | 'audience';

/** Opens a server on a clock that stands still. `given`: numbers that are not those of the table. */
async function open(door: DoorName, given: Partial<Allowance> = {}, webRoot = '/nonexistent'): Promise<Served> {
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
  const backend = new Echo();
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

const never = Number.POSITIVE_INFINITY;
const hello = { type: 'hello', protocol: 1 };
const times = async <T>(count: number, make: (i: number) => Promise<T>): Promise<T[]> => {
  const made: T[] = [];
  for (let i = 0; i < count; i++) made.push(await make(i));
  return made;
};
const file = (bytes: number): string => {
  const folder = mkdtempSync(join(tmpdir(), 'limits-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'index.html'), Buffer.alloc(bytes, 'x'));
  writeFileSync(join(folder, 'data.bin'), Buffer.alloc(bytes, 'x'));
  return folder;
};
const view = (n: number) => ({
  type: 'view',
  view: { n, run: 1, step: n, seq: n, time: 0, running: false, speed: { mode: 'max' }, sight: {} },
});

type Drive = (door: DoorName) => Promise<void>;

const pong = '42["nobody knows"]';

const drives: Readonly<Record<LimitName, Drive>> = {
  connections: async (door) => {
    const served = await open(door, { connectionsPerAddress: never });
    const dialled = await times(served.most.connections, (i) => served.dial(i % 2 && door === 'audience' ? B : A));
    expect(await dialled.at(-1)?.ask()).toBe(503);
    expect(await dialled[0]?.ask()).toBe(503);
    expect(served.ended).toEqual([]);
    const next = await served.dial();
    await dialled[0]?.closed;
    expect(await next.ask()).toBe(503);
    expect(served.ended).toEqual(['connections']);
    // Who has a token is not in the way, and stays.
    const client = await served.client();
    await times(served.most.connections + 1, () => served.dial());
    client.say(hello);
    await client.answered(1);
  },
  connectionsPerAddress: async (door) => {
    const served = await open(door);
    const other = await served.dial(B);
    const dialled = await times(served.most.connectionsPerAddress, () => served.dial());
    expect(await dialled.at(-1)?.ask()).toBe(503);
    expect(await dialled[0]?.ask()).toBe(503);
    const next = await served.dial();
    await dialled[0]?.closed;
    expect(await next.ask()).toBe(503);
    expect(await other.ask()).toBe(503);
    expect(served.ended).toEqual(['connectionsPerAddress']);
  },
  connects: async (door) => {
    const served = await open(door);
    for (let i = 1; i < served.most.connects; i++) (await served.dial()).socket.destroy();
    const last = await served.dial();
    expect(await last.ask()).toBe(503);
    expect(await (await served.dial()).ask()).toBeNull();
    expect(served.ended).toEqual(['connects']);
    if (door === 'audience') expect(await (await served.dial(B)).ask()).toBe(503);
    served.pass(10_000);
    expect(await (await served.dial()).ask()).toBe(503);
  },
  requests: async (door) => {
    const served = await open(door);
    const { socket, closed } = await served.dial();
    let text = '';
    socket.on('data', (data) => {
      text += data.toString('latin1');
    });
    const request = `GET /none HTTP/1.1\r\nHost: ${A}:${served.port}\r\n\r\n`;
    socket.write(request.repeat(served.most.requests + 1));
    await closed;
    const statuses = [...text.matchAll(/HTTP\/1.1 (\d+)/g)].map((m) => m[1]);
    expect(statuses.filter((s) => s === '503')).toHaveLength(served.most.requests);
    expect(statuses.at(-1)).toBe('429');
    expect(await upgrade(served.port)).toMatchObject({ status: 429 });
    served.pass(10_000);
    expect(await (await served.dial()).ask()).toBe(503);
  },
  headMillis: async (door) => {
    const served = await open(door, { headMillis: 300 });
    const slow = await served.dial();
    slow.socket.write('GET / HTTP/1.1\r\nHost:');
    await slow.closed;
    expect(await (await served.dial()).ask()).toBe(503);
  },
  idleMillis: async (door) => {
    const bytes = 16 * 1024 * 1024;
    const served = await open(door, { idleMillis: 400 }, file(bytes));
    const { socket, closed } = await served.dial();
    let got = 0;
    socket.on('data', (data) => {
      got += data.length;
    });
    socket.pause();
    socket.write(`GET /data.bin HTTP/1.1\r\nHost: ${A}:${served.port}\r\n\r\n`);
    await served.untilEnded('idleMillis');
    socket.resume();
    await closed;
    expect(got).toBeLessThan(bytes);
    expect((await get(served.port, '/data.bin')).body).toHaveLength(bytes);
  },
  strangers: async (door) => {
    const served = await open(door, { strangersPerAddress: never });
    const client = await served.client();
    const all = await times(served.most.strangers, (i) => served.stranger(i % 2 && door === 'audience' ? B : A));
    expect(served.ended).toEqual([]);
    await served.stranger();
    await all[0]?.raw.gone;
    expect(served.ended).toEqual(['strangers']);
    expect(all.slice(1).some(({ raw }) => raw.closed)).toBe(false);
    client.say(hello);
    await client.answered(1);
  },
  strangersPerAddress: async (door) => {
    const served = await open(door);
    const other = await served.stranger(B);
    const all = await times(served.most.strangersPerAddress, () => served.stranger());
    expect(served.ended).toEqual([]);
    await served.stranger();
    await all[0]?.raw.gone;
    expect(served.ended).toEqual(['strangersPerAddress']);
    expect(other.raw.closed).toBe(false);
  },
  strangerMillis: async (door) => {
    const served = await open(door, { strangerMillis: 300 });
    const client = await served.client();
    const { raw } = await served.stranger();
    await raw.gone;
    expect(served.ended).toEqual(['strangerMillis']);
    client.say(hello);
    await client.answered(1);
  },
  strangerPackets: async (door) => {
    const served = await open(door);
    const slow = await served.stranger();
    for (let i = 1; i < served.most.strangerPackets; i++) slow.raw.text('3');
    slow.raw.text(`40${door === 'session' ? '' : '/class,'}${JSON.stringify({ token: served.token })}`);
    await slow.raw.until(() => slow.raw.packets.some((p) => p.startsWith('40')));
    // Pings of WebSocket's own kind are packets, too.
    for (const frame of [frameOf(Buffer.from('3')), frameOf(Buffer.alloc(100), 9)]) {
      const { raw } = await served.stranger();
      for (let i = 0; i <= served.most.strangerPackets; i++) raw.write(frame);
      await raw.gone;
    }
    expect(served.ended).toEqual(['strangerPackets', 'strangerPackets']);
  },
  strangerBytes: async (door) => {
    const served = await open(door);
    const come = async (bytes: number) => {
      const { raw } = await served.stranger();
      const text = `40${door === 'session' ? '' : '/class,'}${JSON.stringify({ token: served.token })}`;
      raw.text(text.padEnd(bytes - 8, ' '));
      await Promise.race([raw.gone, raw.until(() => raw.packets.some((p) => p.startsWith('40')))]).catch(() => {});
      return raw.closed;
    };
    expect(await come(served.most.strangerBytes)).toBe(false);
    expect(await come(served.most.strangerBytes + 1)).toBe(true);
    expect(served.ended).toEqual(['strangerBytes']);
  },
  strangerWaiting: async (door) => {
    // As long as the refusal that it gets.
    const wrong = await (await open(door)).client({ token: 'wrong' });
    const bytes = (wrong.raw.packets.find((p) => p.startsWith('44')) as string).length - 1;
    expect((await (await open(door, { strangerWaiting: bytes })).client({ token: 'wrong' })).status).toBe(401);
    const served = await open(door, { strangerWaiting: bytes - 1 });
    await expect(served.client({ token: 'wrong' })).rejects.toThrow('closed');
    expect(served.ended).toEqual(['strangerWaiting']);
    expect(sessionAllowance.strangerWaiting).toBeGreaterThan(100 * bytes);
  },
  wrongTokensPerMinute: async (door) => {
    const served = await open(door);
    const wrong = await times(served.most.wrongTokensPerMinute + 1, () => served.client({ token: 'wrong' }));
    expect(wrong.map((c) => c.status)).toEqual([...wrong.slice(1).map(() => 401), 429]);
    expect((await served.client()).status).toBe(200);
    served.pass(60_000);
    expect((await served.client({ token: 'wrong' })).status).toBe(401);
  },

  packetBytes: async (door) => {
    const served = await open(door);
    const client = await served.client();
    const before = client.said.length;
    client.raw.text(ownEvent(door).padEnd(served.most.packetBytes, ' '));
    await client.answered(before + 1);
    client.raw.text(ownEvent(door).padEnd(served.most.packetBytes + 1, ' '));
    await client.raw.gone;
    expect(served.ended).toEqual(['packetBytes']);
  },
  packetFragments: async (door) => {
    const served = await open(door);
    const client = await served.client();
    const send = (fragments: number) => {
      const text = Buffer.from(ownEvent(door).padEnd(fragments, ' '));
      const frames = Array.from({ length: fragments }, (_, i) =>
        frameOf(text.subarray(i, i === fragments - 1 ? undefined : i + 1), i === 0 ? 1 : 0, i === fragments - 1),
      );
      client.raw.write(Buffer.concat(frames));
    };
    const before = client.said.length;
    send(served.most.packetFragments);
    await client.answered(before + 1);
    send(served.most.packetFragments + 1);
    await client.raw.gone;
    expect(served.ended).toEqual(['packetFragments']);
  },
  packetChunks: async (door) => {
    const served = await open(door, { packetFragments: never });
    const client = await served.client();
    const bytes = served.most.packetBytes - 100;
    const frame = frameOf(Buffer.from(ownEvent(door).padEnd(bytes, ' ')));
    const before = client.said.length;
    const drip = async (pieces: number) => {
      client.raw.write(frame.subarray(0, 8));
      for (let i = 0; i < pieces && !client.raw.closed; i++) {
        client.raw.write(frame.subarray(8 + i, 9 + i));
        await new Promise(setImmediate);
        await new Promise(setImmediate);
      }
    };
    const few = served.most.packetChunks / 2;
    await drip(few);
    client.raw.write(frame.subarray(8 + few));
    await client.answered(before + 1);
    // Some arrive together.
    await drip(bytes - 10);
    await client.raw.gone;
    expect(served.ended).toEqual(['packetChunks']);
  },
  packetsPerSecond: async (door) => {
    const served = await open(door);
    const client = await served.client();
    const before = client.said.length;
    // It asked for its namespace, and asks something at the end.
    client.raw.write(Buffer.concat(Array.from({ length: served.most.packetsPerSecond - 2 }, () => frameOf(three))));
    client.raw.text(ownEvent(door));
    await client.answered(before + 1);
    expect(served.ended).toEqual([]);
    client.raw.text('3');
    await client.raw.gone;
    expect(served.ended).toEqual(['packetsPerSecond']);
  },
  bytesIn: async (door) => {
    const served = await open(door, { refusalsPerMinute: never });
    const client = await served.client();
    await send(served, door, client, served.most.bytesIn - loginBytes(served, door));
    expect(served.ended).toEqual([]);
    client.raw.text('3');
    await client.raw.gone;
    expect(served.ended).toEqual(['bytesIn']);
  },
  bytesInPerAddress: async (door) => {
    await bytesInOf(door, 'bytesInPerAddress', [A]);
  },
  bytesInAll: async (door) => {
    await bytesInOf(door, 'bytesInAll', door === 'session' ? [A] : [A, B]);
  },

  waiting: async (door) => {
    if (door === 'audience') {
      // A follower is sent so little that the number of the table is not to be reached.
      const served = await open(door, { waiting: 100 });
      await expect((await served.client()).answered(1)).rejects.toThrow('closed');
      expect(served.ended).toEqual(['waiting']);
      return;
    }
    const served = await open(door);
    const client = await served.client();
    client.say(hello);
    await client.answered(1);
    const reply = (from: number) => ({ type: 'command', id: 1, command: { do: 'logs', container: 'c', from } });
    // With the frame's head, and engine.io's letter.
    const overhead = 10 + '42["m",{"type":"result","id":1,"ok":true,"value":""}]'.length;
    client.say(reply(served.most.waiting - overhead));
    await client.raw.until(() => client.raw.packets.length >= 4);
    expect(served.ended).toEqual([]);
    client.say(reply(served.most.waiting - overhead + 1));
    await client.raw.gone;
    expect(served.ended).toEqual(['waiting']);
  },
  waitingAll: async (door) => {
    if (door === 'audience') {
      const served = await open(door, { waitingAll: 100 });
      await expect((await served.client()).answered(1)).rejects.toThrow('closed');
      expect(served.ended).toEqual(['waitingAll']);
      return;
    }
    const served = await open(door);
    const clients = await times(5, () => served.client());
    for (const client of clients) {
      client.say(hello);
      await client.answered(1);
      client.raw.stopReading();
    }
    const ask = (client: Client | undefined, from: number) =>
      client?.say({ type: 'command', id: 1, command: { do: 'logs', container: 'c', from } });
    const MiB = 1024 * 1024;
    expect(served.most.waitingAll).toBe(64 * MiB);
    for (const [i, mib] of [14, 15, 14, 14].entries()) ask(clients[i], mib * MiB);
    const quick = await served.client();
    quick.say(hello);
    await quick.answered(1);
    expect(served.ended).toEqual([]);
    ask(clients[4], 10 * MiB);
    await served.untilEnded('waitingAll');
    // Not who came last, but for whom most waited.
    clients[1]?.raw.startReading();
    await clients[1]?.raw.gone;
    clients[4]?.raw.startReading();
    await clients[4]?.raw.until(() => (clients[4]?.raw.packets.length ?? 0) >= 4);
    expect(served.ended).toEqual(['waitingAll']);
  },
  waitingRecords: async (door) => {
    // Forty megabytes of records for one who does not read for a while: they wait where they are held already.
    const served = await open(door, { waiting: 8 * 1024 * 1024 });
    const client = await served.client();
    client.say(hello);
    await client.answered(1);
    client.raw.stopReading();
    served.backend.make(4_000, 10_000);
    const quick = await served.client();
    quick.say({ ...hello, session: 's1', resumeFrom: 4_000 });
    await quick.answered(1);
    expect(served.ended).toEqual([]);
    client.raw.startReading();
    await client.raw.until(() => client.raw.messages.some((m) => lastSeq(m) === 4_000));
    expect(served.ended).toEqual([]);
  },
  bytesOut: async (door) => {
    if (door === 'session') await recordsUpTo({ bytesOut: 1_000_000 });
    else await viewsUpTo({ bytesOut: 2_000 });
  },
  bytesOutPerAddress: async (door) => {
    await filesUpTo(door, 'bytesOutPerAddress');
    await viewsUpTo({ bytesOutPerAddress: 4_000 });
  },
  bytesOutAll: async (door) => {
    await filesUpTo(door, 'bytesOutAll');
    if (door === 'session') await recordsUpTo({ bytesOutAll: 1_000_000 });
    else await viewsUpTo({ bytesOutAll: 4_000 });
  },

  clients: async (door) => {
    const served = await open(door);
    // All at the same moment: each is counted before the next one is looked at.
    const all = await Promise.all(Array.from({ length: served.most.clients + 1 }, () => served.client()));
    expect(all.filter((c) => c.status === 503)).toHaveLength(1);
    all.find((c) => c.status === 200)?.raw.close();
    let status = 503;
    while (status === 503) status = (await served.client()).status;
    expect(status).toBe(200);
  },
  commandsPerSecond: async (door) => {
    const served = await open(door);
    const client = await served.client();
    client.say(hello);
    const ask = (id: number) => client.say({ type: 'command', id, command: { do: 'manifests' } });
    for (let id = 1; id <= served.most.commandsPerSecond; id++) ask(id);
    await client.told((m) => m.type === 'refused' && String(m.error).includes('slow down'));
    expect(client.said.filter((m) => m.type === 'result')).toHaveLength(served.most.commandsPerSecond - 1);
    served.pass(1_000);
    ask(1_000);
    await client.told((m) => m.id === 1_000);
  },
  hellosPerMinute: async (door) => {
    const served = await open(door, { hellosUnacknowledged: never });
    const client = await served.client();
    for (let i = 0; i <= served.most.hellosPerMinute; i++) client.say(hello);
    await client.told((m) => m.type === 'refused');
    expect(client.said.filter((m) => m.type === 'welcome')).toHaveLength(served.most.hellosPerMinute);
    served.pass(60_000);
    client.say(hello);
    await client.raw.until(() => client.said.at(-1)?.type === 'welcome');
  },
  hellosAll: async (door) => {
    const served = await open(door, { hellosUnacknowledged: never });
    const each = served.most.hellosPerMinute;
    await times(served.most.hellosAll / each, async () => {
      const client = await served.client();
      for (let i = 0; i < each; i++) client.say(hello);
      await client.answered(each);
      client.raw.close();
    });
    const next = await served.client();
    next.say(hello);
    await next.raw.gone;
    expect(served.ended).toEqual(['hellosAll']);
    served.pass(10_000);
    const later = await served.client();
    later.say(hello);
    await later.told((m) => m.type === 'welcome');
  },
  hellosUnacknowledged: async (door) => {
    const served = await open(door);
    served.backend.make(10, 1);
    const client = await served.client();
    for (let i = 0; i <= served.most.hellosUnacknowledged; i++) client.say(hello);
    await client.told((m) => m.type === 'refused' && /acknowledge/.test(String(m.error)));
    expect(client.said.filter((m) => m.type === 'welcome')).toHaveLength(served.most.hellosUnacknowledged);
    client.say({ type: 'ack', seq: 10 });
    client.say(hello);
    await client.raw.until(() => client.said.filter((m) => m.type === 'welcome').length > 16);
  },
  refusalsPerMinute: async (door) => {
    const served = await open(door);
    const client = await served.client();
    for (let i = 0; i < served.most.refusalsPerMinute; i++) client.raw.text(pong);
    await client.answered(served.most.refusalsPerMinute);
    expect(served.ended).toEqual([]);
    client.raw.text(pong);
    await client.raw.gone;
    expect(served.ended).toEqual(['refusalsPerMinute']);
  },

  presenters: async (door) => {
    const served = await open(door);
    const all = await Promise.all(Array.from({ length: served.most.presenters + 1 }, () => served.presenter()));
    expect(all.filter((c) => c.status === 503)).toHaveLength(1);
  },
  presenterMessagesPerSecond: async (door) => {
    const served = await open(door);
    const presenter = await served.presenter();
    for (let i = 0; i <= served.most.presenterMessagesPerSecond; i++) presenter.say({ type: 'present' });
    const refused = await presenter.told((m) => m.type === 'refused');
    expect(refused.error).toContain('slow down');
    expect(presenter.said.filter((m) => m.type === 'refused')).toHaveLength(1);
    served.pass(1_000);
    presenter.say({ type: 'nothing' });
    await presenter.told((m) => String(m.error).includes('message.type'));
  },
  seats: async (door) => {
    const served = await open(door);
    const far = await times(served.most.seats - served.most.seatsPerAddress, () => served.client({ from: B }));
    const near = await times(served.most.seatsPerAddress, () => served.client());
    expect([...far, ...near].map((c) => c.status)).toEqual([...far, ...near].map(() => 200));
    expect((await served.client({ from: B })).status).toBe(503);
  },
  seatsPerAddress: async (door) => {
    const served = await open(door);
    const near = await times(served.most.seatsPerAddress, () => served.client());
    expect(near.map((c) => c.status)).toEqual(near.map(() => 200));
    expect((await served.client()).status).toBe(503);
    expect((await served.client({ from: B })).status).toBe(200);
  },
  pagesPerFollower: async (door) => {
    const served = await open(door, { seatsPerAddress: never });
    const one = await served.client();
    const { id } = await one.told((m) => m.type === 'joined');
    const more = await times(served.most.pagesPerFollower - 1, () => served.client({ auth: { id } }));
    expect(more.map((c) => c.status)).toEqual(more.map(() => 200));
    expect((await served.client({ auth: { id } })).status).toBe(503);
  },
  newFollowersPerMinute: async (door) => {
    const served = await open(door, { seats: never, seatsPerAddress: never });
    const all = await times(served.most.newFollowersPerMinute, () => served.client());
    expect(all.map((c) => c.status)).toEqual(all.map(() => 200));
    expect((await served.client()).status).toBe(503);
    expect((await served.client({ from: B })).status).toBe(200);
    const { id } = (await all[0]?.told((m) => m.type === 'joined')) ?? {};
    expect((await served.client({ auth: { id } })).status).toBe(200);
    served.pass(60_000);
    expect((await served.client()).status).toBe(200);
  },
  votesPerAddress: async (door) => {
    const served = await open(door, { votesPerAddress: 2, seatsPerAddress: never });
    const presenter = await served.presenter();
    presenter.say({ type: 'present' });
    presenter.say({ type: 'poll', poll: { question: { en: '?' }, options: [{ en: 'a' }, { en: 'b' }] } });
    const vote = async (option: number, from = A) => {
      const client = await served.client({ from });
      await client.told((m) => m.type === 'joined' || m.type === 'state');
      await client.raw.until(() => client.said.some((m) => m.poll));
      client.say({ type: 'answer', poll: 1, option });
      return [client, await client.told((m) => m.type === 'answered' || m.type === 'refused')] as const;
    };
    const [gone] = await vote(0);
    await vote(0);
    const [, refused] = await vote(1);
    expect(refused).toMatchObject({ type: 'refused', error: expect.stringContaining('your address') });
    expect((await vote(1, B))[1]).toMatchObject({ type: 'answered' });
    gone.raw.close();
    await presenter.told((m) => m.type === 'room' && m.followers === 3);
    expect((await vote(1))[1]).toMatchObject({ type: 'answered' });
    presenter.say({ type: 'phase', phase: 'revealed' });
    const shown = await presenter.told((m) => (m.poll as { phase?: string } | undefined)?.phase === 'revealed');
    expect(shown.poll).toMatchObject({ counts: [1, 2] });
    expect(audienceAllowance(size).votesPerAddress).toBe(size.seatsPerAddress);
  },
  followerMessages: async (door) => {
    const served = await open(door);
    const client = await served.client();
    for (let i = 0; i <= served.most.followerMessages; i++) client.say({ type: 'answer', poll: 1, option: 0 });
    await client.told((m) => String(m.error).includes('too many messages'));
    expect(client.said.filter((m) => m.error === 'that question is over')).toHaveLength(served.most.followerMessages);
  },
  followerRefusals: async (door) => {
    const served = await open(door);
    const client = await served.client();
    for (let i = 0; i < served.most.followerRefusals; i++) client.say(null);
    await client.answered(served.most.followerRefusals + 1);
    client.say(null);
    await client.raw.until(() => client.raw.closed);
  },
};

const three = Buffer.from('3');
/** An event that is refused with one message. */
const ownEvent = (door: DoorName) => (door === 'session' ? pong : '42/class,["c"]');
const loginBytes = ({ token }: Served, door: DoorName) =>
  frameOf(Buffer.from(`40${door === 'session' ? '' : '/class,'}${JSON.stringify({ token })}`)).length;
const lastSeq = (m: Record<string, unknown>) => (m.records as TraceRecord[] | undefined)?.at(-1)?.seq;

/** Sends exactly so many bytes, as events that are refused, and waits for the answers. */
async function send({ most }: Served, door: DoorName, client: Client, bytes: number): Promise<void> {
  const longest = Math.min(most.packetBytes, 60_000) - 100;
  let answers = client.said.length;
  for (let left = bytes; left > 0; ) {
    const length = left <= longest ? left : left <= longest + 200 ? left - 200 : longest;
    client.raw.text(ownEvent(door).padEnd(length - 8, ' '));
    left -= length;
    answers++;
  }
  await client.answered(answers);
}

/** One socket after another, for no one of them may send it all. */
async function bytesInOf(door: DoorName, limit: 'bytesInPerAddress' | 'bytesInAll', from: readonly string[]) {
  const served = await open(door, {
    refusalsPerMinute: never,
    packetsPerSecond: never,
    followerMessages: never,
    followerRefusals: never,
    newFollowersPerMinute: never,
    connects: never,
    ...(from.length > 1 && { bytesInPerAddress: never }),
  });
  const each = Math.floor(0.9 * served.most.bytesIn);
  for (let i = 0, total = 0; ; i++) {
    const client = await served.client({ from: from[i % from.length] as string });
    if (door === 'audience') await client.answered(1);
    const socket = client.socket as Socket;
    const left = served.most[limit] - total - socket.bytesWritten;
    await send(served, door, client, left <= each ? left : Math.min(each, left - 5_000));
    total += socket.bytesWritten;
    if (total < served.most[limit]) {
      client.raw.close();
      continue;
    }
    expect([total, served.ended]).toEqual([served.most[limit], []]);
    client.raw.text('3');
    await client.raw.gone;
    expect(served.ended).toEqual([limit]);
    break;
  }
  served.pass(10_000);
  expect((await served.client()).status).toBe(200);
}

/** Ten megabytes of records, for one who acknowledges them at once. */
async function recordsUpTo(given: Partial<Allowance>): Promise<void> {
  const served = await open('session', given);
  const client = await served.client();
  client.say(hello);
  await client.answered(1);
  served.backend.make(5_000, 2_000);
  const seen = () => client.raw.messages.reduce((last, m) => lastSeq(m) ?? last, 0);
  const go = async (after: number) => {
    await client.raw.until(() => seen() > after);
    client.say({ type: 'ack', seq: seen() });
    client.say({ type: 'command', id: seen(), command: { do: 'manifests' } });
    const id = seen();
    await client.raw.until(() => client.raw.messages.some((m) => m.type === 'result' && m.id === id));
  };
  await go(0);
  await go(0);
  expect(seen()).toBeLessThan(1_100);
  for (let last = seen(); last < 5_000; last = seen()) {
    served.pass(10_000);
    await go(last);
  }
  expect(served.ended).toEqual([]);
}

/** Fifty views; who may be sent no more has the newest later. */
async function viewsUpTo(given: Partial<Allowance>): Promise<void> {
  const served = await open('audience', given);
  const [presenter, follower] = [await served.presenter(), await served.client()];
  presenter.say({ type: 'present' });
  for (let n = 1; n <= 50; n++) presenter.say(view(n));
  presenter.say({ type: 'nothing' });
  await presenter.told((m) => m.type === 'refused');
  follower.say(null);
  await follower.told((m) => m.type === 'refused');
  const views = () => follower.said.flatMap((m) => (m.view ? [(m.view as { n: number }).n] : []));
  expect(views().length).toBeGreaterThan(0);
  expect(views().length).toBeLessThan(40);
  served.pass(10_000);
  await follower.raw.until(() => views().at(-1) === 50);
  expect(served.ended).toEqual([]);
}

/** Files of 100 KB. */
async function filesUpTo(door: DoorName, limit: 'bytesOutPerAddress' | 'bytesOutAll'): Promise<void> {
  const served = await open(door, { [limit]: 1_000_000 }, file(100_000));
  let count = 0;
  while ((await get(served.port, '/data.bin')).status === 200 && count < 20) count++;
  expect(count).toBeGreaterThanOrEqual(10);
  // One may be asked for before the end of the one before it was seen.
  expect(count).toBeLessThan(13);
  expect(await upgrade(served.port)).toMatchObject({ status: 429 });
  served.pass(10_000);
  expect((await get(served.port, '/data.bin')).status).toBe(200);
}

const rows = Object.entries(limits).flatMap(([name, limit]) =>
  (['session', 'audience'] as const).flatMap((door) =>
    limit[door] === null ? [] : [[name as LimitName, door] as const],
  ),
);

describe('each limit', () => {
  it('has a test', () => {
    expect(Object.keys(drives).sort()).toEqual(Object.keys(limits).sort());
  });
  it.each(rows)('%s, of the %s', async (name, door) => {
    await drives[name](door);
  });
});
