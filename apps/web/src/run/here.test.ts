import { describe, expect, it } from 'vitest';
import { type Here, type Now, nextHere, useHere } from './here.js';
import { RUN_BEFORE, useSession } from './session-store.js';

const start: Here = { run: 'a', branch: 1, seq: 0, from: 0, still: true, settled: true };
const at = (seq: number, more: Partial<Now> = {}): Now => ({
  run: 'a',
  branch: 1,
  moving: false,
  target: seq,
  seq,
  ...more,
});
const walk = (...steps: readonly Now[]): Here => steps.reduce(nextHere, start);

describe('where the run stands', () => {
  it('is the last record, and knows the stop before', () => {
    expect(walk(at(5), at(9))).toMatchObject({ seq: 9, from: 5, still: true });
    expect(walk(at(5), at(9), at(9))).toMatchObject({ seq: 9, from: 5 });
  });
  it('changes nothing while it stands, nor while it runs', () => {
    const stood = walk(at(5));
    expect(nextHere(stood, at(5))).toBe(stood);
    const running = nextHere(stood, at(40, { moving: true }));
    expect(running).toMatchObject({ seq: 5, still: false });
    expect(nextHere(running, at(900, { moving: true }))).toBe(running);
    expect(nextHere(running, at(901))).toMatchObject({ seq: 901, from: 5, still: true });
  });
  it('makes no stop of what a long step passes through on its way', () => {
    const there = [20, 31, 58].map((seq) => at(seq, { moving: true }));
    expect(walk(at(5), ...there, at(60))).toMatchObject({ seq: 60, from: 5, still: true });
    expect(walk(at(5), ...there)).toMatchObject({ seq: 5, from: 0, still: false });
    // Records may come before it is known that it is on its way.
    expect(walk(at(5), at(9, { target: 5 }), ...there, at(60))).toMatchObject({ seq: 60, from: 5 });
  });
  it('knows from the session that it is on its way', () => {
    for (const [more, still] of [
      [{ going: true }, false],
      [{}, true],
      [{ running: true }, false],
    ] as const) {
      useSession.setState({ run: { ...RUN_BEFORE, ...more } });
      expect(useHere.getState().still).toBe(still);
    }
    useSession.setState({ run: RUN_BEFORE });
  });
  it('counts records that come late to the same stop', () => {
    const late = walk(at(5), at(7, { target: 9 }), at(8, { target: 9 }));
    expect(late).toMatchObject({ seq: 8, from: 5, settled: false });
    expect(nextHere(late, at(9))).toMatchObject({ seq: 9, from: 5, settled: true });
  });
  it('has no way behind it in another run, and a later stop before it after going back', () => {
    expect(walk(at(50), at(8, { run: 'b' }))).toMatchObject({ seq: 8, from: 8 });
    expect(walk(at(50), at(40))).toMatchObject({ seq: 40, from: 50 });
    // An intervention here began a branch; who switches to one that is behind has not walked there.
    expect(walk(at(50), at(53, { branch: 2 }))).toMatchObject({ seq: 53, from: 50 });
    expect(walk(at(50), at(20, { branch: 2 }))).toMatchObject({ seq: 20, from: 20 });
  });
});
