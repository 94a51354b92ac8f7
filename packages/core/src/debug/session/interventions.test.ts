import { describe, expect, it } from 'vitest';
import { atOnce } from '../base/work.js';
import { toySource } from '../testing/toy.js';
import { steps, textOf, toyTravel } from '../testing/toy-travel.js';
import { choose, deviate, intervene } from './interventions.js';
import { jumpTo, runTo } from './jumps.js';
import { TimeTravel } from './time-travel.js';

describe('interventions', () => {
  it('asks where a select has several ready cases; the answers are part of the run', () => {
    const { travel } = toyTravel(1);
    travel.asks = true;
    let asked = 0;
    while (asked < 6)
      if (travel.next() === 'choice') {
        choose(travel, asked % 2);
        asked++;
      }
    steps(travel, 10);
    const again = new TimeTravel(toySource(), travel.spec, {});
    atOnce(runTo(again, travel.position));
    expect(textOf(again)).toBe(textOf(travel));
    expect(travel.spec.deviations?.length).toBeGreaterThan(0);
    expect(travel.spec.interventions).toBeUndefined();
  });

  it('stay in the branch at its head, and begin one where something else is known to come', () => {
    const { travel } = toyTravel();
    steps(travel, 10);
    atOnce(intervene(travel, { do: 'kill', uid: 'u1' }));
    expect([travel.branch.id, travel.spec.interventions?.length]).toEqual([1, 1]);
    steps(travel, 10);
    atOnce(jumpTo(travel, { step: 5 }));
    atOnce(intervene(travel, { do: 'kill', uid: 'u1' }));
    expect([travel.branch.id, travel.branch.name, travel.spec.interventions?.length]).toEqual([2, 'kill', 1]);
  });

  it.each([
    ['at the head', 20],
    ['in the past', 8],
  ])('leave nothing behind where they cannot be done, %s', (_, step) => {
    const { travel } = toyTravel();
    steps(travel, 20);
    atOnce(jumpTo(travel, { step }));
    const was = [textOf(travel), travel.atHead, travel.position, travel.branches.describe(travel.branch)];
    expect(() => atOnce(intervene(travel, { do: 'kill', uid: 'u9' }))).toThrow('there is no pod u9; there is: u1');
    expect([textOf(travel), travel.atHead, travel.position, travel.branches.describe(travel.branch)]).toEqual(was);
    expect(travel.spec.interventions).toBeUndefined();
    const whole = toyTravel().travel;
    steps(whole, 40);
    steps(travel, 40 - step);
    expect(textOf(travel)).toBe(textOf(whole));
  });

  it('another goroutine at the next decision is a deviation of the run', () => {
    const { travel } = toyTravel();
    while (travel.kernel.runnable.length < 2) travel.next();
    const { id } = travel.kernel.runnable.at(-1) as { id: number };
    const decision = travel.step + 1;
    atOnce(deviate(travel, { goroutine: id }, 'other'));
    steps(travel, 1);
    expect(travel.spec.deviations).toEqual([{ decision, goroutine: id }]);
    expect(travel.view.get(travel.view.last)?.g).toBe(id);
  });

  it('no choice is answered where none is pending', () => {
    expect(() => choose(toyTravel().travel, 0)).toThrow('no choice is pending here');
  });
});
