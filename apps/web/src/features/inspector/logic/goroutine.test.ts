import { describe, expect, it } from 'vitest';
import { LOOP_G, stateAfter, WORKER_G } from '../../../fixtures/node-state.js';
import { argsText, goroutineCard } from './goroutine.js';

describe('goroutineCard', () => {
  it('tells what it waits for by name, and its calls from the innermost out', () => {
    const card = goroutineCard(stateAfter(), LOOP_G);
    expect(card).toMatchObject({ name: 'syncLoop', state: 'waiting', wait: { op: 'select', until: null } });
    expect(card?.wait?.channels[1]).toEqual({ id: 2, name: 'plegCh', sends: false });
    expect(card?.calls.map((c) => c.fn)).toEqual(['syncLoopIteration', 'syncLoop']);
  });
  it('knows senders, nil channels, locks and sleeps', () => {
    const wait = (on: Parameters<typeof waiting>[0]) => goroutineCard(waiting(on), WORKER_G)?.wait;
    expect(wait({ op: 'send', chans: [2] })?.channels).toEqual([{ id: 2, name: 'plegCh', sends: true }]);
    expect(wait({ op: 'select', chans: [0, 3], sends: [1] })?.channels).toEqual([
      { id: 0, name: 'nil', sends: false },
      { id: 3, name: 'syncCh', sends: true },
    ]);
    expect(wait({ op: 'lock', name: 'podLock' })).toMatchObject({ op: 'lock', name: 'podLock' });
    expect(wait({ op: 'sleep', until: 5 })).toMatchObject({ until: 5 });
  });
  it('is null for one that is not known', () => {
    expect(goroutineCard(stateAfter(), 999)).toBeNull();
  });
});
const waiting = (on: {
  op: 'send' | 'select' | 'lock' | 'sleep';
  chans?: number[];
  sends?: number[];
  name?: string;
  until?: number;
}) => stateAfter({ kind: 'wait', on, g: WORKER_G });

describe('argsText', () => {
  it('says arguments in a line', () => {
    expect(argsText(null)).toBe('');
    expect(argsText({ pod: 'default/web-node1', uid: 'u' })).toBe('web-node1');
    expect(argsText({ id: 'c1', gracePeriod: 30, list: [1, 2], none: null })).toBe('id=c1 gracePeriod=30 list=[2]');
    expect(argsText('x'.repeat(200))).toHaveLength(80);
  });
});
