/** The section "the class" of the table of limits. */
import { expect } from 'vitest';
import { audienceAllowance, type LimitName } from '../../../server/limits.js';
import { A, B, type Drive, never, open, type Served, size, times } from './server.js';

/** The code that a presenter is shown. */
async function shownCode(served: Served): Promise<{ readonly code: string }> {
  const presenter = await served.presenter();
  presenter.say({ type: 'present' });
  const room = await presenter.told((m) => m.type === 'room');
  return { code: String(room.code) };
}
const typed = (code: string, from = A) => ({ from, auth: { token: undefined, code } });

export const classroomLimits = {
  presenters: async (door) => {
    const served = await open(door);
    const all = await Promise.all(Array.from({ length: served.most.presenters + 1 }, () => served.presenter()));
    expect(all.filter((c) => c.status === 503)).toHaveLength(1);
  },
  presenterMessagesPerSecond: async (door) => {
    const served = await open(door);
    const presenter = await served.presenter();
    for (let i = 0; i <= served.most.presenterMessagesPerSecond; i++) presenter.say({ type: 'present' });
    const refused = await presenter.told((m) => m.type === 'refused');
    expect(refused.error).toContain('slow down');
    expect(presenter.said.filter((m) => m.type === 'refused')).toHaveLength(1);
    served.pass(1_000);
    presenter.say({ type: 'nothing' });
    await presenter.told((m) => String(m.error).includes('message.type'));
  },
  seats: async (door) => {
    const served = await open(door);
    const far = await times(served.most.seats - served.most.seatsPerAddress, () => served.client({ from: B }));
    const near = await times(served.most.seatsPerAddress, () => served.client());
    expect([...far, ...near].map((c) => c.status)).toEqual([...far, ...near].map(() => 200));
    expect((await served.client({ from: B })).status).toBe(503);
  },
  seatsPerAddress: async (door) => {
    const served = await open(door);
    const near = await times(served.most.seatsPerAddress, () => served.client());
    expect(near.map((c) => c.status)).toEqual(near.map(() => 200));
    expect((await served.client()).status).toBe(503);
    expect((await served.client({ from: B })).status).toBe(200);
  },
  pagesPerFollower: async (door) => {
    const served = await open(door, { seatsPerAddress: never });
    const one = await served.client();
    const { id } = await one.told((m) => m.type === 'joined');
    const more = await times(served.most.pagesPerFollower - 1, () => served.client({ auth: { id } }));
    expect(more.map((c) => c.status)).toEqual(more.map(() => 200));
    expect((await served.client({ auth: { id } })).status).toBe(503);
  },
  newFollowersPerMinute: async (door) => {
    const served = await open(door, { seats: never, seatsPerAddress: never });
    const all = await times(served.most.newFollowersPerMinute, () => served.client());
    expect(all.map((c) => c.status)).toEqual(all.map(() => 200));
    expect((await served.client()).status).toBe(503);
    expect((await served.client({ from: B })).status).toBe(200);
    const { id } = (await all[0]?.told((m) => m.type === 'joined')) ?? {};
    expect((await served.client({ auth: { id } })).status).toBe(200);
    served.pass(60_000);
    expect((await served.client()).status).toBe(200);
  },
  wrongCodes: async (door) => {
    const served = await open(door, { wrongCodesPerAddress: never, connects: never, strangersPerAddress: never });
    const { code } = await shownCode(served);
    const tries = await times(served.most.wrongCodes, () => served.client(typed('WRONGS')));
    expect(new Set(tries.map((c) => c.status))).toEqual(new Set([401]));
    expect((await served.client(typed(code, B))).status).toBe(429);
    expect((await served.client({ from: B })).status).toBe(200);
    served.pass(60_000);
    expect((await served.client(typed(code, B))).status).toBe(200);
  },
  wrongCodesPerAddress: async (door) => {
    const served = await open(door, { strangersPerAddress: never });
    const { code } = await shownCode(served);
    const tries = await times(served.most.wrongCodesPerAddress, () => served.client(typed('WRONGS')));
    expect(new Set(tries.map((c) => c.status))).toEqual(new Set([401]));
    expect((await served.client(typed(code))).status).toBe(429);
    const client = await served.client(typed(code, B));
    expect(await client.told((m) => m.type === 'token')).toEqual({ type: 'token', token: served.token });
    await client.raw.until(() => client.raw.closed);
  },
  votesPerAddress: async (door) => {
    const served = await open(door, { votesPerAddress: 2, seatsPerAddress: never });
    const presenter = await served.presenter();
    presenter.say({ type: 'present' });
    presenter.say({ type: 'poll', poll: { question: { en: '?' }, options: [{ en: 'a' }, { en: 'b' }] } });
    const vote = async (option: number, from = A) => {
      const client = await served.client({ from });
      await client.told((m) => m.type === 'joined' || m.type === 'state');
      await client.raw.until(() => client.said.some((m) => m.poll));
      client.say({ type: 'answer', poll: 1, option });
      return [client, await client.told((m) => m.type === 'answered' || m.type === 'refused')] as const;
    };
    const [gone] = await vote(0);
    await vote(0);
    const [, refused] = await vote(1);
    expect(refused).toMatchObject({ type: 'refused', error: expect.stringContaining('your address') });
    expect((await vote(1, B))[1]).toMatchObject({ type: 'answered' });
    gone.raw.close();
    await presenter.told((m) => m.type === 'room' && m.followers === 3);
    expect((await vote(1))[1]).toMatchObject({ type: 'answered' });
    presenter.say({ type: 'phase', phase: 'revealed' });
    const shown = await presenter.told((m) => (m.poll as { phase?: string } | undefined)?.phase === 'revealed');
    expect(shown.poll).toMatchObject({ counts: [1, 2] });
    expect(audienceAllowance(size).votesPerAddress).toBe(size.seatsPerAddress);
  },
  hands: async (door) => {
    const served = await open(door, { hands: 2, seatsPerAddress: never });
    const presenter = await served.presenter();
    presenter.say({ type: 'present' });
    const raise = async () => {
      const client = await served.client();
      await client.told((m) => m.here === true);
      client.say({ type: 'hand', hand: { moment: 'v4.jAAAA', time: 0 } });
      return [client, await client.told((m) => m.type === 'hand' || m.type === 'refused')] as const;
    };
    const [first, up] = await raise();
    expect([up.up, (await raise())[1].up]).toEqual([true, true]);
    expect((await raise())[1]).toMatchObject({ error: expect.stringContaining('2 hands are up already') });
    first.raw.close();
    await presenter.told((m) => m.type === 'room' && (m.hands as object[]).length === 1);
    expect((await raise())[1].up).toBe(true);
    expect(audienceAllowance(size).hands).toBe(40);
  },
  followerMessages: async (door) => {
    const served = await open(door);
    const client = await served.client();
    for (let i = 0; i <= served.most.followerMessages; i++) client.say({ type: 'answer', poll: 1, option: 0 });
    await client.told((m) => String(m.error).includes('too many messages'));
    expect(client.said.filter((m) => m.error === 'that question is over')).toHaveLength(served.most.followerMessages);
  },
  followerRefusals: async (door) => {
    const served = await open(door);
    const client = await served.client();
    for (let i = 0; i < served.most.followerRefusals; i++) client.say(null);
    await client.answered(served.most.followerRefusals + 1);
    client.say(null);
    await client.raw.until(() => client.raw.closed);
  },
} satisfies Partial<Record<LimitName, Drive>>;
