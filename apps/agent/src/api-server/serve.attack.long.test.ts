import type { IncomingMessage } from 'node:http';
import { type Agent, request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { type ApiAnswer, ApiServer } from '@syncloop/core/apiserver';
import { Kernel } from '@syncloop/core/kernel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CertificateAuthority } from '../tls/certificate.js';
import type { ServeLimits } from './limits.js';
import { serveAPI } from './serve.js';

const authority = new CertificateAuthority({ commonName: 'syncloop', days: 1 });
const tls = authority.issue({ commonName: 'api', hosts: ['127.0.0.1'], days: 1, usage: 'server' });
const tick = () => new Promise((resolve) => setImmediate(resolve));
const ticks = async (n: number) => {
  for (let i = 0; i < n; i++) await tick();
};
const pods = '/api/v1/namespaces/default/pods';
const podOf = (name: string) => ({
  metadata: { name },
  spec: { nodeName: 'n', containers: [{ name: 'a', image: 'b', args: ['x'.repeat(5000)] }] },
});

/** A real API server behind its door, with limits. */
async function setup(limits: Partial<ServeLimits>) {
  const server = new ApiServer(new Kernel());
  const parts = { taken: 0 };
  const api = await serveAPI({
    handle(request) {
      const answer = server.handle(request);
      const own = (answer as ApiAnswer).parts;
      if (answer.kind !== 'answer' || !own) return answer;
      function* counted() {
        for (const part of own?.() ?? []) {
          parts.taken++;
          yield part;
        }
      }
      return { ...answer, body: null, parts: counted };
    },
    authenticate: (given) => (given.startsWith('user-') ? { name: given, groups: ['system:masters'] } : null),
    token: 'admin',
    tls,
    host: '127.0.0.1',
    port: 0,
    remedy: '',
    forwarder: () => null,
    limits,
  });
  onTestFinished(() => api.close());
  const begin = (path: string, { method = 'GET', token = 'admin', agent = false as Agent | false } = {}) => {
    const sent = httpsRequest({
      host: '127.0.0.1',
      port: api.port,
      path,
      method,
      agent,
      ca: authority.certPem,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    });
    sent.on('error', () => {});
    return sent;
  };
  const head = (sent: ReturnType<typeof begin>) =>
    new Promise<IncomingMessage>((resolve, reject) => sent.on('response', resolve).on('error', reject));
  const ask = async (path: string, options: Parameters<typeof begin>[1] = {}, body = '') => {
    const sent = begin(path, options);
    const answered = head(sent);
    sent.end(body);
    const response = await answered;
    let text = '';
    for await (const part of response.setEncoding('utf8')) text += part;
    return { code: response.statusCode ?? 0, headers: response.headers, text };
  };
  const hold = async (path: string, options: Parameters<typeof begin>[1] = {}) => {
    const sent = begin(path, options);
    const answered = head(sent);
    sent.end();
    const response = await answered;
    onTestFinished(() => void response.destroy());
    return response;
  };
  const idle = (): Promise<TLSSocket> =>
    new Promise((resolve) => {
      const socket = tlsConnect({ host: '127.0.0.1', port: api.port, ca: authority.certPem }, () => resolve(socket));
      socket.on('error', () => {});
      onTestFinished(() => void socket.destroy());
    });
  const fill = (n: number) => {
    for (let i = 0; i < n; i++)
      server.handle({
        method: 'POST',
        path: pods,
        json: podOf(`p${i}`),
        headers: { 'content-type': 'application/json' },
      });
  };
  return { server, api, begin, head, ask, hold, idle, fill, parts };
}

describe('held watches', () => {
  it('leave short requests alone; one too many is told to come again, and there is a share for others', async () => {
    const s = await setup({ watches: 4, requests: 4 });
    const watch = `${pods}?watch=1`;
    const held = [await s.hold(watch), await s.hold(watch), await s.hold(watch)];
    expect(held.map((r) => r.statusCode)).toEqual([200, 200, 200]);
    const refused = await s.ask(watch);
    expect([refused.code, refused.headers['retry-after']]).toEqual([429, '1']);
    expect(JSON.parse(refused.text)).toMatchObject({
      kind: 'Status',
      reason: 'TooManyRequests',
      message: 'Too many requests, please try again later.',
      details: { retryAfterSeconds: 1 },
    });
    // More than there are seats for short ones, one after another.
    for (let i = 0; i < 6; i++) expect((await s.ask(pods)).code).toBe(200);
    const other = await s.hold(watch, { token: 'user-2' });
    expect(other.statusCode).toBe(200);
    expect((await s.ask(watch, { token: 'user-3' })).code).toBe(429);
    held[0]?.destroy();
    let again = await s.ask(`${watch}&timeoutSeconds=0&resourceVersion=x`, { token: 'user-2' });
    expect(again.code).toBe(400);
    for (again = refused; again.code === 429; ) {
      const next = await s.hold(watch, { token: 'user-3' });
      again = { ...refused, code: next.statusCode ?? 0 };
      next.destroy();
    }
    expect(again.code).toBe(200);
  });
  it('give their seats back when they end', async () => {
    const s = await setup({ watches: 1, share: 1 });
    for (let i = 0; i < 5; i++) {
      let held = await s.hold(`${pods}?watch=1`);
      while (held.statusCode === 429) held = await s.hold(`${pods}?watch=1`);
      held.destroy();
    }
  });
});

describe('connections without a request', () => {
  it('make room for who asks, the oldest first', async () => {
    const s = await setup({ connections: 8 });
    const held = await s.hold(`${pods}?watch=1`);
    const idle: TLSSocket[] = [];
    for (let i = 0; i < 20; i++) idle.push(await s.idle());
    expect((await s.ask(pods)).code).toBe(200);
    while (!idle[0]?.closed) await tick();
    expect(held.destroyed).toBe(false);
    expect(idle.at(-1)?.destroyed).toBe(false);
  });
});

describe('handshakes', () => {
  it('of many at once are made one after another, and all are answered; the silent keep nobody out', async () => {
    const s = await setup({ pace: { atOnce: 1, millis: 1, waiting: 64 } });
    const silent = Array.from({ length: 50 }, () => {
      const socket = connect(s.api.port, '127.0.0.1');
      socket.on('error', () => {});
      onTestFinished(() => void socket.destroy());
      return socket;
    });
    const codes = await Promise.all(Array.from({ length: 40 }, async () => (await s.ask('/healthz')).code));
    expect(codes).toEqual(Array(40).fill(200));
    expect(silent.some((socket) => socket.closed)).toBe(false);
  });
});

describe('requests that are not ended', () => {
  it('take seats and room for bodies, of which others have their share', async () => {
    const s = await setup({ mutating: 4, bodies: 3000 });
    const slow = (token: string, bytes: number) => {
      const sent = s.begin(pods, { method: 'POST', token });
      sent.write('x'.repeat(bytes));
      onTestFinished(() => void sent.destroy());
      return sent;
    };
    for (let i = 0; i < 3; i++) slow('admin', 900);
    // The server has read the request by now.
    await s.ask('/healthz');
    let refused = await s.ask(pods, { method: 'POST' }, JSON.stringify(podOf('a')));
    for (let i = 0; i < 200 && refused.code !== 429; i++)
      refused = await s.ask(pods, { method: 'POST' }, JSON.stringify(podOf('a')));
    expect(refused.code).toBe(429);
    expect((await s.ask(pods)).code).toBe(200);
    // Another user has a seat, but there is no room for so long a body.
    expect((await s.ask(pods, { method: 'POST', token: 'user-2' }, JSON.stringify(podOf('b')))).code).toBe(429);
    expect((await s.ask(pods, { method: 'POST', token: 'user-2' }, '{}')).code).not.toBe(429);
    for (const path of ['/healthz', '/livez', '/readyz']) expect((await s.ask(path)).code).toBe(200);
  });
});

describe('answers that nobody reads', () => {
  it('a list is made only as far as it is read', async () => {
    const s = await setup({});
    s.fill(3000);
    const whole = await s.ask(pods);
    const all = s.parts.taken;
    expect([JSON.parse(whole.text).items.length, all > 400]).toEqual([3000, true]);
    s.parts.taken = 0;
    for (let i = 0; i < 5; i++) await s.hold(pods);
    for (let before = -1; before !== s.parts.taken; ) {
      before = s.parts.taken;
      await ticks(50);
    }
    // Five that do not read get together less than four that do: only as much as their sockets hold.
    expect(s.parts.taken).toBeLessThan(4 * all);
    expect((await s.ask(`${pods}/p1`)).code).toBe(200);
  });
});

describe('a long query', () => {
  it('of one parameter thousands of times is read, and too long a one refused', async () => {
    const s = await setup({});
    expect((await s.ask(`${pods}?${'a=1&'.repeat(3000)}`)).code).toBe(200);
    expect((await s.ask(`${pods}?${'a=1&'.repeat(5000)}`)).code).toBe(431);
  });
});
