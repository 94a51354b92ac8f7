import { describe, expect, it } from 'vitest';
import type { RecordBody } from '../records.js';
import { Tape } from '../testing/samples.js';
import { cloneState, foldAll, RING } from './index.js';

const pods = { verb: 'watch', resource: 'pods' } as const;
const node = { verb: 'get', resource: 'nodes', name: 'node1' } as const;
const fold = (...bodies: RecordBody[]) => {
  const tape = new Tape();
  for (const b of bodies) tape.add(b);
  return foldAll(tape.records);
};

describe('requests to the API server', () => {
  it('are under way until they are answered', () => {
    const asked = fold({ kind: 'api', id: 7, phase: 'request', ...node });
    expect(asked.api).toMatchObject({
      requests: 1,
      errors: 0,
      recent: [],
      inFlight: { 7: { verb: 'get', name: 'node1', took: null } },
    });
    const { api } = fold(
      { kind: 'api', id: 7, phase: 'request', ...node },
      { kind: 'api', id: 8, phase: 'request', ...node },
      { kind: 'api', id: 7, phase: 'response', ...node, code: 404, error: 'nodes "node1" not found', took: 30 },
      { kind: 'api', id: 8, phase: 'response', ...node, error: 'connection refused', took: 5 },
    );
    expect(api.inFlight).toEqual({});
    expect(api.recent.map((r) => [r.id, r.code, r.error, r.took])).toEqual([
      [7, 404, 'nodes "node1" not found', 30],
      [8, 0, 'connection refused', 5],
    ]);
    expect([api.requests, api.errors]).toEqual([2, 2]);
  });

  it('that are watches stay open until they end, or the kubelet does', () => {
    const open: RecordBody[] = [
      { kind: 'api', id: 1, phase: 'request', ...pods },
      { kind: 'api', id: 1, phase: 'response', ...pods, code: 200, took: 2 },
      { kind: 'api', id: 2, phase: 'request', verb: 'watch', resource: 'secrets', namespace: 'default' },
      { kind: 'api', id: 2, phase: 'response', verb: 'watch', resource: 'secrets', namespace: 'default', code: 200 },
      { kind: 'api', id: 3, phase: 'request', ...pods },
      { kind: 'api', id: 3, phase: 'response', ...pods, code: 410, error: 'too old' },
    ];
    expect(Object.values(fold(...open).api.watches).map((w) => w.resource)).toEqual(['pods', 'secrets']);
    expect(Object.keys(fold(...open, { kind: 'api', id: 1, phase: 'end', ...pods }).api.watches)).toEqual(['2']);
    const killed = fold(...open, { kind: 'process', process: 'kubelet', state: 'killed' });
    expect([killed.api.watches, killed.api.requests, killed.api.recent.length]).toEqual([{}, 3, 3]);
  });

  it('are remembered only so far back, and a copy is a copy', () => {
    const state = fold(
      ...Array.from({ length: 500 }, (_, i): RecordBody[] => [
        { kind: 'api', id: i, phase: 'request', ...node },
        { kind: 'api', id: i, phase: 'response', ...node, code: 200 },
      ]).flat(),
    );
    expect(state.api.recent).toHaveLength(RING.calls);
    const copy = cloneState(state);
    state.api.recent.length = 0;
    state.api.requests = 0;
    expect([copy.api.recent.length, copy.api.requests]).toEqual([RING.calls, 500]);
  });
});
