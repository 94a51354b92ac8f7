/** The section "what comes in" of the table of limits. */
import type { Socket } from 'node:net';
import { expect } from 'vitest';
import type { LimitName } from '../../../server/limits.js';
import { frameOf } from '../../../testing/raw-socket.js';
import { A, B, type Client, type DoorName, type Drive, never, open, refusedEvent, type Served } from './server.js';

const three = Buffer.from('3');

const loginBytes = ({ token }: Served, door: DoorName) =>
  frameOf(Buffer.from(`40${door === 'session' ? '' : '/class,'}${JSON.stringify({ token })}`)).length;

/** Sends exactly so many bytes, as events that are refused, and waits for the answers. */
async function send({ most }: Served, door: DoorName, client: Client, bytes: number): Promise<void> {
  const longest = Math.min(most.packetBytes, 60_000) - 100;
  let answers = client.said.length;
  for (let left = bytes; left > 0; ) {
    const length = left <= longest ? left : left <= longest + 200 ? left - 200 : longest;
    client.raw.text(refusedEvent(door).padEnd(length - 8, ' '));
    left -= length;
    answers++;
  }
  await client.answered(answers);
}

/** Sends over one socket after another, for none of them may send it all. */
async function bytesInOf(door: DoorName, limit: 'bytesInPerAddress' | 'bytesInAll', from: readonly string[]) {
  const served = await open(door, {
    refusalsPerMinute: never,
    packetsPerSecond: never,
    followerMessages: never,
    followerRefusals: never,
    newFollowersPerMinute: never,
    connects: never,
    ...(from.length > 1 && { bytesInPerAddress: never }),
  });
  const each = Math.floor(0.9 * served.most.bytesIn);
  for (let i = 0, total = 0; ; i++) {
    const client = await served.client({ from: from[i % from.length] as string });
    if (door === 'audience') await client.answered(1);
    const socket = client.socket as Socket;
    const left = served.most[limit] - total - socket.bytesWritten;
    await send(served, door, client, left <= each ? left : Math.min(each, left - 5_000));
    total += socket.bytesWritten;
    if (total < served.most[limit]) {
      client.raw.close();
      continue;
    }
    expect([total, served.ended]).toEqual([served.most[limit], []]);
    client.raw.text('3');
    await client.raw.gone;
    expect(served.ended).toEqual([limit]);
    break;
  }
  served.pass(10_000);
  expect((await served.client()).status).toBe(200);
}

export const incomingLimits = {
  packetBytes: async (door) => {
    const served = await open(door);
    const client = await served.client();
    const before = client.said.length;
    client.raw.text(refusedEvent(door).padEnd(served.most.packetBytes, ' '));
    await client.answered(before + 1);
    client.raw.text(refusedEvent(door).padEnd(served.most.packetBytes + 1, ' '));
    await client.raw.gone;
    expect(served.ended).toEqual(['packetBytes']);
  },
  packetFragments: async (door) => {
    const served = await open(door);
    const client = await served.client();
    const send = (fragments: number) => {
      const text = Buffer.from(refusedEvent(door).padEnd(fragments, ' '));
      const frames = Array.from({ length: fragments }, (_, i) =>
        frameOf(text.subarray(i, i === fragments - 1 ? undefined : i + 1), i === 0 ? 1 : 0, i === fragments - 1),
      );
      client.raw.write(Buffer.concat(frames));
    };
    const before = client.said.length;
    send(served.most.packetFragments);
    await client.answered(before + 1);
    send(served.most.packetFragments + 1);
    await client.raw.gone;
    expect(served.ended).toEqual(['packetFragments']);
  },
  packetChunks: async (door) => {
    const served = await open(door, { packetFragments: never });
    const client = await served.client();
    const bytes = served.most.packetBytes - 100;
    const frame = frameOf(Buffer.from(refusedEvent(door).padEnd(bytes, ' ')));
    const before = client.said.length;
    const drip = async (pieces: number) => {
      client.raw.write(frame.subarray(0, 8));
      for (let i = 0; i < pieces && !client.raw.closed; i++) {
        client.raw.write(frame.subarray(8 + i, 9 + i));
        await new Promise(setImmediate);
        await new Promise(setImmediate);
      }
    };
    const few = served.most.packetChunks / 2;
    await drip(few);
    client.raw.write(frame.subarray(8 + few));
    await client.answered(before + 1);
    // Some arrive together.
    await drip(bytes - 10);
    await client.raw.gone;
    expect(served.ended).toEqual(['packetChunks']);
  },
  packetsPerSecond: async (door) => {
    const served = await open(door);
    const client = await served.client();
    const before = client.said.length;
    // It asked for its namespace, and asks something at the end.
    client.raw.write(Buffer.concat(Array.from({ length: served.most.packetsPerSecond - 2 }, () => frameOf(three))));
    client.raw.text(refusedEvent(door));
    await client.answered(before + 1);
    expect(served.ended).toEqual([]);
    client.raw.text('3');
    await client.raw.gone;
    expect(served.ended).toEqual(['packetsPerSecond']);
  },
  bytesIn: async (door) => {
    const served = await open(door, { refusalsPerMinute: never });
    const client = await served.client();
    await send(served, door, client, served.most.bytesIn - loginBytes(served, door));
    expect(served.ended).toEqual([]);
    client.raw.text('3');
    await client.raw.gone;
    expect(served.ended).toEqual(['bytesIn']);
  },
  bytesInPerAddress: async (door) => {
    await bytesInOf(door, 'bytesInPerAddress', [A]);
  },
  bytesInAll: async (door) => {
    await bytesInOf(door, 'bytesInAll', door === 'session' ? [A] : [A, B]);
  },
} satisfies Partial<Record<LimitName, Drive>>;
