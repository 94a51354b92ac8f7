import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TraceRecord } from '../../trace/index.js';
import {
  type ClientHandle,
  type ClientMessage,
  type Command,
  type Connection,
  PROTOCOL_VERSION,
  type ServerMessage,
  type ServerOptions,
  SessionClient,
  SessionServer,
  type SimulationOptions,
  SimulationSession,
} from '../index.js';
import { toySource } from '../testing/toy.js';

/** A connection whose messages wait until they are let through. */
class Wire implements Connection {
  readonly toClient: ServerMessage[] = [];
  readonly toServer: ClientMessage[] = [];
  readonly seen: ServerMessage[] = [];
  private handler: (m: ServerMessage) => void = () => {};
  private closed: (reason: string) => void = () => {};
  handle: ClientHandle | null = null;
  lose: (m: ServerMessage) => boolean = () => false;

  attach(server: SessionServer, options: { control?: boolean } = {}): this {
    this.handle = server.connect((m) => {
      if (!this.lose(m)) this.toClient.push(JSON.parse(JSON.stringify(m)) as ServerMessage);
    }, options);
    return this;
  }
  send(m: ClientMessage): void {
    this.toServer.push(JSON.parse(JSON.stringify(m)) as ClientMessage);
  }
  onMessage(handler: (m: ServerMessage) => void): void {
    this.handler = handler;
  }
  onClose(handler: (reason: string) => void): void {
    this.closed = handler;
  }
  close(): void {
    this.handle?.close();
  }
  break(reason: string): void {
    this.close();
    this.closed(reason);
  }
  /** Lets everything through that is under way, or one message each way. */
  deliver(): boolean {
    const up = this.toServer.shift();
    if (up) this.handle?.receive(up);
    const down = this.toClient.shift();
    if (down) {
      this.seen.push(down);
      this.handler(down);
    }
    return up !== undefined || down !== undefined;
  }
  settle(): void {
    while (this.deliver());
  }
}

function open(serverOptions: ServerOptions = {}, sessionOptions: Partial<SimulationOptions> = {}) {
  const session = new SimulationSession(toySource(), { scenario: 'toy', ...sessionOptions });
  const server = new SessionServer(session, serverOptions);
  session.execute({ do: 'speed', speed: { mode: 'max' } }, () => {});
  /** The simulation makes about `n` decisions. */
  const go = (n: number) => {
    session.execute({ do: 'resume' }, () => {});
    for (let left = Math.ceil(n / 64); left > 0; left--) {
      // A slice of 64 decisions: it looks at the time after each four.
      let looks = 0;
      session.pump(1, () => ++looks >= 16);
    }
    session.execute({ do: 'pause' }, () => {});
  };
  const join = (options: { control?: boolean } = {}) => {
    const wire = new Wire().attach(server, options);
    const client = new SessionClient(wire);
    return { wire, client };
  };
  return { session, server, go, join };
}
const all = (records: Iterable<TraceRecord>) => JSON.stringify([...records]);

describe('SessionServer and SessionClient', () => {
  it('bring a client to the server’s state, and keep it there', () => {
    const { session, go, join } = open();
    go(500);
    const { wire, client } = join();
    wire.settle();
    expect(client.info).toEqual(session.info);
    expect(all(client.store.from(1))).toBe(all(session.store.from(1)));
    expect(client.state).toEqual(session.store.state);
    go(500);
    wire.settle();
    expect(client.state).toEqual(session.store.state);
    expect(client.run).toEqual(session.runState());
    expect(client.gaps).toBe(0);
    // Nothing is left unacknowledged.
    expect(wire.toServer).toEqual([]);
  });

  it('send at most 512 records at once, and stop at the credit until it is acknowledged', () => {
    const { session, server, go } = open({ creditRecords: 2000, creditBatches: 3 });
    const got: ServerMessage[] = [];
    const handle = server.connect((m) => got.push(m));
    handle.receive({ type: 'hello', protocol: PROTOCOL_VERSION });
    go(5000);
    const counts = () => got.flatMap((m) => (m.type === 'records' ? [m.records.length] : []));
    expect(counts().length).toBe(3);
    expect(Math.max(...counts())).toBeLessThanOrEqual(512);
    expect(server.congested).toBe(true);
    const sent = counts().reduce((a, b) => a + b, 0);
    // Nonsense does not open the window.
    handle.receive({ type: 'ack', seq: 10_000_000 });
    handle.receive({ type: 'ack', seq: 0 });
    expect(counts().length).toBe(3);
    handle.receive({ type: 'ack', seq: counts()[0] ?? 0 });
    expect(counts().length).toBe(4);
    handle.receive({ type: 'ack', seq: sent });
    expect(counts().length).toBe(6);
    let last = 0;
    for (const m of got)
      if (m.type === 'records')
        for (const r of m.records) {
          expect(r.seq).toBe(last + 1);
          last = r.seq;
        }
    expect(last).toBeLessThan(session.store.last);
  });

  it('owe a client nothing more for saying hello again: what is under way stays unpaid', () => {
    const { server, go } = open({ creditRecords: 2000, creditBatches: 64 });
    const got: ServerMessage[] = [];
    const handle = server.connect((m) => got.push(m));
    const hello = { type: 'hello', protocol: PROTOCOL_VERSION };
    handle.receive(hello);
    go(5000);
    const sent = () => got.reduce((n, m) => n + (m.type === 'records' ? m.records.length : 0), 0);
    expect(sent()).toBe(2000);
    // Each hello is answered, with one record: without an acknowledgement of something the client could pay for
    // nothing.
    for (let i = 0; i < 10; i++) handle.receive(hello);
    expect(got.filter((m) => m.type === 'welcome')).toHaveLength(11);
    expect(sent()).toBe(2010);
    // Whoever has the newest has all before it: all is paid, and the stream goes on as far as its credit.
    handle.receive({ type: 'ack', seq: 1 });
    expect(sent()).toBe(4010);
    const client = got.findLastIndex((m) => m.type === 'welcome');
    expect(got.slice(client + 1).flatMap((m) => (m.type === 'records' ? m.records.map((r) => r.seq) : []))).toEqual(
      Array.from({ length: 2001 }, (_, i) => i + 1),
    );
  });

  it('refuse a hello after sixteen without an acknowledgement, and none after it', () => {
    const { server, go } = open();
    go(100);
    const got: ServerMessage[] = [];
    const handle = server.connect((m) => got.push(m));
    const hello = { type: 'hello', protocol: PROTOCOL_VERSION };
    const welcomes = () => got.filter((m) => m.type === 'welcome').length;
    for (let i = 0; i < 1000; i++) handle.receive(hello);
    expect(welcomes()).toBe(16);
    expect(got.at(-1)).toMatchObject({ type: 'refused', error: expect.stringContaining('acknowledge records') });
    handle.receive({ type: 'ack', seq: 100 });
    handle.receive(hello);
    expect(welcomes()).toBe(17);
  });

  it('send no records to a connection that takes none, and go on when it does', () => {
    const { session, server, go } = open();
    let takes = true;
    const got: ServerMessage[] = [];
    const handle = server.connect((m) => got.push(m), { ready: () => takes });
    handle.receive({ type: 'hello', protocol: PROTOCOL_VERSION });
    const last = () => got.reduce((seq, m) => (m.type === 'records' ? (m.records.at(-1)?.seq ?? seq) : seq), 0);
    const before = last();
    takes = false;
    go(500);
    expect(last()).toBe(before);
    expect(server.congested).toBe(true);
    takes = true;
    server.flush();
    expect(last()).toBe(session.store.last);
    expect(server.congested).toBe(false);
  });

  it('encode nothing more for a client that has gone', () => {
    const { server, go } = open();
    const got: ServerMessage[] = [];
    const handle = server.connect((m) => {
      got.push(m);
      // It goes in the middle of what it gets.
      if (got.length === 3) handle.close();
    });
    go(5000);
    handle.receive({ type: 'hello', protocol: PROTOCOL_VERSION });
    for (let i = 0; i < 100; i++) handle.receive({ type: 'hello', protocol: PROTOCOL_VERSION });
    go(500);
    expect(got).toHaveLength(3);
  });

  it('give a client that was left behind a new welcome with a snapshot, and no gap', () => {
    const { session, go, join } = open({ creditRecords: 300, history: 500 }, { capacity: 1000, chunk: 100 });
    const { wire, client } = join();
    wire.settle();
    go(300);
    // It does not read for a while; the ring moves on without it.
    go(10_000);
    wire.settle();
    const welcomes = wire.seen.filter((m) => m.type === 'welcome');
    expect(welcomes.length).toBe(2);
    expect(welcomes[1]).toMatchObject({ snapshot: { seq: expect.any(Number) } });
    expect(client.state).toEqual(session.store.state);
    expect(client.store.first).toBeGreaterThan(1);
    expect(client.gaps).toBe(0);
  });

  it('let one client be slow without the others noticing', () => {
    const { session, server, go, join } = open({ creditRecords: 500 });
    const slow = join();
    const quick = join();
    slow.wire.settle();
    quick.wire.settle();
    for (let i = 0; i < 20; i++) {
      go(300);
      quick.wire.settle();
    }
    expect(quick.client.state).toEqual(session.store.state);
    expect(slow.wire.toClient.filter((m) => m.type === 'records').length).toBeLessThan(10);
    expect(server.clientCount).toBe(2);
    slow.wire.settle();
    expect(slow.client.state).toEqual(session.store.state);
  });

  it('take up a lost connection where it was', () => {
    const { session, server, go, join } = open();
    const { wire, client } = join();
    wire.settle();
    go(500);
    wire.settle();
    const { last } = client.store;
    wire.break('the network is gone');
    expect(client).toMatchObject({ closed: true, error: 'the network is gone' });
    expect(server.clientCount).toBe(0);
    go(500);
    const wire2 = new Wire().attach(server);
    const again = new SessionClient(wire2, {}, client);
    wire2.settle();
    expect(again.state).toEqual(session.store.state);
    const records = wire2.seen.flatMap((m) => (m.type === 'records' ? [...m.records] : []));
    expect(records[0]?.seq).toBe(last + 1);
    expect(again.store.first).toBe(1);
  });

  it('give a client of a session that is no more the new one whole', () => {
    const { session, server, go, join } = open();
    const { wire, client } = join();
    go(500);
    wire.settle();
    wire.break('restart');
    session.execute({ do: 'restart' }, () => {});
    go(60);
    const wire2 = new Wire().attach(server);
    const again = new SessionClient(wire2, {}, client);
    wire2.settle();
    expect(again.info?.id).toBe('simulation-2');
    expect(all(again.store.from(1))).toBe(all(session.store.from(1)));
  });

  it('notice lost messages and ask for them again', () => {
    const { session, go, join } = open({ batch: 16 });
    const { wire, client } = join();
    wire.settle();
    let n = 0;
    wire.lose = (m) => m.type === 'records' && ++n % 7 === 3 && n < 40;
    go(1000);
    wire.settle();
    wire.lose = () => false;
    go(64);
    wire.settle();
    expect(client.gaps).toBeGreaterThan(0);
    expect(all(client.store.from(1))).toBe(all(session.store.from(1)));
  });

  it('start over with everybody when a scenario is loaded, even with old acknowledgements under way', async () => {
    const { session, go, join } = open();
    const { wire, client } = join();
    wire.settle();
    go(2000);
    // Records are delivered, their acknowledgements are not yet.
    while (wire.toClient.length > 0) {
      const held = wire.toServer.splice(0);
      wire.deliver();
      wire.toServer.unshift(...held);
    }
    session.execute({ do: 'load', scenario: 'toy', seed: 5 }, () => {});
    go(200);
    wire.settle();
    expect(wire.seen.some((m) => m.type === 'reset')).toBe(true);
    expect(client.info).toMatchObject({ id: 'simulation-2', seed: 5 });
    expect(all(client.store.from(1))).toBe(all(session.store.from(1)));
    expect(client.error).toBe('');
  });

  it('go back with the session, and on another way', () => {
    const { session, go, join } = open({ batch: 50 });
    const near = join();
    const far = join();
    near.wire.settle();
    far.wire.settle();
    go(1500);
    near.wire.settle();
    const before = near.client.store;
    const to = Math.floor(session.store.last / 2);
    session.execute({ do: 'rewind', unit: 'record', to }, () => {});
    near.wire.settle();
    expect(near.client.store).not.toBe(before);
    expect(near.client.state).toEqual(session.store.state);
    expect(near.client.store.last).toBe(session.store.last);
    session.execute({ do: 'kill', uid: 'u1' }, () => {});
    go(500);
    near.wire.settle();
    // Everything was under way to this one.
    far.wire.settle();
    for (const { client } of [near, far]) {
      expect(all(client.store.from(1))).toBe(all(session.store.from(1)));
      expect(client.gaps).toBe(0);
      expect(client.run).toEqual(session.runState());
    }
    const welcomes = near.wire.seen.filter((m) => m.type === 'welcome');
    expect(welcomes).toHaveLength(1);
  });

  it('go back further than a client remembers', () => {
    const { session, server, go } = open();
    go(1500);
    const wire = new Wire().attach(server);
    const client = new SessionClient(wire, { capacity: 200, chunk: 50 });
    wire.settle();
    session.execute({ do: 'rewind', unit: 'decision', to: 100 }, () => {});
    wire.settle();
    expect(client.state).toEqual(session.store.state);
  });

  it('go back to before all that they were given: greeted anew, without a way there and back', () => {
    const { session, go, join } = open({ history: 50 }, { chunk: 64 });
    go(1500);
    const { wire, client } = join();
    wire.settle();
    expect(client.store.first).toBeGreaterThan(500);
    const asked = wire.toServer.length;
    session.execute({ do: 'rewind', unit: 'record', to: 400 }, () => {});
    while (wire.toClient.length > 0) wire.deliver();
    expect(wire.seen.filter((m) => m.type === 'rewound')).toEqual([]);
    expect(wire.toServer.slice(asked).filter((m) => m.type === 'hello')).toEqual([]);
    expect(client.state).toEqual(session.store.state);
    expect({ last: client.store.last, past: client.past }).toEqual({ last: 400, past: 400 });
    go(300);
    wire.settle();
    expect(client.state).toEqual(session.store.state);
    expect(client.gaps).toBe(0);
  });

  it('answer commands, each its own', async () => {
    const { session, join } = open();
    const { wire, client } = join();
    wire.settle();
    const results = [
      client.command({ do: 'step', unit: 'iteration', count: 2 }),
      client.command({ do: 'manifests' }),
      client.command({ do: 'delete', file: 'none.yaml' }).catch((e: Error) => e.message),
    ];
    wire.settle();
    expect(await Promise.all(results)).toEqual([undefined, [], 'there is no manifest none.yaml; there are: none']);
    expect(session.runState().iterations).toBe(2);
    expect(client.run?.iterations).toBe(2);
  });

  it('answer with the result that is declared for the command', async () => {
    const { session, join } = open();
    const { wire, client } = join();
    wire.settle();
    const asked = Promise.all([
      client.command({ do: 'step', unit: 'iteration', count: 2 }),
      client.command({ do: 'spec' }),
      client.command({ do: 'branches' }),
      client.command({ do: 'scenarios' }),
      client.command({ do: 'runnable' }),
      client.command({ do: 'lastWriter', path: 'loop.iteration' }),
    ]);
    wire.settle();
    // Each is used without a cast: what a command answers is known to the compiler.
    const [stepped, spec, branches, scenarios, runnable, writer] = await asked;
    const nothing: undefined = stepped;
    expect(nothing).toBeUndefined();
    expect(spec.to.seq).toBe(session.runState().seq);
    expect(branches.map((b) => b.current)).toEqual([true]);
    expect(scenarios.map((s) => s.title.zh)).toEqual(['玩具']);
    expect(runnable.every((g) => g.id > 0 && g.name !== '')).toBe(true);
    expect(session.store.get(writer ?? 0)?.kind).toBe('select');
  });

  it('refuse what is asked of a connection that is gone', async () => {
    const { join } = open();
    const { wire, client } = join();
    wire.settle();
    const lost = client.command({ do: 'pause' });
    wire.break('gone');
    await expect(lost).rejects.toThrow('the session was closed: gone');
    await expect(client.command({ do: 'pause' })).rejects.toThrow('the session is closed: gone');
  });

  it('let a client that may only look, look', async () => {
    const { session, join } = open();
    const { wire, client } = join({ control: false });
    wire.settle();
    const results = [
      client.command({ do: 'scenarios' }),
      client.command({ do: 'resume' }).catch((e: Error) => e.message),
    ];
    wire.settle();
    expect(await Promise.all(results)).toEqual([
      [expect.objectContaining({ name: 'toy' })],
      'resume is not allowed: this connection may only watch',
    ]);
    expect(session.runState().running).toBe(false);
  });

  it('refuse what is no message, without harm', () => {
    const { server, go } = open();
    const got: ServerMessage[] = [];
    const handle = server.connect((m) => got.push(m));
    handle.receive({ type: 'command', id: 1, command: { do: 'pause' } });
    handle.receive('garbage');
    handle.receive({ type: 'hello', protocol: 99 });
    handle.receive({ type: 'hello', protocol: 0 });
    expect(got).toEqual([
      { type: 'refused', error: 'say hello first: the first message must be of type "hello"' },
      { type: 'refused', error: 'message: it is "garbage"; it must be an object' },
      { type: 'refused', error: 'this session speaks protocol 1, the client 99: update the agent' },
      { type: 'refused', error: 'this session speaks protocol 1, the client 0: reload the page to get the newer one' },
    ]);
    handle.receive({ type: 'hello', protocol: PROTOCOL_VERSION, session: 'simulation-1', resumeFrom: 5_000_000 });
    handle.receive({ type: 'command', id: 2, command: { do: 'explode' } });
    expect(got.at(-1)).toMatchObject({
      type: 'result',
      id: 2,
      ok: false,
      error: expect.stringMatching(/command.do: it is "explode"/),
    });
    handle.close();
    const before = got.length;
    handle.receive({ type: 'hello', protocol: PROTOCOL_VERSION });
    go(100);
    expect(got.length).toBe(before);
  });

  it('survive any order of deliveries, losses, reloads and reconnects', () => {
    const action = fc.oneof(
      fc.record({ do: fc.constant('go' as const), n: fc.integer({ min: 1, max: 400 }) }),
      fc.record({ do: fc.constant('deliver' as const), n: fc.integer({ min: 1, max: 10 }) }),
      fc.constant({ do: 'lose' as const }),
      fc.constant({ do: 'reload' as const }),
      fc.record({ do: fc.constant('rewind' as const), part: fc.double({ min: 0, max: 1, noNaN: true }) }),
      fc.constant({ do: 'reconnect' as const }),
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 25 }), (actions) => {
        const { session, server, go } = open(
          { batch: 32, creditRecords: 128, creditBatches: 8, history: 300 },
          { capacity: 600, chunk: 50 },
        );
        let wire = new Wire().attach(server);
        let client = new SessionClient(wire);
        for (const a of actions)
          switch (a.do) {
            case 'go':
              go(a.n);
              break;
            case 'deliver':
              for (let i = 0; i < a.n; i++) wire.deliver();
              break;
            case 'lose': {
              // Only records: what carries the protocol loses messages, but never the answer to hello.
              const i = wire.toClient.findIndex((m) => m.type === 'records');
              if (i >= 0) wire.toClient.splice(i, 1);
              break;
            }
            case 'reload':
              session.execute({ do: 'restart' }, () => {});
              break;
            case 'rewind':
              session.execute({ do: 'rewind', unit: 'record', to: Math.floor(session.store.last * a.part) }, () => {});
              break;
            case 'reconnect':
              wire.break('x');
              wire = new Wire().attach(server);
              client = new SessionClient(wire, {}, client);
              break;
          }
        for (let i = 0; i < 3; i++) {
          go(64);
          wire.settle();
        }
        expect(client.state).toEqual(session.store.state);
      }),
      { numRuns: 60, seed: 2 },
    );
  });
});

describe('the answer to a command', () => {
  /** Types of the messages of a client that asks for this, from its greeting on; what takes long has all its time. */
  const typesAfter = (session: SimulationSession, command: Command) => {
    const server = new SessionServer(session);
    const messages: ServerMessage[] = [];
    const client = server.connect((m) => messages.push(m));
    client.receive({ type: 'hello', protocol: PROTOCOL_VERSION });
    const greeted = messages.length;
    client.receive({ type: 'command', id: 1, command });
    for (let i = 0; i < 5000 && !messages.some((m) => m.type === 'result'); i++) session.pump(1, () => true);
    return messages.slice(greeted).map((m) => m.type);
  };
  const started = () => new SimulationSession(toySource(), { scenario: 'toy' });

  it('comes after what the command led to, at once or later', () => {
    for (const count of [3, 5000]) {
      const types = typesAfter(started(), { do: 'step', unit: 'decision', count });
      expect(types.at(-1), types.join()).toBe('result');
      expect(types).toContain('records');
      expect(types).toContain('run');
    }
  });
  it('comes though the command changed nothing', () => {
    expect(typesAfter(started(), { do: 'pause' })).toEqual(['result']);
    expect(typesAfter(started(), { do: 'history', path: 'loop', limit: 1 })).toContain('result');
    expect(typesAfter(started(), { do: 'until', where: 'true', within: 0 })).toContain('result');
    expect(typesAfter(started(), { do: 'go', to: { step: 0 } })).toContain('result');
  });
  it('does not come to a client that has gone', () => {
    const session = started();
    const server = new SessionServer(session);
    const messages: ServerMessage[] = [];
    const client = server.connect((m) => messages.push(m));
    client.receive({ type: 'hello', protocol: PROTOCOL_VERSION });
    client.receive({ type: 'command', id: 1, command: { do: 'step', unit: 'decision', count: 50_000 } });
    client.close();
    session.execute({ do: 'pause' }, () => {});
    expect(messages.some((m) => m.type === 'result')).toBe(false);
  });
});
