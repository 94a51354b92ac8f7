import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { Server } from 'socket.io';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Gate } from '../server/auth.js';
import { WebServer } from '../server/web-server.js';
import { get, RawClient, upgrade } from '../testing/raw-socket.js';
import { CertificateAuthority } from '../tls/certificate.js';
import { addressesOf } from './addresses.js';
import { type ClassroomOptions, openClassroom, peerOf } from './classroom-host.js';
import type { Peer } from './room.js';
import { classroomSettings, warningOf } from './settings.js';
import { tokenFrom } from './token-file.js';

const NSP = '/class,';

/** A class with its presenter's server, both on ports of their own. */
async function opened(most = 10, more: Partial<ClassroomOptions> = {}) {
  const audience = await openClassroom({
    ...{ host: '127.0.0.1', port: 0, most, webRoot: '/nonexistent', remedy: '' },
    ...more,
  });
  onTestFinished(() => audience.close());
  const gate = new Gate('control', 0);
  const control = await WebServer.make(gate, { webRoot: '/nonexistent' });
  onTestFinished(() => control.close());
  gate.port = await control.listen('127.0.0.1', 0, '');
  audience.present(control.io, gate);
  /** Speaks to a namespace of one of the two. */
  const connect = async (port: number, token: unknown, namespace = NSP, more: object = {}) => {
    const socket = await upgrade(port);
    if ('status' in socket) throw new Error(socket.body);
    const client = new RawClient(socket);
    onTestFinished(() => client.close());
    await client.until(() => client.packets.some((p) => p.startsWith('0')));
    client.text(`40${namespace}${JSON.stringify({ token, ...more })}`);
    await client.until(() => client.packets.some((p) => /^4[04]/.test(p)));
    const said = () =>
      client.packets.flatMap((p) => (p.startsWith(`42${NSP}`) ? [JSON.parse(p.slice(2 + NSP.length))[1]] : []));
    const answer = client.packets.find((p) => p.startsWith('44'));
    return {
      client,
      said,
      refused: answer === undefined ? null : JSON.parse(answer.slice(2 + (namespace === '' ? 0 : NSP.length))),
      say: (message: unknown) => client.text(`42${NSP}${JSON.stringify(['c', message])}`),
    };
  };
  return { audience, control: gate.port, connect };
}

const view = {
  type: 'view',
  view: { n: 1, run: 1, step: 5, seq: 9, time: 0, running: false, speed: { mode: 'max' }, sight: {} },
};

describe('the sockets of a class', () => {
  it('carry views from the presenter to the audience', async () => {
    const { audience, control, connect } = await opened();
    const presenter = await connect(control, 'control');
    const follower = await connect(audience.port, audience.token);
    presenter.say({ type: 'present' });
    presenter.say(view);
    await follower.client.until(() => follower.said().some((m) => m.view?.n === 1));
    expect(follower.said()[0]).toMatchObject({ type: 'joined', protocol: 1, here: false });
    expect(presenter.said()[0]).toMatchObject({
      type: 'room',
      links: [
        `http://127.0.0.1:${audience.port}/#class=${audience.token}`,
        expect.stringContaining('localhost'),
        expect.stringContaining('[::1]'),
      ],
    });
    presenter.client.close();
    await follower.client.until(() => follower.said().at(-1)?.here === false);
  });

  it('take each token for what it is', async () => {
    const { audience, control, connect } = await opened();
    // On the audience's server: its token, its namespace, and nothing else.
    expect((await connect(audience.port, audience.token)).refused).toBeNull();
    for (const token of ['control', 'wrong', undefined, null, 7])
      expect((await connect(audience.port, token)).refused).toMatchObject({ data: { status: 401 } });
    expect((await connect(audience.port, audience.token, '')).refused).toMatchObject({ data: { status: 404 } });
    // On the session's: the audience's token is none.
    expect((await connect(control, 'control')).refused).toBeNull();
    expect((await connect(control, audience.token)).refused).toMatchObject({ data: { status: 401 } });
  });

  it('give the token in exchange for the code that the presenter is shown, and only while somebody presents', async () => {
    const { audience, control, connect } = await opened();
    const type = (code: unknown) => connect(audience.port, undefined, NSP, { code });
    const presenter = await connect(control, 'control');
    const { code } = presenter.said()[0];
    expect((await type(code)).refused).toMatchObject({ message: expect.stringContaining('nobody presents') });
    presenter.say({ type: 'present' });
    await presenter.client.until(() => presenter.said().some((m) => m.type === 'room'));
    const follower = await type(code);
    expect(follower.said()).toEqual([{ type: 'token', token: audience.token }]);
    // It got nothing else, and has no place.
    await follower.client.gone;
    expect(presenter.said().at(-1)).toMatchObject({ followers: 0 });
    for (const bad of ['AAAAAA', '', code.toLowerCase()])
      expect((await type(bad)).refused).toMatchObject({ data: { status: 401 } });
    for (const bad of [null, 7, [code]])
      expect((await type(bad)).refused).toMatchObject({ message: expect.stringContaining('the link of the class') });
    // With a wrong token, a right code is of no use; and the session's own server knows no codes.
    expect((await connect(audience.port, 'wrong', NSP, { code })).refused).toMatchObject({ data: { status: 401 } });
    expect((await connect(control, undefined, NSP, { code })).refused).toMatchObject({ data: { status: 401 } });
    expect((await connect(audience.port, undefined, '', { code })).refused).toMatchObject({ data: { status: 404 } });
  });

  it('are moved to another address of this machine by the presenter alone, if none was chosen at the start', async () => {
    const [elsewhere] = addressesOf();
    const moved: string[] = [];
    const { audience, control, connect } = await opened(10, { fixed: false, onMoved: (host) => void moved.push(host) });
    const { port } = audience;
    const follower = await connect(port, audience.token);
    follower.say({ type: 'listen', address: elsewhere?.address });
    await follower.client.until(() => follower.said().some((m) => m.type === 'refused'));
    const presenter = await connect(control, 'control');
    const room = () => presenter.said().findLast((m) => m.type === 'room');
    expect(room().addresses).toEqual(addressesOf());
    presenter.say({ type: 'present' });
    presenter.say({ type: 'listen', address: '203.0.113.7' });
    await presenter.client.until(() =>
      presenter.said().some((m) => m.error === 'this machine has no address 203.0.113.7'),
    );
    expect(moved).toEqual([]);
    if (!elsewhere || elsewhere.address === '127.0.0.1') return;
    presenter.say({ type: 'listen', address: elsewhere.address });
    await presenter.client.until(() => room().links[0]?.includes(elsewhere.address));
    expect([moved, audience.port]).toEqual([[elsewhere.address], port]);
    await follower.client.gone;
  });

  it('stay at the address that was chosen at the start', async () => {
    const { control, connect } = await opened();
    const presenter = await connect(control, 'control');
    expect(presenter.said()[0].addresses).toEqual([]);
    presenter.say({ type: 'present' });
    presenter.say({ type: 'listen', address: '127.0.0.1' });
    await presenter.client.until(() => presenter.said().some((m) => m.error === 'its address is fixed'));
  });

  it('are behind a door that knows its names and origins', async () => {
    const { audience } = await opened();
    const { port } = audience;
    for (const [headers, status] of [
      [{ Host: 'evil.test' }, 421],
      [{ Host: `evil.test:${port}` }, 421],
      [{ Origin: 'http://evil.test' }, 403],
    ] as const) {
      expect((await get(port, '/', headers)).status).toBe(status);
      expect(await upgrade(port, headers)).toMatchObject({ status });
    }
  });

  it('do what a presenter says only for who presents', async () => {
    const { audience, control, connect } = await opened();
    const follower = await connect(audience.port, audience.token);
    follower.say({ type: 'present' });
    follower.say(view);
    follower.client.text(`42${NSP}["m",{"type":"command","id":1,"command":{"do":"pause"}}]`);
    await follower.client.until(() => follower.said().filter((m) => m.type === 'refused').length === 3);
    const presenter = await connect(control, 'control');
    presenter.say({ type: 'present' });
    await follower.client.until(() => follower.said().at(-1)?.here === true);
    expect(follower.said().some((m) => m.view)).toBe(false);
  });

  it('let in as many as there is place for, and end whoever sends too much at once', async () => {
    const { audience, connect } = await opened(2);
    const one = await connect(audience.port, audience.token);
    await connect(audience.port, audience.token);
    expect((await connect(audience.port, audience.token)).refused).toMatchObject({ data: { status: 503 } });
    one.say({ type: 'answer', poll: 1, option: 0, more: 'x'.repeat(70_000) });
    await expect(one.client.until(() => false)).rejects.toThrow('closed');
    expect((await connect(audience.port, audience.token)).refused).toBeNull();
  });

  it('are counted by TLS, too', async () => {
    const authority = new CertificateAuthority({ commonName: 'x', days: 1 });
    const pair = authority.issue({ commonName: 'class', hosts: ['127.0.0.1'], days: 1, usage: 'server' });
    const ended: unknown[] = [];
    const audience = await openClassroom({
      ...{ host: '127.0.0.1', port: 0, most: 10, webRoot: '/nonexistent', remedy: '' },
      tls: { cert: pair.certPem, key: pair.keyPem },
      onEnded: (limit) => void ended.push(limit),
    });
    onTestFinished(() => audience.close());
    const enter = async () => {
      const socket = await new Promise<Duplex>((resolve, reject) => {
        const path = '/socket.io/?EIO=4&transport=websocket';
        const key = 'AAAAAAAAAAAAAAAAAAAAAA==';
        const headers = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' };
        const options = { host: '127.0.0.1', port: audience.port, path, agent: false, rejectUnauthorized: false };
        httpsRequest({ ...options, headers: { ...headers, 'Sec-WebSocket-Key': key } })
          .on('upgrade', (_response, upgraded, head) => {
            if (head.length > 0) upgraded.unshift(head);
            resolve(upgraded);
          })
          .on('error', reject)
          .end();
      });
      const client = new RawClient(socket);
      onTestFinished(() => client.close());
      return client;
    };
    const follower = await enter();
    follower.text(`40${NSP}${JSON.stringify({ token: audience.token })}`);
    await follower.until(() => follower.packets.some((p) => p.includes('"joined"')));
    const stranger = await enter();
    for (let i = 0; i < 5; i++) stranger.text('3');
    await stranger.gone;
    expect(ended).toEqual(['strangerPackets']);
    follower.text(`42${NSP}["c",null]`);
    await follower.until(() => follower.packets.some((p) => p.includes('"refused"')));
  });

  it('know who does not read', async () => {
    const gate = new Gate('control', 0);
    const web = await WebServer.make(gate, { webRoot: '/nonexistent' });
    onTestFinished(() => web.close());
    gate.port = await web.listen('127.0.0.1', 0, '');
    const peers: Peer<unknown>[] = [];
    web.io.on('connection', (socket) => void peers.push(peerOf(socket)));
    const slow = await RawClient.connect(gate.port, {});
    const quick = await RawClient.connect(gate.port, {});
    onTestFinished(() => slow.close());
    onTestFinished(() => quick.close());
    slow.stopReading();
    const text = 'x'.repeat(1_000_000);
    // The system takes some megabytes for it before it is full.
    const taken = async (peer: Peer<unknown> | undefined) => {
      peer?.send(text);
      for (let i = 0; i < 2_000 && !peer?.writable; i++) await new Promise(setImmediate);
      return peer?.writable;
    };
    let n = 0;
    while (n < 64 && (await taken(peers[0]))) n++;
    expect(n).toBeLessThan(64);
    expect(peers[0]?.writable).toBe(false);
    peers[1]?.send(text);
    await expect.poll(() => peers[1]?.writable).toBe(true);
  });

  it('are not there without a class', async () => {
    const gate = new Gate('control', 0);
    const web = await WebServer.make(gate, { webRoot: '/nonexistent' });
    onTestFinished(() => web.close());
    expect(web.io).toBeInstanceOf(Server);
    gate.port = await web.listen('127.0.0.1', 0, '');
    const socket = await upgrade(gate.port);
    if ('status' in socket) throw new Error(socket.body);
    const client = new RawClient(socket);
    onTestFinished(() => client.close());
    client.text(`40${NSP}{"token":"control"}`);
    await client.until(() => client.packets.some((p) => p.startsWith('44')));
    expect(client.packets.find((p) => p.startsWith('44'))).toContain('Invalid namespace');
  });
});

describe('the flags of a class', () => {
  const settings = (flags: Parameters<typeof classroomSettings>[0]) => classroomSettings(flags, '/web');
  it('are for loopback unless another address is asked for', () => {
    expect(settings({})).toBeNull();
    const own = settings({ class: true });
    expect(own).toMatchObject({ host: '127.0.0.1', port: 7331, most: 400 });
    expect(own && warningOf(own)).toBeNull();
    expect(own).not.toHaveProperty('perAddress');
    expect(settings({ class: true, 'class-per-address': 4 })).toMatchObject({ perAddress: 4 });
    const wide = settings({ class: true, 'class-host': '0.0.0.0', 'class-name': ['laptop.local'] });
    expect(wide && warningOf(wide)).toMatch(/without encryption.*They cannot reach your session/);
  });
  it('say what is wrong with them', () => {
    expect(() => settings({ 'class-host': '0.0.0.0' })).toThrow('--class-host needs --class');
    expect(() => settings({ class: true, 'class-host': 'laptop' })).toThrow('must be an address');
    expect(() => settings({ class: true, 'class-name': ['http://x'] })).toThrow('must be a host name');
    expect(() => settings({ class: true, 'class-tls-cert': 'x' })).toThrow('go together');
    expect(() => settings({ class: true, 'class-tls-cert': '/nonexistent', 'class-tls-key': '/x' })).toThrow(
      '--class-tls-cert /nonexistent cannot be read',
    );
  });
  it('keep the token in a file of its owner', () => {
    const folder = mkdtempSync(join(tmpdir(), 'class-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'token');
    const token = tokenFrom(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(tokenFrom(file)).toBe(token);
    expect(readFileSync(file, 'utf8')).toBe(`${token}\n`);
    writeFileSync(file, 'short');
    expect(() => tokenFrom(file)).toThrow('does not contain a token');
    expect(() => tokenFrom(join(folder, 'no/where'))).toThrow('cannot be written');
  });
});
