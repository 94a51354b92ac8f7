import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { CRIError } from '@syncloop/core/cri';
import { background, type Context, type Go, range, withTimeout } from '@syncloop/core/kernel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { realKernel, run, tempFolder } from '../testing/harness.js';
import { connectRuntime } from './client.js';

const MiB = 1024 * 1024;
const Second = 1_000_000;

/** Returns a message of gRPC. `claims`: the length in its head. */
function message(body: Buffer, { claims = body.length, compressed = 0 } = {}): Buffer {
  const head = Buffer.alloc(5);
  head[0] = compressed;
  head.writeUInt32BE(claims, 1);
  return Buffer.concat([head, body]);
}
const head = { ':status': 200, 'content-type': 'application/grpc+proto' };
/** A packed text in many parts unpacks to all of them. */
const bomb = Buffer.concat(Array(256).fill(gzipSync(Buffer.alloc(MiB))));

/** Answers `bytes`, and then trailers. */
function answers(bytes: Buffer, more: Readonly<Record<string, string>> = {}, trailers = { 'grpc-status': '0' }) {
  return (stream: ServerHttp2Stream) => {
    stream.respond({ ...head, ...more }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    stream.end(bytes);
  };
}

/** Misbehaviours of a runtime towards a call. */
const misbehaviours: Readonly<Record<string, (stream: ServerHttp2Stream) => void>> = {
  'is silent': () => {},
  'answers what is no protobuf': answers(
    message(Buffer.from('\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff', 'latin1')),
  ),
  'claims 4 GiB': answers(message(Buffer.from('x'), { claims: 0xffff_ffff })),
  'sends 17 MiB': answers(message(Buffer.alloc(17 * MiB))),
  'sends 256 MiB, packed': answers(message(bomb, { compressed: 1 }), { 'grpc-encoding': 'gzip' }),
  'packs in a way that nobody knows': answers(message(Buffer.from('x'), { compressed: 1 }), { 'grpc-encoding': 'x' }),
  'sends a thousand answers to one call': answers(Buffer.concat(Array(1000).fill(message(Buffer.alloc(0))))),
  'ends in the middle': answers(message(Buffer.from('x'), { claims: 100 })),
  'has a status that is none': answers(Buffer.alloc(0), {}, { 'grpc-status': 'NaN' }),
  'has a status that nobody knows': answers(Buffer.alloc(0), {}, { 'grpc-status': '4711' }),
  'is a web server': (stream) => {
    stream.respond({ ':status': 500, 'content-type': 'text/html' });
    stream.end('<h1>sorry');
  },
  'resets the call': (stream) => stream.close(0x0b),
  'says that it goes away': (stream) => stream.session?.goaway(0, 0),
  'goes away': (stream) => stream.session?.destroy(),
  'sends what is no HTTP': (stream) =>
    (stream.session?.socket as Socket | undefined)?.write(Buffer.alloc(20_000, 0xff)),
};

/** A runtime whose calls end as `act.now` decides. */
async function badRuntime() {
  const endpoint = `${await tempFolder()}/cri.sock`;
  const act = { now: answers(message(Buffer.alloc(0))) as (stream: ServerHttp2Stream) => void, calls: 0 };
  const server: Http2Server = createServer();
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  server.on('sessionError', () => {});
  server.on('session', (session) => session.on('error', () => {}));
  server.on('stream', (stream) => {
    stream.on('error', () => {}).resume();
    act.calls++;
    try {
      act.now(stream);
    } catch {
      // The connection has gone meanwhile.
    }
  });
  await new Promise<void>((resolve) => server.listen(endpoint, resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const kernel = realKernel();
  const client = await connectRuntime(`unix://${endpoint}`);
  onTestFinished(() => client.close());
  /** Resolves with the error of a call with a deadline; undefined if it succeeds. */
  const outcome = (call: (ctx: Context) => Go<unknown>): Promise<unknown> =>
    run(kernel, function* () {
      const [ctx, cancel] = withTimeout(kernel, background, 0.2 * Second);
      try {
        yield* call(ctx);
        return undefined;
      } catch (err) {
        return err;
      } finally {
        cancel();
      }
    });
  return { act, client, outcome };
}

describe('a runtime', () => {
  // Of other tests in this process, whose garbage nobody has collected yet.
  const before = process.memoryUsage().arrayBuffers;
  it.each(Object.keys(misbehaviours))('that %s gets an error for the call, and the next call works', async (name) => {
    const { act, client, outcome } = await badRuntime();
    const good = act.now;
    act.now = misbehaviours[name] as typeof good;
    const list = (ctx: Context) => client.runtime.listContainers(ctx, {});
    const watch = function* (ctx: Context): Go<void> {
      const errors: unknown[] = [];
      yield* range(yield* client.runtime.getContainerEvents(ctx, {}), function* (event) {
        if (event instanceof Error) errors.push(event);
      });
      if (errors.length > 0) throw errors[0];
    };
    // To a watch, many answers are right, and one that is cut off is none.
    const watches = !['sends a thousand answers to one call', 'ends in the middle'].includes(name);
    for (let i = 0; i < 3; i++) {
      expect(await outcome(list)).toBeInstanceOf(CRIError);
      const watched = await outcome(watch);
      if (watches) expect(watched).toBeInstanceOf(CRIError);
    }
    expect(act.calls).toBeGreaterThan(0);
    act.now = good;
    await expect.poll(() => outcome(list), { interval: 20 }).toBeUndefined();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(128 * MiB);
  });
});
