import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordStore } from '@syncloop/core/debug';
import type { TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ownAddress } from '../net/own-address.js';
import { get, RawClient, upgrade } from '../testing/raw-socket.js';
import { TestSession } from '../testing/session.js';
import { serveSession } from './session-host.js';

/** Counts how often its state was asked for: once for each welcome. */
class CountingSession extends TestSession {
  asked = 0;
  override runState() {
    this.asked++;
    return super.runState();
  }
}

async function started(options: { control?: boolean; webRoot?: string; address?: string } = {}) {
  const backend = new CountingSession(new RecordStore({ capacity: 2000, chunk: 500 }));
  const host = await serveSession(backend, {
    host: '127.0.0.1',
    port: 0,
    ...(options.address !== undefined && { address: options.address }),
    webRoot: options.webRoot ?? '/nonexistent',
    control: options.control ?? true,
    remedy: 'choose another with --port',
  });
  onTestFinished(() => host.close());
  const connect = async (auth: unknown = { token: host.token }) => {
    const client = await RawClient.connect(host.port, auth);
    onTestFinished(() => client.close());
    return client;
  };
  return { backend, host, port: host.port, connect };
}

const hello = { type: 'hello', protocol: 1 };
const seqs = (client: RawClient) =>
  client.messages.flatMap((m) => (m.type === 'records' ? (m.records as TraceRecord[]).map((r) => r.seq) : []));
const dense = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe('the door', () => {
  it('answers to its own names only, for requests and upgrades', async () => {
    const { port } = await started();
    for (const host of ['evil.test', `evil.test:${port}`, '127.0.0.1', `localhost.:${port}`]) {
      expect((await get(port, '/', { Host: host })).status).toBe(421);
      expect(await upgrade(port, { Host: host })).toMatchObject({ status: 421 });
    }
  });

  it.skipIf(process.platform !== 'linux')('is at an address of its own, too, which links name', async () => {
    const address = (await ownAddress()) as string;
    expect(address).toMatch(/^127\.\d+\.\d+\.\d+$/);
    expect(address).not.toBe(await ownAddress());
    const { port, host } = await started({ address });
    expect(new URL(host.link()).hostname).toBe(address);
    expect(new URL(host.observerLink()).hostname).toBe(address);
    const Host = `${address}:${port}`;
    const answer = await fetch(`http://${Host}/`);
    // The page is not built in this test; nobody is turned away.
    expect(answer.status).toBe(503);
    expect(answer.headers.get('content-security-policy')).toContain(`connect-src 'self' ws://${Host};`);
    expect((await get(port, '/')).status).toBe(503);
    // Any other address is none of its names, though it leads here.
    expect((await get(port, '/', { Host: `127.1.2.3:${port}` })).status).toBe(421);
    expect(await upgrade(port, { Host, Origin: `http://127.0.0.1:${port}` })).toMatchObject({ status: 403 });
    expect(await upgrade(port, { Host, Origin: `http://${Host}` })).not.toHaveProperty('status');
    await host.close();
    await expect(fetch(`http://${Host}/`)).rejects.toThrow();
  });

  it('refuses pages of other origins, for requests and upgrades', async () => {
    const { port } = await started();
    for (const origin of ['http://evil.test', 'null', `http://localhost:${port}`]) {
      expect((await get(port, '/', { Origin: origin })).status).toBe(403);
      expect(await upgrade(port, { Origin: origin })).toMatchObject({ status: 403 });
    }
    const own = await upgrade(port, { Origin: `http://127.0.0.1:${port}` });
    expect(own).not.toHaveProperty('status');
    (own as { destroy(): void }).destroy();
  });

  it('serves sockets at one path and by websocket only', async () => {
    const { port } = await started();
    expect(await upgrade(port, {}, '/other/?EIO=4&transport=websocket')).toMatchObject({ status: 404 });
    // These are not URLs at all.
    for (const path of ['//', '//[', 'http://[/socket.io/'])
      expect(await upgrade(port, {}, path)).toMatchObject({ status: 404 });
    expect(await upgrade(port, {}, '/socket.io/?EIO=4&transport=polling')).toMatchObject({ status: 400 });
    expect((await get(port, '/socket.io/?EIO=4&transport=polling')).status).not.toBe(200);
  });

  it('wants the token, and says where to find it', async () => {
    const { connect, port } = await started();
    for (const auth of [undefined, {}, { token: 'wrong' }, { token: 17 }, { token: null }]) {
      const client = await RawClient.connect(port, auth);
      onTestFinished(() => client.close());
      expect(client.refused?.data?.status).toBe(401);
      expect(client.refused?.message).toMatch(/press Enter where syncloop runs, or run "syncloop url" there/);
      client.send(hello);
      expect(client.messages).toEqual([]);
    }
    await expect(RawClient.connect(port, null)).rejects.toThrow('closed');
    expect((await connect()).refused).toBeUndefined();
  });

  it('gives the token for the code of a link, before anything else, and to one page only', async () => {
    const { connect, host } = await started();
    const code = new URL(host.link()).hash.slice('#code='.length);
    const [page, other] = ['p'.repeat(32), 'q'.repeat(32)];
    const first = await connect({ code, page });
    expect(first.refused).toBeUndefined();
    await first.until(() => first.packets.some((p) => p.startsWith('42["token"')));
    expect(first.packets.find((p) => p.startsWith('42'))).toBe(`42["token","${host.token}"]`);
    first.send(hello);
    await first.until(() => first.messages.some((m) => m.type === 'welcome'));
    const stranger = await connect({ code, page: other });
    expect(stranger.refused?.data).toEqual({ status: 401, link: 'used' });
    stranger.send(hello);
    expect(stranger.messages).toEqual([]);
    // Its answer may have been lost.
    expect((await connect({ code, page })).refused).toBeUndefined();
    // A client with a token gets none.
    const known = await connect();
    known.send(hello);
    await known.until(() => known.messages.some((m) => m.type === 'welcome'));
    expect(known.packets.filter((p) => p.startsWith('42["token"'))).toEqual([]);
  });

  it('tells whoever sends many wrong tokens, and keeps nobody out who has the right one', async () => {
    const { connect } = await started();
    for (let i = 0; i < 10; i++) expect((await connect({ token: `${i}` })).refused?.data?.status).toBe(401);
    expect((await connect({ token: 'x' })).refused?.data?.status).toBe(429);
    expect((await connect()).refused).toBeUndefined();
  });

  it('gives the page to who follows a link, and nothing to pages of other sites', async () => {
    const { port } = await started();
    const link = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
    for (const path of ['/', '/index.html', '/?x=1'])
      for (const site of ['cross-site', 'same-site'])
        expect((await get(port, path, { ...link, 'Sec-Fetch-Site': site })).status, path).not.toBe(403);
    for (const [path, headers] of [
      ['/', { ...link, 'Sec-Fetch-Dest': 'iframe' }],
      ['/', { ...link, 'Sec-Fetch-Mode': 'no-cors' }],
      ['/', { 'Sec-Fetch-Site': 'cross-site' }],
      ['/assets/app.js', link],
      ['/assets/app.js', { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'script' }],
      ['/socket.io/', link],
    ] as const)
      expect((await get(port, path, headers)).status, path).toBe(403);
    expect((await get(port, '/', link, 'POST')).status).toBe(403);
    for (const site of ['same-origin', 'none'])
      expect((await get(port, '/assets/app.js', { 'Sec-Fetch-Site': site })).status).not.toBe(403);
    const socket = { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'websocket', 'Sec-Fetch-Dest': 'websocket' };
    expect(await upgrade(port, socket)).toMatchObject({ status: 403 });
  });

  it('names the port that is taken, and the flag', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as { port: number };
    const options = {
      host: '127.0.0.1',
      port,
      webRoot: '/nonexistent',
      control: true,
      remedy: 'choose another with --port',
    };
    await expect(
      serveSession(new CountingSession(new RecordStore({ capacity: 2000, chunk: 500 })), options),
    ).rejects.toThrow(`port ${port} of 127.0.0.1 is taken by another program: stop it, or choose another with --port`);
  });
});

describe('the stream', () => {
  it('begins with a welcome, then every record in order', async () => {
    const { backend, connect } = await started();
    backend.make(1200);
    const client = await connect();
    client.send(hello);
    await client.until(() => seqs(client).length >= 1200);
    backend.make(10);
    await client.until(() => seqs(client).length >= 1210);
    expect(client.messages[0]).toMatchObject({ type: 'welcome', snapshot: null, info: { id: 's1' } });
    expect(seqs(client)).toEqual(dense(1, 1210));
  });

  it('goes on after a lost connection without loss or doubles', async () => {
    const { backend, connect } = await started();
    backend.make(700);
    const first = await connect();
    first.send(hello);
    await first.until(() => seqs(first).length >= 700);
    first.close();
    backend.make(300);
    const second = await connect();
    second.send({ ...hello, session: 's1', resumeFrom: 700 });
    await second.until(() => seqs(second).length >= 300);
    expect(second.messages[0]).toMatchObject({ type: 'welcome', snapshot: null });
    expect([...seqs(first), ...seqs(second)]).toEqual(dense(1, 1000));
  });

  it('gives a snapshot to who comes too late for the records', async () => {
    const { backend, connect } = await started();
    backend.make(10_000);
    const client = await connect();
    client.send({ ...hello, session: 's1', resumeFrom: 5 });
    await client.until(() => seqs(client).at(-1) === 10_000);
    const { snapshot } = client.messages[0] as { snapshot: { seq: number; state: { seq: number } } };
    expect(snapshot.state.seq).toBe(snapshot.seq);
    expect(seqs(client)).toEqual(dense(snapshot.seq + 1, 10_000));
  });

  it('does not let a client that neither reads nor acknowledges hurt another', async () => {
    const { backend, connect } = await started();
    const [slow, quick] = [await connect(), await connect()];
    slow.send(hello);
    await slow.until(() => slow.messages.length > 0);
    slow.stopReading();
    quick.send(hello);
    for (let i = 1; i <= 40; i++) {
      backend.make(500);
      await quick.until(() => seqs(quick).at(-1) === i * 500);
      quick.send({ type: 'ack', seq: i * 500 });
    }
    expect(seqs(quick)).toEqual(dense(1, 20_000));
    expect(quick.messages.filter((m) => m.type === 'welcome')).toHaveLength(1);
  });

  it('encodes a snapshot once for all who come', async () => {
    const { backend, connect } = await started();
    backend.make(10_000);
    let encoded = 0;
    const { state } = backend.store.checkpoint(50_000);
    Object.defineProperty(state, 'toJSON', {
      value() {
        encoded++;
        return { ...state };
      },
    });
    const seen = [];
    for (let i = 0; i < 16; i++) {
      const client = await connect();
      client.send(hello);
      await client.until(() => client.messages.length > 0);
      seen.push(client.messages[0]);
    }
    expect(encoded).toBe(1);
    expect(seen[15]).toEqual(seen[0]);
    expect(seen[0]).toMatchObject({ type: 'welcome', protocol: 1, run: {}, snapshot: { state: { seq: state.seq } } });
  });

  it('answers a few of thousands of hellos, and none of who has gone', async () => {
    const { backend, connect } = await started();
    backend.make(10_000);
    const client = await connect();
    const before = backend.asked;
    for (let i = 0; i < 10_000; i++) client.send(hello);
    await client.gone;
    const records = client.messages.reduce((n, m) => n + ((m.records as unknown[] | undefined)?.length ?? 0), 0);
    // Sixteen without an acknowledgement; of the records, as many as one stream may have under way, and one more for
    // each hello.
    expect(backend.asked - before).toBe(16);
    expect(records).toBeLessThanOrEqual(8192 + 16);
    const other = await connect();
    other.send(hello);
    await other.until(() => other.messages.length > 0);
    expect(backend.asked - before).toBe(17);
  });

  it('refuses what is no message, and goes on', async () => {
    const { backend, connect } = await started();
    const client = await connect();
    for (const bad of [null, 17, 'hello', [], {}, { type: 'hello' }, { type: 'command', id: 1 }, { type: '__proto__' }])
      client.send(bad);
    client.text('42["other",{}]');
    client.send({ type: 'ack', seq: -1 });
    await client.until(() => client.messages.length >= 10);
    expect(client.messages.every((m) => m.type === 'refused' || (m.type === 'result' && m.ok === false))).toBe(true);
    client.send(hello);
    client.send({ type: 'command', id: 2, command: { do: 'pause' } });
    await client.until(() => client.messages.some((m) => m.type === 'result' && m.ok === true));
    expect(backend.commands).toEqual([{ do: 'pause' }]);
  });

  it('ends a connection that sends more than 64 KB at once, or no socket.io', async () => {
    const { connect } = await started();
    const big = await connect();
    big.send({ type: 'command', id: 1, command: { do: 'apply', manifest: 'x'.repeat(70_000) } });
    await expect(big.until(() => false)).rejects.toThrow('closed');
    const odd = await connect();
    odd.text('49nonsense');
    await expect(odd.until(() => false)).rejects.toThrow('closed');
  });

  it('does not take commands from who may only look', async () => {
    const { backend, connect } = await started({ control: false });
    const client = await connect();
    client.send(hello);
    client.send({ type: 'command', id: 7, command: { do: 'pause' } });
    await client.until(() => client.messages.some((m) => m.type === 'result'));
    expect(client.messages.at(-1)).toMatchObject({ type: 'result', id: 7, ok: false });
    expect(backend.commands).toEqual([]);
  });

  it('limits commands', async () => {
    const { backend, connect } = await started();
    const client = await connect();
    client.send(hello);
    for (let id = 1; id <= 200; id++) client.send({ type: 'command', id, command: { do: 'manifests' } });
    await client.until(() => client.messages.filter((m) => m.type === 'result' || m.type === 'refused').length >= 200);
    expect(backend.commands.length).toBeLessThanOrEqual(100);
    expect(client.messages.some((m) => m.type === 'refused' && String(m.error).includes('slow down'))).toBe(true);
  });
});

describe('the web app', () => {
  async function site() {
    const folder = await mkdtemp(join(tmpdir(), 'web-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await mkdir(join(folder, 'web/assets'), { recursive: true });
    await writeFile(join(folder, 'secret.txt'), 'secret');
    await writeFile(join(folder, 'web/index.html'), '<!doctype html>');
    await writeFile(join(folder, 'web/assets/app-AbCd1234.js'), 'x'.repeat(2000));
    await symlink(join(folder, 'secret.txt'), join(folder, 'web/link.txt'));
    return await started({ webRoot: join(folder, 'web') });
  }

  it('needs no token, and has strict headers', async () => {
    const { port } = await site();
    const page = await get(port, '/?x=1');
    expect(page).toMatchObject({ status: 200, body: '<!doctype html>' });
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    const policy = String(page.headers['content-security-policy']);
    // Nothing but workers may make WebAssembly.
    for (const name of ['session', 'fleet', 'workshop-judge']) {
      const worker = await get(port, `/assets/${name}-worker-ByIK7nhZ.js`);
      expect(worker.headers['content-security-policy'], name).toContain("script-src 'self' 'wasm-unsafe-eval';");
    }
    expect(policy).not.toContain('wasm');
    for (const rule of [
      "default-src 'self'",
      "script-src 'self'",
      "frame-ancestors 'none'",
      `connect-src 'self' ws://127.0.0.1:${port}`,
    ]) {
      expect(policy.split('; ')).toContain(rule);
    }
    const script = await get(port, '/assets/app-AbCd1234.js');
    expect(script.headers['cache-control']).toMatch('immutable');
    expect((await get(port, '/assets/app-AbCd1234.js', { 'If-None-Match': String(script.headers.etag) })).status).toBe(
      304,
    );
    expect(await get(port, '/', {}, 'HEAD')).toMatchObject({ status: 200, body: '' });
    expect((await get(port, '/', {}, 'POST')).status).toBe(405);
  });

  it.each([
    ['gzip, deflate, br', 'br'],
    ['gzip, br;q=0', 'gzip'],
    ['zstd', undefined],
    ['', undefined],
  ])('sends the smallest encoding of those accepted: %s', async (accepted, encoding) => {
    const { port } = await site();
    for (const time of ['first', 'second']) {
      const response = await fetch(`http://127.0.0.1:${port}/assets/app-AbCd1234.js`, {
        headers: { 'Accept-Encoding': accepted },
      });
      expect(response.headers.get('content-encoding') ?? undefined, time).toBe(encoding);
      expect(await response.text(), time).toBe('x'.repeat(2000));
      const length = Number(response.headers.get('content-length'));
      if (encoding) expect(length, time).toBeLessThan(100);
      else expect(length, time).toBe(2000);
    }
  });

  it('gives no service worker, which would outlive it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'web-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'index.html'), 'the page');
    await writeFile(join(folder, 'service-worker.js'), 'onfetch = () => {}');
    const { port } = await started({ webRoot: folder });
    expect((await get(port, '/')).status).toBe(200);
    expect((await get(port, '/service-worker.js')).status).toBe(404);
  });

  it('gives nothing that is not in its folder', async () => {
    const { port } = await site();
    const paths = [
      '/../secret.txt',
      '/..%2fsecret.txt',
      '/assets/../../secret.txt',
      '//secret.txt',
      '/link.txt',
      '/%2e%2e/secret.txt',
      '/assets',
      '/assets/',
    ];
    for (const path of paths) expect(await get(port, path), path).toMatchObject({ status: 404 });
  });

  it('says so where it is not built', async () => {
    const { port } = await started();
    expect(await get(port, '/')).toMatchObject({ status: 503, body: expect.stringContaining('npm run build') });
  });
});
