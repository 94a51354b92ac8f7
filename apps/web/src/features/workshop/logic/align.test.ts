import type { SideEntry } from '@syncloop/workshop/judge';
import { describe, expect, it } from 'vitest';
import { alignSides, briefStatus, firstRow } from './align.js';

const call = (text: string, at = 0): SideEntry => ({ kind: 'call', text, at });
const status = (text: string, at = 0): SideEntry => ({ kind: 'status', text, at });
const texts = (real: readonly SideEntry[], yours: readonly SideEntry[]) =>
  alignSides({ real, yours }).map((row) => [row.real?.text ?? null, row.yours?.text ?? null]);

describe('two sides', () => {
  it('have next to each other what is the same, and what came in its place', () => {
    const real = ['run', 'create', 'start', 'stop'].map((text) => call(text));
    expect(texts(real, real)).toEqual(real.map(({ text }) => [text, text]));
    expect(
      texts(
        real,
        ['run', 'create', 'kill', 'stop'].map((text) => call(text)),
      ),
    ).toEqual([
      ['run', 'run'],
      ['create', 'create'],
      ['start', 'kill'],
      ['stop', 'stop'],
    ]);
    expect(
      texts(
        real,
        ['run', 'create', 'stop', 'more'].map((text) => call(text)),
      ),
    ).toEqual([
      ['run', 'run'],
      ['create', 'create'],
      ['start', null],
      ['stop', 'stop'],
      [null, 'more'],
    ]);
    expect(texts(real, [])).toEqual(real.map(({ text }) => [text, null]));
  });

  it('have no call next to a status, and each side in its own order', () => {
    const real = [call('a'), status('x'), call('b')];
    const yours = [call('a'), call('c'), status('y'), call('d')];
    const rows = alignSides({ real, yours });
    for (const side of ['real', 'yours'] as const)
      expect(rows.flatMap((row) => row[side] ?? [])).toEqual(side === 'real' ? real : yours);
    for (const { real: a, yours: b } of rows) if (a && b) expect(a.kind).toBe(b.kind);
  });

  it('have the first difference where the judge found it', () => {
    const real = [call('a', 1), call('b', 5), call('c', 9)];
    const yours = [call('a', 1), call('x', 6), call('c', 9)];
    const rows = alignSides({ real, yours });
    expect(firstRow(rows, { at: 6, expected: 'b', got: 'x' })).toBe(1);
    expect(firstRow(alignSides({ real, yours: [yours[0] as SideEntry] }), { at: 5, expected: 'b', got: null })).toBe(1);
    // A pause that is too short: both have the call.
    expect(firstRow(alignSides({ real, yours: real }), { at: 9, expected: '10.0 s', got: '1.0 s' })).toBe(2);
  });

  it('say of a status what is new in it', () => {
    expect(briefStatus(null, 'phase=Pending, Ready=False')).toBe('phase=Pending, Ready=False');
    expect(briefStatus('phase=Pending, Ready=False', 'phase=Running, Ready=False')).toBe('phase=Running');
    expect(briefStatus('phase=Running', 'phase=Running')).toBe('phase=Running');
  });
});
