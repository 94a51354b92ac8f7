/** The section "the session" of the table of limits. */
import { expect } from 'vitest';
import type { LimitName } from '../../../server/limits.js';
import { type Drive, hello, never, open, times, unknownEvent } from './server.js';

export const sessionLimits = {
  clients: async (door) => {
    const served = await open(door);
    // All at the same moment: each is counted before the next one is looked at.
    const all = await Promise.all(Array.from({ length: served.most.clients + 1 }, () => served.client()));
    expect(all.filter((c) => c.status === 503)).toHaveLength(1);
    all.find((c) => c.status === 200)?.raw.close();
    let status = 503;
    while (status === 503) status = (await served.client()).status;
    expect(status).toBe(200);
  },
  commandsPerSecond: async (door) => {
    const served = await open(door);
    const client = await served.client();
    client.say(hello);
    const ask = (id: number) => client.say({ type: 'command', id, command: { do: 'manifests' } });
    for (let id = 1; id <= served.most.commandsPerSecond; id++) ask(id);
    await client.told((m) => m.type === 'refused' && String(m.error).includes('slow down'));
    expect(client.said.filter((m) => m.type === 'result')).toHaveLength(served.most.commandsPerSecond - 1);
    served.pass(1_000);
    ask(1_000);
    await client.told((m) => m.id === 1_000);
  },
  hellosPerMinute: async (door) => {
    const served = await open(door, { hellosUnacknowledged: never });
    const client = await served.client();
    for (let i = 0; i <= served.most.hellosPerMinute; i++) client.say(hello);
    await client.told((m) => m.type === 'refused');
    expect(client.said.filter((m) => m.type === 'welcome')).toHaveLength(served.most.hellosPerMinute);
    served.pass(60_000);
    client.say(hello);
    await client.raw.until(() => client.said.at(-1)?.type === 'welcome');
  },
  hellosAll: async (door) => {
    const served = await open(door, { hellosUnacknowledged: never });
    const each = served.most.hellosPerMinute;
    await times(served.most.hellosAll / each, async () => {
      const client = await served.client();
      for (let i = 0; i < each; i++) client.say(hello);
      await client.answered(each);
      client.raw.close();
    });
    const next = await served.client();
    next.say(hello);
    await next.raw.gone;
    expect(served.ended).toEqual(['hellosAll']);
    served.pass(10_000);
    const later = await served.client();
    later.say(hello);
    await later.told((m) => m.type === 'welcome');
  },
  hellosUnacknowledged: async (door) => {
    const served = await open(door);
    served.backend.make(10, 1);
    const client = await served.client();
    for (let i = 0; i <= served.most.hellosUnacknowledged; i++) client.say(hello);
    await client.told((m) => m.type === 'refused' && /acknowledge/.test(String(m.error)));
    expect(client.said.filter((m) => m.type === 'welcome')).toHaveLength(served.most.hellosUnacknowledged);
    client.say({ type: 'ack', seq: 10 });
    client.say(hello);
    await client.raw.until(() => client.said.filter((m) => m.type === 'welcome').length > 16);
  },
  refusalsPerMinute: async (door) => {
    const served = await open(door);
    const client = await served.client();
    for (let i = 0; i < served.most.refusalsPerMinute; i++) client.raw.text(unknownEvent);
    await client.answered(served.most.refusalsPerMinute);
    expect(served.ended).toEqual([]);
    client.raw.text(unknownEvent);
    await client.raw.gone;
    expect(served.ended).toEqual(['refusalsPerMinute']);
  },
} satisfies Partial<Record<LimitName, Drive>>;
