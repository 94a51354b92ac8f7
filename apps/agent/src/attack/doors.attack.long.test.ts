import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { connect as connectPlain, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveAPI } from '../api-server/serve.js';
import { openClassroom } from '../classroom/classroom-host.js';
import { healthzServer } from '../kubelet-server/healthz.js';
import { listenOn } from '../kubelet-server/http.js';
import { served } from '../kubelet-server/testing/served.js';
import { SpansReceiver } from '../observe/spans-receiver.js';
import { serveSession } from '../server/session-host.js';
import { RawClient, upgrade } from '../testing/raw-socket.js';
import { TestSession } from '../testing/session.js';
import { CertificateAuthority } from '../tls/certificate.js';

interface Door {
  readonly port: number;
  readonly tls: boolean;
  readonly paths: readonly string[];
  /** The statuses for a page on another origin, and for a request that names another host. */
  readonly origin: number;
  readonly host: number;
}

const none = '/nonexistent';
async function session(patienceMillis?: number) {
  const host = await serveSession(new TestSession(), {
    host: '127.0.0.1',
    port: 0,
    webRoot: none,
    control: true,
    remedy: '',
    ...(patienceMillis !== undefined && { patienceMillis }),
  });
  onTestFinished(() => host.close());
  return host;
}

const doors: Readonly<Record<string, () => Promise<Door>>> = {
  'the debugger': async () => ({
    port: (await session()).port,
    tls: false,
    paths: ['/', '/index.html', '/socket.io/?EIO=4&transport=polling', '/socket.io/?EIO=4&transport=websocket', '/x'],
    origin: 403,
    host: 421,
  }),
  'the class': async () => {
    const host = await openClassroom({ host: '127.0.0.1', port: 0, most: 2, webRoot: none, remedy: '' });
    onTestFinished(() => host.close());
    return {
      port: host.port,
      tls: false,
      paths: ['/', '/socket.io/?EIO=4&transport=websocket'],
      origin: 403,
      host: 421,
    };
  },
  '/healthz': async () => {
    const server = await listenOn(healthzServer(), '127.0.0.1', 0, '');
    onTestFinished(() => server.close());
    return { port: server.port, tls: false, paths: ['/healthz', '/'], origin: 403, host: 421 };
  },
  'the read-only port': async () => {
    const { port } = (await served({ readOnly: true })).server;
    return { port, tls: false, paths: ['/pods', '/metrics', '/stats/summary', '/healthz'], origin: 403, host: 421 };
  },
  'the spans receiver': async () => {
    const receiver = new SpansReceiver({
      http: { host: '127.0.0.1', port: 0 },
      take: () => expect.unreachable('nobody was let in'),
    });
    await receiver.start();
    onTestFinished(() => receiver.close());
    return { port: receiver.ports.http, tls: false, paths: ['/v1/traces', '/'], origin: 403, host: 421 };
  },
  'the kubelet’s server': async () => {
    const { port } = (await served()).server;
    const paths = [
      '/pods',
      '/exec/default/p/c?command=id',
      '/run/default/p/c',
      '/containerLogs/default/p/c',
      '/configz',
    ];
    // It has a name and a certificate of its own, and listens where others ask: the token decides.
    return { port, tls: true, paths, origin: 401, host: 401 };
  },
  'the API server': async () => {
    const authority = new CertificateAuthority({ commonName: 'x', days: 1 });
    const api = await serveAPI({
      handle: () => expect.unreachable('nobody was let in'),
      token: 'right',
      tls: authority.issue({ commonName: 'api', hosts: ['127.0.0.1'], days: 1, usage: 'server' }),
      host: '127.0.0.1',
      port: 0,
      remedy: '',
      forwarder: () => null,
    });
    onTestFinished(() => api.close());
    return {
      port: api.port,
      tls: true,
      paths: ['/api/v1/pods', '/', '/apis', '/api/v1/nodes/n/proxy/pods'],
      origin: 403,
      host: 421,
    };
  },
};

/** Status and headers of any request, also of an upgrade. */
function ask({ port, tls }: Door, path: string, headers: Record<string, string>, method = 'GET') {
  return new Promise<{ status: number; headers: Record<string, unknown> }>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method, headers, rejectUnauthorized: false, agent: false };
    const sent = (tls ? tlsRequest : plainRequest)(options, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
    });
    sent.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
    });
    sent.on('error', reject).end();
  });
}
const asUpgrade = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};

describe.each(Object.keys(doors))('%s', (name) => {
  it('lets in no page of another origin, nobody who names another host, and nobody by CORS', async () => {
    const door = await (doors[name] as () => Promise<Door>)();
    const own = `127.0.0.1:${door.port}`;
    for (const path of door.paths) {
      for (const upgraded of [{}, asUpgrade]) {
        for (const Host of [
          'evil.test',
          `evil.test:${door.port}`,
          `127.0.0.1.evil.test:${door.port}`,
          `localhost.:${door.port}`,
        ]) {
          const answer = await ask(door, path, { ...upgraded, Host });
          expect(answer.status, `${path} as ${Host}`).toBe(door.host);
        }
        for (const Origin of [
          'https://evil.test',
          'null',
          `http://evil.test:${door.port}`,
          'http://127.0.0.1',
          `http://localhost:${door.port}`,
        ]) {
          const answer = await ask(door, path, { ...upgraded, Host: own, Origin, 'Sec-Fetch-Site': 'cross-site' });
          expect(answer.status, `${path} from ${Origin}`).toBe(door.origin);
          for (const header of Object.keys(answer.headers)) expect(header).not.toMatch(/^access-control/);
        }
      }
      const preflight = { Host: own, Origin: 'https://evil.test', 'Access-Control-Request-Method': 'POST' };
      expect((await ask(door, path, preflight, 'OPTIONS')).status).toBe(door.origin);
      // Requests for an image, a script or a form have no Origin.
      if (name === '/healthz' || name === 'the read-only port') {
        for (const dest of ['image', 'script', 'iframe', 'empty'])
          expect(
            (await ask(door, path, { Host: own, 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': dest })).status,
          ).toBe(403);
      }
      // These answer as upstream's, to any method, and change nothing.
      if (name !== '/healthz' && name !== 'the read-only port')
        expect((await ask(door, path, { Host: own }, 'POST')).status, `POST ${path}`).toBeGreaterThanOrEqual(400);
    }
  });
});

describe('a server under attack', () => {
  /** Open connections that say `text`, and when each was closed. */
  async function open(port: number, count: number, text: string) {
    const sockets = await Promise.all(
      Array.from(
        { length: count },
        () =>
          new Promise<Socket>((resolve) => {
            const socket = connectPlain(port, '127.0.0.1', () => resolve(socket));
            socket.on('error', () => resolve(socket)).resume();
            if (text !== '') socket.write(text);
            onTestFinished(() => void socket.destroy());
          }),
      ),
    );
    return Promise.all(sockets.map((s) => (s.closed ? null : new Promise((resolve) => s.once('close', resolve)))));
  }

  it('ends connections that say nothing, or half of what they want', async () => {
    const { port, token } = await session(200);
    const closed = [
      '',
      'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A:',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n',
    ].map((text) => open(port, 40, text));
    await Promise.all(closed);
    const client = await RawClient.connect(port, { token });
    expect(client.refused).toBeUndefined();
    client.close();
  });

  it('ends sockets that never come with a token', async () => {
    const { port, token } = await session(300);
    const sockets = await Promise.allSettled(Array.from({ length: 400 }, () => upgrade(port)));
    const upgraded = sockets.flatMap((s) => (s.status === 'fulfilled' && !('status' in s.value) ? [s.value] : []));
    expect(upgraded.length).toBeGreaterThan(0);
    await Promise.all(
      upgraded.map((s) => (s.closed ? null : new Promise((resolve) => s.resume().once('close', resolve)))),
    );
    const client = await RawClient.connect(port, { token });
    expect(client.refused).toBeUndefined();
    client.close();
  });

  it('lets 16 clients in, and hangs up on one that floods it', async () => {
    const { port, token } = await session();
    const clients = await Promise.all(Array.from({ length: 17 }, () => RawClient.connect(port, { token })));
    onTestFinished(() => {
      for (const client of clients) client.close();
    });
    const refused = clients.filter((c) => c.refused);
    expect(refused.map((c) => c.refused?.data?.status)).toEqual([503]);
    const [flooding, quiet] = clients.filter((c) => !c.refused) as [RawClient, RawClient];
    for (let i = 0; i < 2100; i++) flooding.send({ type: 'ack', seq: 1 });
    await expect(flooding.until(() => false)).rejects.toThrow('closed');
    quiet.send({ type: 'hello', protocol: 1 });
    await quiet.until(() => quiet.messages.length > 0);
  });
});
