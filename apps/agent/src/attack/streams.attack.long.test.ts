/**
 * Everything that this agent sends or serves, broken at each point of its life in each way, by the other side, by us,
 * and by both at once. It may fail and must end; an error that reaches nobody would end the process. A new source is
 * one row.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { connect as connectTLS } from 'node:tls';
import type { ApiForward, ApiResponse } from '@syncloop/core/apiserver';
import { background, type Context, type Go, Kernel, range, receive, Second, withCancel } from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectCluster } from '../api-client/cluster.js';
import { HTTPSTransport } from '../api-client/https-transport.js';
import { loadKubeconfig } from '../api-client/kubeconfig.js';
import { Forwarder } from '../api-server/forward.js';
import { type ServedAPI, serveAPI } from '../api-server/serve.js';
import { probeSocket } from '../cri/endpoint.js';
import { serveRuntime } from '../cri/server.js';
import { GrpcTransport } from '../cri/transport.js';
import { nodeProbeTransport } from '../host/probe-transport.js';
import { type Listening, listenOn, makeServer, text } from '../kubelet-server/http.js';
import { proxyUpgrade } from '../kubelet-server/stream-proxy.js';
import { nodePluginHost } from '../plugins/host.js';
import { senderTo } from '../telemetry/sender.js';
import { fakeRuntime } from '../testing/harness.js';
import { CertificateAuthority } from '../tls/certificate.js';
import { answers, BreakingServer, endings, type Point, reset } from './testing/breaking-server.js';

const authority = new CertificateAuthority({ commonName: 'cluster', days: 1 });
const pair = authority.issue({ commonName: 'api', hosts: ['127.0.0.1', 'localhost'], days: 1, usage: 'server' });
const token = 'the-token';
const kernel = new Kernel({ clock: new RealClock() });
const driver = new RealDriver(kernel);
/** Errors that nobody had listened for. */
const escaped: unknown[] = [];
const note = (err: unknown) => void escaped.push(err);

let folder: string;
let unixPath: string;
let tcp: BreakingServer;
let unix: BreakingServer;
let port: number;
let api: ServedAPI;
let forwarder: Forwarder | null = null;
let streams: Listening;
let throughProxy: Server;
/** The stream proxy's own backend. */
let backend = '';
const proxied = new Set<Duplex>();

function run<T>(signal: AbortSignal, body: (ctx: Context) => Go<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    kernel.post(() =>
      kernel.go('test', function* () {
        const [ctx, cancel] = withCancel(kernel, background);
        const end = () => kernel.post(() => cancel());
        if (signal.aborted) end();
        else signal.addEventListener('abort', end, { once: true });
        try {
          resolve(yield* body(ctx));
        } catch (err) {
          reject(err);
        } finally {
          cancel();
        }
      }),
    );
  });
}

async function kubeconfig(scheme: string, proxy?: string): Promise<string> {
  const file = join(folder, 'kubeconfig');
  const cluster = {
    server: `${scheme}://127.0.0.1:${port}`,
    ...(scheme === 'https' && { 'certificate-authority-data': Buffer.from(authority.certPem).toString('base64') }),
    ...(proxy !== undefined && { 'proxy-url': proxy }),
  };
  await writeFile(
    file,
    JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
      clusters: [{ name: 'k', cluster }],
      users: [{ name: 'u', user: { token: 'x' } }],
    }),
  );
  return file;
}

const node = { method: 'GET', path: '/api/v1/nodes/n', timeout: 30 * Second } as const;

async function withTransport(
  signal: AbortSignal,
  file: Promise<string>,
  body: (transport: HTTPSTransport, ctx: Context) => Go<unknown>,
): Promise<void> {
  const transport = new HTTPSTransport(await loadKubeconfig(await file, { env: {} }), { userAgent: 'kubelet/test' });
  try {
    await run(signal, (ctx) => body(transport, ctx));
  } finally {
    transport.close();
  }
}

const request = (scheme: string, proxy?: () => string) => (signal: AbortSignal) =>
  withTransport(signal, kubeconfig(scheme, proxy?.()), (t, ctx) => t.request(ctx, node));
/** `most`: how many events are received before it is stopped, as a reflector does at an ERROR. */
const watch = (scheme: string, most: number) => (signal: AbortSignal) =>
  withTransport(signal, kubeconfig(scheme), function* (t, ctx) {
    const w = yield* t.watch(ctx, { ...node, path: '/api/v1/pods' });
    for (let n = 0; n < most; n++) {
      const [, ok] = yield* receive(w.events);
      if (!ok) break;
    }
    w.stop();
    // Events that were on their way are dropped.
    yield* range(w.events, function* () {});
  });

/** A client of one of our own servers, which passes on the breaks behind it. */
const client = (secure: boolean, path: () => string, upgrade: boolean) => (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const url = path();
    const sent = (secure ? httpsRequest : httpRequest)(url, {
      ca: authority.certPem,
      agent: false,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(upgrade && { Connection: 'Upgrade', Upgrade: 'SPDY/3.1' }),
      },
    });
    sent.on('response', (response) => response.on('error', () => {}).resume());
    sent.on('upgrade', (_response: IncomingMessage, socket: Duplex) => {
      socket.on('error', () => {}).on('close', () => resolve());
      socket.resume();
      // The proxy sends these bytes back.
      socket.write('some bytes');
    });
    sent.on('error', () => resolve()).on('close', () => resolve());
    signal.addEventListener('abort', () => sent.destroy());
    if (signal.aborted) sent.destroy();
    sent.end();
  });
const forwarded = (subresource: string) => client(true, () => `${api.url}/${subresource}`, subresource === 'exec');
const streamed = (scheme: string) => {
  const ask = client(false, () => `http://127.0.0.1:${streams.port}/`, true);
  return (signal: AbortSignal) => {
    backend = `${scheme}://127.0.0.1:${port}/exec/token`;
    return ask(signal);
  };
};

const probes = nodeProbeTransport();
const probe = (scheme: 'http' | 'https') => (signal: AbortSignal) =>
  run(signal, (ctx) =>
    probes.httpGet(ctx, { scheme, host: '127.0.0.1', port, path: '/', headers: [], timeout: 30 * Second }),
  );
const spans = (url: () => Parameters<typeof senderTo>[0]) => async (signal: AbortSignal) => {
  const sender = senderTo(url(), { ca: authority.certPem, timeoutMillis: 30_000 });
  const outcome = await sender.send(Buffer.alloc(10), new Map(), signal);
  sender.close();
  return outcome;
};
const overHTTP = (scheme: string) =>
  spans(() => ({ protocol: 'http', url: `${scheme}://127.0.0.1:${port}/v1/traces`, tls: false, local: true }));
const overGrpc = (tls: boolean) => spans(() => ({ protocol: 'grpc', address: `127.0.0.1:${port}`, tls, local: true }));
const cri = (stream: boolean) => async (signal: AbortSignal) => {
  const transport = new GrpcTransport(unixPath);
  try {
    await run(signal, function* (ctx) {
      const deadline = new Date(Date.now() + 30_000);
      if (!stream) return yield* transport.unary('version', ctx, {}, deadline);
      return yield* range(transport.stream('getContainerEvents', ctx, {}, deadline), function* () {});
    });
  } finally {
    transport.close();
  }
};

const plugins = nodePluginHost();
const devicePlugin = (stream: boolean) => (signal: AbortSignal) =>
  run(signal, function* (ctx) {
    const client = yield* plugins.dialDevicePlugin(ctx, unixPath, 30 * Second);
    try {
      if (!stream) return yield* client.getDevicePluginOptions(ctx);
      return yield* range(yield* client.listAndWatch(ctx), function* () {});
    } finally {
      client.close();
    }
  });

interface Source {
  readonly secure: boolean;
  /** Runs to its end, whichever that is. */
  readonly start: (signal: AbortSignal) => Promise<unknown>;
  readonly unix?: boolean;
  /**
   * Every point with every ending; of the others a run takes one in twelve, each another one, and all with
   * SYNCLOOP_LONG or SYNCLOOP_RUNS.
   */
  readonly all?: boolean;
}

const sources: Readonly<Record<string, Source>> = {
  'a request to an API server': { secure: true, start: request('https') },
  'the same without TLS': { secure: false, start: request('http') },
  'the same, where the proxy breaks': {
    secure: false,
    start: request('https', () => `http://127.0.0.1:${port}`),
  },
  'the same, through a proxy': {
    secure: true,
    start: request('https', () => `http://127.0.0.1:${(throughProxy.address() as AddressInfo).port}`),
  },
  'a watch, read to its end': { secure: true, start: watch('https', 1e9) },
  'a watch, stopped at its first event': { secure: true, all: true, start: watch('https', 1) },
  'a watch, stopped at once': { secure: true, all: true, start: watch('https', 0) },
  'a watch without TLS': { secure: false, start: watch('http', 1) },
  'the first look at a cluster': {
    secure: true,
    // It cannot be given up: it has a limit of its own.
    start: async () => (await connectCluster(await kubeconfig('https'), 'n', () => {})).close(),
  },
  'logs for kubectl': { secure: true, start: forwarded('log') },
  "a node's proxy": { secure: true, start: forwarded('proxy') },
  'exec for kubectl': { secure: true, start: forwarded('exec') },
  'a stream of the runtime': { secure: false, start: streamed('http') },
  'the same, encrypted': { secure: true, start: streamed('https') },
  'an HTTP probe': { secure: false, start: probe('http') },
  'an HTTPS probe': { secure: true, start: probe('https') },
  'a TCP probe': {
    secure: false,
    start: (signal) => run(signal, (ctx) => probes.tcpConnect(ctx, '127.0.0.1', port, 30 * Second)),
  },
  'a gRPC probe': {
    secure: false,
    start: (signal) => run(signal, (ctx) => probes.grpcCheck(ctx, '127.0.0.1', port, '', 2 * Second)),
  },
  'spans over HTTP': { secure: false, start: overHTTP('http') },
  'spans over HTTPS': { secure: true, start: overHTTP('https') },
  'spans over gRPC': { secure: false, start: overGrpc(false) },
  'spans over gRPC with TLS': { secure: true, start: overGrpc(true) },
  'a call of the runtime': { secure: false, unix: true, start: cri(false) },
  'a stream of CRI': { secure: false, unix: true, start: cri(true) },
  'a call of a device plug-in': { secure: false, unix: true, start: devicePlugin(false) },
  'a list of devices': { secure: false, unix: true, start: devicePlugin(true) },
  'a look at a socket': { secure: false, unix: true, start: () => probeSocket(unixPath) },
};

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const turns = async (count: number) => {
  for (let n = 0; n < count; n++) await turn();
};

beforeAll(async () => {
  process.on('uncaughtException', note);
  process.on('unhandledRejection', note);
  driver.start();
  folder = await mkdtemp(join(tmpdir(), 'syncloop-streams-'));
  unixPath = join(folder, 's');
  tcp = new BreakingServer(pair);
  unix = new BreakingServer(pair);
  port = await tcp.listen(0);
  await unix.listen(unixPath);
  const forward = (path: string): ApiForward => ({
    kind: 'forward',
    resource: path === 'proxy' ? 'nodes' : 'pods',
    subresource: path,
    namespace: 'default',
    name: 'web',
    nodeName: 'n',
    container: 'app',
    path: '/healthz',
    query: {},
  });
  forwarder = new Forwarder({ host: '127.0.0.1', port, caPem: authority.certPem, token: 'k' });
  api = await serveAPI({
    handle: ({ path }): ApiResponse =>
      path === '/watch'
        ? {
            kind: 'watch',
            code: 200,
            headers: {},
            open: () => () => {},
            read() {
              let event: string | null = '{"type":"BOOKMARK","object":{}}\n';
              const next = () => {
                const first = event;
                event = null;
                return first;
              };
              return { next, over: false, stop() {} };
            },
          }
        : path === '/object'
          ? { kind: 'answer', code: 200, headers: {}, body: { x: 'y'.repeat(1000) } }
          : forward(path.slice(1)),
    token,
    tls: pair,
    host: '127.0.0.1',
    port: 0,
    remedy: '',
    forwarder: () => forwarder,
  });
  streams = await listenOn(
    makeServer(
      async ({ request, response, path, upgrade }) => {
        if (!upgrade) return text(200, path);
        await proxyUpgrade(request, upgrade, backend, undefined, () => response.detachSocket(upgrade.socket as Socket));
        return null;
      },
      { upgrades: true },
    ),
    '127.0.0.1',
    0,
    '',
  );
  throughProxy = createServer((socket) => {
    proxied.add(socket);
    socket.on('error', () => {}).on('close', () => proxied.delete(socket));
    socket.once('data', () => {
      const on = connect(port, '127.0.0.1');
      on.on('error', () => {}).on('close', () => socket.destroy());
      socket.on('close', () => on.destroy());
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(on).pipe(socket);
    });
  });
  await new Promise<void>((resolve) => throughProxy.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  forwarder?.close();
  await api.close();
  await streams.close();
  for (const socket of proxied) socket.destroy();
  throughProxy.close();
  await tcp.close();
  await unix.close();
  driver.stop();
  await rm(folder, { recursive: true });
  process.off('uncaughtException', note);
  process.off('unhandledRejection', note);
});

const points: Readonly<Record<string, Point>> = {
  accepted: 'accepted',
  hello: 'hello',
  secure: 'secure',
  request: 'request',
  ...Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, { answer }])),
};

const long = process.env.SYNCLOOP_LONG === '1' || process.env.SYNCLOOP_RUNS !== undefined;

describe('what this agent sends', () => {
  for (const [row, [name, source]] of Object.entries(sources).entries()) {
    it(`${name} ends, and no error of it reaches nobody`, async () => {
      const server = source.unix ? unix : tcp;
      const told: string[] = [];
      for (const [column, [at, point]] of Object.entries(points).entries()) {
        if (at === 'secure' && !source.secure) continue;
        for (const [depth, [how, ending]] of Object.entries(endings).entries()) {
          if (!long && !source.all && (row + column + depth) % 12 !== 0) continue;
          const given = new AbortController();
          const abort = () => given.abort();
          const reached = server.expect(source.secure, point, ending, abort);
          const ended = source.start(given.signal).then(
            () => {},
            () => {},
          );
          await Promise.race([reached, ended]);
          // Some end by themselves; the others are given up, with the server's part just done or just read.
          await Promise.race([ended, turns(3)]);
          abort();
          await turns(2);
          await server.clear();
          await ended;
          await turns(2);
          if (escaped.length > 0) told.push(`${at}, ${how}: ${escaped.splice(0).map((e) => (e as Error)?.message)}`);
        }
      }
      expect(told).toEqual([]);
    });
  }

  it('is refused, where nobody listens', async () => {
    const real = port;
    const free = createServer();
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
    port = (free.address() as AddressInfo).port;
    await new Promise((resolve) => free.close(resolve));
    for (const { start, unix: local } of Object.values(sources)) {
      if (local) continue;
      const given = new AbortController();
      const ended = start(given.signal).catch(() => {});
      await Promise.race([ended, turns(3)]);
      given.abort();
      await tcp.clear();
      await ended;
    }
    port = real;
    await turns(3);
    expect(escaped).toEqual([]);
  });
});

describe('what this agent serves', () => {
  const bearer = `Host: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`;
  /** The bytes that a client sends before it breaks. */
  const said: Readonly<Record<string, string>> = {
    nothing: '',
    'no HTTP': 'SSH-2.0-x\r\n\r\n',
    'part of a head': 'GET /object HT',
    'part of a body': `POST /object HTTP/1.1\r\n${bearer}Content-Length: 100\r\n\r\n{"a":`,
    'a broken chunk': `POST /object HTTP/1.1\r\n${bearer}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    'a request': `GET /object HTTP/1.1\r\n${bearer}\r\n`,
    'two requests': `GET /object HTTP/1.1\r\n${bearer}\r\n`.repeat(2),
    'a request, and garbage': `GET /object HTTP/1.1\r\n${bearer}\r\n\0\0\0`,
    'a watch': `GET /watch HTTP/1.1\r\n${bearer}\r\n`,
    'an upgrade': `GET /nothing HTTP/1.1\r\n${bearer}Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n`,
    'an upgrade of exec': `POST /exec HTTP/1.1\r\n${bearer}Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\nbytes`,
    'a tunnel': `CONNECT /object HTTP/1.1\r\n${bearer}\r\n`,
    'a preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0',
  };
  const clientEndings = ['closed', 'half-closed', 'reset'] as const;
  const destinations: Readonly<Record<string, () => { at: number | string; host: string | null; secure: boolean }>> = {
    'the API server, within TLS': () => ({ at: api.port, host: `127.0.0.1:${api.port}`, secure: true }),
    'the API server, without TLS': () => ({ at: api.port, host: null, secure: false }),
    "the kubelet's server": () => ({ at: streams.port, host: `127.0.0.1:${streams.port}`, secure: false }),
    'the socket of device plug-ins': () => ({ at: join(folder, 'plugins.sock'), host: null, secure: false }),
    'the mock runtime': () => ({ at: join(folder, 'mock.sock'), host: null, secure: false }),
  };

  it('outlives its clients', async () => {
    const runtime = fakeRuntime({});
    const mock = await serveRuntime(kernel, runtime, runtime, `unix://${folder}/mock.sock`);
    await run(new AbortController().signal, () => plugins.serveRegistration(background, join(folder, 'plugins.sock')));
    void tcp.expect(
      true,
      { answer: answers['another protocol'] as string },
      () => {},
      () => {},
    );
    const told: string[] = [];
    let count = 0;
    for (const [where, destination] of Object.entries(destinations)) {
      const { at, host, secure } = destination();
      for (const [what, words] of Object.entries(said)) {
        for (const how of clientEndings) {
          // Without SYNCLOOP_RUNS one of the waits, which take turns.
          const waits = [0, 1, 3];
          for (const wait of long ? waits : [waits[count % waits.length] as number]) {
            count++;
            const raw = typeof at === 'string' ? connect(at) : connect(at, '127.0.0.1');
            raw.on('error', () => {});
            const stream: Duplex = secure
              ? connectTLS({ socket: raw, ca: authority.certPem, servername: 'localhost' })
              : raw;
            stream.on('error', () => {}).resume();
            const closed = new Promise((resolve) => raw.once('close', resolve));
            await new Promise<void>((resolve) => {
              stream.once(secure ? 'secureConnect' : 'connect', () => resolve()).once('close', () => resolve());
            });
            if (words !== '') stream.write(words.replaceAll('Host: 127.0.0.1\r', `Host: ${host ?? 'x'}\r`), 'latin1');
            await turns(wait);
            if (how === 'reset') reset(raw);
            else if (how === 'closed') stream.destroy();
            else {
              stream.end();
              await turns(3);
              stream.destroy();
            }
            raw.destroy();
            await closed;
            await turns(2);
            if (escaped.length > 0)
              told.push(`${where}: ${what}, ${how}: ${escaped.splice(0).map((e) => (e as Error)?.message)}`);
          }
        }
      }
    }
    await tcp.clear();
    await mock.close();
    await plugins.close();
    await turns(3);
    expect(told).toEqual([]);
    expect(escaped).toEqual([]);
    expect(count).toBe(
      Object.keys(destinations).length * Object.keys(said).length * clientEndings.length * (long ? 3 : 1),
    );
  });
});
