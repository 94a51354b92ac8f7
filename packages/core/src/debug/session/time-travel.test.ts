import { describe, expect, it } from 'vitest';
import type { TraceRecord } from '../../trace/index.js';
import { atOnce } from '../base/work.js';
import { steps, textOf, toyTravel } from '../testing/toy-travel.js';
import { intervene } from './interventions.js';
import { jumpTo } from './jumps.js';
import type { TimeTravel } from './time-travel.js';

const records = (t: TimeTravel): TraceRecord[] => [...t.view.from(1)];

describe('TimeTravel', () => {
  it('goes back and forth over what is known without executing anything', () => {
    const { travel, source } = toyTravel();
    const seen: { step: number; seq: number; text: string }[] = [];
    for (let i = 0; i < 40; i++) {
      seen.push({ ...travel.position, text: textOf(travel) });
      steps(travel, 1);
    }
    const end = textOf(travel);
    for (const at of [...seen].reverse()) {
      atOnce(jumpTo(travel, { step: at.step }));
      expect(travel.position).toEqual({ step: at.step, seq: at.seq });
      expect(textOf(travel)).toBe(at.text);
      expect(travel.atHead).toBe(false);
    }
    for (const at of seen) {
      expect(textOf(travel)).toBe(at.text);
      steps(travel, 1);
    }
    expect([textOf(travel), travel.atHead, source.started]).toEqual([end, true, 1]);
    // From the head on it is new.
    steps(travel, 5);
    expect(travel.step).toBe(45);
  });

  it('stands at any record, also within a decision', () => {
    const { travel } = toyTravel();
    steps(travel, 60);
    const all = records(travel);
    for (let seq = all.length; seq >= 0; seq--) {
      atOnce(jumpTo(travel, { seq }));
      expect(records(travel)).toEqual(all.slice(0, seq));
    }
    atOnce(jumpTo(travel, { seq: 1 }));
    while (!travel.atHead) travel.next();
    expect(records(travel)).toEqual(all);
  });

  it('stops at the record that the watch names, and goes on from there', () => {
    const { travel } = toyTravel();
    const whole = toyTravel().travel;
    steps(whole, 60);
    const all = records(whole);
    const stops: number[] = [];
    travel.watch = (r) => r.kind === 'select' || r.kind === 'decision';
    while (travel.view.last < 50) {
      travel.next();
      const at = travel.view.get(travel.view.last);
      if (at?.kind === 'select' || at?.kind === 'decision') stops.push(at.seq);
    }
    const expected = all.filter((r) => r.kind === 'select' || r.kind === 'decision').map((r) => r.seq);
    expect([...new Set(stops)]).toEqual(expected.filter((seq) => seq <= (stops.at(-1) ?? 0)));
    expect(records(travel)).toEqual(all.slice(0, travel.view.last));
  });

  it('runs again what is no longer held, with what was done then, and on along the same way', () => {
    const { travel } = toyTravel(3, { chunk: 16, capacity: 32 });
    const whole = toyTravel(3).travel;
    for (const t of [travel, whole]) {
      steps(t, 20);
      atOnce(intervene(t, { do: 'kill', uid: 'u1' }, ''));
      steps(t, 300);
    }
    expect(travel.view.first).toBeGreaterThan(100);
    atOnce(jumpTo(travel, { step: 10 }));
    expect(travel.position.step).toBe(10);
    const at10 = toyTravel(3).travel;
    steps(at10, 10);
    expect(JSON.stringify(travel.view.state)).toBe(JSON.stringify(at10.view.state));
    expect(travel.end.step).toBeGreaterThanOrEqual(320);
    steps(travel, 310);
    expect(JSON.stringify(travel.view.state)).toBe(JSON.stringify(whole.view.state));
    // A change before the known end is another branch, even where the records in between are gone.
    atOnce(jumpTo(travel, { step: 15 }));
    atOnce(intervene(travel, { do: 'apply', manifest: 'x', file: 'b.yaml' }, 'b'));
    expect(travel.branches.describe(travel.branch).map((b) => b.name)).toEqual(['main', 'b']);
    expect(travel.spec.interventions?.map((i) => i.command.do)).toEqual(['apply']);
  });
});
