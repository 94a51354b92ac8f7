import { type IncomingHttpHeaders, request as plainRequest } from 'node:http';
import { connect as connectHTTP2 } from 'node:http2';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { otlpText } from '@syncloop/core/trace';
import { partialSuccessOf, type SpanFacts } from '@syncloop/observe/spans';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SpanExporter } from '../telemetry/exporter.js';
import { encodeRequest } from '../telemetry/protobuf.js';
import { senderTo } from '../telemetry/sender.js';
import { parseTarget } from '../telemetry/target.js';
import { type ReceiverOptions, SpansReceiver } from './spans-receiver.js';
import { SpansSource } from './spans-source.js';

const NOW = 1_700_000_002_000;
const LOCAL = { host: '127.0.0.1', port: 0 };
const request = (name: string, start = '1700000000000000000') => ({
  resourceSpans: [
    {
      resource: { attributes: [otlpText('service.name', 'kubelet')] },
      scopeSpans: [
        {
          scope: { name: 's' },
          spans: [
            {
              traceId: '0102030405060708090a0b0c0d0e0f10',
              spanId: '1112131415161718',
              flags: 1,
              name,
              kind: 1 as const,
              startTimeUnixNano: start,
              endTimeUnixNano: '1700000001000000000',
              attributes: [],
              status: {},
            },
          ],
        },
      ],
    },
  ],
});

async function receiver(more: Partial<ReceiverOptions> = {}) {
  const spans: SpanFacts[] = [];
  const made = new SpansReceiver({
    grpc: LOCAL,
    http: LOCAL,
    wall: () => NOW,
    take: async (taken) => {
      spans.push(...taken);
    },
    ...more,
  });
  await made.start();
  onTestFinished(() => made.close());
  const { ports } = made;
  const post = async (body: Buffer | string, headers: Record<string, string> = {}, path = '/v1/traces') => {
    const response = await fetch(`http://127.0.0.1:${ports.http}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-protobuf', ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
    return { code: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
  };
  const client = new Client(`127.0.0.1:${ports.grpc}`, credentials.createInsecure());
  onTestFinished(() => client.close());
  const bytes = (message: Buffer) => message;
  const call = (body: Buffer, metadata = new Metadata()) =>
    new Promise<{ code: status; details: string; answer: Buffer | undefined }>((resolve) =>
      client.makeUnaryRequest<Buffer, Buffer>(
        '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
        bytes,
        bytes,
        body,
        metadata,
        (err: ServiceError | null, answer) =>
          resolve({ code: err?.code ?? status.OK, details: err?.details ?? '', answer }),
      ),
    );
  return { made, spans, names: () => spans.map(({ name }) => name), post, call, ports };
}

describe('spans are received', () => {
  it('over HTTP as protobuf and JSON, with gzip or without', async () => {
    const { post, names } = await receiver();
    const binary = encodeRequest(request('a'));
    expect(await post(binary)).toMatchObject({ code: 200, body: Buffer.alloc(0) });
    expect((await post(gzipSync(binary), { 'content-encoding': 'gzip' })).code).toBe(200);
    const json = await post(JSON.stringify(request('b')), { 'content-type': 'application/json; charset=utf-8' });
    expect([json.code, json.body.toString(), json.headers.get('content-type')]).toEqual([
      200,
      '{}',
      'application/json',
    ]);
    expect(names()).toEqual(['a', 'a', 'b']);
  });

  it('over gRPC, as gRPC compresses it too', async () => {
    const { call, names } = await receiver();
    expect(await call(encodeRequest(request('a')))).toMatchObject({ code: status.OK });
    const metadata = new Metadata();
    metadata.set('grpc-internal-encoding-request', 'gzip');
    expect(await call(encodeRequest(request('b')), metadata)).toMatchObject({ code: status.OK });
    expect(names()).toEqual(['a', 'b']);
  });

  it('from an exporter, in batches, over both', async () => {
    const { names, ports } = await receiver();
    for (const endpoint of [`http://127.0.0.1:${ports.http}`, `127.0.0.1:${ports.grpc}`]) {
      const warnings: string[] = [];
      const exporter = new SpanExporter({
        run: { node: 'n', scenario: '', seed: 0, title: '', epochMillis: 1_700_000_000_000 },
        resource: [otlpText('service.name', 'kubelet')],
        sender: senderTo(parseTarget(endpoint, 'test'), { timeoutMillis: 5000 }),
        name: 'here',
        perMillion: 1e6,
        own: false,
        warn: (text) => warnings.push(text),
      });
      const head = { time: 1, g: 1, span: 0, cause: 0 };
      exporter.sink({ ...head, seq: 1, kind: 'enter', fn: 'SyncPod' });
      exporter.sink({ ...head, seq: 2, kind: 'exit', of: 1, fn: 'SyncPod' });
      await exporter.close();
      expect(warnings).toEqual([]);
    }
    expect(names()).toEqual(['syncPod', 'syncPod']);
  });

  it('and those without a time, or from the future, are rejected, as a part', async () => {
    const { post, call, names, made } = await receiver();
    const answer = await post(encodeRequest(request('a', '0')));
    expect([answer.code, partialSuccessOf(answer.body)]).toEqual([
      200,
      { rejected: 1, message: 'Spans without a time, or from the future, are not accepted.' },
    ]);
    expect(partialSuccessOf((await call(encodeRequest(request('a', '0')))).answer as Buffer).rejected).toBe(1);
    const future = request('a', '1700000900000000000');
    for (const { spans } of future.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans))
      for (const span of spans) span.endTimeUnixNano = '1700000901000000000';
    expect(partialSuccessOf((await post(encodeRequest(future))).body).rejected).toBe(1);
    expect([names(), made.counts]).toEqual([[], { taken: 0, refused: 3 }]);
  });
});

describe('what is no request', () => {
  it('is answered with a code and a sentence, in the form that was sent', async () => {
    const { post, call, names } = await receiver();
    const bad = await post('hello');
    expect([bad.code, bad.body[0]]).toEqual([400, 0x08]);
    expect(bad.body.toString('latin1')).toContain('This is not an ExportTraceServiceRequest');
    const json = await post('{', { 'content-type': 'application/json' });
    expect([json.code, JSON.parse(json.body.toString())]).toEqual([
      400,
      { code: 3, message: expect.stringMatching(/^This is not an ExportTraceServiceRequest: /) },
    ]);
    expect((await post('{}', { 'content-type': 'text/plain' })).code).toBe(415);
    expect((await post('', { 'content-encoding': 'br' })).code).toBe(415);
    expect((await post('no gzip', { 'content-encoding': 'gzip' })).code).toBe(400);
    expect((await post('', {}, '/v1/metrics')).code).toBe(404);
    expect(await call(Buffer.from('hello'))).toMatchObject({ code: status.INVALID_ARGUMENT });
    expect(names()).toEqual([]);
  });

  it('is not read further than the limit, packed or not', async () => {
    const { post, call, names } = await receiver({ limits: { request: 10_000 } });
    const large = encodeRequest(request('x'.repeat(20_000)));
    expect((await post(large)).code).toBe(413);
    expect((await post(gzipSync(Buffer.alloc(50_000_000)), { 'content-encoding': 'gzip' })).code).toBe(413);
    expect(await call(large)).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
    expect((await post(encodeRequest(request('a')))).code).toBe(200);
    expect(names()).toEqual(['a']);
  });

  it('may be cut: nothing is taken of it, and the next is', async () => {
    const { post, names, ports } = await receiver();
    const whole = encodeRequest(request('a'));
    await new Promise<void>((resolve) => {
      const socket = connect(ports.http, '127.0.0.1', () => {
        socket.write(
          `POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-protobuf\r\nContent-Length: ${whole.length}\r\n\r\n`,
        );
        socket.write(whole.subarray(0, 10), () => socket.destroy());
      });
      socket.on('close', () => resolve());
    });
    expect((await post(whole)).code).toBe(200);
    expect(names()).toEqual(['a']);
  });
});

describe('a web page', () => {
  const body = encodeRequest(request('forged'));
  /** Written as a browser sends it: `fetch` of Node would not set these headers. */
  const send = (port: number, headers: Record<string, string>, method = 'POST') =>
    new Promise<{ code: number; headers: IncomingHttpHeaders }>((resolve, reject) => {
      const type = { 'content-type': 'application/x-protobuf', 'content-length': String(body.length) };
      const options = { host: '127.0.0.1', port, path: '/v1/traces', method, headers: { ...type, ...headers } };
      plainRequest({ ...options, agent: false }, (response) => {
        response.resume().on('end', () => resolve({ code: response.statusCode ?? 0, headers: response.headers }));
      })
        .on('error', reject)
        .end(body);
    });

  it('cannot write the story by a name that it turned to loopback', async () => {
    const { names, ports } = await receiver();
    // For its browser, a rebound page is of the same origin as the server that it asks.
    for (const name of ['evil.test', '127.0.0.1.evil.test', 'localhost.', 'localhost.evil.test', ''])
      for (const own of [
        {} as Record<string, string>,
        { origin: `http://${name}:${ports.http}`, 'sec-fetch-site': 'same-origin' },
      ])
        expect((await send(ports.http, { host: `${name}:${ports.http}`, ...own })).code, name).toBe(421);
    expect(names()).toEqual([]);
  });

  it('cannot write the story from its own site, nor ask whether it may', async () => {
    const { names, ports } = await receiver();
    const own = `127.0.0.1:${ports.http}`;
    for (const host of [own, `localhost:${ports.http}`, `[::1]:${ports.http}`])
      for (const headers of [
        ...['https://evil.test', 'null', `http://evil.test:${ports.http}`, `http://${host}`].map((origin) => ({
          origin,
        })),
        ...['cross-site', 'same-site'].map((site) => ({ 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' })),
      ])
        for (const method of ['POST', 'OPTIONS']) {
          const answer = await send(ports.http, { host, ...headers }, method);
          expect(answer.code, JSON.stringify(headers)).toBe(403);
          expect(Object.keys(answer.headers).join()).not.toContain('access-control');
        }
    expect(names()).toEqual([]);
    expect((await send(ports.http, { host: own })).code).toBe(200);
    expect(names()).toEqual(['forged']);
  });

  it('is refused over gRPC in the same way, though no browser speaks that', async () => {
    const { ports, names } = await receiver();
    const call = (authority: string, headers: Record<string, string> = {}, type = 'application/grpc') =>
      new Promise<string>((resolve, reject) => {
        const session = connectHTTP2(`http://127.0.0.1:${ports.grpc}`);
        session.on('error', reject);
        const stream = session.request({
          ...{ ':method': 'POST', ':path': '/opentelemetry.proto.collector.trace.v1.TraceService/Export' },
          ...{ ':authority': authority, 'content-type': type, te: 'trailers', ...headers },
        });
        const seen: Record<string, unknown> = {};
        stream.on('response', (given) => Object.assign(seen, given));
        stream.on('trailers', (given) => Object.assign(seen, given));
        stream.resume().on('error', reject);
        stream.on('close', () => {
          session.close();
          resolve(`${String(seen[':status'])} ${String(seen['grpc-status'] ?? '')}`.trim());
        });
        const head = Buffer.alloc(5);
        head.writeUInt32BE(body.length, 1);
        stream.end(Buffer.concat([head, body]));
      });
    const own = `127.0.0.1:${ports.grpc}`;
    expect(await call(`evil.test:${ports.grpc}`)).toBe(`200 ${status.PERMISSION_DENIED}`);
    expect(await call(own, { origin: 'https://evil.test' })).toBe(`200 ${status.PERMISSION_DENIED}`);
    expect(await call(own, { 'sec-fetch-site': 'cross-site' })).toBe(`200 ${status.PERMISSION_DENIED}`);
    expect(await call(own, {}, 'text/plain')).toBe('415');
    expect(names()).toEqual([]);
    expect(await call(own)).toBe(`200 ${status.OK}`);
    expect(await call(`localhost:${ports.grpc}`)).toBe(`200 ${status.OK}`);
    expect(names()).toEqual(['forged', 'forged']);
    // A browser does speak HTTP/1.1, which is not a call.
    await expect(send(ports.grpc, { host: own })).rejects.toThrow();
    expect(names()).toHaveLength(2);
  });

  it('that knows no token is refused by any name; who has it may come by any', async () => {
    const { post, ports, names } = await receiver({ token: 'secret-token' });
    const named = { host: `collector.test:${ports.http}` };
    expect((await send(ports.http, named)).code).toBe(401);
    expect((await send(ports.http, { ...named, authorization: 'Bearer secret-token' })).code).toBe(200);
    expect((await post(body, { authorization: 'Bearer secret-token', origin: 'http://a.test' })).code).toBe(403);
    expect(names()).toEqual(['forged']);
  });
});

describe('a receiver', () => {
  it('asks who sends too much to come again', async () => {
    const { post, call } = await receiver({ limits: { spans: 1 }, now: () => 0 });
    expect((await post(encodeRequest(request('a')))).code).toBe(200);
    const refused = await post(encodeRequest(request('b')));
    expect([refused.code, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await call(encodeRequest(request('c')))).toMatchObject({ code: status.UNAVAILABLE });
  });

  it('holds few requests at a time', async () => {
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let entered = () => {};
    const inWork = new Promise<void>((resolve) => {
      entered = resolve;
    });
    const { post } = await receiver({
      limits: { inFlight: 1 },
      take: () => {
        entered();
        return held;
      },
    });
    const first = post(encodeRequest(request('a')));
    await inWork;
    expect((await post(encodeRequest(request('b')))).code).toBe(503);
    goOn();
    expect((await first).code).toBe(200);
  });

  it('beyond loopback asks for its token', async () => {
    expect(() => new SpansReceiver({ http: { host: '0.0.0.0', port: 0 }, take: async () => {} })).toThrow(
      /from anybody who reaches 0\.0\.0\.0:0: listen on 127\.0\.0\.1/,
    );
    const { post, call, names } = await receiver({ token: 'secret-token' });
    expect((await post(encodeRequest(request('a')))).code).toBe(401);
    expect((await post(encodeRequest(request('a')), { authorization: 'Bearer secret-tokem' })).code).toBe(401);
    expect((await post(encodeRequest(request('a')), { authorization: 'Bearer secret-token' })).code).toBe(200);
    expect(await call(encodeRequest(request('b')))).toMatchObject({ code: status.UNAUTHENTICATED });
    const metadata = new Metadata();
    metadata.set('authorization', 'Bearer secret-token');
    expect(await call(encodeRequest(request('b')), metadata)).toMatchObject({ code: status.OK });
    expect(names()).toEqual(['a', 'b']);
  });

  it('as a source says once that its port is taken, and takes it when it is free', async () => {
    const { made, ports } = await receiver({ http: LOCAL });
    const source = new SpansSource({
      id: 'spans',
      grpc: { host: '127.0.0.1', port: ports.grpc },
      backOff: { next: () => 5, reset: () => {} } as never,
    });
    const said: string[] = [];
    const again = new Promise<void>((resolve) => {
      source.start(
        async () => {},
        (sentence, well) => {
          said.push(sentence);
          if (well) resolve();
          else void made.close();
        },
      );
    });
    await again;
    await source.stop();
    expect(said).toEqual([
      expect.stringMatching(
        /are not received: .*another program has the port, such as a Collector.*It is tried again\.$/,
      ),
      expect.stringMatching(/are received again\.$/),
    ]);
  });
});
