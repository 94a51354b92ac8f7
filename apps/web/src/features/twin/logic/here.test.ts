import type { BranchVerdict, TwinAnswer } from '@syncloop/observe/twin/session';
import { describe, expect, it } from 'vitest';
import { answerHere, differenceHere, pairedHere } from './here.js';

const decision = (seq: number, what: string) => ({
  ...{ kind: 'pleg', seq, time: seq * 100, pod: 'default/web', incarnation: 0, what },
});
const text = { en: 'apart', zh: '不同' };
const answer = {
  scenario: { seenFrom: 5_000 },
  verdict: {
    pairs: [{ seen: 70, twin: 20 }],
    differences: [
      { how: 'missing', seen: decision(90, 'ContainerDied'), twin: null, text },
      { how: 'extra', seen: null, twin: decision(30, 'ContainerStarted'), text },
    ],
  },
  ticks: { seen: [[1, 70, 7_000]], twin: [[1, 20, 2_000]] },
} as unknown as TwinAnswer;
const ticks = [[1, 25, 2_500]] as const;
const branch = { id: 2, name: 'killed', verdict: { pairs: [], differences: [], ticks } as unknown as BranchVerdict };

describe('what is shown of a twin', () => {
  it('is the comparison of the branch that one looks at, and nothing while that is not compared', () => {
    const store = { answer, branch, at: -1 };
    expect(answerHere(store, { side: 'twin', branch: 1 })).toBe(answer);
    expect(answerHere(store, { side: 'seen', branch: 2 })).toBe(answer);
    expect(answerHere(store, { side: 'twin', branch: 3 })).toBeNull();
    const own = answerHere(store, { side: 'twin', branch: 2 });
    expect(own?.ticks).toEqual({ seen: answer.ticks.seen, twin: ticks });
    expect(own?.verdict).toEqual({ pairs: [], differences: [] });
    expect(answerHere({ ...store, branch: null }, { side: 'twin', branch: 2 })).toBeNull();
  });
  it('has a difference’s place, also if only the other run has its decision', () => {
    const place = { kind: 'pleg', what: 'ContainerDied', pod: 'default/web', incarnation: 0 };
    expect(differenceHere(answer, 0, 'seen')).toEqual({ decision: place, seq: 90, text });
    expect(differenceHere(answer, 0, 'twin')).toEqual({ decision: place, seq: null, text });
    expect(differenceHere(answer, -1, 'seen')).toBeNull();
    expect(differenceHere(null, 0, 'seen')).toBeNull();
  });
  it('has both runs on the clock of the one that is shown', () => {
    expect(pairedHere(answer, 1, 'seen')).toEqual({
      seen: [{ seq: 70, time: 7_000 }],
      twin: [{ seq: 20, time: 7_000 }],
      pairs: answer.verdict.pairs,
      differences: [
        { side: 'seen', time: 9_000, here: false },
        { side: 'twin', time: 8_000, here: true },
      ],
    });
    expect(pairedHere(answer, 1, 'twin')?.seen).toEqual([{ seq: 70, time: 2_000 }]);
    expect(pairedHere(null, 0, 'twin')).toBeNull();
  });
});
