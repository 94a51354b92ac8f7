import { describe, expect, it } from 'vitest';
import {
  type Command,
  type Company,
  PROTOCOL_VERSION,
  type ServerMessage,
  SessionServer,
  SimulationSession,
} from '../index.js';
import { toySource } from '../testing/toy.js';

function open() {
  const session = new SimulationSession(toySource(), { scenario: 'toy' });
  const server = new SessionServer(session);
  const join = (page?: string, options: { control?: boolean; ready?: () => boolean } = {}) => {
    const got: ServerMessage[] = [];
    const handle = server.connect((message) => got.push(message), options);
    let id = 0;
    const told = (): Company[] => got.flatMap((m) => (m.type === 'company' ? [m.company] : []));
    return {
      got,
      told,
      /** The company as it was last reported to this page. */
      company: (): Company => told().at(-1) ?? { pages: 1 },
      hello: () => handle.receive({ type: 'hello', protocol: PROTOCOL_VERSION, ...(page && { page }) }),
      send: (command: Command) => handle.receive({ type: 'command', id: ++id, command }),
      leave: () => handle.close(),
    };
  };
  const joined: typeof join = (...args) => {
    const client = join(...args);
    client.hello();
    return client;
  };
  return { session, server, join, joined };
}
const step: Command = { do: 'step', unit: 'decision' };

describe('who looks at a session', () => {
  it('is told when one comes and when one goes, and nothing to who is alone', () => {
    const { join, joined } = open();
    const one = joined();
    one.send(step);
    expect(one.told()).toEqual([]);
    const two = join();
    // A connection that has not said hello is not a page.
    expect(one.told()).toEqual([]);
    two.hello();
    // Both know who moved it last.
    expect(one.company()).toEqual({ pages: 2, moved: { by: 'this', do: 'step' } });
    expect(two.company()).toEqual({ pages: 2, later: true, moved: { by: 'other', do: 'step' } });
    const three = joined(undefined, { control: false });
    expect([one, two, three].map((c) => c.company().pages)).toEqual([3, 3, 3]);
    three.leave();
    two.leave();
    expect(one.company()).toEqual({ pages: 1 });
    one.send(step);
    expect(one.told()).toHaveLength(4);
  });

  it('says which command of whom moved it, once for many of a kind, and right behind what it led to', () => {
    const { joined } = open();
    const one = joined();
    const two = joined();
    two.send(step);
    two.send(step);
    expect(one.told()).toEqual([{ pages: 2 }, { pages: 2, moved: { by: 'other', do: 'step' } }]);
    expect(two.company().moved).toEqual({ by: 'this', do: 'step' });
    two.send({ ...step, back: true } as Command);
    expect(one.company().moved).toEqual({ by: 'other', do: 'step', back: true });
    one.send({ do: 'resume' });
    two.send({ do: 'pause' });
    expect(one.company().moved).toEqual({ by: 'other', do: 'pause' });
    const types = one.got.map((m) => m.type);
    expect(types.lastIndexOf('company')).toBeGreaterThan(types.lastIndexOf('run'));
  });

  it('counts neither looks nor what leaves the session where it is, nor what was refused', () => {
    const { joined } = open();
    const one = joined();
    const two = joined();
    const looker = joined(undefined, { control: false });
    one.send(step);
    const { moved } = two.company();
    two.send({ do: 'branches' });
    two.send({ do: 'speed', speed: { mode: 'max' } });
    two.send({ do: 'breakpoints', set: [] });
    two.send({ do: 'ask', select: false });
    two.send({ do: 'load', scenario: 'no such' });
    two.send({ do: 'step', unit: 'record', back: true, count: 1, pod: 'none' });
    looker.send(step);
    expect(two.company().moved).toEqual(moved);
    expect(one.company().moved).toEqual({ by: 'this', do: 'step' });
    expect(looker.company().moved).toEqual({ by: 'other', do: 'step' });
  });

  it('outlives a run that is replaced', () => {
    const { joined } = open();
    const one = joined();
    const two = joined();
    two.send({ do: 'load', scenario: 'toy', seed: 4 });
    expect(one.got.map((m) => m.type)).toContain('reset');
    expect(one.company()).toEqual({ pages: 2, moved: { by: 'other', do: 'load' } });
  });

  it('counts a page once whose connection broke and is not known to be gone', () => {
    const { joined } = open();
    const broken = joined('page a');
    broken.send(step);
    const again = joined('page a');
    expect(broken.told()).toEqual([]);
    const other = joined('page b');
    expect(again.company()).toEqual({ pages: 2, moved: { by: 'this', do: 'step' } });
    expect(other.company()).toEqual({ pages: 2, later: true, moved: { by: 'other', do: 'step' } });
    broken.leave();
    expect(again.company()).toEqual({ pages: 2, moved: { by: 'this', do: 'step' } });
    // Nobody who is there has done it.
    again.leave();
    const third = joined('page c');
    expect(third.company()).toEqual({ pages: 2, later: true });
  });

  it('costs one message for each change, however often a client says the same', () => {
    const { joined } = open();
    const one = joined();
    const two = joined('flood');
    for (let i = 0; i < 15; i++) two.hello();
    for (let i = 0; i < 300; i++) two.send({ do: 'pause' });
    expect(one.told()).toHaveLength(2);
    // And names no page to another.
    expect(JSON.stringify(one.got)).not.toContain('flood');
  });

  it('waits for a client that takes nothing now, which then hears only of the last', () => {
    const { server, joined } = open();
    let ready = true;
    const slow = joined(undefined, { ready: () => ready });
    const two = joined();
    expect(slow.told()).toHaveLength(1);
    ready = false;
    for (let i = 0; i < 50; i++) {
      two.send({ do: 'resume' });
      two.send({ do: 'pause' });
    }
    two.leave();
    joined();
    expect(slow.told()).toHaveLength(1);
    ready = true;
    server.flush();
    // Two pages again, and who had moved it is gone: nothing new.
    expect(slow.told()).toHaveLength(1);
    ready = false;
    joined();
    ready = true;
    server.flush();
    expect(slow.company()).toEqual({ pages: 3 });
    expect(slow.told()).toHaveLength(2);
  });

  it('refuses a name for a page that is none', () => {
    const { server } = open();
    const got: ServerMessage[] = [];
    const handle = server.connect((message) => got.push(message));
    for (const page of ['', 'x'.repeat(65), 7, null, {}])
      handle.receive({ type: 'hello', protocol: PROTOCOL_VERSION, page });
    expect(got.map((m) => m.type)).toEqual(Array(5).fill('refused'));
  });
});
