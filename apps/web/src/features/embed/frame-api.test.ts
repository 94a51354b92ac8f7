import type { Command } from '@syncloop/core/debug';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asked, FrameQueue, type FrameStatus } from './frame-api.js';

const ask = (message: object) => asked({ type: 'syncloop', ...message });
const error = (message: object) => {
  const a = ask(message);
  return a && 'error' in a ? a.error : '';
};

describe('what an article may ask of a frame', () => {
  it('is to move about in the run', () => {
    expect(ask({ do: 'play' })).toEqual({ command: { do: 'resume' } });
    expect(ask({ do: 'pause' })).toEqual({ command: { do: 'pause' } });
    expect(ask({ do: 'step' })).toEqual({ command: { do: 'step', unit: 'decision', count: 1 } });
    expect(ask({ do: 'back', unit: 'iteration', count: 3 })).toEqual({
      command: { do: 'step', unit: 'iteration', count: 3, back: true },
    });
    expect(ask({ do: 'go', step: 523 })).toEqual({ command: { do: 'go', to: { step: 523 } } });
    expect(ask({ do: 'go', time: 12.345 })).toEqual({ command: { do: 'go', to: { time: 12_345_000 } } });
  });

  it('is refused with what is wrong', () => {
    expect(error({ do: 'load', scenario: 'x' })).toContain('do: it is "load"; it must be one of play');
    expect(error({})).toContain('do:');
    expect(error({ do: 'step', unit: 'cri' })).toContain('unit:');
    for (const count of [0, 1.5, 1001, '3', NaN]) expect(error({ do: 'step', count })).toContain('count:');
    expect(error({ do: 'go' })).toContain('either step or time');
    expect(error({ do: 'go', step: 1, time: 1 })).toContain('either step or time');
    for (const step of [-1, 0.5, 1e9, '1', Infinity]) expect(error({ do: 'go', step })).toContain('step:');
    for (const time of [-1, 3601, '1', NaN, Infinity]) expect(error({ do: 'go', time })).toContain('time:');
  });

  it('is nothing else, whatever comes', () => {
    for (const other of [null, 7, 'syncloop', [], { type: 'other', do: 'play' }, { do: 'play' }])
      expect(asked(other)).toBeNull();
    const moves: ReadonlySet<Command['do']> = new Set<Command['do']>(['resume', 'pause', 'step', 'go']);
    const words = fc.constantFrom('play', 'pause', 'step', 'back', 'go', 'kill', 'act', 'load', '__proto__');
    const message = fc.record({
      type: fc.constant('syncloop'),
      do: fc.oneof(words, fc.anything()),
      unit: fc.option(fc.oneof(fc.constantFrom('decision', 'record'), fc.anything()), { nil: undefined }),
      count: fc.option(fc.oneof(fc.integer(), fc.anything()), { nil: undefined }),
      step: fc.option(fc.oneof(fc.integer(), fc.anything()), { nil: undefined }),
      time: fc.option(fc.oneof(fc.double(), fc.anything()), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.oneof(message, fc.anything()), (data) => {
        const a = asked(data);
        if (a && 'command' in a) expect(moves.has(a.command.do)).toBe(true);
      }),
      { numRuns: 500, seed: 4 },
    );
  });
});

describe('a frame', () => {
  const frame = () => {
    const done: string[] = [];
    const told: FrameStatus[] = [];
    const release: (() => void)[] = [];
    let ready = true;
    const queue = new FrameQueue({
      ready: () => ready,
      perform: (command) => {
        done.push(command.do === 'go' ? `go ${JSON.stringify(command.to)}` : command.do);
        if (command.do === 'pause') return Promise.resolve();
        return new Promise<void>((resolve) => release.push(resolve));
      },
      set: (name, value) => {
        if (name !== 'maxPods') return `no ${name}`;
        done.push(`set ${value}`);
        return null;
      },
      tell: (t) => told.push(t),
    });
    const settle = async () => {
      for (let i = 0; i < 10; i++) await Promise.resolve();
    };
    return {
      done,
      told,
      take: (message: object) => queue.take({ type: 'syncloop', ...message }),
      settle,
      release: async () => {
        for (const r of release.splice(0)) r();
        await settle();
      },
      unready: () => {
        ready = false;
      },
    };
  };

  it('does one thing after the other; of places to go to, the last', async () => {
    const f = frame();
    f.take({ do: 'step' });
    f.take({ do: 'go', step: 5 });
    f.take({ do: 'go', step: 9 });
    await f.settle();
    expect(f.done).toEqual(['pause', 'step']);
    await f.release();
    expect(f.done).toEqual(['pause', 'step', 'pause', 'go {"step":9}']);
  });

  it('chooses a value, and says why not', () => {
    const f = frame();
    f.take({ do: 'set', name: 'maxPods', value: '3' });
    f.take({ do: 'set', name: 'seed', value: '3' });
    f.take({ do: 'set', name: 'seed', value: 3 });
    expect(f.done).toEqual(['set 3']);
    expect(f.told.map(({ error }) => error)).toEqual(['no seed', expect.stringContaining('value')]);
  });

  it('pauses at once, and forgets what was waiting', async () => {
    const f = frame();
    f.take({ do: 'go', step: 5 });
    f.take({ do: 'step' });
    await f.settle();
    f.take({ do: 'pause' });
    await f.release();
    expect(f.done).toEqual(['pause', 'go {"step":5}', 'pause']);
  });

  it('does not let itself be flooded, and says so, as it says what it does not understand', async () => {
    const f = frame();
    for (let i = 0; i < 30; i++) f.take({ do: 'step' });
    expect(f.told).toHaveLength(9);
    f.take({ do: 'kill' });
    expect(f.told.at(-1)?.error).toContain('do:');
    f.unready();
    f.take({ do: 'play' });
    expect(f.told.at(-1)?.error).toContain('not ready');
  });
});
