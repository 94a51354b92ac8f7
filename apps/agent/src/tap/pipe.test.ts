import { once } from 'node:events';
import { link, lstat, rm } from 'node:fs/promises';
import { connect, createServer, type Server, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { tempFolder } from '../testing/harness.js';
import { type PipeEvent, startTap, type TapOptions } from './pipe.js';

/** A runtime that `serve` answers for, and a tap before it. */
async function tapped(serve: (socket: Socket) => void, options: Partial<TapOptions> = {}) {
  const folder = await tempFolder();
  const target = `${folder}/runtime.sock`;
  const listen = `${folder}/tap.sock`;
  const runtime = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    serve(socket);
  });
  await new Promise<void>((resolve) => runtime.listen(target, resolve));
  const events: PipeEvent[] = [];
  const start = () => startTap({ listen, target, onChunk: (event) => void events.push(event), ...options });
  const tap = await start();
  onTestFinished(() => tap.close());
  onTestFinished(() => void runtime.close());
  const client = () => {
    const socket = connect({ path: listen, allowHalfOpen: true });
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  return { folder, listen, target, runtime, tap, start, client, events };
}
const closed = (server: Server) => new Promise((resolve) => server.close(resolve));
async function all(socket: Socket): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
const noise = (length: number) => Buffer.from(Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8)) % 256));

describe('the pipe', () => {
  it('carries bytes both ways, whole, and tells of them', async () => {
    const { client, events } = await tapped((socket) => socket.pipe(socket));
    const sent = noise(3_000_000);
    const socket = client();
    socket.end(sent);
    expect((await all(socket)).equals(sent)).toBe(true);
    await expect.poll(() => events.at(-1)?.type).toBe('close');
    expect(events[0]).toEqual({ type: 'open', conn: 1 });
    for (const dir of ['c', 's']) {
      const bytes = events.flatMap((e) => (e.type === 'bytes' && e.dir === dir ? [e.bytes] : []));
      expect(Buffer.concat(bytes).equals(sent)).toBe(true);
    }
  });

  it('lets one side end while the other still speaks', async () => {
    const { client } = await tapped((socket) => {
      socket.on('data', () => {});
      socket.on('end', () => socket.end('the answer, after the end of the question'));
    });
    const socket = client();
    socket.end('question');
    expect((await all(socket)).toString()).toBe('the answer, after the end of the question');
  });

  it('holds a side back while the other takes nothing, and loses nothing', async () => {
    let runtime: Socket | undefined;
    const { client, events } = await tapped((socket) => {
      runtime = socket.pause();
    });
    const socket = client();
    const sent = noise(16 * 1024 * 1024);
    socket.end(sent);
    // The sockets' own buffers fill; then the pipe does not take more.
    const taken = () => events.reduce((n, e) => n + (e.type === 'bytes' ? e.bytes.length : 0), 0);
    let before = -1;
    const settled = () => {
      const now = taken();
      const same = now > 0 && now === before;
      before = now;
      return same;
    };
    await expect.poll(settled, { interval: 200 }).toBe(true);
    expect(taken()).toBeLessThan(4 * 1024 * 1024);
    let received = 0;
    runtime?.on('data', (bytes) => {
      received += bytes.length;
    });
    runtime?.resume();
    await expect.poll(() => received).toBe(sent.length);
  });

  it('ends both sides when either is gone', async () => {
    const runtimes: Socket[] = [];
    const { client, tap } = await tapped((socket) => void runtimes.push(socket.resume()));
    const [first, second] = [client(), client()];
    await expect.poll(() => runtimes.length).toBe(2);
    first.destroy();
    second.resume();
    for (const socket of runtimes) socket.on('end', () => socket.end());
    await expect.poll(() => tap.connections).toBe(1);
    for (const socket of runtimes) socket.destroy();
    await once(second, 'end');
    second.end();
    await expect.poll(() => tap.connections).toBe(0);
  });

  describe('with a runtime that never hangs up', () => {
    const runtimes = {
      'reads on': (socket: Socket) => void socket.resume(),
      'reads nothing': (socket: Socket) => void socket.pause(),
      'has ended its writing': (socket: Socket) => void socket.resume().end('goodbye'),
    };
    /** The actions of clients before they are gone. */
    const clients = {
      'says nothing': () => {},
      'asks something': (socket: Socket) => void socket.write('question'),
      'ends its writing before': (socket: Socket) => void socket.end('question'),
      'is held back': (socket: Socket) => void socket.write(Buffer.alloc(2_000_000)),
    };
    const cases = Object.keys(runtimes).flatMap((runtime) => Object.keys(clients).map((client) => [runtime, client]));
    it.each(cases as [keyof typeof runtimes, keyof typeof clients][])(
      'which %s, keeps nothing of a client that %s',
      async (runtime, act) => {
        const { client, tap, events } = await tapped(runtimes[runtime], { probeMillis: 5 });
        const gone = Array.from({ length: 4 }, client);
        for (const socket of gone) clients[act](socket);
        const seen = new Set<number>();
        const last = act === 'says nothing' ? 'open' : 'bytes';
        await expect
          .poll(() => {
            for (const { type, conn } of events) if (type === last) seen.add(conn);
            return seen.size;
          })
          .toBe(4);
        for (const socket of gone) socket.destroy();
        await expect.poll(() => events.filter(({ type }) => type === 'close').length).toBe(4);
        expect(tap.connections).toBe(0);
      },
    );
  });

  it('keeps a side that has only ended its writing, however long the answer takes', async () => {
    let runtime: Socket | undefined;
    let probes = 0;
    const write = vi.spyOn(Socket.prototype, 'write');
    onTestFinished(() => write.mockRestore());
    write.mockImplementation(function (this: Socket, ...args: Parameters<Socket['write']>) {
      if ((args[0] as Uint8Array).length === 0) probes++;
      return Duplex.prototype.write.apply(this, args as never);
    } as never);
    const serve = (socket: Socket) => {
      runtime = socket.resume();
    };
    const { client } = await tapped(serve, { probeMillis: 1 });
    const socket = client();
    socket.end('question');
    await expect.poll(() => runtime?.readableEnded).toBe(true);
    const before = probes;
    await expect.poll(() => probes).toBeGreaterThan(before + 10);
    runtime?.end('answer');
    expect((await all(socket)).toString()).toBe('answer');
  });

  it('hangs up while the runtime is away, and works again once it is back', async () => {
    const { client, runtime, target } = await tapped((socket) => socket.pipe(socket));
    await closed(runtime);
    const refused = client();
    refused.resume();
    await once(refused, 'end');
    const again = createServer((socket) => socket.end('back'));
    await new Promise<void>((resolve) => again.listen(target, resolve));
    onTestFinished(() => void again.close());
    expect((await all(client())).toString()).toBe('back');
  });

  it('goes on without whoever watches, when that fails', async () => {
    const faults: unknown[] = [];
    let told = 0;
    const { client } = await tapped((socket) => socket.pipe(socket), {
      onChunk: () => {
        told++;
        throw new Error('a defect of the decoder');
      },
      onFault: (err) => void faults.push(err),
    });
    for (const text of ['one', 'two']) {
      const socket = client();
      socket.end(text);
      expect((await all(socket)).toString()).toBe(text);
    }
    expect(told).toBe(1);
    expect(faults).toEqual([new Error('a defect of the decoder')]);
  });

  it('makes a socket for this user only, takes the place of a dead one, and removes its own', async () => {
    const { listen, tap, start } = await tapped((socket) => socket.end());
    expect((await lstat(listen)).mode & 0o777).toBe(0o600);
    await expect(start()).rejects.toThrow(/somebody already listens/);
    await tap.close();
    await expect(lstat(listen)).rejects.toThrow(/ENOENT/);
    // A killed process leaves a socket that nobody listens at.
    const dead = createServer();
    await new Promise<void>((resolve) => dead.listen(`${listen}.dead`, resolve));
    await link(`${listen}.dead`, listen);
    await closed(dead);
    const second = await start();
    await second.close();
    await rm(listen, { force: true });
  });
});
