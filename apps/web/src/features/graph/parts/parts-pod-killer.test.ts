import type { RecordBody } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { db, LOOP_G, stateAfter, web } from '../../../fixtures/node-state.js';
import { hasPodKiller, podKillerGoroutine } from '../../../run/pod-killer.js';
import { about, valuesOf } from '../../../selection/selection.js';
import { LOOP } from '../geometry/geometry.js';
import { rightOfProbes } from '../geometry/geometry-pod-killer.js';
import { movesOf, type Places } from '../moves/moves.js';
import { rectOfSpot, spotOf, spotOfGoroutine, storyBoxOf } from '../moves/moves-spots.js';
import { changedSpots, snapshot } from './changed.js';
import { podKillerPart } from './parts-pod-killer.js';

type Bodies = readonly (RecordBody & { g?: number })[];
const DRAINER = 20;
const KILL = 21;
const CHAN = 30;
const asks = (who: { readonly uid: string }, pod: string): Bodies[number] => ({
  kind: 'send',
  chan: CHAN,
  item: { api: true, pod, uid: who.uid },
  len: 1,
  g: LOOP_G,
});
/** A kubelet with a pod killer that kills one pod; the request for another waits. */
const BEGUN: Bodies = [
  { kind: 'chan-make', chan: CHAN, name: 'podKillingCh', cap: 50, g: DRAINER },
  { kind: 'goroutine-start', id: DRAINER, name: 'podKiller', parent: 1, process: 'kubelet' },
];
const KILLS: Bodies = [
  { kind: 'goroutine-start', id: KILL, name: `podKiller ${web.pod}`, parent: DRAINER, process: 'kubelet', g: DRAINER },
  { kind: 'enter', fn: 'killPod', args: web, g: KILL },
  { kind: 'wait', on: { op: 'waitgroup', name: 'killContainer' }, g: KILL },
];
const time = (seq: number) => seq * 1000;

describe('the pod killer', () => {
  it('is there only in a run whose kubelet has its channel', () => {
    const without = stateAfter();
    expect(hasPodKiller(without)).toBe(false);
    expect(podKillerPart(without, time)).toEqual({ cap: 0, count: 0, items: [], kills: [] });
    const state = stateAfter(...BEGUN);
    expect(hasPodKiller(state)).toBe(true);
    expect(podKillerGoroutine(state)).toBe(DRAINER);
    expect(podKillerPart(state, time)).toEqual({ cap: 50, count: 0, items: [], kills: [] });
  });
  it('shows what waits in the channel, and each kill from when it began, until its goroutine ends', () => {
    const state = stateAfter(...BEGUN, ...KILLS, asks(db, 'db-node1'));
    const entered = state.goroutines[KILL]?.stack[0]?.seq ?? 0;
    expect(entered).toBeGreaterThan(0);
    expect(podKillerPart(state, time)).toEqual({
      cap: 50,
      count: 1,
      items: [{ seq: state.seq, pod: 'db-node1' }],
      kills: [{ id: KILL, pod: 'web-node1', since: entered * 1000 }],
    });
    const unheld = podKillerPart(state, () => undefined).kills[0];
    expect(unheld?.since).toBe(state.goroutines[KILL]?.since);
    const over = stateAfter(...BEGUN, ...KILLS, { kind: 'goroutine-end', id: KILL, g: KILL });
    expect(podKillerPart(over, time).kills).toEqual([]);
  });
  it('is selected with its channel, its goroutine and the records of both', () => {
    const state = stateAfter(...BEGUN, ...KILLS, asks(db, 'db-node1'));
    const selection = { kind: 'part', part: 'podKiller' } as const;
    expect(valuesOf(state, selection, undefined)).toMatchObject({
      channel: { name: 'podKillingCh', items: [{ item: { pod: 'db-node1' } }] },
      kills: [{ id: KILL }],
      goroutine: { id: DRAINER },
    });
    const is = about(state, selection);
    const record = (body: RecordBody, g: number) => ({ seq: 1, time: 0, g, span: 0, cause: 0, ...body }) as never;
    expect(is(record({ kind: 'send', chan: CHAN, item: null, len: 1 }, LOOP_G))).toBe(true);
    expect(is(record({ kind: 'enter', fn: 'killPod' }, KILL))).toBe(true);
    expect(is(record({ kind: 'send', chan: 1, item: null, len: 1 }, LOOP_G))).toBe(false);
  });
  it('changes when a kill begins or ends, and when a request comes', () => {
    const box = { at: 'box', id: 'podKiller' };
    const idle = snapshot(stateAfter(...BEGUN), []);
    expect(changedSpots(idle, snapshot(stateAfter(...BEGUN, ...KILLS), []))).toContainEqual(box);
    expect(changedSpots(idle, snapshot(stateAfter(...BEGUN, asks(db, 'db-node1')), []))).toContainEqual(box);
  });
});

describe('what travels to and from the pod killer', () => {
  const state = stateAfter(...BEGUN, ...KILLS);
  const record = (body: RecordBody, g = LOOP_G) => ({ seq: 1, time: 0, g, span: 0, cause: 0, ...body }) as never;
  const loop = rightOfProbes(LOOP);
  const places = (handler: string, of = loop): Places => ({
    loopG: LOOP_G,
    loop: of,
    lane: () => null,
    channel: (id) => (id === CHAN ? 'podKillingCh' : undefined),
    uidOf: () => '',
    handler,
  });
  const send = record({ kind: 'send', chan: CHAN, item: null, len: 1 });
  const start = record(
    { kind: 'goroutine-start', id: KILL, name: `podKiller ${web.pod}`, parent: DRAINER, process: 'kubelet' },
    DRAINER,
  );
  it('comes from the handler that asks, and goes on to the runtime with each kill', () => {
    for (const handler of ['HandlePodRemoves', 'HandlePodCleanups'])
      expect(movesOf(send, places(handler)).map((m) => m.key)).toEqual([`${handler}-podKiller`]);
    expect(movesOf(start, places('HandlePodRemoves')).map((m) => m.key)).toEqual(['podKiller-runtime']);
    // Later versions have no such wires.
    expect(movesOf(send, places('HandlePodRemoves', LOOP))).toEqual([]);
    expect(movesOf(start, places('HandlePodRemoves', LOOP))).toEqual([]);
  });
  it('is at its box, and its kills are in the lanes of their pods', () => {
    const box = { at: 'box', id: 'podKiller' } as const;
    expect(spotOf(state, send)).toEqual(box);
    const named = Object.values(state.goroutines).find((g) => g.name === 'podKiller');
    expect(spotOfGoroutine(named)).toEqual(box);
    expect(rectOfSpot('loop+podKiller', box, () => null)).toEqual(loop.podKiller);
    expect(rectOfSpot('loop', box, () => null)).toBeNull();
    expect(storyBoxOf(box)).toBe('workers');
  });
});
