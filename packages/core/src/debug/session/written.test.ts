import { describe, expect, it } from 'vitest';
import {
  type ClientMessage,
  type Command,
  type Connection,
  type ServerMessage,
  SessionClient,
  SessionServer,
  SimulationSession,
} from '../index.js';
import { toySource } from '../testing/toy.js';

/** A connection within one thread: what is said is heard at once, and answered when `settle` lets it. */
function joined(server: SessionServer, resume?: SessionClient) {
  let onMessage: (m: ServerMessage) => void = () => {};
  const waiting: ServerMessage[] = [];
  const handle = server.connect((m) => waiting.push(structuredClone(m)));
  const settle = () => {
    for (let m = waiting.shift(); m; m = waiting.shift()) onMessage(m);
  };
  const asked: ClientMessage[] = [];
  const connection: Connection = {
    send: (m) => asked.push(m),
    onMessage: (handler) => {
      onMessage = handler;
    },
    onClose: () => {},
    close: () => handle.close(),
  };
  const client = new SessionClient(connection, {}, resume);
  const flow = () => {
    do {
      for (let m = asked.shift(); m; m = asked.shift()) handle.receive(m);
      settle();
    } while (asked.length > 0 || waiting.length > 0);
  };
  flow();
  const does = (command: Command) => {
    void client.command(command).catch(() => {});
    flow();
  };
  return { client, does };
}

function written() {
  const session = new SimulationSession(toySource(), { scenario: 'toy' });
  const server = new SessionServer(session, {});
  const first = joined(server);
  first.does({ do: 'breakpoints', set: [{ id: 'b1', on: 'record', kind: 'send', log: 'sent {seq}' }] });
  first.does({ do: 'step', unit: 'decision', count: 200 });
  return { server, ...first };
}

describe('what logpoints wrote', () => {
  it('is at hand in the order of the records', () => {
    const { client } = written();
    expect(client.written.length).toBeGreaterThan(3);
    for (const { seq, text } of client.written) expect(text).toBe(`sent ${seq}`);
    expect(client.written.map((h) => h.seq)).toEqual(client.written.map((h) => h.seq).sort((a, b) => a - b));
  });
  it('after where the session goes back to is forgotten, and written anew on the way', () => {
    const { client, does } = written();
    const before = [...client.written];
    const middle = before[Math.floor(before.length / 2)]?.seq ?? 0;
    does({ do: 'go', to: { seq: middle } });
    expect(client.written).toEqual(before.filter((h) => h.seq <= middle));
    does({ do: 'step', unit: 'decision', count: 200 });
    expect(client.written.slice(0, before.length)).toEqual(before);
    expect(new Set(client.written.map((h) => h.seq)).size).toBe(client.written.length);
  });
  it('is of one run, and outlives a lost connection', () => {
    const { server, client, does } = written();
    const again = joined(server, client);
    expect(again.client.written).toEqual(client.written);
    expect(again.client.written.length).toBeGreaterThan(0);
    does({ do: 'restart' });
    expect(client.written).toEqual([]);
  });
});
