import { initialState, reduce } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { recordsOf } from '../../../fixtures/timeline-run.js';
import { spotOf } from '../moves/moves-spots.js';
import { changedSpots, snapshot } from './changed.js';

describe('what has changed between two stops', () => {
  it('is what the records changed, in either direction; nothing where nothing did', () => {
    const state = initialState();
    const places = new Set<string>();
    let before = snapshot(state, []);
    let quiet = 0;
    for (const record of recordsOf('hello')) {
      reduce(state, record);
      const now = snapshot(state, Object.keys(state.pods));
      const changed = changedSpots(before, now);
      for (const spot of changed) places.add(spot.at === 'box' ? spot.id : spot.at === 'lane' ? spot.column : spot.at);
      if (record.kind === 'log' || record.kind === 'wait') {
        expect(changed, JSON.stringify(record)).toEqual([]);
        quiet++;
      }
      if (record.kind === 'status' || record.kind === 'pleg-transition' || record.kind === 'actual-container')
        expect(
          changed.map((s) => JSON.stringify(s)),
          JSON.stringify(record),
        ).toContain(JSON.stringify(spotOf(state, record)));
      expect(changedSpots(now, now)).toEqual([]);
      expect(changedSpots(now, before).map((s) => s.at).length).toBeLessThanOrEqual(now.size);
      before = now;
    }
    expect(quiet).toBeGreaterThan(100);
    for (const place of [
      'file',
      'podConfig',
      'channel',
      'handler',
      'worker',
      'runtime',
      'call',
      'node',
      'status',
      'pleg',
      'cri',
    ])
      expect(places, place).toContain(place);
  });
});
