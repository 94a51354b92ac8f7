import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { background, withCancel } from '@syncloop/core/kernel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { realKernel, run } from '../testing/harness.js';
import { nodeProbeTransport } from './probe-transport.js';

const transport = nodeProbeTransport();
const Second = 1_000_000;

async function listening(server: {
  listen(port: number, host: string, done: () => void): unknown;
  address(): unknown;
  close(): unknown;
}): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A port at which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const get = (port: number, more: object = {}) => {
  const request = {
    scheme: 'http' as const,
    host: '127.0.0.1',
    port,
    path: '/x',
    headers: [],
    timeout: 5 * Second,
    ...more,
  };
  return run(realKernel(), () => transport.httpGet(background, request));
};

describe('httpGet of a whole body', () => {
  const MiB = 1024 * 1024;
  const serving = (bytes: number) =>
    listening(createServer((_request, response) => void response.end(Buffer.alloc(bytes, 'a'))));
  it('takes as much as is asked for, and no byte more', async () => {
    const maxBody = MiB;
    expect((await get(await serving(MiB), { maxBody })).body).toHaveLength(MiB);
    await expect(get(await serving(MiB + 1), { maxBody })).rejects.toThrow('the read limit is reached');
  });
  it('that never ends is told of, when it is too long or its time is over', async () => {
    let gone = 0;
    const port = await listening(
      createServer((request, response) => {
        request.socket.on('close', () => gone++);
        const chunk = Buffer.alloc(64 * 1024);
        const more = (): void => {
          while (!response.destroyed && response.write(chunk));
        };
        if (request.url === '/slow') response.write('a');
        else more();
        response.on('drain', more);
      }),
    );
    await expect(get(port, { maxBody: MiB })).rejects.toThrow('the read limit is reached');
    // Long enough that a busy machine has connected and read the first byte before.
    await expect(get(port, { maxBody: MiB, path: '/slow', timeout: 1.5 * Second })).rejects.toThrow(
      'context deadline exceeded (Client.Timeout or context cancellation while reading body)',
    );
    while (gone < 2) await new Promise((resolve) => setImmediate(resolve));
  });
});

describe('httpGet', () => {
  it('gives any answer, with what it asked and no more than 10 KB', async () => {
    const seen: unknown[] = [];
    const port = await listening(
      createServer((request, response) => {
        seen.push([request.url, request.headers.host, request.headers['x-a'], request.headers.connection]);
        response.writeHead(302, 'Found', { Location: '/y' }).end('a'.repeat(20_000));
      }),
    );
    const answer = await get(port, {
      path: 'x?y=1',
      headers: [
        { name: 'Host', value: 'me.test' },
        { name: 'X-A', value: '1' },
        { name: 'X-A', value: '2' },
      ],
    });
    expect(answer).toMatchObject({ status: 302, location: '/y', statusText: 'Found' });
    expect(answer.body).toHaveLength(10 * 1024);
    expect(seen).toEqual([['/x?y=1', 'me.test', '1, 2', 'close']]);
  });

  it('fails in Go’s words', async () => {
    const refused = await closedPort();
    await expect(get(refused)).rejects.toThrow(
      `Get "http://127.0.0.1:${refused}/x": dial tcp 127.0.0.1:${refused}: connect: connection refused`,
    );
    const hang = await listening(createServer(() => {}));
    await expect(get(hang, { timeout: 30_000 })).rejects.toThrow(
      `Get "http://127.0.0.1:${hang}/x": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
    );
    const drop = await listening(createTcpServer((socket) => socket.once('data', () => socket.end())));
    await expect(get(drop)).rejects.toThrow(`Get "http://127.0.0.1:${drop}/x": EOF`);
  });
});

describe('tcpConnect', () => {
  it('resolves when connected, and fails in Go’s words', async () => {
    const port = await listening(createTcpServer());
    await run(realKernel(), () => transport.tcpConnect(background, '127.0.0.1', port, Second));
    const refused = await closedPort();
    await expect(
      run(realKernel(), () => transport.tcpConnect(background, '127.0.0.1', refused, Second)),
    ).rejects.toThrow(`dial tcp 127.0.0.1:${refused}: connect: connection refused`);
  });

  it('ends with its context', async () => {
    const kernel = realKernel();
    const port = await listening(createTcpServer());
    const [ctx, cancel] = withCancel(kernel, background);
    cancel();
    await expect(run(kernel, () => transport.tcpConnect(ctx, '127.0.0.1', port, Second))).rejects.toThrow(
      'context canceled',
    );
    const [late, end] = withCancel(kernel, background);
    const hang = await listening(createServer(() => kernel.post(end)));
    const request = {
      scheme: 'http',
      host: '127.0.0.1',
      port: hang,
      path: '/',
      headers: [],
      timeout: 5 * Second,
    } as const;
    await expect(run(kernel, () => transport.httpGet(late, request))).rejects.toThrow('context canceled');
  });
});

describe('grpcCheck', () => {
  async function health(status: number | null): Promise<number> {
    const server = new Server();
    const raw = { requestStream: false, responseStream: false, path: '/grpc.health.v1.Health/Check' };
    const pass = (bytes: Buffer) => bytes;
    if (status !== null) {
      server.addService(
        {
          check: {
            ...raw,
            requestSerialize: pass,
            requestDeserialize: pass,
            responseSerialize: pass,
            responseDeserialize: pass,
          },
        },
        {
          check: (call: { request: Buffer }, respond: (err: object | null, bytes?: Buffer) => void) =>
            call.request.toString() === '\n\x03svc'
              ? respond(null, Buffer.from([8, status]))
              : respond({ code: 5, details: 'unknown service' }),
        },
      );
    }
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (err, bound) =>
        err ? reject(err) : resolve(bound),
      ),
    );
    onTestFinished(() => server.forceShutdown());
    return port;
  }
  const check = (port: number, service = 'svc', timeout = 5 * Second) =>
    run(realKernel(), () => transport.grpcCheck(background, '127.0.0.1', port, service, timeout));

  it('gives the status by name', async () => {
    expect(await check(await health(1))).toBe('SERVING');
    expect(await check(await health(2))).toBe('NOT_SERVING');
    expect(await check(await health(0))).toBe('UNKNOWN');
    expect(await check(await health(1), 'other')).toBe('SERVICE_UNKNOWN');
  });

  it('fails in grpc-go’s words', async () => {
    const refused = await closedPort();
    await expect(check(refused)).rejects.toThrow(
      `connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:${refused}: connect: connection refused"`,
    );
    await expect(check(await health(null))).rejects.toThrow(/^rpc error: code = Unimplemented desc = /);
    const hang = await listening(createTcpServer());
    await expect(check(hang, 'svc', 100_000)).rejects.toThrow(/^rpc error: code = DeadlineExceeded desc = /);
  });
});
