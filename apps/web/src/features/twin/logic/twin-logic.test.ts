import { unknownVersion } from '@syncloop/core/version';
import type { Decision, DecisionKind, Difference, Verdict } from '@syncloop/observe/twin';
import type { Tick } from '@syncloop/observe/twin/session';
import { describe, expect, it } from 'vitest';
import { changedBy, decisionOf, kindRows } from './differences.js';
import { nearest, pairedLanes, wholeSpan, zoomed } from './paired-lanes.js';

const decision = (kind: DecisionKind, what: string, seq: number): Decision => ({
  kind,
  seq,
  time: seq * 1000,
  pod: 'default/web',
  incarnation: 0,
  what,
});
const text = (en: string) => ({ en, zh: en });
const missing = (what: string, seq: number): Difference => ({
  how: 'missing',
  seen: decision('call', what, seq),
  twin: null,
  text: text(`${what} is missing`),
});
const kinds = Object.fromEntries(
  ['config', 'pleg', 'sync', 'call', 'kill', 'restart', 'status', 'event'].map((k) => [k, { compared: 0, same: 0 }]),
) as unknown as Verdict['kinds'];

describe('a verdict in the panel', () => {
  it('lists the kinds of which anything was compared', () => {
    const verdict = { kinds: { ...kinds, call: { compared: 3, same: 2 }, kill: { compared: 1, same: 1 } } };
    expect(kindRows(verdict)).toEqual([
      { kind: 'call', compared: 3, same: 2 },
      { kind: 'kill', compared: 1, same: 1 },
    ]);
  });

  it('tells what a branch changed, whatever moved in time', () => {
    const twin = { differences: [missing('StopContainer', 5), missing('RemoveContainer', 6)] };
    const branch = { differences: [missing('StopContainer', 9), missing('CreateContainer', 11)] };
    const { gone, added } = changedBy(branch, twin);
    expect(gone.map((d) => d.text.en)).toEqual(['RemoveContainer is missing']);
    expect(added.map((d) => d.text.en)).toEqual(['CreateContainer is missing']);
    expect(decisionOf({ ...missing('x', 1), seen: null, twin: decision('call', 'x', 4) })?.seq).toBe(4);
  });
});

describe('paired lanes', () => {
  // The observed run's clock is at 1 s when the twin's is at 0.
  const answer = {
    scenario: {
      ...{ seenFrom: 1_000_000, until: 9_000_000, name: 't', text: '', assumptions: [], left: [] },
      kubelet: unknownVersion,
      era: 'v1.36' as const,
    },
    ticks: {
      seen: [[3, 10, 2_000_000] as Tick, [0, 11, 6_000_000] as Tick, [3, 12, 9_000_000] as Tick],
      twin: [[3, 20, 1_500_000] as Tick, [0, 21, 5_000_000] as Tick],
    },
    verdict: { pairs: [{ seen: 10, twin: 20 }] } as unknown as Verdict,
  };

  it('have both runs on one clock, with a line between what is the same', () => {
    const whole = wholeSpan(answer);
    expect(whole).toEqual({ from: 1_000_000, to: 9_000_000 });
    const lanes = pairedLanes(answer, whole, 800);
    expect(lanes.map(({ kind }) => kind)).toEqual(['config', 'call']);
    expect(lanes[1]).toEqual({
      kind: 'call',
      ticks: [
        { side: 'seen', seq: 10, x: 100 },
        { side: 'seen', seq: 12, x: 800 },
        { side: 'twin', seq: 20, x: 150 },
      ],
      lines: [{ seen: 100, twin: 150 }],
    });
    // The config operation came at the same time in both, and is not a pair: no line.
    expect(lanes[0]?.ticks.map((tick) => tick.x)).toEqual([500, 500]);
    expect(lanes[0]?.lines).toEqual([]);
  });

  it('are looked at closer around a moment, never beyond the whole', () => {
    const whole = wholeSpan(answer);
    const closer = zoomed(whole, whole, 0.5, 3_000_000);
    expect(closer).toEqual({ from: 2_000_000, to: 6_000_000 });
    expect(zoomed(closer, whole, 4, 3_000_000)).toEqual(whole);
    expect(zoomed(whole, whole, 0.5, 9_000_000)).toEqual({ from: 5_000_000, to: 9_000_000 });
    expect(zoomed(closer, whole, 0, 3_000_000).to - zoomed(closer, whole, 0, 3_000_000).from).toBe(100_000);
    // Ticks out of sight are not drawn.
    const [, call] = pairedLanes(answer, { from: 5_000_000, to: 9_000_000 }, 400);
    expect(call?.ticks).toEqual([{ side: 'seen', seq: 12, x: 400 }]);
  });

  it('are pressed at the tick that is nearest, of the run whose half was pressed', () => {
    const [, call] = pairedLanes(answer, wholeSpan(answer), 800);
    if (!call) throw new Error('no lane of calls');
    expect(nearest(call, 'seen', 104)?.seq).toBe(10);
    expect(nearest(call, 'twin', 104)).toBe(null);
    expect(nearest(call, 'twin', 145)?.seq).toBe(20);
  });
});
