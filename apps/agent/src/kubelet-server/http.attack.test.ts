import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closeServer } from '../base/ignore-errors.js';
import { makeServer, text } from './http.js';

/** Sends `bytes` on a connection of its own; resolves with all that comes back until it ends. */
function exchanged(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let ignoreErrors = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('latin1').on('data', (part: string) => {
      ignoreErrors += part;
    });
    socket.on('error', () => {}).on('close', () => resolve(ignoreErrors));
  });
}

describe("the kubelet's HTTP servers", () => {
  it.each([false, true])('survive an upgrade right behind another request (upgrades taken: %s)', async (upgrades) => {
    const server = makeServer(async () => text(200, 'ok'), { upgrades });
    onTestFinished(() => closeServer(server));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const host = `Host: 127.0.0.1:${port}\r\n`;
    const upgrade = `GET /healthz HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
    // In one packet: the answer to the first request still has the connection when the second one comes.
    await exchanged(port, `GET /pods HTTP/1.1\r\n${host}\r\n${upgrade}`);
    await exchanged(port, upgrade + upgrade);
    expect(await exchanged(port, `GET /healthz HTTP/1.1\r\n${host}Connection: close\r\n\r\n`)).toMatch(
      /200 OK[\s\S]*ok$/,
    );
  });
});
