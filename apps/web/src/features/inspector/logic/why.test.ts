import { RecordStore } from '@syncloop/core/debug';
import { type Answer, type WhyLink, why } from '@syncloop/core/debug/why';
import { findScenario, startScenario } from '@syncloop/core/scenario';
import { describe, expect, it } from 'vitest';
import { further, isCut, rungsOf, tellingValues } from './why.js';

const link = (seq: number, main: boolean, causes: number[] = [], more: Partial<WhyLink> = {}): WhyLink => ({
  seq,
  time: seq * 1000,
  kind: 'log',
  role: 'other',
  text: { en: `link ${seq}`, zh: `${seq}` },
  main,
  causes,
  ...more,
});
const answer = (links: WhyLink[], more: Partial<Answer> = {}): Answer => ({
  question: { about: 'record', seq: 9 },
  summary: { en: 'x', zh: 'x' },
  subject: links.at(-1)?.seq ?? 0,
  links,
  roots: [],
  hidden: 0,
  findings: [],
  ...more,
});

describe('rungsOf', () => {
  it('puts side lines under the first of the main line that they lead to, as deep as they are far', () => {
    const rungs = rungsOf(
      answer([link(1, true), link(2, false), link(3, false, [2]), link(4, true, [1, 3]), link(5, true, [4, 1, 3])]),
    );
    expect(rungs.map((r) => r.link.seq)).toEqual([1, 4, 5]);
    expect(rungs[1]?.sides.map((s) => [s.link.seq, s.depth])).toEqual([
      [2, 2],
      [3, 1],
    ]);
    expect(rungs[2]).toMatchObject({ sides: [], also: [1], after: 1000 });
    expect(rungs[0]).toMatchObject({ also: [], after: 0 });
  });
  it('loses no link, not even one that leads nowhere shown', () => {
    const rungs = rungsOf(answer([link(1, false), link(2, true), link(3, true, [2])]));
    expect(rungs.map((r) => [r.link.seq, r.sides.map((s) => s.link.seq)])).toEqual([
      [2, []],
      [3, [1]],
    ]);
    expect(rungsOf(answer([]))).toEqual([]);
  });
  it('shows the subject even where it does not stand on the main line', () => {
    expect(rungsOf(answer([link(1, false), link(2, false, [1])])).map((r) => r.link.seq)).toEqual([2]);
  });
  it('keeps each link of real answers once, oldest first', () => {
    const store = new RecordStore();
    startScenario(findScenario('crash-loop'), { sink: (r) => store.push(r) }).run();
    const uid = Object.keys(store.state.pods)[0] as string;
    for (const detail of ['brief', 'full'] as const) {
      const told = why(store, { about: 'container', uid, container: 'app', what: 'restart', detail });
      const rungs = rungsOf(told);
      const all = rungs.flatMap((r) => [...r.sides.map((s) => s.link.seq), r.link.seq]);
      expect([...all].sort((a, b) => a - b)).toEqual(told.links.map((l) => l.seq));
      expect(rungs.map((r) => r.link.seq)).toEqual(rungs.map((r) => r.link.seq).sort((a, b) => a - b));
      expect(rungs.at(-1)?.link.seq).toBe(told.subject);
    }
  });
});

describe('further', () => {
  const whole = answer([link(1, true, [], { root: true })]);
  const cut = answer([link(5, true)], { cutOff: 4 });
  const more = answer([link(3, true), link(5, true, [3])], { cutOff: 2 });
  it('takes the answer that reaches its root, else the longer one', () => {
    expect([isCut(whole), isCut(cut), isCut(answer([]))]).toEqual([false, true, true]);
    expect(further(cut, whole)).toBe(whole);
    expect(further(whole, cut)).toBe(whole);
    expect(further(cut, more)).toBe(more);
    expect(further(more, cut)).toBe(more);
  });
});

describe('tellingValues', () => {
  it('leaves out what is empty, and inherits nothing', () => {
    const values = tellingValues({ a: 0, b: '', c: null, d: false, e: undefined });
    expect(Object.keys(values)).toEqual(['a', 'd']);
    expect('toString' in values).toBe(false);
  });
});
