import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { constants, createDeflate } from 'node:zlib';
import { background, Kernel } from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import { type MockRuntime, newMockRuntime, type StreamRequest } from '@syncloop/core/mock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dictionary } from './spdy.js';
import { type StreamingServer, streamingServer } from './streaming-server.js';

let server: StreamingServer;
let kernel: Kernel;
let driver: RealDriver;
let mock: MockRuntime;
beforeEach(async () => {
  server = await streamingServer();
  kernel = new Kernel({ clock: new RealClock(), seed: 1 });
  driver = new RealDriver(kernel);
  mock = newMockRuntime(kernel, { streams: (request) => server.url(request) });
  server.serve(kernel, mock);
  driver.start();
});
afterEach(() => {
  server.close();
  driver.stop();
});

/** Runs a container, and gives its id. */
function container(command: string[], more: object = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    kernel.post(() => {
      kernel.go('test', function* () {
        try {
          const config = { metadata: { name: 'p', namespace: 'default', uid: 'u' }, logDirectory: '/var/log/p' };
          const { podSandboxId = '' } = yield* mock.runtime.runPodSandbox(background, { config });
          const image = { image: 'localhost/busybox:dev' };
          const own = { metadata: { name: 'app' }, image, command, logPath: 'app.log', ...more };
          const { containerId = '' } = yield* mock.runtime.createContainer(background, { podSandboxId, config: own });
          yield* mock.runtime.startContainer(background, { containerId });
          resolve(containerId);
        } catch (err) {
          reject(err as Error);
        }
      });
    });
  });
}

const u32 = (n: number) => {
  const b = Buffer.alloc(4);
  b.writeUInt32BE(n >>> 0);
  return b;
};
const frame = (first: number, flags: number, payload: Buffer) =>
  Buffer.concat([u32(first), Buffer.from([flags]), u32(payload.length).subarray(1), payload]);

/** A client as kubectl is one: SPDY/3.1, a stream for each name. */
class Client {
  readonly text: Record<string, string> = {};
  private readonly ids = new Map<string, number>();
  private left = Buffer.alloc(0);
  private readonly deflate = createDeflate({ dictionary, flush: constants.Z_SYNC_FLUSH });
  /** Resolves with the end of the connection. */
  readonly over: Promise<unknown>;

  private constructor(
    private readonly socket: Socket,
    readonly head: string,
    rest: Buffer,
  ) {
    this.over = new Promise((resolve) => socket.once('close', resolve));
    socket.on('data', (data) => this.take(data));
    this.take(rest);
  }

  static async at(url: string, headers = 'Upgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n') {
    const { port, pathname } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`POST ${pathname} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n${headers}\r\n`);
    let got = Buffer.alloc(0);
    while (!got.includes('\r\n\r\n')) got = Buffer.concat([got, ((await once(socket, 'data')) as [Buffer])[0]]);
    const end = got.indexOf('\r\n\r\n') + 4;
    return new Client(socket, got.toString('latin1', 0, end), got.subarray(end));
  }

  async open(...names: string[]): Promise<this> {
    for (const name of names) {
      const id = 2 * this.ids.size + 1;
      this.ids.set(name, id);
      const pair = ['streamtype', name].map((t) => Buffer.concat([u32(t.length), Buffer.from(t)]));
      await new Promise<void>((resolve) => this.deflate.write(Buffer.concat([u32(1), ...pair]), () => resolve()));
      const packed = this.deflate.read() as Buffer;
      this.socket.write(frame(0x80030001, 0, Buffer.concat([u32(id), u32(0), Buffer.from([0, 0]), packed])));
    }
    return this;
  }
  send(name: string, text: string, last = false): void {
    this.socket.write(frame(this.ids.get(name) ?? 0, last ? 1 : 0, Buffer.from(text)));
  }
  raw(data: Buffer): void {
    this.socket.write(data);
  }
  /** Resolves once a stream has brought a text. */
  async until(name: string, part: string): Promise<void> {
    while (!(this.text[name] ?? '').includes(part)) await once(this.socket, 'data');
  }
  hangUp(): void {
    this.socket.destroy();
  }

  private take(data: Buffer): void {
    this.left = Buffer.concat([this.left, data]);
    while (this.left.length >= 8 && this.left.length >= 8 + this.left.readUIntBE(5, 3)) {
      const length = this.left.readUIntBE(5, 3);
      const first = this.left.readUInt32BE(0);
      const name = [...this.ids].find(([, id]) => id === first)?.[0];
      if (name) this.text[name] = (this.text[name] ?? '') + this.left.toString('utf8', 8, 8 + length);
      this.left = this.left.subarray(8 + length);
    }
  }
}

const request = (containerId: string, command: readonly string[] | null, more: Partial<StreamRequest> = {}) =>
  server.url({ containerId, command, stdin: false, stdout: true, stderr: true, tty: false, ...more });

describe('the streaming server of the mock runtime', () => {
  it('gives what a command prints, apart, and how it ended', async () => {
    const id = await container(['sleep', '1000']);
    const client = await Client.at(request(id, ['sh', '-c', 'echo out; echo err >&2; exit 3']));
    expect(client.head).toMatch(/^HTTP\/1.1 101 .*X-Stream-Protocol-Version: v4.channel.k8s.io\r\n/s);
    await (await client.open('error', 'stdout', 'stderr')).over;
    expect(client.text).toMatchObject({ stdout: 'out\n', stderr: 'err\n' });
    expect(JSON.parse(client.text.error ?? '')).toMatchObject({
      status: 'Failure',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '3' }] },
    });
  });

  it('feeds a command, and a terminal has one output with its own ends of lines', async () => {
    const id = await container(['sleep', '1000']);
    const client = await Client.at(request(id, ['sh'], { stdin: true, stderr: false, tty: true }));
    await client.open('error', 'stdin', 'stdout', 'resize');
    client.send('stdin', 'echo one\n');
    await client.until('stdout', 'one\r\n');
    client.send('stdin', 'for i in a b\ndo echo $i\ndone\nls /nowhere\n');
    await client.until('stdout', 'ls: /nowhere: No such file or directory\r\n');
    expect(client.text.stdout).toBe('one\r\na\r\nb\r\nls: /nowhere: No such file or directory\r\n');
    client.send('stdin', '', true);
    await client.over;
    expect(JSON.parse(client.text.error ?? '')).toMatchObject({ status: 'Failure' });
  });

  it('attaches to the first process, which goes on when the client has gone', async () => {
    const id = await container(['sh'], { stdin: true });
    const first = await Client.at(request(id, null, { stdin: true }));
    await first.open('error', 'stdin', 'stdout', 'stderr');
    first.send('stdin', 'X=kept\necho hello\n');
    await first.until('stdout', 'hello\n');
    first.hangUp();
    const second = await Client.at(request(id, null, { stdin: true }));
    await second.open('error', 'stdin', 'stdout', 'stderr');
    second.send('stdin', 'echo $X; exit 0\n');
    await second.over;
    expect(second.text.stdout).toBe('kept\n');
    expect(JSON.parse(second.text.error ?? '')).toEqual({ metadata: {}, status: 'Success' });
  });

  it('takes each URL once, and nothing else', async () => {
    const id = await container(['sleep', '1000']);
    const url = request(id, ['true']);
    await (await (await Client.at(url)).open('error', 'stdout', 'stderr')).over;
    expect((await Client.at(url)).head).toMatch(/^HTTP\/1.1 404 /);
    expect((await Client.at(url.replace(/.{4}$/, '0000'))).head).toMatch(/^HTTP\/1.1 404 /);
    const other = 'Upgrade: websocket\r\n';
    expect((await Client.at(request(id, ['true']), other)).head).toMatch(/^HTTP\/1.1 403 /);
    expect((await fetch(request(id, ['true']))).status).toBe(400);
  });

  it('hangs up on whoever does not keep to the protocol', async () => {
    const id = await container(['sleep', '1000']);
    for (const bad of [
      frame(0x80030001, 0, Buffer.alloc(9000)),
      frame(0x80030001, 0, Buffer.concat([Buffer.alloc(10), Buffer.from('no zlib at all')])),
      frame(1, 0, Buffer.alloc(5 << 20)),
    ]) {
      const client = await Client.at(request(id, ['true']));
      client.raw(bad);
      await client.over;
    }
    // Others are not disturbed.
    const client = await Client.at(request(id, ['echo', 'fine']));
    await (await client.open('error', 'stdout', 'stderr')).over;
    expect(client.text.stdout).toBe('fine\n');
  });

  it('kills a command whose client has gone', async () => {
    const id = await container(['sleep', '1000']);
    const client = await Client.at(request(id, ['sh', '-c', 'echo here; exec sleep 500']));
    await (await client.open('error', 'stdout', 'stderr')).until('stdout', 'here');
    client.hangUp();
    const look = async () => {
      const c = await Client.at(request(id, ['sh', '-c', 'ps | grep "[s]leep 500" || echo none']));
      await (await c.open('error', 'stdout', 'stderr')).over;
      return c.text.stdout;
    };
    while ((await look()) !== 'none\n');
  });
});
