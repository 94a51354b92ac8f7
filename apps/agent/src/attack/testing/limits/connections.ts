/** The section "connections" of the table of limits. */
import { expect } from 'vitest';
import type { LimitName } from '../../../server/limits.js';
import { get, upgrade } from '../../../testing/raw-socket.js';
import { A, B, type Drive, file, hello, never, open, times } from './server.js';

export const connectionsLimits = {
  connections: async (door) => {
    const served = await open(door, { connectionsPerAddress: never });
    const dialled = await times(served.most.connections, (i) => served.dial(i % 2 && door === 'audience' ? B : A));
    expect(await dialled.at(-1)?.ask()).toBe(503);
    expect(await dialled[0]?.ask()).toBe(503);
    expect(served.ended).toEqual([]);
    const next = await served.dial();
    await dialled[0]?.closed;
    expect(await next.ask()).toBe(503);
    expect(served.ended).toEqual(['connections']);
    // A client with a token is not in the way, and stays.
    const client = await served.client();
    await times(served.most.connections + 1, () => served.dial());
    client.say(hello);
    await client.answered(1);
  },
  connectionsPerAddress: async (door) => {
    const served = await open(door);
    const other = await served.dial(B);
    const dialled = await times(served.most.connectionsPerAddress, () => served.dial());
    expect(await dialled.at(-1)?.ask()).toBe(503);
    expect(await dialled[0]?.ask()).toBe(503);
    const next = await served.dial();
    await dialled[0]?.closed;
    expect(await next.ask()).toBe(503);
    expect(await other.ask()).toBe(503);
    expect(served.ended).toEqual(['connectionsPerAddress']);
  },
  connects: async (door) => {
    const served = await open(door);
    for (let i = 1; i < served.most.connects; i++) (await served.dial()).socket.destroy();
    const last = await served.dial();
    expect(await last.ask()).toBe(503);
    expect(await (await served.dial()).ask()).toBeNull();
    expect(served.ended).toEqual(['connects']);
    if (door === 'audience') expect(await (await served.dial(B)).ask()).toBe(503);
    served.pass(10_000);
    expect(await (await served.dial()).ask()).toBe(503);
  },
  requests: async (door) => {
    const served = await open(door);
    const { socket, closed } = await served.dial();
    let text = '';
    socket.on('data', (data) => {
      text += data.toString('latin1');
    });
    const request = `GET /none HTTP/1.1\r\nHost: ${A}:${served.port}\r\n\r\n`;
    socket.write(request.repeat(served.most.requests + 1));
    await closed;
    const statuses = [...text.matchAll(/HTTP\/1.1 (\d+)/g)].map((m) => m[1]);
    expect(statuses.filter((s) => s === '503')).toHaveLength(served.most.requests);
    expect(statuses.at(-1)).toBe('429');
    expect(await upgrade(served.port)).toMatchObject({ status: 429 });
    served.pass(10_000);
    expect(await (await served.dial()).ask()).toBe(503);
  },
  headMillis: async (door) => {
    const served = await open(door, { headMillis: 300 });
    const slow = await served.dial();
    slow.socket.write('GET / HTTP/1.1\r\nHost:');
    await slow.closed;
    expect(await (await served.dial()).ask()).toBe(503);
  },
  idleMillis: async (door) => {
    const bytes = 16 * 1024 * 1024;
    const served = await open(door, { idleMillis: 400 }, file(bytes));
    const { socket, closed } = await served.dial();
    let got = 0;
    socket.on('data', (data) => {
      got += data.length;
    });
    socket.pause();
    socket.write(`GET /data.bin HTTP/1.1\r\nHost: ${A}:${served.port}\r\n\r\n`);
    await served.untilEnded('idleMillis');
    socket.resume();
    await closed;
    expect(got).toBeLessThan(bytes);
    expect((await get(served.port, '/data.bin')).body).toHaveLength(bytes);
  },
} satisfies Partial<Record<LimitName, Drive>>;
