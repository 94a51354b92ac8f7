import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { background, Kernel, withCancel } from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import { Reflector, RestClient, RestKubeClient } from '@syncloop/core/kubelet';
import type { RecordOf, TraceRecord } from '@syncloop/core/trace';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HTTPSTransport } from './https-transport.js';
import { loadKubeconfig } from './kubeconfig.js';

/** Watches of one reflector over real sockets, whose server has its plug pulled in every way and at every stage. */

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syncloop-reflector-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const secret = (name: string, resourceVersion: string) => ({
  metadata: { name, namespace: 'default', resourceVersion },
});
const line = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`;
const bookmark = { metadata: { resourceVersion: '12', annotations: { 'k8s.io/initial-events-end': 'true' } } };
const refusal = (code: number, reason: string, headers = {}): Answer => {
  const body = { kind: 'Status', status: 'Failure', reason, message: reason, code };
  return (_, response) => void response.writeHead(code, headers).end(JSON.stringify(body));
};

/** An API server of one Secret, a, at version 11; records its requests, and can do other things than answer. */
class Plug {
  readonly asked: string[] = [];
  /** Used up one by one. */
  readonly instead: Answer[] = [];
  readonly watches = new Set<ServerResponse>();
  private readonly sockets = new Set<Socket>();
  private server: Server | null = null;
  port = 0;

  async plugIn(): Promise<void> {
    const server = createServer((request, response) => this.answer(request, response));
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    this.server = server;
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
  }
  /** Stops listening; connections are reset. */
  async pull(): Promise<void> {
    const closed = new Promise((resolve) => this.server?.close(resolve));
    for (const socket of this.sockets) socket.resetAndDestroy();
    await closed;
  }
  /** Sends a text to all watches. */
  say(text: string): void {
    for (const watch of this.watches) watch.write(text);
  }
  hangUp(): void {
    for (const watch of this.watches) watch.end();
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const { searchParams } = new URL(request.url ?? '', 'http://x');
    const initial = searchParams.get('sendInitialEvents') === 'true';
    const version = searchParams.get('resourceVersion') ?? '';
    this.asked.push(searchParams.has('watch') ? `watch ${version}${initial ? ' initial' : ''}` : 'list');
    // A request on a connection that was kept is sent again at once when that one is reset.
    response.setHeader('Connection', 'close');
    const other = this.instead.shift();
    if (other) {
      other(request, response);
      return;
    }
    if (!searchParams.has('watch')) {
      response.end(JSON.stringify({ metadata: { resourceVersion: '12' }, items: [secret('a', '11')] }));
      return;
    }
    response.writeHead(200).flushHeaders();
    this.watches.add(response);
    response.on('close', () => this.watches.delete(response));
    if (initial) response.write(line('ADDED', secret('a', '11')) + line('BOOKMARK', bookmark));
  }
}

/** Waits until it holds. */
async function until(what: string, holds: () => boolean): Promise<void> {
  for (let i = 0; !holds(); i++) {
    if (i === 3000) throw new Error(`it never came to this: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A reflector that has its objects and watches; `timeoutMillis`: how long it waits for the head of an answer. */
async function reflecting(before: (plug: Plug) => void = () => {}, timeoutMillis = 60_000) {
  const plug = new Plug();
  await plug.plugIn();
  before(plug);
  const file = join(folder, `kubeconfig-${plug.port}`);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster: { server: `http://127.0.0.1:${plug.port}` } }],
    users: [{ name: 'u', user: {} }],
  };
  await writeFile(file, JSON.stringify(config));
  const records: TraceRecord[] = [];
  const kernel = new Kernel({ clock: new RealClock(), sink: (r) => records.push(r) });
  const driver = new RealDriver(kernel);
  const transport = new HTTPSTransport(await loadKubeconfig(file, {}), { userAgent: 'kubelet/test', timeoutMillis });
  const client = new RestKubeClient(new RestClient({ kernel, transport }));
  /** The changes of the store. */
  const told: string[] = [];
  const reflector = new Reflector({
    kernel,
    listerWatcher: client.listerWatcher('secrets', 'default'),
    name: 'test',
    type: '*v1.Secret',
    store: {
      *replace(items) {
        told.push(`replace ${items.map((i) => i.metadata.name)}`);
      },
      *set(item, type) {
        told.push(`${type} ${item.metadata.name}`);
      },
      *delete(item) {
        told.push(`DELETED ${item.metadata.name}`);
      },
    },
  });
  const [ctx, cancel] = withCancel(kernel, background);
  driver.start();
  kernel.post(() => kernel.go('reflector', () => reflector.run(ctx), { daemon: true }));
  const logs = (msg: string) => records.filter((r): r is RecordOf<'log'> => r.kind === 'log' && r.msg === msg);
  return {
    plug,
    told,
    logs,
    settled: () => until('one watch is open', () => plug.watches.size === 1 && told.length > 0),
    async end() {
      kernel.post(cancel);
      transport.close();
      driver.stop();
      await plug.pull();
    },
  };
}

/** Returns the requests after the plug was pulled, until a new Secret arrives by a watch again, and the log. */
async function after(
  pull: (t: Awaited<ReturnType<typeof reflecting>>) => void | Promise<void>,
  timeoutMillis?: number,
): Promise<{ asked: string[]; told: string[]; said: (msg: string) => unknown[] }> {
  const t = await reflecting(undefined, timeoutMillis);
  try {
    await t.settled();
    t.plug.asked.splice(0);
    await pull(t);
    await until('all answers are used', () => t.plug.instead.length === 0 && t.plug.asked.length > 0);
    await t.settled();
    t.plug.say(line('ADDED', secret('b', '20')));
    await until('b is there', () => t.told.at(-1) === 'ADDED b');
    return { asked: t.plug.asked, told: t.told, said: (msg) => t.logs(msg).map((l) => l.kv.err ?? l.kv.delay) };
  } finally {
    await t.end();
  }
}

const again = 'watch 13';
const anew = 'watch 13 initial';
/** A watch of under a second without an event would be an error of its own, and a reset one may lose events. */
async function hear({ plug, told }: { plug: Plug; told: string[] }, more = ''): Promise<void> {
  plug.say(line('ADDED', secret('c', '13')) + more);
  await until('c is there', () => told.at(-1) === 'ADDED c');
}
/** The server ends the watch, and then answers so. */
const then =
  (...answers: Answer[]) =>
  async (t: { plug: Plug; told: string[] }) => {
    await hear(t);
    t.plug.instead.push(...answers);
    t.plug.hangUp();
  };

describe.concurrent('a server whose plug is pulled', () => {
  it('[1:E21] while it watches, and nobody listens for some time: the watch goes on where it was', async () => {
    const t = await after(async (own) => {
      await hear(own);
      await own.plug.pull();
      await until('it was refused', () => own.logs('Watch failed - backing off').length >= 2);
      await own.plug.plugIn();
    });
    expect(t.asked).toEqual([again]);
    expect(t.told).toEqual(['replace a', 'ADDED c', 'ADDED b']);
    for (const err of t.said('Watch failed - backing off')) expect(err).toMatch(/connect: connection refused$/);
  });

  it('[1:E21] before it was ever there: nothing is listed', async () => {
    const t = await reflecting((plug) => void plug.pull());
    try {
      await until('it was refused', () => t.logs('watch-list failed - backing off').length >= 2);
      await t.plug.plugIn();
      await t.settled();
      expect(t.plug.asked).toEqual(['watch  initial']);
      expect(t.told).toEqual(['replace a']);
    } finally {
      await t.end();
    }
  });

  it('[1:E21] before the head of an answer: reset, closed or silent, it is asked again a second later', async () => {
    const reset: Answer = ({ socket }) => socket.resetAndDestroy();
    const closed: Answer = ({ socket }) => socket.destroy();
    const silent: Answer = () => {};
    // The limit holds for the answers that come, too: it is long enough for a busy machine.
    const t = await after(then(reset, closed, silent), 5_000);
    expect(t.asked).toEqual([again, again, again, again]);
    expect(t.said('Got a Retry-After response')).toEqual(['1s', '1s', '1s']);
    expect(t.told).toEqual(['replace a', 'ADDED c', 'ADDED b']);
  });

  it('[1:E21] within the first line of the stream: what was not whole does not count', async () => {
    const t = await after(async (own) => {
      await hear(own, line('ADDED', secret('d', '14')).slice(0, 30));
      for (const watch of own.plug.watches) watch.socket?.resetAndDestroy();
    });
    expect(t.asked).toEqual([again]);
    expect(t.told).toEqual(['replace a', 'ADDED c', 'ADDED b']);
  });

  it('[1:E21] within the objects that are there: none of them counts until all are', async () => {
    const t = await reflecting((plug) => {
      plug.instead.push((_, response) => {
        response.write(line('ADDED', secret('a', '11')) + line('ADDED', secret('x', '12')).slice(0, 20));
        setTimeout(() => response.socket?.destroy(), 50);
      });
    });
    try {
      await t.settled();
      expect(t.plug.asked).toEqual(['watch  initial', 'watch  initial']);
      expect(t.told).toEqual(['replace a']);
    } finally {
      await t.end();
    }
  });

  it('[1:E21] 429 and 503 that say when: within the request; 429 that does not: after a delay of the reflector', async () => {
    const later = { 'Retry-After': '1' };
    const t = await after(
      then(
        refusal(429, 'TooManyRequests', later),
        refusal(503, 'ServiceUnavailable', later),
        refusal(429, 'TooManyRequests'),
      ),
    );
    expect(t.asked).toEqual([again, again, again, again]);
    expect(t.said('Got a Retry-After response')).toEqual(['1s', '1s']);
    expect(t.said('Watch failed - backing off')).toEqual(['TooManyRequests']);
  });

  it.each([
    ['500', refusal(500, 'InternalError')],
    ['503 without a time', refusal(503, 'ServiceUnavailable')],
    ['401 once', refusal(401, 'Unauthorized')],
    ['no HTTP', (({ socket }) => void socket.end('nonsense\r\n\r\n')) satisfies Answer],
  ] as const)('[1:E21] %s: it is told, and all is streamed anew', async (_, answer) => {
    const t = await after(then(answer));
    expect(t.asked).toEqual([again, anew]);
    expect(t.said('Failed to watch')).toHaveLength(1);
    expect(t.told).toEqual(['replace a', 'ADDED c', 'replace a', 'ADDED b']);
  });

  it('[1:E21] a version that it has forgotten: anew, and with a list where it does not stream', async () => {
    const expired = { kind: 'Status', status: 'Failure', reason: 'Expired', message: 'too old', code: 410 };
    const t = await after(({ plug }) => {
      plug.instead.push(refusal(422, 'Invalid'));
      plug.say(line('ERROR', expired));
    });
    expect(t.asked).toEqual(['watch 12 initial', 'list', 'watch 12']);
    expect(t.said('Watch closed')).toEqual(['too old']);
  });
});
