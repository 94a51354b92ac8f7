import type { RecordBody, TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { LOOP as MAP, wireOf } from '../geometry/geometry.js';
import { EXTRA_WIRES } from '../geometry/geometry-everything.js';
import { STORY } from '../geometry/geometry-story.js';
import {
  CROWD,
  FLASH_MILLIS,
  HOP_MILLIS,
  type Move,
  movesOf,
  onEverything,
  onLoop,
  type Places,
  plan,
} from './moves.js';
import { onRing } from './moves-story.js';

const LOOP = 7;
const places: Places = {
  loopG: LOOP,
  loop: MAP,
  lane: (uid) => (uid === 'u1' ? { ...MAP.nodes.lanes, y: 50, h: 100, folded: false } : null),
  channel: (id) => ({ 1: 'configCh', 2: 'plegCh', 3: 'syncCh', 4: 'containerManager' })[id] as 'configCh' | undefined,
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
    const event = { kind: 'pleg-event', type: 'ContainerDied', data: 'c1', ...pod } as const;
    expect(keys(event, 3)).toEqual(['pleg-plegCh']);
    expect(movesOf(record({ ...event, dropped: true }, 3), places).map((m) => m.kind)).toEqual(['failure']);
    // The event itself was drawn already.
    expect(keys({ kind: 'send', chan: 2, item: null, len: 1 }, 3)).toEqual([]);
    expect(keys({ kind: 'send', chan: 3, item: null, len: 1 }, 3)).toEqual([]);
    expect(keys({ kind: 'send', chan: 4, item: null, len: 1 }, 3)).toEqual(['devices-containerManager']);
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
      expect(wireOf(MAP, id), id).toBeDefined();
    expect(keys({ kind: 'relist', pods: 1, changed: 0, scope: 'global' })).toEqual(['node-cri', 'cri-pleg']);
  });
});

describe('between the node and the API server', () => {
  const patch = { kind: 'api', id: 1, verb: 'patch', resource: 'pods', subresource: 'status', name: 'web' } as const;
  const moves = (body: RecordBody) => movesOf(record(body, 3), places);
  it('each status that is sent travels, on every level along its own wire', () => {
    const sent = moves({ ...patch, phase: 'request' });
    expect(sent.filter(onLoop).map((m) => m.key)).toEqual(['status-api']);
    expect(sent.filter(onEverything).map((m) => m.key)).toEqual(['status-apiServer']);
    expect(sent.map((m) => onRing(m, STORY)?.key).filter(Boolean)).toEqual(['status-desired']);
    expect(moves({ ...patch, phase: 'response', code: 200 })).toEqual([]);
  });
  it('one that fails comes back, and only on the levels that have its wire', () => {
    const back = moves({ ...patch, phase: 'response', code: 409, error: 'conflict' });
    expect(back.filter(onLoop)).toMatchObject([{ key: 'status-api<', kind: 'failure' }]);
    expect(back.filter(onEverything)).toMatchObject([{ key: 'status-apiServer<', kind: 'failure' }]);
    expect(back.map((m) => onRing(m, STORY)?.key).filter(Boolean)).toEqual(['status-desired<']);
    expect(back.filter(onLoop)[0]?.points[0]).toEqual(wireOf(MAP, 'status-api')?.points.at(-1));
  });
  it('so do the node’s own word, its lease and its events; what only reads stays', () => {
    const of = (resource: string, verb: string) => keys({ kind: 'api', id: 2, phase: 'request', verb, resource });
    expect(of('nodes', 'patch')).toEqual(['node-apiServer']);
    expect(of('leases', 'update')).toEqual(['lease-apiServer']);
    expect(of('events', 'create')).toEqual(['events-apiServer']);
    for (const verb of ['get', 'list', 'watch']) expect(of('nodes', verb)).toEqual([]);
    expect(of('constructor', 'create')).toEqual([]);
  });
  it('volumes that are mounted and cgroups that are made reach the workers', () => {
    const volume = { kind: 'volume', volume: 'v', plugin: 'p', op: 'volume_mount', ...pod } as const;
    expect(keys({ ...volume, phase: 'start' })).toEqual([]);
    expect(moves({ ...volume, phase: 'done', error: 'no' })).toMatchObject([
      { key: 'volumes-workers', kind: 'failure' },
    ]);
    expect(keys({ kind: 'cgroup', op: 'create', path: '/kubepods/burstable' })).toEqual([]);
    expect(keys({ kind: 'cgroup', op: 'create', path: '/kubepods/podu1' })).toEqual(['workers-cgroups']);
  });
  it('every wire that is named here is drawn', () => {
    const drawn = new Set(EXTRA_WIRES.map((w) => w.id));
    for (const id of ['status', 'node', 'lease', 'events']) expect(drawn).toContain(`${id}-apiServer`);
    expect(keys({ kind: 'source', source: 'api', origin: 'watch', pods: [] })).toEqual([
      'apiServer-api',
      'api-podConfig',
    ]);
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
