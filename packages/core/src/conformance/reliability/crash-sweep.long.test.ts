import { describe, expect, it } from 'vitest';
import { manyRuns } from '../invariants/testing/runs.js';
import { apiStories, points, type Story, stories, tell } from './testing/sweeps.js';

/**
 * Seconds without a kubelet; points take turns. None is there at once: what it started last has begun by then. Else it
 * would start a container beside one that is just starting, as upstream's would.
 */
const downtimes = [1, 4];
/** Of a story, without SYNCLOOP_RUNS. */
const most = 2;

function sweep(story: Story, what: 'cri' | 'api'): number {
  const calm = tell(story);
  expect(calm.problems).toEqual([]);
  const count = what === 'cri' ? calm.calls : calm.writes;
  expect(count).toBeGreaterThan(2);
  let runs = 0;
  for (const nth of points(count, most))
    for (const when of ['before', 'after'] as const) {
      const cut = { what, nth, when, down: downtimes[(nth + (when === 'before' ? 0 : 1)) % 2] as number };
      const { problems } = tell(story, cut);
      expect({ cut, problems }).toEqual({ cut, problems: [] });
      runs++;
    }
  if (manyRuns) console.info(`${what}: ${count} calls, ${runs} runs`);
  return runs;
}

describe('killed at a call and started again', () => {
  it.each(Object.entries({ ...stories, ...apiStories }))('[A1:2] [A1:3] at any CRI call: %s', (_, story) => {
    expect(sweep(story, 'cri')).toBeGreaterThanOrEqual(2 * most);
  });

  it.each(Object.entries(apiStories))('[A1:8] at any write to the API server: %s', (_, story) => {
    expect(sweep(story, 'api')).toBeGreaterThanOrEqual(2 * most);
  });
});
