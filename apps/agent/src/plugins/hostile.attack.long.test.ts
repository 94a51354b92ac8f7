/** Messages of plug-ins and clients of these sockets that no well-behaved program sends. */
import { mkdir, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import type { DevicePluginClient, Registration } from '@syncloop/core/host';
import { background, type Go, type Kernel, receive } from '@syncloop/core/kernel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ignoreErrors } from '../base/ignore-errors.js';
import { errorOf, realKernel, run, tempFolder } from '../testing/harness.js';
import { DevicePlugin } from './api/gen/deviceplugin_pb.js';
import { nodePluginHost } from './host.js';
import { limits } from './limits.js';
import { encode } from './messages.js';
import { answers, type Behaviour, FakePlugin, register, type Stream } from './testing/fake-plugin.js';

const second = 1_000_000;
const { listAndWatch, getDevicePluginOptions } = DevicePlugin.method;

function host() {
  const made = nodePluginHost();
  onTestFinished(() => made.close());
  return made;
}

async function connected(kernel: Kernel, behaviour: Behaviour) {
  const plugin = await FakePlugin.serve(await tempFolder(), behaviour);
  return await run(kernel, () => host().dialDevicePlugin(background, plugin.path, 20 * second));
}

/** Returns the error with which the stream ends at once. */
function* ended(client: DevicePluginClient): Go<string> {
  const [item] = yield* receive(yield* client.listAndWatch(background));
  return (item as Error).message;
}

const writes =
  (bytes: Buffer): Stream =>
  (call) =>
    void call.write(bytes);

/** Waits until a number has not grown for many turns of the event loop. */
async function settled(count: () => number): Promise<number> {
  let last = count();
  for (let same = 0; same < 100; same++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (count() === last) continue;
    last = count();
    same = 0;
  }
  return last;
}

describe('a plug-in', () => {
  it('that tells lists without end has to wait for the kubelet', async () => {
    const kernel = realKernel();
    const bytes = encode(listAndWatch.output, { devices: [{ ID: 'x'.repeat(256 * 1024), health: 'Healthy' }] });
    let written = 0;
    const client = await connected(kernel, {
      listAndWatch(call) {
        const more = () => {
          while (!call.cancelled) {
            written++;
            if (!call.write(bytes)) break;
          }
        };
        call.on('drain', more);
        more();
      },
    });
    const chan = await run(kernel, () => client.listAndWatch(background));
    for (let i = 0; i < 3; i++) {
      const [devices] = await run(kernel, () => receive(chan));
      expect(devices).toHaveLength(1);
    }
    // A few on their way here, a few at the other end: 256 KiB each.
    expect(await settled(() => written)).toBeLessThan(40);
    client.close();
  });

  it('[3:PLUG-02] that tells a list of more than 4 MiB loses its stream, in the words of grpc-go', async () => {
    const kernel = realKernel();
    const client = await connected(kernel, { listAndWatch: writes(Buffer.alloc(limits.messageBytes + 1)) });
    expect(await run(kernel, () => ended(client))).toBe(
      'rpc error: code = ResourceExhausted desc = grpc: received message larger than max (4194305 vs. 4194304)',
    );
  });

  it('that tells two million devices of nothing loses its stream before they are made', async () => {
    const kernel = realKernel();
    const client = await connected(kernel, {
      listAndWatch: writes(Buffer.alloc(4_000_000, Buffer.from([0x0a, 0x00]))),
    });
    expect(await run(kernel, () => ended(client))).toBe(
      'rpc error: code = ResourceExhausted desc = a message of more than 1000000 fields (v1beta1.ListAndWatchResponse)',
    );
  });

  it('may have a hundred thousand devices', async () => {
    const kernel = realKernel();
    const devices = Array.from({ length: 100_000 }, (_, i) => ({ ID: `gpu-${i}`, health: 'Healthy' }));
    const client = await connected(kernel, { listAndWatch: writes(encode(listAndWatch.output, { devices })) });
    const [told] = await run(kernel, function* () {
      return yield* receive(yield* client.listAndWatch(background));
    });
    expect(told).toHaveLength(100_000);
  });

  it.each([
    ['ends early', Buffer.from([0x0a, 0x7f])],
    ['has a wrong wire type', Buffer.from([0x0f])],
    ['nests groups', Buffer.alloc(100_000, 0x1b)],
    ['is no UTF-8', Buffer.from([0x0a, 0x03, 0x0a, 0x01, 0xff])],
    ['has a length beyond all', Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x00])],
  ])('whose message %s gets an error', async (_what, bytes) => {
    const kernel = realKernel();
    const client = await connected(kernel, {
      listAndWatch: writes(bytes),
      allocate: (_call, answer) => answer(null, bytes),
    });
    const text =
      /^rpc error: code = (Internal|ResourceExhausted) desc = (grpc: failed to unmarshal the received message: |a message of )/;
    expect(await run(kernel, () => ended(client))).toMatch(text);
    expect((await errorOf(run(kernel, () => client.allocate(background, [['a']])))).message).toMatch(text);
  });

  it('with names such as __proto__ changes nothing but its own answer', async () => {
    const kernel = realKernel();
    const bytes = Buffer.concat([
      // container_responses[0].envs['__proto__'] = 'x'
      Buffer.from([0x0a, 0x10, 0x0a, 0x0e, 0x0a, 0x09]),
      Buffer.from('__proto__'),
      Buffer.from([0x12, 0x01]),
      Buffer.from('x'),
    ]);
    const client = await connected(kernel, {
      allocate: (_call, answer) => answer(null, bytes),
      getDevicePluginOptions: answers(getDevicePluginOptions.output, {}),
    });
    await run(kernel, () => client.allocate(background, [['a']]));
    expect(({} as { x?: string }).x).toBeUndefined();
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
    await run(kernel, () => client.getDevicePluginOptions(background));
  });

  it('that is no gRPC server is one that cannot be reached', async () => {
    const kernel = realKernel();
    const path = join(await tempFolder(), 'garbage.sock');
    const server = createServer((socket) => ignoreErrors(socket).end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => void server.close());
    const dial = run(kernel, () => host().dialDevicePlugin(background, path, second / 10));
    expect(await errorOf(dial)).toHaveProperty('message', 'context deadline exceeded');
  });
});

describe('the socket for registrations', () => {
  const request = { version: 'v1beta1', endpoint: 'a.sock', resourceName: 'example.com/a' };

  async function served() {
    const kernel = realKernel();
    const path = join(await tempFolder(), 'kubelet.sock');
    const chan = await run(kernel, () => host().serveRegistration(background, path));
    /** Takes one and accepts it. */
    const accept = async () => {
      const [registration] = await run(kernel, () => receive(chan));
      (registration as Registration).answer(null);
    };
    return { kernel, path, chan, accept };
  }

  it('outlives whatever is sent to it', async () => {
    const { path, accept } = await served();
    const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    for (const bytes of [
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
      preface,
      Buffer.concat([preface, Buffer.alloc(100_000, 0xff)]),
      // Headers of no stream, and of a size that is not there.
      Buffer.concat([preface, Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 9, 1, 4, 0, 0, 0, 0])]),
      Buffer.concat([preface, Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 1, 4, 0, 0, 0, 1])]),
    ]) {
      const socket = ignoreErrors(connect(path));
      await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
      socket.destroy();
    }
    const asked = register(path, request);
    await accept();
    await asked;
  });

  it('has room for so many connections, and closes the next one', async () => {
    const { path, accept } = await served();
    const sockets: Socket[] = [];
    onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
    let closed = 0;
    for (let i = 0; i < limits.connections + 5; i++) {
      const socket = ignoreErrors(connect(path));
      sockets.push(socket);
      await new Promise((resolve) => socket.once('connect', resolve));
      socket.resume().once('close', () => closed++);
    }
    await expect.poll(() => closed).toBe(5);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => closed).toBe(limits.connections + 5);
    const asked = register(path, request);
    await accept();
    await asked;
  });

  it('lets so many registrations wait, and refuses the next one at once', async () => {
    const { path, accept } = await served();
    const outcomes: string[] = [];
    // One more is with the goroutine that gives them to the kubelet.
    const most = limits.registrations + 1;
    const all = Array.from({ length: most + 5 }, () =>
      register(path, request).then(
        () => outcomes.push('accepted'),
        (err: { code: number }) => outcomes.push(status[err.code] as string),
      ),
    );
    await expect.poll(() => outcomes).toEqual(Array(5).fill('RESOURCE_EXHAUSTED'));
    for (let i = 0; i < most; i++) await accept();
    await Promise.all(all);
    expect(outcomes.filter((o) => o === 'accepted')).toHaveLength(most);
  });

  it('refuses a request of more than 64 KiB', async () => {
    const { path } = await served();
    const long = await errorOf(register(path, { ...request, endpoint: 'x'.repeat(limits.requestBytes) }));
    expect(long).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
  });

  it('does not mind who has gone before the answer', async () => {
    const { path, kernel, chan, accept } = await served();
    const leave = new AbortController();
    const gone = errorOf(register(path, request, { signal: leave.signal }));
    const [registration] = await run(kernel, () => receive(chan));
    leave.abort();
    await gone;
    (registration as Registration).answer('too late');
    const asked = register(path, request);
    await accept();
    await asked;
  });
});

describe('the folder of registration sockets', () => {
  it('with more sockets, folders and files than anybody has is seen in part', async () => {
    const kernel = realKernel();
    const folder = await tempFolder();
    const servers: Server[] = [];
    for (let i = 0; i < limits.sockets + 10; i++) {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(join(folder, `${i}.sock`), resolve));
      servers.push(server);
    }
    onTestFinished(() => servers.forEach((server) => void server.close()));
    for (let i = 0; i < limits.folders + 10; i++) await mkdir(join(folder, `d${i}`));
    await writeFile(join(folder, 'file'), '');
    const chan = await run(kernel, () => host().watchSockets(background, folder));
    const seen = new Set<string>();
    for (let i = 0; i < limits.sockets; i++) {
      const [event] = await run(kernel, () => receive(chan));
      seen.add((event as { path: string }).path);
    }
    expect(seen.size).toBe(limits.sockets);
    // The next report is not one of those that were too many.
    servers[0]?.close();
    const [next] = await run(kernel, () => receive(chan));
    expect(next?.op).toBe('delete');
  });
});
