import { describe, expect, it } from 'vitest';
import type { TraceRecord } from '../../trace/index.js';
import { atOnce } from '../base/work.js';
import { toySource } from '../testing/toy.js';
import { TimeTravel } from './time-travel.js';

const records = (t: TimeTravel): TraceRecord[] => [...t.view.from(1)];
const text = (t: TimeTravel): string => JSON.stringify([records(t), t.view.state]);

function toy(seed = 5, options = {}) {
  const source = toySource();
  return { source, travel: new TimeTravel(source, { scenario: 'toy', seed }, options) };
}
function steps(t: TimeTravel, n: number): void {
  for (const end = t.step + n; t.step < end; ) if (t.next() !== 'ran') return;
}

describe('TimeTravel', () => {
  it('goes back and forth over what is known without executing anything', () => {
    const { travel, source } = toy();
    const seen: { step: number; seq: number; text: string }[] = [];
    for (let i = 0; i < 40; i++) {
      seen.push({ ...travel.position, text: text(travel) });
      steps(travel, 1);
    }
    const end = text(travel);
    for (const at of [...seen].reverse()) {
      atOnce(travel.goTo({ step: at.step }));
      expect(travel.position).toEqual({ step: at.step, seq: at.seq });
      expect(text(travel)).toBe(at.text);
      expect(travel.atHead).toBe(false);
    }
    for (const at of seen) {
      expect(text(travel)).toBe(at.text);
      steps(travel, 1);
    }
    expect([text(travel), travel.atHead, source.started]).toEqual([end, true, 1]);
    // From the head on it is new.
    steps(travel, 5);
    expect(travel.step).toBe(45);
  });

  it('stands at any record, also within a decision', () => {
    const { travel } = toy();
    steps(travel, 60);
    const all = records(travel);
    for (let seq = all.length; seq >= 0; seq--) {
      atOnce(travel.goTo({ seq }));
      expect(records(travel)).toEqual(all.slice(0, seq));
    }
    atOnce(travel.goTo({ seq: 1 }));
    while (!travel.atHead) travel.next();
    expect(records(travel)).toEqual(all);
  });

  it('stops at the record that the watch names, and goes on from there', () => {
    const { travel } = toy();
    const whole = toy().travel;
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

  it('what is done in the past makes a branch; the run that was stays', () => {
    const { travel } = toy();
    steps(travel, 10);
    atOnce(travel.intervene({ do: 'apply', manifest: 'kind: Pod', file: 'a.yaml' }, 'apply a.yaml'));
    steps(travel, 30);
    const first = text(travel);
    const at = travel.position;
    expect(travel.list()).toMatchObject([{ id: 1, name: 'main', parent: 0, current: true }]);
    atOnce(travel.goTo({ step: 25 }));
    const there = travel.position;
    atOnce(travel.intervene({ do: 'kill', uid: 'u1' }, 'kill u1'));
    expect(travel.list()).toMatchObject([
      { id: 1, name: 'main', end: { step: at.step, seq: at.seq }, current: false },
      { id: 2, name: 'kill u1', parent: 1, forkedAt: there, current: true },
    ]);
    steps(travel, 15);
    const second = text(travel);
    expect(travel.spec).toMatchObject({
      scenario: 'toy',
      seed: 5,
      interventions: [{ command: { do: 'apply' } }, { step: 25, command: { do: 'kill' } }],
    });
    expect(travel.divergence(1, 2)).toEqual(there);
    atOnce(travel.switchTo(1));
    expect(text(travel)).toBe(first);
    atOnce(travel.switchTo(2, there));
    expect(travel.position).toEqual(there);
    atOnce(travel.switchTo(2));
    expect(text(travel)).toBe(second);
    // Each is a function of its specification.
    const again = new TimeTravel(toySource(), travel.spec, {});
    atOnce(again.runTo(travel.position));
    expect(text(again)).toBe(second);
  });

  it('runs again what is no longer held, with what was done then, and on along the same way', () => {
    const { travel } = toy(3, { chunk: 16, capacity: 32 });
    const whole = toy(3).travel;
    for (const t of [travel, whole]) {
      steps(t, 20);
      t.intervene({ do: 'kill', uid: 'u1' }, '');
      steps(t, 300);
    }
    expect(travel.view.first).toBeGreaterThan(100);
    atOnce(travel.goTo({ step: 10 }));
    expect(travel.position.step).toBe(10);
    const at10 = toy(3).travel;
    steps(at10, 10);
    expect(JSON.stringify(travel.view.state)).toBe(JSON.stringify(at10.view.state));
    expect(travel.end.step).toBeGreaterThanOrEqual(320);
    steps(travel, 310);
    expect(JSON.stringify(travel.view.state)).toBe(JSON.stringify(whole.view.state));
    // A change before the known end is another branch, even where the records in between are gone.
    atOnce(travel.goTo({ step: 15 }));
    atOnce(travel.intervene({ do: 'apply', manifest: 'x', file: 'b.yaml' }, 'b'));
    expect(travel.list().map((b) => b.name)).toEqual(['main', 'b']);
    expect(travel.spec.interventions?.map((i) => i.command.do)).toEqual(['apply']);
  });

  it('keeps the runs of few branches at hand, and has the others again when asked', () => {
    const { travel, source } = toy();
    steps(travel, 80);
    const texts = new Map([[1, text(travel)]]);
    for (let i = 0; i < 8; i++) {
      atOnce(travel.switchTo(1));
      atOnce(travel.goTo({ step: 20 + i }));
      atOnce(travel.intervene({ do: 'apply', manifest: `v${i}`, file: 'a.yaml' }, `v${i}`));
      steps(travel, 40);
      texts.set(travel.branchId, text(travel));
    }
    for (const [id, was] of texts) {
      atOnce(travel.switchTo(id));
      expect(text(travel)).toBe(was);
    }
    expect(source.started).toBeGreaterThan(9);
    expect(() => travel.drop(travel.branchId)).toThrow(/switch to another first/);
    travel.drop(2);
    expect(() => atOnce(travel.switchTo(2))).toThrow(/there is no branch 2; there are: 1 \(main\), 3/);
  });

  it('refuses to branch where the run does not repeat, and stays as it is', () => {
    const { travel, source } = toy();
    steps(travel, 60);
    atOnce(travel.goTo({ step: 30 }));
    const was = text(travel);
    const { start } = source;
    source.start = (request) => start({ ...request, sink: (r) => request.sink({ ...r, time: r.time + 1 }) });
    expect(() => atOnce(travel.fork())).toThrow(/could not be repeated exactly: record \d+ differs/);
    expect([travel.branchId, text(travel)]).toEqual([1, was]);
  });

  it('asks where a select has several ready cases; the answers are part of the run', () => {
    const { travel } = toy(1);
    travel.asks = true;
    let asked = 0;
    while (asked < 6)
      if (travel.next() === 'choice') {
        travel.choose(asked % 2);
        asked++;
      }
    steps(travel, 10);
    const again = new TimeTravel(toySource(), travel.spec, {});
    atOnce(again.runTo(travel.position));
    expect(text(again)).toBe(text(travel));
    expect(travel.spec.deviations?.length).toBeGreaterThan(0);
    expect(travel.spec.interventions).toBeUndefined();
  });
});
