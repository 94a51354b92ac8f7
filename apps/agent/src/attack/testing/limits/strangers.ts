/** The section "strangers" of the table of limits. */
import { expect } from 'vitest';
import { type LimitName, sessionAllowance } from '../../../server/limits.js';
import { frameOf } from '../../../testing/raw-socket.js';
import { A, B, type Drive, hello, never, open, times } from './server.js';

export const strangersLimits = {
  strangers: async (door) => {
    const served = await open(door, { strangersPerAddress: never });
    const client = await served.client();
    const all = await times(served.most.strangers, (i) => served.stranger(i % 2 && door === 'audience' ? B : A));
    expect(served.ended).toEqual([]);
    await served.stranger();
    await all[0]?.raw.gone;
    expect(served.ended).toEqual(['strangers']);
    expect(all.slice(1).some(({ raw }) => raw.closed)).toBe(false);
    client.say(hello);
    await client.answered(1);
  },
  strangersPerAddress: async (door) => {
    const served = await open(door);
    const other = await served.stranger(B);
    const all = await times(served.most.strangersPerAddress, () => served.stranger());
    expect(served.ended).toEqual([]);
    await served.stranger();
    await all[0]?.raw.gone;
    expect(served.ended).toEqual(['strangersPerAddress']);
    expect(other.raw.closed).toBe(false);
  },
  strangerMillis: async (door) => {
    const served = await open(door, { strangerMillis: 300 });
    const client = await served.client();
    const { raw } = await served.stranger();
    await raw.gone;
    expect(served.ended).toEqual(['strangerMillis']);
    client.say(hello);
    await client.answered(1);
  },
  strangerPackets: async (door) => {
    const served = await open(door);
    const slow = await served.stranger();
    for (let i = 1; i < served.most.strangerPackets; i++) slow.raw.text('3');
    slow.raw.text(`40${door === 'session' ? '' : '/class,'}${JSON.stringify({ token: served.token })}`);
    await slow.raw.until(() => slow.raw.packets.some((p) => p.startsWith('40')));
    // Pings of WebSocket's own kind are packets, too.
    for (const frame of [frameOf(Buffer.from('3')), frameOf(Buffer.alloc(100), 9)]) {
      const { raw } = await served.stranger();
      for (let i = 0; i <= served.most.strangerPackets; i++) raw.write(frame);
      await raw.gone;
    }
    expect(served.ended).toEqual(['strangerPackets', 'strangerPackets']);
  },
  strangerBytes: async (door) => {
    const served = await open(door);
    const come = async (bytes: number) => {
      const { raw } = await served.stranger();
      const text = `40${door === 'session' ? '' : '/class,'}${JSON.stringify({ token: served.token })}`;
      raw.text(text.padEnd(bytes - 8, ' '));
      await Promise.race([raw.gone, raw.until(() => raw.packets.some((p) => p.startsWith('40')))]).catch(() => {});
      return raw.closed;
    };
    expect(await come(served.most.strangerBytes)).toBe(false);
    expect(await come(served.most.strangerBytes + 1)).toBe(true);
    expect(served.ended).toEqual(['strangerBytes']);
  },
  strangerWaiting: async (door) => {
    // The limit is as long as the refusal that it gets.
    const wrong = await (await open(door)).client({ token: 'wrong' });
    const bytes = (wrong.raw.packets.find((p) => p.startsWith('44')) as string).length - 1;
    expect((await (await open(door, { strangerWaiting: bytes })).client({ token: 'wrong' })).status).toBe(401);
    const served = await open(door, { strangerWaiting: bytes - 1 });
    await expect(served.client({ token: 'wrong' })).rejects.toThrow('closed');
    expect(served.ended).toEqual(['strangerWaiting']);
    expect(sessionAllowance.strangerWaiting).toBeGreaterThan(100 * bytes);
  },
  wrongTokensPerMinute: async (door) => {
    const served = await open(door);
    const wrong = await times(served.most.wrongTokensPerMinute + 1, () => served.client({ token: 'wrong' }));
    expect(wrong.map((c) => c.status)).toEqual([...wrong.slice(1).map(() => 401), 429]);
    expect((await served.client()).status).toBe(200);
    served.pass(60_000);
    expect((await served.client({ token: 'wrong' })).status).toBe(401);
  },
} satisfies Partial<Record<LimitName, Drive>>;
