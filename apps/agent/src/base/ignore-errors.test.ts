import { ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createServer, request } from 'node:http';
import { createServer as createTLSServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { selfSigned } from '../tls/certificate.js';
import { closeServer, ignoreChildErrors, ignoreErrors, ignoreServerErrors } from './ignore-errors.js';

describe('heard', () => {
  it('adds one listener, however often it is asked', () => {
    const emitter = new EventEmitter();
    expect(() => emitter.emit('error', new Error('x'))).toThrow('x');
    expect(ignoreErrors(ignoreErrors(emitter)).listenerCount('error')).toBe(1);
    expect(emitter.emit('error', new Error('x'))).toBe(true);
  });

  it('takes a program that came to nothing, without pipes, and one whose pipes break', async () => {
    // Without file descriptors, spawn returns such a process.
    expect(ignoreChildErrors(new ChildProcess()).listenerCount('error')).toBe(1);
    const child = ignoreChildErrors(
      spawn(process.execPath, ['-e', 'process.exit(3)'], { stdio: ['pipe', 'pipe', 'pipe'] }),
    );
    child.stdin.write('x'.repeat(1_000_000));
    const closed = once(child, 'close');
    const [code] = await once(child, 'exit');
    for (const stream of child.stdio) stream?.destroy(new Error('broken'));
    await closed;
    expect(code).toBe(3);
  });
});

describe('closeServer', () => {
  const pair = selfSigned({ commonName: 'x', hosts: [], days: 1 });
  const port = async (server: ReturnType<typeof createServer>) => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  };

  it('does not wait for who is still in the handshake', async () => {
    const server = createTLSServer({ cert: pair.certPem, key: pair.keyPem });
    ignoreServerErrors(server as never);
    const client = connect(await port(server as never), '127.0.0.1');
    client.on('error', () => {});
    await once(server, 'connection');
    const closed = once(client.resume(), 'close');
    await closeServer(server as never);
    await closed;
  });

  it('nor for what was upgraded', async () => {
    const server = ignoreServerErrors(createServer());
    server.on('upgrade', (_request, socket: Duplex) =>
      socket.write('HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: y\r\n\r\n'),
    );
    const sent = request({
      port: await port(server),
      host: '127.0.0.1',
      headers: { Connection: 'Upgrade', Upgrade: 'y' },
    });
    sent.end();
    const [, socket] = (await once(sent, 'upgrade')) as [unknown, Duplex];
    const closed = once(socket.resume(), 'close');
    await closeServer(server);
    await closed;
  });
});
