import { once } from 'node:events';
import { Agent } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { expect, it } from 'vitest';
import { CertificateAuthority } from '../tls/certificate.js';
import { exchange } from './exchange.js';

it('gives up an answer that is all there and unread, and no error of its connection reaches nobody', async () => {
  const authority = new CertificateAuthority({ commonName: 'x', days: 1 });
  const pair = authority.issue({ commonName: 'api', hosts: ['127.0.0.1'], days: 1, usage: 'server' });
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
  const server = createServer({ cert: pair.certPem, key: pair.keyPem }, (socket) => {
    socket.on('error', () => {});
    // A watch that is too old: an event and its end, at once.
    socket.once('data', () => socket.write(`${head}1b\r\n{"type":"ERROR","object":1}\r\n0\r\n\r\n`));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const agent = new Agent({ keepAlive: true, ca: authority.certPem });
  const escaped: unknown[] = [];
  const note = (err: unknown) => void escaped.push(err);
  process.on('uncaughtException', note);
  try {
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const given = { method: 'GET', url, headers: {}, timeoutMillis: 0 };
    const { response, abort } = await exchange(given, { agent, headers: {} }, new AbortController().signal);
    const { socket } = response;
    expect(response.complete).toBe(true);
    const closed = once(socket, 'close');
    abort();
    await closed;
    await new Promise((resolve) => setImmediate(resolve));
    expect(escaped).toEqual([]);
  } finally {
    process.off('uncaughtException', note);
    agent.destroy();
    server.close();
  }
});
