import { initialState, reduce, type TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { FrameRing } from './frame-ring.js';

const record = (seq: number) =>
  ({ seq, time: seq, g: 0, span: 0, cause: 0, kind: 'input', verb: 'x', args: [] }) as TraceRecord;

/** A ring with one frame of 100 bytes for each of this many records. */
function ringOf(records: number) {
  const state = initialState();
  const ring = new FrameRing(state, { maxBytes: 1000, segmentBytes: 200 });
  for (let seq = 1; seq <= records; seq++) {
    reduce(state, record(seq));
    ring.push(Buffer.alloc(100, seq));
  }
  return ring;
}

describe('FrameRing', () => {
  it('has all frames in order while there is room, from the first state on', () => {
    const ring = ringOf(7);
    expect(ring.start()).toMatchObject({ next: 0, seq: 0 });
    for (let n = 0; n < 7; n++) expect(ring.get(n)?.[0]).toBe(n + 1);
    expect(ring.get(7)).toBeNull();
  });

  it('gives up the oldest, and begins at a state that fits what is left', () => {
    const ring = ringOf(200);
    const { next, seq } = ring.start();
    expect(ring.get(next - 1)).toBeUndefined();
    // The frame after the state has the record after the state.
    expect(ring.get(next)?.[0]).toBe(seq + 1);
    let held = 0;
    for (let n = next; ring.get(n) !== null; n++) held += (ring.get(n) as Buffer).length;
    expect(held).toBeGreaterThan(700);
    expect(held).toBeLessThanOrEqual(1000 + 200);
  });

  it('does not keep a frame that is larger than all it may keep', () => {
    const state = initialState();
    const ring = new FrameRing(state, { maxBytes: 1000, segmentBytes: 200 });
    reduce(state, record(1));
    ring.push(Buffer.alloc(5000));
    expect(ring.start()).toMatchObject({ next: 1, seq: 1 });
    expect(ring.get(0)).toBeUndefined();
  });
});
