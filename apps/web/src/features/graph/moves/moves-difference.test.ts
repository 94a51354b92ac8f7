import { initialState, type NodeState } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import type { DecisionPlace } from '../../../run/counterpart.js';
import { LAYOUTS } from '../geometry/geometry-levels.js';
import { spotsOfDecision } from './moves-difference.js';
import { rectOfSpot } from './moves-spots.js';

const pods = {
  'u-1': { uid: 'u-1', pod: 'default/web' },
  'u-2': { uid: 'u-2', pod: 'default/web' },
} as unknown as NodeState['pods'];
const state: NodeState = { ...initialState(), pods };
const spots = (kind: DecisionPlace['kind'], what: string, more: Partial<DecisionPlace> = {}) =>
  spotsOfDecision(state, { kind, what, pod: 'default/web', incarnation: 0, ...more }).map((spot) =>
    spot.at === 'box'
      ? spot.id
      : spot.at === 'channel'
        ? spot.key
        : spot.at === 'lane'
          ? `${spot.uid} ${spot.column}`
          : '?',
  );

describe('a difference between two runs', () => {
  it('is marked at its box and channel, or in its pod’s lane', () => {
    expect(spots('config', 'ADD')).toEqual(['podConfig', 'configCh']);
    expect(spots('pleg', 'ContainerDied')).toEqual(['pleg', 'plegCh']);
    expect(spots('sync', 'liveness Failure')).toEqual(['probes', 'livenessManager']);
    expect(spots('sync', 'sync')).toEqual(['u-1 worker']);
    expect(spots('call', 'CreateContainer')).toEqual(['u-1 call', 'cri']);
    expect(spots('kill', 'killContainer')).toEqual(['u-1 runtime']);
    expect(spots('restart', 'restart', { incarnation: 1 })).toEqual(['u-2 node']);
    expect(spots('status', 'Running')).toEqual(['status']);
    expect(spots('event', 'Killing')).toEqual(['events']);
  });
  it('of a pod that this run does not have has its call’s box at most', () => {
    expect(spots('call', 'CreateContainer', { pod: 'default/other' })).toEqual(['cri']);
    expect(spots('sync', 'sync', { pod: 'default/other' })).toEqual([]);
    expect(spots('sync', 'sync', { incarnation: 7 })).toEqual(['u-2 worker']);
  });
  it('has a place on every level', () => {
    const lane = { ...LAYOUTS.loop.boxes[0]?.rect, folded: false } as never;
    for (const key of ['loop', 'everything', 'story', 'story-narrow', 'loop-tall'] as const)
      for (const kind of ['config', 'pleg', 'sync', 'call', 'kill', 'restart', 'status'] as const)
        for (const spot of spotsOfDecision(state, { kind, what: 'x', pod: 'default/web', incarnation: 0 }))
          expect(
            rectOfSpot(key, spot, () => lane),
            `${key} ${kind}`,
          ).not.toBeNull();
  });
});
