import { describe, expect, it } from 'vitest';
import { atOnce } from '../base/work.js';
import { toySource } from '../testing/toy.js';
import { steps, textOf, toyTravel } from '../testing/toy-travel.js';
import { addBranchTo, firstDifference, fork, switchTo } from './branching.js';
import { intervene } from './interventions.js';
import { jumpTo, runTo } from './jumps.js';
import { TimeTravel } from './time-travel.js';

describe('branches of a run', () => {
  it('what is done in the past makes a branch; the run that was stays', () => {
    const { travel } = toyTravel();
    steps(travel, 10);
    atOnce(intervene(travel, { do: 'apply', manifest: 'kind: Pod', file: 'a.yaml' }, 'apply a.yaml'));
    steps(travel, 30);
    const first = textOf(travel);
    const at = travel.position;
    expect(travel.branches.describe(travel.branch)).toMatchObject([{ id: 1, name: 'main', parent: 0, current: true }]);
    atOnce(jumpTo(travel, { step: 25 }));
    const there = travel.position;
    atOnce(intervene(travel, { do: 'kill', uid: 'u1' }, 'kill u1'));
    expect(travel.branches.describe(travel.branch)).toMatchObject([
      { id: 1, name: 'main', end: { step: at.step, seq: at.seq }, current: false },
      { id: 2, name: 'kill u1', parent: 1, forkedAt: there, current: true },
    ]);
    steps(travel, 15);
    const second = textOf(travel);
    expect(travel.spec).toMatchObject({
      scenario: 'toy',
      seed: 5,
      interventions: [{ command: { do: 'apply' } }, { step: 25, command: { do: 'kill' } }],
    });
    expect(travel.branches.divergence(1, 2)).toEqual(there);
    atOnce(switchTo(travel, 1));
    expect(textOf(travel)).toBe(first);
    atOnce(switchTo(travel, 2, there));
    expect(travel.position).toEqual(there);
    atOnce(switchTo(travel, 2));
    expect(textOf(travel)).toBe(second);
    // Each is a function of its specification.
    const again = new TimeTravel(toySource(), travel.spec, {});
    atOnce(runTo(again, travel.position));
    expect(textOf(again)).toBe(second);
  });

  it('keeps the runs of few branches at hand, and has the others again when asked', () => {
    const { travel, source } = toyTravel();
    steps(travel, 80);
    const texts = new Map([[1, textOf(travel)]]);
    for (let i = 0; i < 8; i++) {
      atOnce(switchTo(travel, 1));
      atOnce(jumpTo(travel, { step: 20 + i }));
      atOnce(intervene(travel, { do: 'apply', manifest: `v${i}`, file: 'a.yaml' }, `v${i}`));
      steps(travel, 40);
      texts.set(travel.branch.id, textOf(travel));
    }
    for (const [id, was] of texts) {
      atOnce(switchTo(travel, id));
      expect(textOf(travel)).toBe(was);
    }
    expect(source.started).toBeGreaterThan(9);
    expect(() => travel.branches.drop(travel.branch.id, travel.branch)).toThrow(/switch to another first/);
    travel.branches.drop(2, travel.branch);
    expect(() => atOnce(switchTo(travel, 2))).toThrow(/there is no branch 2; there are: 1 \(main\), 3/);
  });

  it('refuses to branch where the run does not repeat, and stays as it is', () => {
    const { travel, source } = toyTravel();
    steps(travel, 60);
    atOnce(jumpTo(travel, { step: 30 }));
    const was = textOf(travel);
    const { start } = source;
    source.start = (request) => start({ ...request, sink: (r) => request.sink({ ...r, time: r.time + 1 }) });
    expect(() => atOnce(fork(travel))).toThrow(/could not be repeated exactly: record \d+ differs/);
    expect([travel.branch.id, textOf(travel)]).toEqual([1, was]);
  });

  it('adds a branch with another schedule without going there, and names it after what it was found by', () => {
    const { travel } = toyTravel(1);
    steps(travel, 60);
    const was = textOf(travel);
    const select = [...travel.view.from(1)].find((r) => r.kind === 'select' && (r.ready?.length ?? 0) > 1);
    if (select?.kind !== 'select') throw new Error('no select of this run has two ready cases');
    const other = select.ready?.find((i) => i !== select.chosen) as number;
    const decision = travel.timeline.stepOf(select.seq);
    const deviations = [{ decision, case: other }];
    const name = { verb: 'explored', args: ['invariant', 'order'] };
    const id = atOnce(addBranchTo(travel, name, deviations, { step: decision, seq: select.seq }));
    expect([travel.branch.id, textOf(travel)]).toEqual([1, was]);
    const [, added] = travel.branches.describe(travel.branch);
    expect(added).toMatchObject({ id, parent: 1, forkedAt: { step: decision - 1 }, did: name });
    atOnce(switchTo(travel, id));
    expect(travel.view.get(select.seq)).toMatchObject({ kind: 'select', chosen: other });
    expect(travel.spec.deviations).toEqual(deviations);
  });

  it('does not go to a place of a branch that nobody has been at', () => {
    const { travel } = toyTravel();
    steps(travel, 10);
    atOnce(fork(travel, 'other'));
    steps(travel, 10);
    const was = textOf(travel);
    expect(() => atOnce(switchTo(travel, 1, { step: 11, seq: 1 }))).toThrow(/branch 1 is known up to decision 10 /);
    expect([travel.branch.id, textOf(travel)]).toEqual([2, was]);
  });
});

describe('firstDifference', () => {
  const [a, b, c] = [
    { decision: 3, case: 1 },
    { decision: 5, goroutine: 2 },
    { decision: 5, goroutine: 4 },
  ];
  it.each([
    [[a], [a, b], 5],
    [[a, b], [a, c], 5],
    [[b], [a, b], 3],
    [[a, b], [a, b], Number.POSITIVE_INFINITY],
    [[], [], Number.POSITIVE_INFINITY],
  ])('of %j and %j is %d', (one, other, first) => {
    expect(firstDifference(one, other)).toBe(first);
    expect(firstDifference(other, one)).toBe(first);
  });
});
