import { foldAll, initialState, type RecordBody, reduce, type TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { LOOP_G, stateAfter, web } from '../../../fixtures/node-state.js';
import { recordsOf } from '../../../fixtures/timeline-run.js';
import { HANDLERS } from '../../../run/loop.js';
import { LOOP } from '../geometry/geometry.js';
import { type Arrangement, LAYOUTS } from '../geometry/geometry-levels.js';
import { inside } from '../geometry/geometry-paths.js';
import { STORY } from '../geometry/geometry-story.js';
import { movesOf, type Places } from './moves.js';
import { Followed } from './moves-follow.js';
import { handlerToCome, nextSpots } from './moves-next.js';
import { type LaneRect, rectOfSpot, type Spot, spotOf, spotOfGoroutine, storyBoxOf } from './moves-spots.js';
import { onRing } from './moves-story.js';

const LANES = LOOP.nodes.lanes;
const whole = (): LaneRect => ({ ...LANES, folded: false });
const ARRANGEMENTS = Object.keys(LAYOUTS) as Arrangement[];

describe('where things happen', () => {
  it('has a place for whatever a run does, inside the world of each level', () => {
    const state = initialState();
    const kinds = new Set<string>();
    for (const record of recordsOf('crash-loop')) {
      reduce(state, record);
      const spot = spotOf(state, record);
      if (!spot) continue;
      kinds.add(record.kind);
      for (const arrangement of ARRANGEMENTS) {
        const lanes = LAYOUTS[arrangement].loop?.nodes.lanes ?? LANES;
        const rect = rectOfSpot(arrangement, spot, () => ({ ...lanes, folded: false }));
        if (rect) expect(inside(rect, LAYOUTS[arrangement].world), `${arrangement} ${record.kind}`).toBe(true);
      }
    }
    for (const kind of [
      'source',
      'pod-config',
      'send',
      'select',
      'pod-update',
      'step',
      'cri-call',
      'relist',
      'backoff',
    ])
      expect(kinds, kind).toContain(kind);
  });
  it('knows the place of the goroutines of a kubelet', () => {
    const records = recordsOf('mirror-pod');
    const state = foldAll(records);
    const started = records.flatMap((r) => (r.kind === 'goroutine-start' && r.process === 'kubelet' ? [r.id] : []));
    const placeless = started.filter((id) => spotOfGoroutine(state.goroutines[id]) === null);
    expect(started.length).toBeGreaterThan(20);
    expect(placeless.map((id) => state.goroutines[id]?.name)).toEqual([]);
    expect(spotOfGoroutine(undefined)).toBeNull();
  });
  it('has a part of the Everything level for what goes on around the loop, and none of the others', () => {
    const at = (body: RecordBody): Spot | null =>
      spotOf(initialState(), { seq: 1, time: 0, g: 1, span: 0, cause: 0, ...body } as TraceRecord);
    const api = { kind: 'api', id: 1, phase: 'request', verb: 'get', resource: 'nodes' } as const;
    const condition = { kind: 'node-condition', type: 'Ready', status: 'True', reason: '', message: '' } as const;
    for (const [body, id] of [
      [api, 'apiServer'],
      [condition, 'node'],
      [{ kind: 'node-lease', op: 'renewed', name: 'n' }, 'lease'],
      [{ kind: 'manager', name: 'pleg', state: 'started' }, 'managers'],
      [{ kind: 'cgroup', op: 'create', path: '/kubepods' }, 'cgroups'],
    ] as const) {
      const spot = at(body) as Spot;
      expect(spot).toEqual({ at: 'box', id });
      expect(rectOfSpot('everything', spot, whole)).not.toBeNull();
      for (const level of ['loop', 'story', 'story-narrow'] as const) expect(rectOfSpot(level, spot, whole)).toBeNull();
    }
  });
  it('leaves out of the Story what the Story has no box for', () => {
    expect(storyBoxOf({ at: 'box', id: 'imageGC' as never })).toBeNull();
    expect(rectOfSpot('story', { at: 'box', id: 'runtimeUp' }, whole)).toBeNull();
    expect(rectOfSpot('loop', { at: 'box', id: 'runtimeUp' }, whole)).toBeNull();
    expect(rectOfSpot('everything', { at: 'box', id: 'runtimeUp' }, whole)).not.toBeNull();
  });
  it('takes a folded pod for one place, and a pod without a lane for none', () => {
    const spot: Spot = { at: 'lane', uid: 'u', column: 'node' };
    const cell = { x: LANES.x, y: LANES.y, w: 90, h: 30 };
    expect(rectOfSpot('loop', spot, () => ({ ...cell, folded: true }))).toEqual(cell);
    expect(rectOfSpot('loop', spot, () => null)).toBeNull();
    expect(rectOfSpot('loop', spot, whole)?.x).toBeGreaterThan(LANES.x);
  });
});

describe('what is about to happen', () => {
  it('is the channel, the select and the handler, as far as it can be told', () => {
    const state = stateAfter({
      kind: 'goroutine-start',
      id: 90,
      name: 'genericPLEG',
      parent: 0,
      process: 'kubelet',
      place: 'pleg',
    });
    expect(nextSpots(state, 'syncLoop: configCh', { op: 'REMOVE', pods: [] })).toEqual([
      { at: 'channel', key: 'configCh' },
      { at: 'box', id: 'select' },
      { at: 'handler', index: HANDLERS.indexOf('HandlePodRemoves') },
    ]);
    expect(nextSpots(state, 'syncLoop: syncCh')).toHaveLength(2);
    expect(nextSpots(state, 'genericPLEG')).toEqual([{ at: 'box', id: 'pleg' }]);
    expect(nextSpots(state, 'genericPLEG: relistRequests')).toEqual([{ at: 'box', id: 'pleg' }]);
    expect(nextSpots(state, '')).toEqual([]);
    expect(nextSpots(state, 'who knows')).toEqual([]);
  });
  it('is never told wrong: the handler foreseen is the one that runs', () => {
    const state = initialState();
    let foreseen: { handler: number } | null = null;
    let checked = 0;
    for (const r of recordsOf('static-pod-edited')) {
      if (r.kind === 'receive' && r.g === state.loop.g) {
        const key = nextSpots(state, `syncLoop: ${state.channels[r.chan]?.name}`)[0];
        foreseen = key?.at === 'channel' ? { handler: handlerToCome(key.key, r.item) } : null;
      }
      reduce(state, r);
      if (r.kind === 'enter' && r.g === state.loop.g && (HANDLERS as readonly string[]).includes(r.fn) && foreseen) {
        if (foreseen.handler >= 0) {
          expect(HANDLERS[foreseen.handler], `record ${r.seq}`).toBe(r.fn);
          checked++;
        }
        foreseen = null;
      }
    }
    expect(checked).toBeGreaterThan(5);
  });
});

describe('the Story’s ring', () => {
  const places: Places = {
    loopG: LOOP_G,
    loop: LOOP,
    lane: () => whole(),
    channel: () => 'configCh',
    uidOf: () => web.uid,
    handler: 'HandlePodAdditions',
  };
  it('carries what the Loop does, all the way around', () => {
    const used = new Set<string>();
    const state = initialState();
    for (const r of recordsOf('hello')) {
      reduce(state, r);
      const here = { ...places, loopG: state.loop.g, channel: () => 'plegCh' as const };
      for (const move of movesOf(r, here)) {
        const shown = onRing(move, STORY);
        if (shown) used.add(shown.key);
      }
    }
    for (const id of [
      'desired-inputs',
      'inputs-choice',
      'choice-handler',
      'handler-workers',
      'workers-node',
      'workers-node<',
      'node-pleg',
      'pleg-inputs',
      'workers-status',
    ])
      expect(used, id).toContain(id);
  });
  it('leaves out what goes on within one of its boxes', () => {
    expect(onRing({ key: 'cri-pleg', kind: 'actual', points: [] }, STORY)).toBeNull();
  });
});

describe('following', () => {
  const records = recordsOf('hello');
  const root = records.find((r) => r.kind === 'send' && JSON.stringify(r.item).includes('ADD') && r.time > 500_000);
  it('goes from the message over the handler and the worker to the container, and around', () => {
    const state = initialState();
    const followed = new Followed(root?.seq ?? 0);
    for (const r of records) {
      reduce(state, r);
      followed.take([r], state);
    }
    const way: string[] = followed.way.map((s) => (s.at === 'lane' ? s.column : s.at === 'box' ? s.id : s.at));
    const at = (place: string) => way.indexOf(place);
    for (const [a, b] of [
      ['channel', 'select'],
      ['select', 'handler'],
      ['handler', 'worker'],
      ['worker', 'runtime'],
      ['runtime', 'node'],
      ['node', 'pleg'],
    ] as const) {
      expect(at(a), a).toBeGreaterThanOrEqual(0);
      expect(at(a), `${a} before ${b}`).toBeLessThan(at(b));
    }
    const started = records.find((r) => r.kind === 'actual-container' && r.state === 'running');
    expect(followed.has(started?.seq ?? 0)).toBe(true);
    // The tickers go their own way.
    const relist = records.find((r) => r.kind === 'relist' && r.scope === 'global' && r.seq > (root?.seq ?? 0));
    expect(followed.has(relist?.seq ?? 0)).toBe(false);
  });
  it('takes records once, whether one by one or all at once', () => {
    const state = foldAll(records);
    const a = new Followed(root?.seq ?? 0);
    a.take(records, state);
    const { last } = a;
    expect(a.take(records, state)).toBe(false);
    expect(a.last).toBe(last);
  });
});
