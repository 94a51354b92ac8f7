import { utf8Bytes } from '@syncloop/core/base';
import type { Command, CommandResult } from '@syncloop/core/debug/live';
import { fleetStory, unreadNode } from '@syncloop/observe/fleet';
import { ObservedSession } from '@syncloop/observe/session';
import { expect, it } from 'vitest';
import { FleetSession, type OpenNode } from './fleet-session.js';

const closed: string[] = [];
function opened(name: string): OpenNode {
  const session = new ObservedSession(
    [
      {
        ...{ id: 'log', kind: 'log', format: 'log', name },
        context: { notAfter: Date.UTC(2026, 10, 23), startedMillis: null },
      },
    ],
    { id: `of ${name}` },
  );
  session.read('log', utf8Bytes('I1122 10:00:00.000000       1 server.go:1] "Starting"\n'), 1);
  session.end('log');
  return { session, close: () => void closed.push(name) };
}
const node = (name: string, problem = '') => ({ ...unreadNode(name, name, 'error', problem), level: 'calm' as const });

it('shows one node, and another one when it is asked to', async () => {
  const story = fleetStory([node('a'), node('b'), node('c', 'it is damaged')], 'test');
  const asked: string[] = [];
  const session = new FleetSession(story, 'a', opened('a'), async (name) => {
    asked.push(name);
    return opened(name);
  });
  const answer = (command: Command) => new Promise<CommandResult>((reply) => session.execute(command, reply));
  const changes: string[] = [];
  session.listen((change) => changes.push(change));
  session.beginSlice = () => () => true;
  expect(session.info.capabilities).toMatchObject({ fleet: true, observed: true });
  expect(await answer({ do: 'fleet' })).toEqual({ ok: true, value: { story, shown: 'a' } });
  const before = session.info.id;

  const shown = await answer({ do: 'node', name: 'b' });
  expect(shown).toEqual({ ok: true, value: { id: session.info.id } });
  expect(session.info.id).not.toBe(before);
  expect(session.info.id).toContain('of b');
  expect(changes).toContain('reset');
  expect(closed).toEqual(['a']);
  expect(await answer({ do: 'fleet' })).toMatchObject({ value: { shown: 'b' } });
  // All else is the node's.
  expect((await answer({ do: 'overview' })).ok).toBe(true);

  for (const name of ['c', 'nowhere'])
    expect(await answer({ do: 'node', name })).toEqual({
      ok: false,
      error: `there is no node ${JSON.stringify(name)} that was read`,
    });
  // It is shown already.
  await answer({ do: 'node', name: 'b' });
  expect(asked).toEqual(['b']);
  session.close();
  expect(closed).toEqual(['a', 'b']);
});

it('keeps the node that it shows if another one cannot be opened', async () => {
  const session = new FleetSession(fleetStory([node('a'), node('b')], 'test'), 'a', opened('a'), async () => {
    throw new Error('it is gone');
  });
  const answer = await new Promise((reply) => session.execute({ do: 'node', name: 'b' }, reply));
  expect(answer).toEqual({ ok: false, error: 'it is gone' });
  expect(session.info.id).toContain('of a');
});

it('closes a node that was still being opened when it was closed itself', async () => {
  closed.length = 0;
  let arrive = (_: OpenNode) => {};
  const session = new FleetSession(
    fleetStory([node('a'), node('b')], 'test'),
    'a',
    opened('a'),
    () => new Promise<OpenNode>((resolve) => (arrive = resolve)),
  );
  const answer = new Promise((reply) => session.execute({ do: 'node', name: 'b' }, reply));
  session.close();
  arrive(opened('b'));
  expect(await answer).toEqual({ ok: false, error: 'the session has ended' });
  expect(closed).toEqual(['a', 'b']);
});
