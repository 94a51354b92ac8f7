import type { RecordBody, TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { wire } from './geometry.js';
import { CROWD, FLASH_MILLIS, HOP_MILLIS, type Move, movesOf, type Places, plan } from './moves.js';

const LOOP = 7;
const places: Places = {
  loopG: LOOP,
  laneY: (uid) => (uid === 'u1' ? 100 : null),
  laneHeight: (uid) => (uid === 'u1' ? 100 : null),
  channel: (id) => ({ 1: 'configCh', 2: 'plegCh', 3: 'syncCh' })[id] as 'configCh' | undefined,
  uidOf: (call) => call.uid ?? '',
  handler: 'HandlePodAdditions',
};
const record = (body: RecordBody, g = LOOP): TraceRecord =>
  ({ seq: 1, time: 0, g, span: 0, cause: 0, ...body }) as TraceRecord;
const keys = (body: RecordBody, g?: number) => movesOf(record(body, g), places).map((m) => m.key);
const pod = { pod: 'default/web', uid: 'u1' };

describe('what travels', () => {
  it('goes from the producer to its channel, from the channel to the select, from the select to the handler', () => {
    expect(keys({ kind: 'send', chan: 1, item: null, len: 1 }, 3)).toEqual(['podConfig-configCh']);
    expect(keys({ kind: 'send', chan: 2, item: null, len: 1 }, 3)).toEqual(['pleg-plegCh']);
    expect(keys({ kind: 'send', chan: 3, item: null, len: 1 }, 3)).toEqual([]);
    expect(keys({ kind: 'select', cases: [1, 2, 3], ready: [1], chosen: 1 })).toEqual(['plegCh-select']);
    expect(keys({ kind: 'enter', fn: 'HandlePodSyncs' })).toEqual(['select-HandlePodSyncs']);
  });
  it('is nothing where another goroutine selects, receives or calls', () => {
    expect(keys({ kind: 'select', cases: [1, 2], ready: [0], chosen: 0 }, 3)).toEqual([]);
    expect(keys({ kind: 'enter', fn: 'HandlePodSyncs' }, 3)).toEqual([]);
    expect(keys({ kind: 'select', cases: [1], ready: [], chosen: -1 })).toEqual([]);
  });
  it('goes from a handler to the lane, and nowhere for a pod without one', () => {
    const [move] = movesOf(record({ kind: 'pod-update', updateType: 'create', ...pod }), places);
    expect(move?.points[move.points.length - 1]?.y).toBe(100);
    expect(keys({ kind: 'pod-update', updateType: 'create', pod: 'x', uid: 'u2' })).toEqual([]);
  });
  it('goes to the node and back for a call, red when it failed, and not for the many that only look', () => {
    const there = movesOf(record({ kind: 'cri-call', method: 'RunPodSandbox', request: {}, uid: 'u1' }), places)[0];
    const back = movesOf(
      record({
        kind: 'cri-return',
        call: 1,
        method: 'RunPodSandbox',
        took: 1,
        uid: 'u1',
        error: { code: 2, details: 'no' },
      }),
      places,
    )[0];
    expect(back?.points).toEqual([...(there?.points ?? [])].reverse());
    expect(back?.kind).toBe('failure');
    expect(keys({ kind: 'cri-call', method: 'ListContainers', request: {}, uid: 'u1' })).toEqual([]);
  });
  it('names only wires that are there', () => {
    for (const id of [
      'node-cri',
      'cri-pleg',
      'pleg-cache',
      'node-probes',
      'workers-status',
      'probes-livenessManager',
      'file-podConfig',
    ])
      expect(wire(id), id).toBeDefined();
    expect(keys({ kind: 'relist', pods: 1, changed: 0, scope: 'global' })).toEqual(['node-cri', 'cri-pleg']);
  });
});

describe('the plan of a frame', () => {
  const move = (key: string): Move => ({
    key,
    kind: 'message',
    points: [
      { x: 0, y: 0 },
      { x: 1, y: 0 },
    ],
  });
  it('lets few travel in their order, each hop within 400 ms', () => {
    const { travel, flash } = plan([move('a'), move('b'), move('a')], 1000, false);
    expect(flash).toEqual([]);
    expect(travel.map((m) => m.key)).toEqual(['a', 'b']);
    expect(travel[1]?.start).toBeGreaterThan(travel[0]?.start ?? 0);
    for (const m of travel) expect(m.length).toBeLessThanOrEqual(400);
    const last = plan(
      Array.from({ length: CROWD }, (_, i) => move(`${i}`)),
      0,
      false,
    ).travel[CROWD - 1];
    expect((last?.start ?? 0) + (last?.length ?? 0)).toBeLessThanOrEqual(1.5 * HOP_MILLIS);
  });
  it('flashes for many, and at high speed', () => {
    const many = Array.from({ length: CROWD + 1 }, (_, i) => move(`${i}`));
    expect(plan(many, 0, false).travel).toEqual([]);
    expect(plan([move('a')], 0, false, true).flash[0]?.length).toBe(FLASH_MILLIS);
  });
  it('marks and does not travel where people want less motion', () => {
    expect(plan([move('a')], 0, true)).toMatchObject({ travel: [], flash: [{ key: 'a' }] });
  });
});
