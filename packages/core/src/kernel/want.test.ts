import { describe, expect, it } from 'vitest';
import { asked, deviating, fifo, Kernel, makeChan, type Policy, recv, seeded, select } from './index.js';

/** Takes of three channels that are ready all the time, `rounds` times. */
function takes(policy: Policy, rounds: number, prepare: (k: Kernel) => void): { took: string[]; asked: boolean } {
  const k = new Kernel({ policy });
  const took: string[] = [];
  k.go('reader', function* () {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => makeChan<number>(k, name, rounds));
    for (const ch of [a, b, c]) for (let i = 0; i < rounds; i++) ch?.trySend(i);
    for (let i = 0; i < rounds; i++) {
      const s = yield* select({ a: recv(a ?? null), b: recv(b ?? null), c: recv(c ?? null) });
      took.push(s.case as string);
    }
  });
  prepare(k);
  return { took, asked: k.run() === 'choice' };
}

describe('want', () => {
  it('settles the next select that has the channel, once, in order', () => {
    const { took } = takes(fifo(), 5, (k) => {
      k.want({ select: 'c' });
      k.want({ select: 'nothing' });
      k.want({ select: 'b' });
    });
    expect(took).toEqual(['c', 'b', 'a', 'a', 'a']);
  });

  it('leaves what is drawn afterwards as it was', () => {
    const plain = takes(seeded(7), 30, () => {}).took;
    const wanted = takes(seeded(7), 30, (k) => k.want({ select: 'a' })).took;
    expect(wanted.slice(1)).toEqual(plain.slice(1));
    expect(wanted[0]).toBe('a');
    expect(plain[0]).not.toBe('a');
  });

  it('answers before anybody is asked, and stands above deviations', () => {
    expect(takes(asked(['select']), 3, (k) => k.want({ select: 'b' }))).toEqual({ took: ['b'], asked: true });
    expect(takes(deviating([{ decision: 1, case: 0 }], fifo()), 2, (k) => k.want({ select: 'b' })).took[0]).toBe('b');
  });

  it('lets a goroutine go first under any policy', () => {
    for (const policy of [fifo(), seeded(1), seeded(3, { goroutines: true, preempts: true })]) {
      const k = new Kernel({ policy });
      const ran: string[] = [];
      for (const name of ['one', 'two', 'three', 'four'])
        k.go(name, function* () {
          ran.push(name);
        });
      k.want({ goroutine: 'three' });
      k.run();
      expect(ran[0]).toBe('three');
      expect([...ran].sort()).toEqual(['four', 'one', 'three', 'two']);
    }
  });
});
