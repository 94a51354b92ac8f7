import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Evidence } from '@syncloop/observe';
import { expect, it, onTestFinished } from 'vitest';
import { BackOff } from './back-off.js';
import { TapSource } from './tap-source.js';

const call = (n: number) =>
  `${JSON.stringify({ evidence: { kind: 'call', source: 'tap', at: n, place: {}, call: n, method: 'Version', request: {} } })}\n`;

it('hears a tap, says once that it is gone, and hears it again when it is back', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-tap-source-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'evidence.sock');
  const evidence: Evidence[] = [];
  const said: string[] = [];
  let look = () => {};
  const until = (done: () => boolean) =>
    new Promise<void>((resolve) => {
      look = () => done() && resolve();
      look();
    });
  const listen = (text: string) =>
    new Promise<{ server: Server; sockets: Socket[] }>((resolve) => {
      const sockets: Socket[] = [];
      const server = createServer((socket) => {
        sockets.push(socket);
        socket.on('error', () => {});
        socket.write(text);
      });
      server.listen(path, () => resolve({ server, sockets }));
    });
  const source = new TapSource('cri', path, new BackOff(1, 1));
  onTestFinished(() => source.stop());
  source.start(
    async (pieces) => {
      evidence.push(...pieces);
      look();
    },
    (sentence) => {
      said.push(sentence);
      look();
    },
  );
  await until(() => said.length > 0);
  expect(said[0]).toMatch(
    /is not heard: no tap listens there: start syncloop tap with --evidence\. It is tried again\.$/,
  );
  const calls = () => evidence.flatMap((one) => (one.kind === 'call' ? [one.call] : []));
  // The second line is cut by the end of the tap.
  const first = await listen(call(1) + call(2).slice(0, 30));
  await until(() => calls().length === 1);
  for (const socket of first.sockets) socket.destroy();
  await new Promise((resolve) => first.server.close(resolve));
  await until(() => said.some((one, i) => i > 1 && /is not heard/.test(one)));
  const second = await listen(call(3));
  onTestFinished(() => {
    for (const socket of second.sockets) socket.destroy();
    second.server.close();
  });
  await until(() => calls().length === 2);
  expect(calls()).toEqual([1, 3]);
  expect(evidence.filter(({ kind }) => kind === 'gap').length).toBeGreaterThanOrEqual(1);
  expect(evidence.every(({ source: id }) => id === 'cri')).toBe(true);
});
