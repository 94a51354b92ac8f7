import { library } from '@syncloop/core/scenario';
import { describe, expect, it } from 'vitest';
import { type Part, PartsGate, partsOf, partsOfScenario } from './parts.js';

const message = (id: number, command: object) => ({ type: 'command', id, command });
const why = (id: number) => message(id, { do: 'why', question: {} });
const pause = (id: number) => message(id, { do: 'pause' });
const turns = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

/** A gate whose parts come when the test asks. */
function gate(more: () => readonly Part[] = () => []) {
  const log: string[] = [];
  const asked: { part: Part; came(): void; failed(error: Error): void }[] = [];
  const made = new PartsGate({
    load: (part) => new Promise<void>((came, failed) => asked.push({ part, came, failed })),
    more,
    take: (m) => log.push(`took ${(m as { id?: number }).id ?? 'ack'}`),
    refuse: (m, error) => log.push(`refused ${(m as { id: number }).id}: ${(error as Error).message}`),
  });
  return { gate: made, log, asked };
}

describe('partsOf', () => {
  it('names what a command needs, and nothing for those that need no part', () => {
    const needs = (command: unknown) => partsOf({ type: 'command', id: 1, command });
    for (const ask of ['why', 'whyNot', 'search', 'history', 'lastWriter', 'diff'])
      expect(needs({ do: ask })).toEqual(['answers']);
    expect(needs({ do: 'explore' })).toEqual(['explore']);
    expect(needs({ do: 'scenarios' })).toEqual(['listed']);
    expect(needs({ do: 'load', scenario: 'crash-loop' })).toEqual(['library', 'cluster']);
    expect(needs({ do: 'load', scenario: 'hello' })).toEqual([]);
    expect(needs({ do: 'load', scenario: 'mine', text: 'kind: Scenario' })).toEqual(['cluster']);
    expect(needs({ do: 'load', scenario: 'mine', text: 'spec: { era: v1.21 }' })).toEqual(['cluster', 'eras']);
    expect(needs({ do: 'load', scenario: 'hello', era: 'v1.21' })).toEqual(['v1.21']);
    expect(needs({ do: 'load', scenario: 'mine', text: 'x', era: 'v1.21' })).toEqual(['cluster', 'v1.21']);
    expect(needs({ do: 'era', version: 'v1.12' })).toEqual(['v1.12']);
    expect(needs({ do: 'era', version: 'v1.36' })).toEqual([]);
    expect(needs({ do: 'compareEras', with: 'v1.25' })).toEqual(['v1.25', 'compareEras']);
    for (const none of [{ do: 'step' }, null, undefined, 'why', []]) expect(needs(none)).toEqual([]);
    for (const none of [null, 7, { type: 'ack', seq: 1 }, { type: 'hello', command: { do: 'why' } }])
      expect(partsOf(none)).toEqual([]);
  });
});

it('knows which scenarios of the library run an older kubelet', () => {
  const load = (scenario: string, text?: string) => ({
    type: 'command',
    id: 1,
    command: { do: 'load', scenario, text },
  });
  expect(partsOfScenario(load('killer-explore'), library)).toEqual(['v1.21']);
  expect(partsOfScenario(load('hello'), library)).toEqual([]);
  // Its text is not the library's.
  expect(partsOfScenario(load('killer-explore', 'spec: {}'), library)).toEqual([]);
  expect(partsOfScenario({ type: 'ack', seq: 1 }, library)).toEqual([]);
});

describe('PartsGate', () => {
  it('takes at once what needs no part', () => {
    const { gate: g, log, asked } = gate();
    g.receive(pause(1));
    g.receive({ type: 'ack', seq: 3 });
    expect(log).toEqual(['took 1', 'took ack']);
    expect(asked).toEqual([]);
  });

  it('keeps the order of commands while a part is loaded, and loads it once', async () => {
    const { gate: g, log, asked } = gate();
    g.receive(why(1));
    g.receive(pause(2));
    g.receive({ type: 'ack', seq: 3 });
    g.receive(why(3));
    await turns();
    expect(log).toEqual(['took ack']);
    expect(asked.map((a) => a.part)).toEqual(['answers']);
    asked[0]?.came();
    await turns();
    expect(log).toEqual(['took ack', 'took 1', 'took 2', 'took 3']);
    g.receive(why(4));
    expect(log.at(-1)).toBe('took 4');
    expect(asked).toHaveLength(1);
  });

  it('waits for all parts that a command needs, and afterwards only for what was not loaded', async () => {
    const { gate: g, log, asked } = gate();
    const load = (id: number) => message(id, { do: 'load', scenario: 'mirror-pod' });
    g.receive(load(1));
    expect(asked.map((a) => a.part)).toEqual(['library', 'cluster']);
    asked[0]?.came();
    await turns();
    expect(log).toEqual([]);
    asked[1]?.failed(new Error('offline'));
    await turns();
    expect(log).toEqual(['refused 1: offline']);
    g.receive(load(2));
    expect(asked.slice(2).map((a) => a.part)).toEqual(['cluster']);
    asked[2]?.came();
    await turns();
    expect(log.at(-1)).toBe('took 2');
  });

  it('waits for what is known to be needed only when a part is there', async () => {
    let old = false;
    const { gate: g, log, asked } = gate(() => (old ? ['eras'] : []));
    g.receive(message(1, { do: 'load', scenario: 'mirror-pod' }));
    old = true;
    for (const part of asked.slice()) part.came();
    await turns();
    expect(asked.map((a) => a.part)).toEqual(['library', 'cluster', 'eras']);
    expect(log).toEqual([]);
    asked[2]?.came();
    await turns();
    expect(log).toEqual(['took 1']);
  });

  it('refuses what it cannot load, goes on, and tries again when asked again', async () => {
    const { gate: g, log, asked } = gate();
    g.receive(why(1));
    g.receive(pause(2));
    asked[0]?.failed(new Error('offline'));
    await turns();
    expect(log).toEqual(['refused 1: offline', 'took 2']);
    g.receive(why(3));
    asked[1]?.came();
    await turns();
    expect(log.at(-1)).toBe('took 3');
  });
});
