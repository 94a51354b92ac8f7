import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { createServer, request as httpsRequest, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { type ApiForward, type ApiRequest, type ApiResponse, ApiServer, StatusError } from '@syncloop/core/apiserver';
import { Kernel } from '@syncloop/core/kernel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CertificateAuthority, selfSigned } from '../tls/certificate.js';
import { Forwarder, kubeletPath } from './forward.js';
import { type ServedAPI, serveAPI } from './serve.js';

const authority = new CertificateAuthority({ commonName: 'syncloop', days: 1 });
const tls = authority.issue({ commonName: 'api', hosts: ['127.0.0.1', 'localhost'], days: 1, usage: 'server' });
const token = 'the-token';

let api: ServedAPI;
let kubelet: Server;
let forwarder: Forwarder;
let handle: (request: ApiRequest) => ApiResponse;
const seen: ApiRequest[] = [];
const ok = (body: unknown): ApiResponse => ({ kind: 'answer', code: 200, headers: {}, body });
const podForward = (subresource: string, query: ApiForward['query'] = {}): ApiForward => ({
  kind: 'forward',
  resource: 'pods',
  subresource,
  namespace: 'default',
  name: 'web',
  nodeName: 'node1',
  container: 'app',
  path: '',
  query,
});

beforeAll(async () => {
  const pair = selfSigned({ commonName: 'node1', hosts: [], days: 1 });
  kubelet = createServer({ cert: pair.certPem, key: pair.keyPem });
  await new Promise<void>((resolve) => kubelet.listen(0, '127.0.0.1', resolve));
  forwarder = new Forwarder({
    host: '127.0.0.1',
    port: (kubelet.address() as AddressInfo).port,
    caPem: pair.caPem,
    token: 'kubelet-token',
  });
  api = await serveAPI({
    handle: (request) => {
      seen.push(request);
      return handle(request);
    },
    authenticate: (given) => (given === 'sa' ? { name: 'system:serviceaccount:default:default', groups: [] } : null),
    impersonate(user, wanted) {
      if (user.name !== 'syncloop-admin') throw new StatusError(403, 'Forbidden', `${user.name} may not`);
      return { name: wanted.user, groups: wanted.groups, extra: wanted.extra };
    },
    token,
    tls,
    host: '127.0.0.1',
    port: 0,
    remedy: 'choose another port',
    forwarder: (nodeName) => (nodeName === 'node1' ? forwarder : null),
    limits: { body: 1000 },
  });
});
afterAll(async () => {
  forwarder.close();
  await api.close();
  kubelet.close();
  kubelet.closeAllConnections();
});
beforeEach(() => {
  handle = () => ok({ kind: 'APIVersions' });
});
afterEach(() => {
  kubelet.removeAllListeners('request');
  kubelet.removeAllListeners('upgrade');
  seen.length = 0;
});

interface Ask {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string;
}
function begin(path: string, { method = 'GET', headers = {}, body }: Ask = {}): ClientRequest {
  const request = httpsRequest({
    host: '127.0.0.1',
    port: api.port,
    path,
    method,
    agent: false,
    ca: authority.certPem,
    servername: 'localhost',
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  request.end(body);
  return request;
}
const answered = (request: ClientRequest) =>
  new Promise<IncomingMessage>((resolve, reject) => request.on('response', resolve).on('error', reject));
async function ask(
  path: string,
  options?: Ask,
): Promise<{ code: number; text: string; headers: IncomingMessage['headers'] }> {
  const response = await answered(begin(path, options));
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { code: response.statusCode ?? 0, text, headers: response.headers };
}

describe('the door', () => {
  it('lets in who has the token, and says who that is', async () => {
    const { code, text, headers } = await ask('/api?x=1&x=2&y=%20#no');
    expect([code, JSON.parse(text)]).toEqual([200, { kind: 'APIVersions' }]);
    expect(headers['content-type']).toBe('application/json');
    expect(seen[0]).toMatchObject({ method: 'GET', path: '/api', user: { name: 'syncloop-admin' } });
    expect({ ...seen[0]?.query }).toMatchObject({ x: ['1', '2'] });
    expect(JSON.stringify(seen)).not.toContain(token);
    await ask('/api', { headers: { authorization: 'Bearer sa' } });
    expect(seen[1]?.user?.name).toBe('system:serviceaccount:default:default');
    await ask('/api', { headers: { 'impersonate-user': 'jane', 'impersonate-group': ['dev', 'ops'] } });
    expect(seen[2]?.user).toEqual({ name: 'jane', groups: ['dev', 'ops'], extra: {} });
    const more = { 'impersonate-user': 'jane', 'impersonate-extra-example.com%2fscopes': ['a', 'b'] };
    await ask('/api', { headers: more });
    expect(seen[3]?.user?.extra).toEqual({ 'example.com/scopes': ['a', 'b'] });
    const other = await ask('/api', { headers: { authorization: 'Bearer sa', 'impersonate-user': 'jane' } });
    expect([other.code, JSON.parse(other.text).message]).toEqual([
      403,
      'system:serviceaccount:default:default may not',
    ]);
    expect((await ask('/api', { headers: { 'impersonate-group': 'dev' } })).code).toBe(400);
  });

  it.each([
    ['no token', { authorization: '' }, 401],
    ['another token', { authorization: 'Bearer x' }, 401],
    ['a name of somebody else', { host: 'evil.example:6443' }, 421],
    ['a web page', { origin: 'https://evil.example' }, 403],
    ['a packed body', { 'content-encoding': 'gzip' }, 415],
  ])('keeps out %s', async (_, headers: Record<string, string>, expected) => {
    const { code, text } = await ask('/api', { method: 'POST', headers, body: '{}' });
    expect([code, (JSON.parse(text) as { kind: string }).kind]).toEqual([expected, 'Status']);
    expect(seen).toEqual([]);
  });

  it('takes no body without end, said or unsaid', async () => {
    const said = await ask('/api/v1/pods', { method: 'POST', body: 'x'.repeat(1001) });
    expect([said.code, JSON.parse(said.text)]).toMatchObject([413, { reason: 'RequestEntityTooLarge' }]);
    const request = httpsRequest({
      host: '127.0.0.1',
      port: api.port,
      path: '/api/v1/pods',
      method: 'POST',
      agent: false,
      ca: authority.certPem,
      headers: { authorization: `Bearer ${token}`, 'transfer-encoding': 'chunked' },
    });
    for (let i = 0; i < 20; i++) request.write('x'.repeat(100));
    expect((await answered(request)).statusCode).toBe(413);
    request.destroy();
    expect(seen).toEqual([]);
  });

  it('speaks TLS only', async () => {
    const error = await new Promise<Error>((resolve) =>
      plainRequest({ host: '127.0.0.1', port: api.port, agent: false }).on('error', resolve).end(),
    );
    expect(error.message).toMatch(/socket hang up|ECONNRESET/);
  });

  it('a warning may quote any text, which goes as UTF-8', async () => {
    handle = () => ({ ...ok({ kind: 'Pod' }), headers: { warning: '299 - "unknown field \\"数据\\""\n299 - "b"' } });
    const { code, headers } = await ask('/api/v1/pods');
    expect(code).toBe(200);
    expect(Buffer.from(String(headers.warning), 'latin1').toString()).toBe(
      '299 - "unknown field \\"数据\\"", 299 - "b"',
    );
  });
  it('an error of the server is its own, and not the end', async () => {
    handle = () => {
      throw new Error('broken');
    };
    expect(JSON.parse((await ask('/api')).text)).toMatchObject({
      code: 500,
      message: 'Internal error occurred: broken',
    });
    handle = () => ok({});
    expect((await ask('/api')).code).toBe(200);
  });
});

describe('a watch', () => {
  it('is written event by event, and ended on both sides', async () => {
    const queue: string[] = [];
    let over = false;
    let wake = () => {};
    let stopped = 0;
    handle = () => ({
      kind: 'watch',
      code: 200,
      headers: { 'content-type': 'application/json' },
      open: () => expect.unreachable('a host reads'),
      read(call) {
        wake = call;
        return {
          next: () => queue.shift() ?? null,
          get over() {
            return over;
          },
          stop: () => void stopped++,
        };
      },
    });
    const response = await answered(begin('/api/v1/pods?watch=1'));
    const lines: string[] = [];
    response.setEncoding('utf8').on('data', (text: string) => lines.push(text));
    queue.push('{"type":"ADDED","object":{"a":1}}\n');
    wake();
    while (lines.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(lines).toEqual(['{"type":"ADDED","object":{"a":1}}\n']);
    response.destroy();
    while (stopped === 0) await new Promise((resolve) => setImmediate(resolve));

    const other = await answered(begin('/api/v1/pods?watch=1'));
    over = true;
    wake();
    other.resume();
    await new Promise((resolve) => other.on('end', resolve));
  });

  it('takes no more events from the server than its reader reads', async () => {
    let taken = 0;
    const text = `${JSON.stringify({ type: 'ADDED', object: { x: 'y'.repeat(10_000) } })}\n`;
    handle = () => ({
      kind: 'watch',
      code: 200,
      headers: {},
      open: () => expect.unreachable('a host reads'),
      read: () => ({ next: () => (taken++ < 100_000 ? text : null), over: false, stop() {} }),
    });
    const response = await answered(begin('/api/v1/pods?watch=1'));
    for (let before = -1; before !== taken; ) {
      before = taken;
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    }
    // Only the buffers of two sockets were filled, not with the gigabyte that there is.
    expect(taken).toBeLessThan(5000);
    response.destroy();
  });
});

describe('what the kubelet has to answer', () => {
  it('has its paths and its names for the options', () => {
    const log = podForward('log', {
      container: 'app',
      follow: 'true',
      tailLines: '5',
      insecureSkipTLSVerifyBackend: '1',
    });
    expect(kubeletPath(log)).toBe('/containerLogs/default/web/app?follow=true&tailLines=5');
    const exec = podForward('exec', {
      command: ['sh', '-c', 'a b'],
      stdin: 'true',
      stdout: '1',
      stderr: 'false',
      tty: 'x',
    });
    expect(kubeletPath(exec)).toBe('/exec/default/web/app?input=1&output=1&command=sh&command=-c&command=a+b');
    expect(kubeletPath(podForward('portforward', { ports: ['80', '81'] }))).toBe(
      '/portForward/default/web?port=80%2C81',
    );
    expect(kubeletPath({ ...podForward('proxy', { a: '1' }), path: '/stats/summary' })).toBe('/stats/summary?a=1');
  });

  it('logs come as they are written, with our credentials and not those of who asked', async () => {
    handle = () => podForward('log', { follow: 'true' });
    let authorization: string | undefined;
    let finish: () => void = () => {};
    kubelet.on('request', (request, response) => {
      authorization = request.headers.authorization;
      response.write('one\n');
      finish = () => response.end('two\n');
    });
    const response = await answered(begin('/api/v1/namespaces/default/pods/web/log?follow=true'));
    const got: string[] = [];
    response.setEncoding('utf8').on('data', (text: string) => {
      got.push(text);
      finish();
    });
    await new Promise((resolve) => response.on('end', resolve));
    expect(got).toEqual(['one\n', 'two\n']);
    expect(response.headers['content-type']).toBe('text/plain');
    expect(authorization).toBe('Bearer kubelet-token');
  });

  it.each([
    [400, 'container "app" in pod "web" is waiting to start: ContainerCreating', 'BadRequest'],
    [500, 'Internal error occurred: disk', 'InternalError'],
    [404, 'the server could not find the requested resource ( pods/log web)', 'NotFound'],
  ])('an error %i of logs is a Status', async (code, message, reason) => {
    handle = () => podForward('log');
    kubelet.on('request', (_, response) =>
      response.writeHead(code).end(message.replace('Internal error occurred: ', '')),
    );
    const answer = await ask('/api/v1/namespaces/default/pods/web/log');
    expect([answer.code, JSON.parse(answer.text)]).toMatchObject([code, { message, reason, code }]);
  });

  it("a node's proxy passes method, body and answer", async () => {
    handle = () => ({ ...podForward('proxy', { x: '1' }), resource: 'nodes', path: '/configz' });
    kubelet.on('request', async (request, response) => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
      response.writeHead(418, { 'x-kept': 'yes', connection: 'x-dropped', 'x-dropped': 'no' });
      response.end(`${request.method} ${request.url} ${body}`);
    });
    const answer = await ask('/api/v1/nodes/node1/proxy/configz?x=1', { method: 'PUT', body: 'hello' });
    expect(answer).toMatchObject({ code: 418, text: 'PUT /configz?x=1 hello' });
    expect([answer.headers['x-kept'], answer.headers['x-dropped']]).toEqual(['yes', undefined]);
  });

  const upgrade = (headers: Record<string, string>, early = '', method = 'POST') =>
    new Promise<string>((resolve, reject) => {
      const socket = tlsConnect({ host: '127.0.0.1', port: api.port, ca: authority.certPem });
      const lines = Object.entries({ Host: `127.0.0.1:${api.port}`, Authorization: `Bearer ${token}`, ...headers });
      socket.write(
        `${method} /api/v1/namespaces/default/pods/web/exec?command=sh HTTP/1.1\r\n${lines.map(([k, v]) => `${k}: ${v}\r\n`).join('')}Content-Length: 0\r\n\r\n${early}`,
      );
      let text = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (text.endsWith('PING!')) socket.end('bye');
      });
      socket.on('end', () => resolve(text)).on('error', reject);
    });

  it('an upgrade becomes a pipe, with what was sent early', async () => {
    handle = () => podForward('exec', { command: 'sh' });
    let got = '';
    let asked = '';
    let over: () => void = () => {};
    const ended = new Promise<void>((resolve) => {
      over = resolve;
    });
    kubelet.on('upgrade', (request, socket, head) => {
      asked = `${request.method} ${request.url} ${request.headers['x-stream-protocol-version']} ${request.headers.authorization}`;
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4\r\n\r\n',
      );
      got = head.toString('utf8');
      const come = () => {
        if (got === 'early ping') socket.write('PING!');
      };
      socket.on('data', (chunk: Buffer) => {
        got += chunk.toString('utf8');
        come();
      });
      come();
      socket.on('end', () => {
        socket.end();
        over();
      });
    });
    const spdy = { Connection: 'Upgrade', Upgrade: 'SPDY/3.1', 'X-Stream-Protocol-Version': 'v4' };
    const text = await upgrade(spdy, 'early ping');
    expect(text).toBe(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4\r\n\r\nPING!',
    );
    expect(asked).toBe('POST /exec/default/web/app?command=sh v4 Bearer kubelet-token');
    await ended;
    expect(got).toBe('early pingbye');
  });

  it('what is refused to an upgrade is an answer', async () => {
    handle = () => podForward('exec', { command: 'sh' });
    kubelet.on('request', (_, response) => response.writeHead(404).end('no such pod'));
    const spdy = { Connection: 'Upgrade', Upgrade: 'SPDY/3.1' };
    expect(await upgrade(spdy)).toMatch(/^HTTP\/1\.1 404 Not Found\r\n[\s\S]*\r\n\r\nno such pod$/);
    expect(await upgrade({ ...spdy, Authorization: 'Bearer x' })).toMatch(/^HTTP\/1\.1 401 [\s\S]*"Unauthorized"/);
    kubelet.removeAllListeners('request');
    kubelet.on('request', (_, response) => response.writeHead(500).end('rpc error: code = Unimplemented'));
    expect(await upgrade(spdy)).toMatch(
      /^HTTP\/1\.1 500 [\s\S]*"message":"rpc error: code = Unimplemented","reason":"InternalError"/,
    );
    handle = () => ({
      kind: 'answer',
      code: 404,
      headers: {},
      body: { message: 'pods "web" not found', reason: 'NotFound' },
    });
    expect(await upgrade(spdy)).toMatch(/^HTTP\/1\.1 404 [\s\S]*pods \\"web\\" not found/);
  });

  it.each(['websocket', 'SPDY/3.1'])('whoever may only get an exec opens none, by %s', async (Upgrade) => {
    const server = new ApiServer(new Kernel(), { authorizationModes: ['Node', 'RBAC'] });
    const admin = { name: 'root', groups: ['system:masters'] };
    const make = (path: string, json: object) =>
      expect(server.handle({ method: 'POST', path, json, user: admin })).toMatchObject({ code: 201 });
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    const containers = [{ name: 'app', image: 'busybox' }];
    make('/api/v1/namespaces/default/pods', { metadata: { name: 'web' }, spec: { nodeName: 'node1', containers } });
    make(`${rbac}/roles`, {
      metadata: { name: 'get' },
      rules: [{ apiGroups: [''], resources: ['pods/exec'], verbs: ['get'] }],
    });
    const subjects = [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }];
    make(`${rbac}/rolebindings`, { metadata: { name: 'get' }, roleRef: { kind: 'Role', name: 'get' }, subjects });
    handle = (request) => server.handle(request);
    let opened = 0;
    kubelet.on('upgrade', (_, socket) => {
      opened++;
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    });
    const ws = {
      'Sec-WebSocket-Key': 'x',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Protocol': 'v4.channel.k8s.io',
    };
    const headers = { Connection: 'Upgrade', Upgrade, ...ws, Authorization: 'Bearer sa' };
    for (const method of ['GET', 'POST'])
      expect(await upgrade(headers, '', method)).toMatch(
        /^HTTP\/1\.1 403 [\s\S]*cannot create resource \\"pods\/exec\\" in API group/,
      );
    expect(opened).toBe(0);
  });

  it('a protocol that only a kube-apiserver translates is refused before anything runs', async () => {
    handle = () => podForward('exec', { command: 'sh' });
    let upgrades = 0;
    kubelet.on('upgrade', (_, socket) => {
      upgrades++;
      socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    });
    const ws = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Key': 'x', 'Sec-WebSocket-Version': '13' };
    expect(await upgrade({ ...ws, 'Sec-WebSocket-Protocol': 'v5.channel.k8s.io' })).toMatch(
      /^HTTP\/1\.1 400 [\s\S]*does not speak v5\.channel\.k8s\.io over websockets: use SPDY/,
    );
    expect(upgrades).toBe(0);
    await upgrade({ ...ws, 'Sec-WebSocket-Protocol': 'v4.channel.k8s.io' });
    expect(upgrades).toBe(1);
  });

  it('of another node cannot be had', async () => {
    handle = () => ({ ...podForward('log'), nodeName: 'node2' });
    const { code, text } = await ask('/api/v1/namespaces/default/pods/web/log');
    expect(code).toBe(503);
    expect((JSON.parse(text) as { message: string }).message).toMatch(/^no log from node "node2"/);
  });

  it('a kubelet that is away is said to be', async () => {
    const gone = new Forwarder({ host: '127.0.0.1', port: 1, caPem: authority.certPem, token: 't' });
    const kept = forwarder;
    forwarder = gone;
    handle = () => podForward('log');
    const { code, text } = await ask('/api/v1/namespaces/default/pods/web/log');
    forwarder = kept;
    gone.close();
    expect([code, (JSON.parse(text) as { message: string }).message]).toEqual([
      500,
      'Internal error occurred: error dialing backend: Get "https://127.0.0.1:1/containerLogs/default/web/app": dial tcp 127.0.0.1:1: connect: connection refused',
    ]);
  });
});
