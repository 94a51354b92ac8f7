import { Duplex } from 'node:stream';
import { initialState, reduce, type TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newCode, type UsedCode } from '../links/link-code.js';
import { UsedCodeStore } from '../links/used-code-store.js';
import { RawClient } from '../testing/raw-socket.js';
import { FrameReader, frame, frameType } from './frames.js';
import { type FromDebugger, maxFrameFromDebugger, parseFromDebugger, type ServeRequest } from './messages.js';
import { serveFromPipe } from './serve.js';
import { testInfo } from './testing/live.js';

const record = (seq: number) =>
  ({ seq, time: seq, g: 0, span: 0, cause: 0, kind: 'input', verb: 'x', args: [] }) as TraceRecord;

/** Two ends of a pipe. */
function pipes(): [Duplex, Duplex] {
  const ends: Duplex[] = [];
  const end = (other: () => Duplex) =>
    new Duplex({
      read() {},
      write(chunk, _encoding, done) {
        other().push(chunk);
        done();
      },
      final(done) {
        other().push(null);
        done();
      },
    });
  ends.push(
    end(() => ends[1] as Duplex),
    end(() => ends[0] as Duplex),
  );
  return ends as [Duplex, Duplex];
}

async function served(control = true, more: Partial<ServeRequest> = {}) {
  const [mine, its] = pipes();
  const said: FromDebugger[] = [];
  const reader = new FrameReader(maxFrameFromDebugger, (_type, body) => said.push(parseFromDebugger(body)));
  mine.on('data', (piece: Buffer) => reader.push(piece));
  const send = (type: number, value: unknown) => mine.write(frame(type, JSON.stringify(value)));
  let rights = 'root';
  const ended = serveFromPipe(its, () => {
    rights = 'none';
  });
  onTestFinished(async () => {
    mine.end();
    await ended;
  });
  const request: ServeRequest = {
    info: testInfo(control),
    host: '127.0.0.1',
    port: 0,
    remedy: '',
    webRoot: '/nonexistent',
    control,
    token: 't'.repeat(43),
    observer: 'o'.repeat(43),
    capacity: 1000,
    ...more,
  };
  send(frameType.serve, request);
  send(frameType.state, initialState());
  send(frameType.run, { running: true, seq: 0 });
  await expect.poll(() => said.find((m) => m.type === 'listening'), { interval: 2 }).toBeDefined();
  const { port } = said.find((m) => m.type === 'listening') as { port: number };
  const join = async (token = request.token) => {
    const client = await RawClient.connect(port, { token });
    onTestFinished(() => client.close());
    client.send({ type: 'hello', protocol: 1 });
    await client.until(() => client.messages.some((m) => m.type === 'welcome'));
    return client;
  };
  return { mine, send, said, ended, join, port, token: request.token, rights: () => rights };
}

describe("what the debugger's process does with its pipe", () => {
  it('lets nobody in before it knows how the kubelet runs', async () => {
    const [mine, its] = pipes();
    mine.resume();
    let listens = false;
    const ended = serveFromPipe(its, () => {
      listens = true;
    });
    mine.write(frame(frameType.serve, JSON.stringify({ info: testInfo(true), host: '127.0.0.1', port: 0 })));
    mine.write(frame(frameType.state, JSON.stringify(initialState())));
    mine.write(frame(frameType.records, JSON.stringify([record(1)])));
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
    mine.end();
    await ended;
    expect(listens).toBe(false);
  });

  it('gives its rights away once it listens', async () => {
    const { rights } = await served();
    expect(rights()).toBe('none');
  });

  it('shows the records that come, and how the kubelet runs', async () => {
    const { send, join } = await served();
    const client = await join();
    send(frameType.records, [record(1), record(2)]);
    send(frameType.run, { running: false, seq: 2 });
    await client.until(() => client.messages.some((m) => m.type === 'run'));
    expect(client.messages.find((m) => m.type === 'records')).toMatchObject({ records: [{ seq: 1 }, { seq: 2 }] });
    expect(client.messages.find((m) => m.type === 'run')).toMatchObject({ run: { running: false } });
  });

  it('passes on commands of who may, and brings the answers back; nobody else’s leave it', async () => {
    const { send, join, said } = await served();
    const client = await join();
    client.send({ type: 'command', id: 7, command: { do: 'pause' } });
    await expect.poll(() => said.find((m) => m.type === 'command'), { interval: 2 }).toBeDefined();
    const { id } = said.find((m) => m.type === 'command') as { id: number };
    send(frameType.result, { id, result: { ok: true } });
    await client.until(() => client.messages.some((m) => m.type === 'result'));
    expect(client.messages.find((m) => m.type === 'result')).toEqual({ type: 'result', id: 7, ok: true });
    expect(said.findLast((m) => m.type === 'alive')).toEqual({ type: 'alive', controllers: 1 });

    const observer = await join('o'.repeat(43));
    observer.send({ type: 'command', id: 8, command: { do: 'pause' } });
    await observer.until(() => observer.messages.some((m) => m.type === 'result'));
    expect(observer.messages.find((m) => m.type === 'result')).toMatchObject({ id: 8, ok: false });
    expect(said.filter((m) => m.type === 'command')).toHaveLength(1);
  });

  it('begins anew where the kubelet went on without it, and tells its pages', async () => {
    const { send, join } = await served();
    const client = await join();
    send(frameType.records, [record(1), record(2)]);
    const later = initialState();
    for (let seq = 1; seq <= 500; seq++) reduce(later, record(seq));
    send(frameType.state, later);
    send(frameType.records, [record(501)]);
    await client.until(() => client.messages.some((m) => m.type === 'records' && seqOf(m) === 501));
    const types = client.messages.map((m) => m.type);
    expect(types.slice(types.indexOf('reset'))).toEqual(['reset', 'welcome', 'records']);
    expect(client.messages.findLast((m) => m.type === 'welcome')).toMatchObject({ snapshot: { seq: 500 } });
  });

  it('tells which links were used, and takes them no more in its next life, though their clock is not ours', async () => {
    const store = new UsedCodeStore();
    const open = async ({ port, token }: { port: number; token: string }, page: string, code = newCode(token)) => {
      const client = await RawClient.connect(port, { code, page: page.repeat(20) });
      onTestFinished(() => client.close());
      return { code, refused: client.refused?.data };
    };
    const first = await served(true, { forwarded: true });
    const { code, refused } = await open(first, 'a');
    expect(refused).toBeUndefined();
    await expect.poll(() => first.said.find((m) => m.type === 'linkUsed'), { interval: 2 }).toBeDefined();
    const told = first.said.find((m) => m.type === 'linkUsed') as { used: UsedCode };
    expect(JSON.stringify(told)).not.toContain(code);
    store.add(told.used);
    const next = await served(true, { forwarded: true, usedCodes: store.all() });
    expect((await open(next, 'b', code)).refused).toEqual({ status: 401, link: 'used' });
    expect((await open(next, 'b')).refused).toBeUndefined();
  });

  it('ends with the pipe', async () => {
    const { mine, ended } = await served();
    mine.end();
    await ended;
  });

  it('ends, and says why, when what comes is no frame', async () => {
    const [mine, its] = pipes();
    mine.resume();
    const ended = serveFromPipe(its, () => {});
    mine.write(frame(frameType.records, '[]'));
    await expect(ended).rejects.toThrow('the first frame must say what to serve');
  });
});

const seqOf = (message: { readonly [key: string]: unknown }) =>
  (message.records as readonly { seq: number }[] | undefined)?.[0]?.seq;
