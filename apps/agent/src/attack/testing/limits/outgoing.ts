/** The section "what goes out" of the table of limits. */
import { expect } from 'vitest';
import type { Allowance, LimitName } from '../../../server/limits.js';
import { get, upgrade } from '../../../testing/raw-socket.js';
import { type Client, type DoorName, type Drive, file, hello, lastSeq, open, times, view } from './server.js';

/** Ten megabytes of records, for one who acknowledges them at once. */
async function recordsUpTo(given: Partial<Allowance>): Promise<void> {
  const served = await open('session', given);
  const client = await served.client();
  client.say(hello);
  await client.answered(1);
  served.backend.make(5_000, 2_000);
  const seen = () => client.raw.messages.reduce((last, m) => lastSeq(m) ?? last, 0);
  const go = async (after: number) => {
    await client.raw.until(() => seen() > after);
    client.say({ type: 'ack', seq: seen() });
    client.say({ type: 'command', id: seen(), command: { do: 'manifests' } });
    const id = seen();
    await client.raw.until(() => client.raw.messages.some((m) => m.type === 'result' && m.id === id));
  };
  await go(0);
  await go(0);
  expect(seen()).toBeLessThan(1_100);
  for (let last = seen(); last < 5_000; last = seen()) {
    served.pass(10_000);
    await go(last);
  }
  expect(served.ended).toEqual([]);
}

/** Fifty views; who may be sent no more has the newest later. */
async function viewsUpTo(given: Partial<Allowance>): Promise<void> {
  const served = await open('audience', given);
  const [presenter, follower] = [await served.presenter(), await served.client()];
  presenter.say({ type: 'present' });
  for (let n = 1; n <= 50; n++) presenter.say(view(n));
  presenter.say({ type: 'nothing' });
  await presenter.told((m) => m.type === 'refused');
  follower.say(null);
  await follower.told((m) => m.type === 'refused');
  const views = () => follower.said.flatMap((m) => (m.view ? [(m.view as { n: number }).n] : []));
  expect(views().length).toBeGreaterThan(0);
  expect(views().length).toBeLessThan(40);
  served.pass(10_000);
  await follower.raw.until(() => views().at(-1) === 50);
  expect(served.ended).toEqual([]);
}

/** Files of 100 KB. */
async function filesUpTo(door: DoorName, limit: 'bytesOutPerAddress' | 'bytesOutAll'): Promise<void> {
  const served = await open(door, { [limit]: 1_000_000 }, file(100_000));
  let count = 0;
  while ((await get(served.port, '/data.bin')).status === 200 && count < 20) count++;
  expect(count).toBeGreaterThanOrEqual(10);
  // One may be asked for before the end of the one before it was seen.
  expect(count).toBeLessThan(13);
  expect(await upgrade(served.port)).toMatchObject({ status: 429 });
  served.pass(10_000);
  expect((await get(served.port, '/data.bin')).status).toBe(200);
}

export const outgoingLimits = {
  waiting: async (door) => {
    if (door === 'audience') {
      // A follower is sent so little that the number of the table is not to be reached.
      const served = await open(door, { waiting: 100 });
      await expect((await served.client()).answered(1)).rejects.toThrow('closed');
      expect(served.ended).toEqual(['waiting']);
      return;
    }
    const served = await open(door);
    const client = await served.client();
    client.say(hello);
    await client.answered(1);
    const reply = (from: number) => ({ type: 'command', id: 1, command: { do: 'logs', container: 'c', from } });
    // With the frame's head, and engine.io's letter.
    const overhead = 10 + '42["m",{"type":"result","id":1,"ok":true,"value":""}]'.length;
    client.say(reply(served.most.waiting - overhead));
    await client.raw.until(() => client.raw.packets.length >= 4);
    expect(served.ended).toEqual([]);
    client.say(reply(served.most.waiting - overhead + 1));
    await client.raw.gone;
    expect(served.ended).toEqual(['waiting']);
  },
  waitingAll: async (door) => {
    if (door === 'audience') {
      const served = await open(door, { waitingAll: 100 });
      await expect((await served.client()).answered(1)).rejects.toThrow('closed');
      expect(served.ended).toEqual(['waitingAll']);
      return;
    }
    const served = await open(door);
    const clients = await times(5, () => served.client());
    for (const client of clients) {
      client.say(hello);
      await client.answered(1);
      client.raw.stopReading();
    }
    const ask = (client: Client | undefined, from: number) =>
      client?.say({ type: 'command', id: 1, command: { do: 'logs', container: 'c', from } });
    const MiB = 1024 * 1024;
    expect(served.most.waitingAll).toBe(64 * MiB);
    for (const [i, mib] of [14, 15, 14, 14].entries()) ask(clients[i], mib * MiB);
    const quick = await served.client();
    quick.say(hello);
    await quick.answered(1);
    expect(served.ended).toEqual([]);
    ask(clients[4], 10 * MiB);
    await served.untilEnded('waitingAll');
    // The one with the most waiting data is ended, not the one that came last.
    clients[1]?.raw.startReading();
    await clients[1]?.raw.gone;
    clients[4]?.raw.startReading();
    await clients[4]?.raw.until(() => (clients[4]?.raw.packets.length ?? 0) >= 4);
    expect(served.ended).toEqual(['waitingAll']);
  },
  waitingRecords: async (door) => {
    // Forty megabytes of records for a client that does not read for a while: they wait in the records' own memory.
    const served = await open(door, { waiting: 8 * 1024 * 1024 });
    const client = await served.client();
    client.say(hello);
    await client.answered(1);
    client.raw.stopReading();
    served.backend.make(4_000, 10_000);
    const quick = await served.client();
    quick.say({ ...hello, session: 's1', resumeFrom: 4_000 });
    await quick.answered(1);
    expect(served.ended).toEqual([]);
    client.raw.startReading();
    await client.raw.until(() => client.raw.messages.some((m) => lastSeq(m) === 4_000));
    expect(served.ended).toEqual([]);
  },
  bytesOut: async (door) => {
    if (door === 'session') await recordsUpTo({ bytesOut: 1_000_000 });
    else await viewsUpTo({ bytesOut: 2_000 });
  },
  bytesOutPerAddress: async (door) => {
    await filesUpTo(door, 'bytesOutPerAddress');
    await viewsUpTo({ bytesOutPerAddress: 4_000 });
  },
  bytesOutAll: async (door) => {
    await filesUpTo(door, 'bytesOutAll');
    if (door === 'session') await recordsUpTo({ bytesOutAll: 1_000_000 });
    else await viewsUpTo({ bytesOutAll: 4_000 });
  },
} satisfies Partial<Record<LimitName, Drive>>;
