import type { TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { modelOf, plainValues, recordsOf, storeOf } from '../../../fixtures/timeline-run.js';
import { TimelineFeed } from './timeline-feed.js';

const hello = recordsOf('hello');
const all = hello.length;
const copy = (r: TraceRecord) => structuredClone(r);
const fed = (feed: TimelineFeed, store: Parameters<TimelineFeed['sync']>[0], end: number) => {
  while (feed.sync(store, end, 100));
};

describe('a timeline of a store', () => {
  it('takes a long run in slices', () => {
    const feed = new TimelineFeed();
    const store = storeOf(hello);
    expect(feed.sync(store, all, 100)).toBe(true);
    expect(feed.model.last).toBe(100);
    fed(feed, store, all);
    expect(plainValues(feed.model)).toEqual(plainValues(modelOf(hello)));
    expect(feed.sync(store, all)).toBe(false);
  });
  it('keeps what was seen when the session goes back, and knows it when it comes again', () => {
    const feed = new TimelineFeed();
    const store = storeOf(hello.map(copy));
    fed(feed, store, all);
    const back = store.until(200);
    fed(feed, back, all);
    expect({ present: feed.present, last: feed.model.last }).toEqual({ present: 200, last: all });
    expect(feed.record(all)?.seq).toBe(all);
    for (const r of hello.slice(200, 300)) back.push(copy(r));
    fed(feed, back, all);
    expect({ present: feed.present, last: feed.model.last }).toEqual({ present: 300, last: all });
    // It goes back once more, further than before: the furthest record is still there.
    const further = back.until(100);
    fed(feed, further, all);
    expect({ present: feed.present, last: feed.model.last }).toEqual({ present: 100, last: all });
    expect(feed.record(400)?.kind).toBe(hello[399]?.kind);
    for (const r of hello.slice(100)) further.push(copy(r));
    fed(feed, further, all);
    expect(plainValues(feed.model)).toEqual(plainValues(modelOf(hello)));
    expect(feed.present).toBe(all);
  });
  it('forgets what was seen when something else happens', () => {
    const feed = new TimelineFeed();
    const store = storeOf(hello.map(copy));
    fed(feed, store, all);
    const other = store.until(200);
    fed(feed, other, all);
    const changed = [...hello.slice(0, 220), ...hello.slice(220, 240).map((r) => ({ ...r, time: r.time + 7 }))];
    for (const r of changed.slice(200)) other.push(copy(r));
    fed(feed, other, all);
    expect(plainValues(feed.model)).toEqual(plainValues(modelOf(changed)));
    expect(feed.record(300)).toBeUndefined();
  });
  it('forgets what was seen when the session says that it is no longer known', () => {
    const feed = new TimelineFeed();
    const store = storeOf(hello.map(copy));
    fed(feed, store, all);
    fed(feed, store.until(200), 200);
    expect(feed.model.last).toBe(200);
  });
  it('goes back and forth in one step, as between two frames', () => {
    const feed = new TimelineFeed();
    const store = storeOf(hello.map(copy));
    fed(feed, store, all);
    const again = store.until(150);
    for (const r of hello.slice(150, 500)) again.push(copy(r));
    fed(feed, again, all);
    expect({ present: feed.present, last: feed.model.last }).toEqual({ present: 500, last: all });
  });
  it('begins anew with another run, and with one joined in its middle', () => {
    const feed = new TimelineFeed();
    fed(feed, storeOf(hello), all);
    const crash = recordsOf('crash-loop');
    fed(feed, storeOf(crash.slice(0, 300)), 300);
    expect(plainValues(feed.model)).toEqual(plainValues(modelOf(crash.slice(0, 300))));
  });
  it('holds no more than the store', () => {
    const crash = recordsOf('crash-loop');
    const feed = new TimelineFeed();
    const store = storeOf([], { capacity: 512, chunk: 256 });
    for (const r of crash) {
      store.push(r);
      if (r.seq % 50 === 0) fed(feed, store, store.last);
    }
    fed(feed, store, store.last);
    expect(feed.model.first).toBe(store.first);
    expect(feed.model.last).toBe(crash.length);
    expect(feed.model.columns.length).toBe(store.size);
    const rest = modelOf(crash);
    for (let seq = store.first; seq <= store.last; seq++)
      expect(feed.model.laneAt(seq)?.name).toBe(rest.laneAt(seq)?.name);
  });
  it('goes on after it fell behind a store that forgets', () => {
    const crash = recordsOf('crash-loop');
    const feed = new TimelineFeed();
    const store = storeOf(crash.slice(0, 100), { capacity: 512, chunk: 256 });
    fed(feed, store, 100);
    for (const r of crash.slice(100)) store.push(r);
    fed(feed, store, store.last);
    expect({ first: feed.model.first, last: feed.model.last }).toEqual({ first: store.first, last: store.last });
    expect(feed.model.lanes.some((l) => l?.name === 'syncLoop')).toBe(true);
  });
});
