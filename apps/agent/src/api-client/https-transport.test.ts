import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import {
  createServer as createPlain,
  type Server as PlainServer,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer as createTCP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RestResponse, WatchEvent } from '@syncloop/core/api';
import {
  background,
  type Context,
  type Go,
  Kernel,
  range,
  Second,
  withCancel,
  withTimeout,
} from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../tls/certificate.js';
import { HTTPSTransport } from './https-transport.js';
import { loadKubeconfig } from './kubeconfig.js';

let folder: string;
const authority = new CertificateAuthority({ commonName: 'cluster', days: 1 });
const serving = authority.issue({ commonName: 'api', hosts: ['127.0.0.1', 'localhost'], days: 1, usage: 'server' });
const nameless = authority.issue({ commonName: 'api', hosts: ['elsewhere'], days: 1, usage: 'server' });
const us = authority.issue({
  commonName: 'system:node:node1',
  organizations: ['system:nodes'],
  days: 1,
  usage: 'client',
});
const base64 = (text: string) => Buffer.from(text).toString('base64');

const kernel = new Kernel({ clock: new RealClock() });
const driver = new RealDriver(kernel);
const open: (() => void)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syncloop-api-'));
  driver.start();
});
afterAll(async () => {
  driver.stop();
  await rm(folder, { recursive: true, force: true });
});
let handler: RequestListener;
beforeEach(() => {
  handler = (_, response) => response.end('{}');
});
afterEach(() => {
  for (const close of open.splice(0)) close();
});

function listen(server: PlainServer): Promise<number> {
  return new Promise((resolve) => {
    open.push(() => {
      server.close();
      server.closeAllConnections();
    });
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
const serve = (options: ServerOptions = { cert: serving.certPem, key: serving.keyPem }) =>
  listen(createServer(options, (request, response) => handler(request, response)));

interface Fields {
  cluster?: object;
  user?: object;
}
let files = 0;
async function kubeconfig(server: string, { cluster = {}, user = {} }: Fields = {}): Promise<string> {
  const file = join(folder, `kubeconfig-${++files}`);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster: { server, ...cluster } }],
    users: [{ name: 'u', user }],
  };
  await writeFile(file, JSON.stringify(config));
  return file;
}
const ca = { 'certificate-authority-data': base64(authority.certPem) };

async function transport(port: number, fields: Fields = { cluster: ca }, options = {}): Promise<HTTPSTransport> {
  const file = await kubeconfig(`https://127.0.0.1:${port}`, fields);
  const made = new HTTPSTransport(await loadKubeconfig(file, { env: {} }), { userAgent: 'kubelet/test', ...options });
  open.push(() => made.close());
  return made;
}

function run<T>(body: () => Go<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    kernel.post(() =>
      kernel.go('test', function* () {
        try {
          resolve(yield* body());
        } catch (err) {
          reject(err);
        }
      }),
    );
  });
}
const get = (t: HTTPSTransport, path = '/api/v1/nodes/node1', ctx: Context = background): Promise<RestResponse> =>
  run(() => t.request(ctx, { method: 'GET', path }));
const text = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (err: Error) => err.message,
  );

describe('a request', () => {
  it('goes out with credentials, content type and its query in order, and comes back parsed', async () => {
    const seen: unknown[] = [];
    handler = (request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      request.on('end', () => {
        const { authorization, accept, 'content-type': type, 'user-agent': agent } = request.headers;
        seen.push([request.method, request.url, authorization, accept, type, agent, body]);
        response.writeHead(409).end('{"kind":"Status","code":409,"reason":"Conflict"}');
      });
    };
    const t = await transport(await serve(), { cluster: ca, user: { token: 'secret' } });
    const answer = await run(() =>
      t.request(background, {
        method: 'PATCH',
        path: '/api/v1/namespaces/default/pods/a%20b/status',
        query: { fieldManager: 'kubelet', dryRun: 'All' },
        contentType: 'application/strategic-merge-patch+json',
        body: { status: { phase: 'Running' } },
      }),
    );
    expect(seen).toEqual([
      [
        'PATCH',
        '/api/v1/namespaces/default/pods/a%20b/status?dryRun=All&fieldManager=kubelet',
        'Bearer secret',
        'application/json',
        'application/strategic-merge-patch+json',
        'kubelet/test',
        '{"status":{"phase":"Running"}}',
      ],
    ]);
    expect(answer).toMatchObject({ code: 409, body: { reason: 'Conflict' } });
  });

  it('uses one connection for many, and another where the server closed it meanwhile', async () => {
    const ports = new Set<number | undefined>();
    handler = (request, response) => {
      ports.add(request.socket.remotePort);
      // The connection is closed without notice: the next request meets a dead one.
      response.end('{}', () => request.url === '/last' && request.socket.destroy());
    };
    const t = await transport(await serve());
    for (let i = 0; i < 5; i++) expect((await get(t)).code).toBe(200);
    expect(ports.size).toBe(1);
    await get(t, '/last');
    expect((await get(t)).code).toBe(200);
    expect(ports.size).toBe(2);
  });

  it('knows us by a client certificate', async () => {
    handler = (request, response) => {
      const { subject } = (request.socket as import('node:tls').TLSSocket).getPeerCertificate();
      response.end(JSON.stringify(subject));
    };
    const port = await serve({ cert: serving.certPem, key: serving.keyPem, ca: authority.certPem, requestCert: true });
    await writeFile(join(folder, 'us.crt'), us.certPem);
    await writeFile(join(folder, 'us.key'), us.keyPem);
    const t = await transport(port, { cluster: ca, user: { 'client-certificate': 'us.crt', 'client-key': 'us.key' } });
    expect((await get(t)).body).toEqual({ O: 'system:nodes', CN: 'system:node:node1' });
    const without = await transport(port);
    expect(await text(get(without))).toMatch(
      /^Get "https:\/\/127\.0\.0\.1:\d+\/api\/v1\/nodes\/node1": remote error: tls: /,
    );
  });

  it('makes a Status of an error that is none, and fails on an answer that is no JSON', async () => {
    handler = (request, response) => response.writeHead(request.url === '/bad' ? 502 : 200).end('<html>');
    const t = await transport(await serve());
    expect(await get(t, '/bad')).toMatchObject({
      code: 502,
      body: { kind: 'Status', message: '<html>', reason: 'InternalError', code: 502 },
    });
    expect(await text(get(t))).toContain('the answer is not JSON');
  });

  it('tells how long Retry-After says to wait, and leaves that to its caller', async () => {
    let after = '7';
    handler = (_, response) => response.writeHead(429, { 'Retry-After': after }).end('{"kind":"Status","code":429}');
    const t = await transport(await serve());
    expect(await get(t)).toMatchObject({ code: 429, retryAfter: 7 });
    after = 'Wed, 21 Oct 2026 07:28:00 GMT';
    expect(await get(t)).not.toHaveProperty('retryAfter');
    const w = await run(() => t.watch(background, { method: 'GET', path: '/api/v1/pods' }));
    expect([w.code, w.retryAfter]).toEqual([429, undefined]);
    after = '0';
    expect((await run(() => t.watch(background, { method: 'GET', path: '/api/v1/pods' }))).retryAfter).toBe(0);
  });

  it('refuses an answer without end', async () => {
    handler = (_, response) => {
      const more = () => {
        while (response.write('x'.repeat(1000)));
      };
      response.on('drain', more);
      more();
    };
    const t = await transport(await serve(), { cluster: ca }, { maxAnswer: 100_000 });
    expect(await text(get(t))).toContain('the answer has more than 100000 bytes');
  });
});

describe('what goes wrong has the text that a kubelet logs', () => {
  const node = (port: number) => `Get "https://127.0.0.1:${port}/api/v1/nodes/node1": `;

  it('nobody listens', async () => {
    const port = await serve();
    for (const close of open.splice(0)) close();
    expect(await text(get(await transport(port)))).toBe(
      `${node(port)}dial tcp 127.0.0.1:${port}: connect: connection refused`,
    );
  });

  it('no such host', async () => {
    const t = new HTTPSTransport(await loadKubeconfig(await kubeconfig('https://nowhere.invalid:6443'), { env: {} }), {
      userAgent: 'x',
    });
    expect(await text(get(t))).toMatch(/: dial tcp: lookup nowhere\.invalid: (no such host|Temporary failure)/);
  });

  it('an unknown authority, another name, plain HTTP', async () => {
    const port = await serve();
    expect(await text(get(await transport(port, {})))).toBe(
      `${node(port)}tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    );
    const other = await serve({ cert: nameless.certPem, key: nameless.keyPem });
    expect(await text(get(await transport(other)))).toBe(
      `${node(other)}tls: failed to verify certificate: x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs`,
    );
    const plain = await listen(createPlain((_, response) => response.end('{}')));
    expect(await text(get(await transport(plain)))).toBe(
      `${node(plain)}http: server gave HTTP response to HTTPS client`,
    );
  });

  it('the same with tls-server-name and insecure-skip-tls-verify is none', async () => {
    const port = await serve({ cert: nameless.certPem, key: nameless.keyPem });
    const named = await transport(port, { cluster: { ...ca, 'tls-server-name': 'elsewhere' } });
    expect((await get(named)).code).toBe(200);
    const blind = await transport(port, { cluster: { 'insecure-skip-tls-verify': true } });
    expect((await get(blind)).code).toBe(200);
  });

  it('a connection that is closed or reset', async () => {
    handler = (request) => request.socket.end();
    const port = await serve();
    expect(await text(get(await transport(port)))).toBe(`${node(port)}EOF`);
    const raw = createTCP((socket) => socket.once('data', () => socket.resetAndDestroy()));
    await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
    open.push(() => raw.close());
    const { port: other } = raw.address() as AddressInfo;
    expect(await text(get(await transport(other)))).toMatch(/(: read: connection reset by peer|: EOF)$/);
  });

  it('no answer in time, and a context that ends', async () => {
    handler = () => {};
    const port = await serve();
    const t = await transport(port, { cluster: ca }, { timeoutMillis: 30 });
    expect(await text(get(t))).toBe(
      `${node(port)}context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
    );
    const late = await text(
      run(function* () {
        const [ctx] = withTimeout(kernel, background, Second / 50);
        yield* t.request(ctx, { method: 'PUT', path: '/x', body: {}, timeout: 10 * Second });
      }),
    );
    expect(late).toBe(`Put "https://127.0.0.1:${port}/x": context deadline exceeded`);
    const canceled = text(
      run(function* () {
        const [ctx, cancel] = withCancel(kernel, background);
        kernel.addTimer(kernel.now() + Second / 100, () => cancel());
        yield* t.request(ctx, { method: 'GET', path: '/x', timeout: 10 * Second });
      }),
    );
    expect(await canceled).toBe(`Get "https://127.0.0.1:${port}/x": context canceled`);
  });

  it('and never a token', async () => {
    const file = await kubeconfig('https://127.0.0.1:1', { user: { token: 'canary-9' } });
    const access = await loadKubeconfig(file, { env: {} });
    const t = new HTTPSTransport(access, { userAgent: 'x' });
    expect(`${await text(get(t))} ${access.description} ${t.host}`).not.toContain('canary');
  });
});

describe('a watch', () => {
  const watch = (t: HTTPSTransport, each: (event: WatchEvent, stop: () => void) => void) =>
    run(function* () {
      const w = yield* t.watch(background, { method: 'GET', path: '/api/v1/pods', query: { resourceVersion: '7' } });
      yield* range(w.events, function* (event) {
        each(event, () => w.stop());
      });
      return w;
    });

  it('passes events on as they come, whole, and ends with the connection', async () => {
    let url = '';
    handler = (request, response) => {
      url = request.url ?? '';
      response.write('{"type":"ADDED","object":{"n":1}}\n{"type":"MODI');
      setTimeout(() => {
        response.write('FIED","object":{"text":"ü"}}\n\n');
        response.end('{"type":"DELETED"');
      }, 10);
    };
    const got: WatchEvent[] = [];
    await watch(await transport(await serve()), (event) => got.push(event));
    expect(url).toBe('/api/v1/pods?resourceVersion=7&watch=1');
    expect(got).toEqual([
      { type: 'ADDED', object: { n: 1 } },
      { type: 'MODIFIED', object: { text: 'ü' } },
    ]);
  });

  it('[1:E23] of a server that gives no sign of life ends with an ERROR, of one that does it goes on', async () => {
    let pings = 0;
    let answers = 3;
    const held: ServerResponse[] = [];
    handler = (request, response) => {
      if (request.url === '/livez') {
        pings++;
        if (answers-- > 0) response.writeHead(500).end('any answer is one');
        return;
      }
      held.push(response);
      response.flushHeaders();
    };
    const t = await transport(await serve(), { cluster: ca }, { readIdleMillis: 20, pingMillis: 200 });
    const got: WatchEvent[] = [];
    await watch(t, (event) => got.push(event));
    expect(held).toHaveLength(1);
    expect(pings).toBeGreaterThanOrEqual(4);
    expect(got).toEqual([
      {
        type: 'ERROR',
        object: expect.objectContaining({
          code: 500,
          message:
            'an error on the server ("unable to decode an event from the watch stream: http2: client connection lost") has prevented the request from succeeding',
        }),
      },
    ]);
  });

  it('closes its connection when it is stopped', async () => {
    let closed: () => void = () => {};
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    handler = (request, response) => {
      response.write('{"type":"BOOKMARK","object":{}}\n');
      request.socket.on('close', closed);
    };
    await watch(await transport(await serve()), (_, stop) => stop());
    await gone;
  });

  it('that the server refuses has its code and Status', async () => {
    handler = (_, response) => response.writeHead(410).end('{"kind":"Status","reason":"Expired","code":410}');
    const got: WatchEvent[] = [];
    const w = await watch(await transport(await serve()), (event) => got.push(event));
    expect([w.code, w.body, got]).toEqual([410, { kind: 'Status', reason: 'Expired', code: 410 }, []]);
  });

  it('ends with an ERROR on what is no event, and on a line without end', async () => {
    handler = (request, response) => {
      if (request.url?.startsWith('/api')) response.write(`{"type":"ADDED","object":{}}\nnonsense\n`);
      else response.write('x'.repeat(2000));
    };
    const t = await transport(await serve(), { cluster: ca }, { maxEvent: 1000 });
    const got: WatchEvent[] = [];
    await watch(t, (event) => got.push(event));
    expect(got.map((e) => e.type)).toEqual(['ADDED', 'ERROR']);
    expect(got[1]?.object).toMatchObject({
      message:
        'an error on the server ("unable to decode an event from the watch stream: nonsense") has prevented the request from succeeding',
      code: 500,
    });
    const w = await run(() => t.watch(background, { method: 'GET', path: '/long' }));
    const events: WatchEvent[] = [];
    await run(() =>
      range(w.events, function* (event) {
        events.push(event);
      }),
    );
    expect(events).toMatchObject([
      { type: 'ERROR', object: { message: expect.stringContaining('a line of more than 1000 bytes') } },
    ]);
  });

  it('ends with an ERROR on chunks that are none, and without one where it breaks off', async () => {
    const got: WatchEvent[] = [];
    let goOn: (last: string) => void = () => {};
    const raw = createTCP((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        const line = '{"type":"ADDED","object":{}}\n';
        const chunk = `${line.length.toString(16)}\r\n${line}\r\n`;
        socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`);
        goOn = (last) => socket.end(last);
      });
    });
    await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
    open.push(() => raw.close());
    const file = await kubeconfig(`http://127.0.0.1:${(raw.address() as AddressInfo).port}`);
    const t = new HTTPSTransport(await loadKubeconfig(file, { env: {} }), { userAgent: 'x' });
    open.push(() => t.close());
    // What is broken comes after the event was received: a parser that fails forgets what it still had.
    const until = (last: string) => (event: WatchEvent) => {
      got.push(event);
      if (event.type === 'ADDED') goOn(last);
    };
    await watch(t, until('zz\r\n'));
    expect(got.splice(0)).toMatchObject([
      { type: 'ADDED' },
      { type: 'ERROR', object: { message: expect.stringContaining('malformed chunked encoding'), code: 500 } },
    ]);
    await watch(t, until('40\r\n{"type":'));
    expect(got).toMatchObject([{ type: 'ADDED' }]);
  });

  it('holds the server back while nobody receives', async () => {
    let sent = 0;
    const line = `{"type":"ADDED","object":{"x":"${'y'.repeat(100_000)}"}}\n`;
    let blocked: () => void = () => {};
    const full = new Promise<void>((resolve) => {
      blocked = resolve;
    });
    handler = (_, response) => {
      const more = () => {
        for (;;) {
          sent++;
          if (!response.write(line)) break;
          if (sent > 5000) return;
        }
      };
      response.on('drain', more);
      more();
      setTimeout(blocked, 300);
    };
    const t = await transport(await serve());
    const w = await run(() => t.watch(background, { method: 'GET', path: '/api/v1/pods' }));
    await full;
    expect(sent).toBeLessThan(500);
    w.stop();
  });
});
