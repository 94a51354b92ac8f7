import { type BreakpointSpec, breakpointKinds, parseBreakpoint } from '@syncloop/core/debug/breakpoints';
import { initialState, type NodeState, type TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { parts, type Selection } from '../../../page/ui-store.js';
import { marksOf } from './breakpoint-marks.js';
import { breakpointAt, freeId, switched, targetsOf, toggled, unique, withBreakpoint } from './breakpoints.js';

const at = { seq: 9, time: 5, g: 0, span: 0, cause: 0 };
const pod = { pod: 'default/web-node1', uid: 'u1' };
function state(): NodeState {
  const s = initialState();
  s.pods.u1 = { ...pod, desired: true } as NodeState['pods'][string];
  s.channels[3] = { id: 3, name: 'plegCh' } as NodeState['channels'][number];
  s.containers.c1 = { id: 'c1', uid: 'u1', name: 'app', state: 'running' } as NodeState['containers'][string];
  s.sandboxes.s1 = { id: 's1', uid: 'u1', pod: pod.pod } as NodeState['sandboxes'][string];
  s.goroutines[1] = { id: 1, name: 'syncLoop', uid: '' } as NodeState['goroutines'][number];
  s.loop.g = 1;
  return s;
}
const first = (selection: Selection, record?: object) =>
  targetsOf(state(), selection, record && ({ ...at, ...record } as TraceRecord))[0];
const ofRecord = (record: object) => first({ kind: 'record', seq: 9 }, record);

describe('breakpoints for what is selected', () => {
  it('are on the thing itself', () => {
    expect(first({ kind: 'pod', uid: 'u1' })).toEqual({ on: 'worker', pod: 'web-node1' });
    expect(first({ kind: 'channel', name: 'plegCh' })).toEqual({ on: 'channel', name: 'plegCh' });
    expect(first({ kind: 'container', id: 'c1' })).toEqual({ on: 'cri', container: 'app', pod: 'web-node1' });
    expect(first({ kind: 'container', id: 'u1/app' })).toMatchObject({ on: 'cri', container: 'app' });
    expect(first({ kind: 'sandbox', id: 's1' })).toEqual({ on: 'cri', method: '*PodSandbox', pod: 'web-node1' });
    expect(first({ kind: 'goroutine', id: 1 })).toEqual({ on: 'wait', goroutine: 'syncLoop' });
    expect(first({ kind: 'part', part: 'loop' })).toEqual({ on: 'select', goroutine: 'syncLoop' });
    expect(first({ kind: 'part', part: 'source-file' })).toEqual({ on: 'config-op', source: 'file' });
  });
  it('name what a record names', () => {
    expect(ofRecord({ kind: 'send', chan: 3, item: null, len: 1 })).toEqual({
      on: 'channel',
      op: 'send',
      name: 'plegCh',
    });
    expect(ofRecord({ kind: 'select', cases: [0, 3], ready: [1], chosen: 1 })).toEqual({
      on: 'select',
      channel: 'plegCh',
    });
    expect(ofRecord({ kind: 'select', cases: [3], ready: [], chosen: -1 })).toEqual({
      on: 'select',
      channel: 'default',
    });
    expect(ofRecord({ kind: 'enter', g: 1, fn: 'HandlePodSyncs' })).toEqual({ on: 'handler', name: 'HandlePodSyncs' });
    expect(ofRecord({ kind: 'enter', g: 4, fn: 'SyncPod' })).toEqual({ on: 'function', name: 'SyncPod' });
    expect(ofRecord({ kind: 'cri-call', method: 'StartContainer', request: {}, container: 'c1' })).toEqual({
      on: 'cri',
      method: 'StartContainer',
      pod: 'web-node1',
    });
    expect(
      ofRecord({ kind: 'cri-return', call: 1, method: 'PullImage', took: 1, error: { code: 5, details: '' } }),
    ).toEqual({ on: 'cri', method: 'PullImage', when: 'error' });
    expect(ofRecord({ kind: 'worker', state: 'terminating', reason: '', ...pod })).toEqual({
      on: 'worker',
      state: 'terminating',
      pod: 'web-node1',
    });
    expect(ofRecord({ kind: 'fault', rule: 'r', method: 'm', effect: 'e' })).toEqual({ on: 'record', kind: 'fault' });
  });
  it('are none where nothing is, or what was is gone', () => {
    expect(targetsOf(state(), null, undefined)).toEqual([]);
    expect(first({ kind: 'container', id: 'nope' })).toBeUndefined();
    expect(first({ kind: 'record', seq: 9 })).toBeUndefined();
    expect(first({ kind: 'goroutine', id: 99 })).toBeUndefined();
  });
  it('are all such that a session takes them', () => {
    const selections: Selection[] = [
      { kind: 'pod', uid: 'u1' },
      { kind: 'channel', name: 'plegCh' },
      { kind: 'container', id: 'c1' },
      { kind: 'sandbox', id: 's1' },
      { kind: 'goroutine', id: 1 },
      ...parts.map((part) => ({ kind: 'part', part }) as const),
    ];
    const records = [
      { kind: 'pod-config', source: 'file', op: 'ADD', pods: [pod] },
      { kind: 'exit', of: 1, fn: 'SyncPod', error: 'x' },
      { kind: 'step', fn: 'SyncPod', n: 1, name: 'sandbox', ...pod },
      { kind: 'pleg-event', type: 'ContainerDied', data: 'c1', name: 'app', ...pod },
      {
        kind: 'probe',
        container: 'app',
        probeType: 'liveness',
        outcome: 'failure',
        output: '',
        run: 1,
        threshold: 3,
        ...pod,
      },
      { kind: 'probe-result', container: 'app', probeType: 'startup', result: 'Success', ...pod },
      { kind: 'backoff', of: 'crash-loop', container: 'app', delay: 1, until: 2, active: true, ...pod },
      { kind: 'status', version: 1, status: {}, ...pod },
      {
        kind: 'kube-event',
        object: { kind: 'Pod', namespace: 'default', name: 'w', uid: 'u1', fieldPath: '' },
        type: 'Normal',
        reason: 'Pulled',
        message: '',
      },
      { kind: 'log', severity: 'I', v: 0, msg: 'SyncLoop ADD', kv: {}, file: 'f' },
      { kind: 'decision', rule: 'computePodActions', verdict: 'kill', values: {} },
      { kind: 'part-line', part: 'backOff', fn: 'f', file: 'mine.ts', line: 3, column: 1, variables: {} },
      { kind: 'wait', on: { op: 'lock', name: 'podLock' } },
      { kind: 'gap', from: 1, to: 2 },
    ];
    const all = [
      ...selections.flatMap((s) => targetsOf(state(), s, undefined)),
      ...records.flatMap((r) => targetsOf(state(), { kind: 'record', seq: 9 }, { ...at, ...r } as TraceRecord)),
    ];
    for (const target of all)
      expect(() => parseBreakpoint({ id: 'b1', ...target }), JSON.stringify(target)).not.toThrow();
    // Every kind is available by selecting something.
    expect([...new Set(all.map((t) => t.on))].sort()).toEqual([...breakpointKinds].sort());
  });
});

describe('marks', () => {
  it('are where breakpoints were met, each once', () => {
    const hit = (id: string, seq: number, text?: string) => ({
      id,
      seq,
      uid: '',
      pause: text === undefined,
      ...(text !== undefined && { text }),
    });
    const marks = marksOf([hit('b1', 7)], [hit('b2', 5, 'x')], [hit('b1', 7), hit('b1', 3)], (id) => `stops ${id}`);
    expect(marks).toEqual([
      { kind: 'breakpoint', seq: 7, text: 'stops b1' },
      { kind: 'breakpoint', seq: 3, text: 'stops b1' },
      { kind: 'logpoint', seq: 5, text: 'x' },
    ]);
  });
});

describe('the list', () => {
  const b1: BreakpointSpec = { id: 'b1', on: 'cri', method: 'PullImage' };
  it('takes a breakpoint once, whatever the order of its fields', () => {
    expect(breakpointAt([b1], { method: 'PullImage', on: 'cri' })).toBe(b1);
    expect(breakpointAt([b1], { on: 'cri' })).toBeUndefined();
    expect(breakpointAt([{ ...b1, condition: 'true' }], { on: 'cri', method: 'PullImage' })).toBeUndefined();
    expect(unique([{ on: 'cri' }, { on: 'phase' }, { on: 'cri' }])).toEqual([{ on: 'cri' }, { on: 'phase' }]);
  });
  it('is toggled: set, taken away, switched on again', () => {
    const set = toggled([b1], { on: 'phase' });
    expect(set).toEqual({ specs: [b1, { id: 'b2', on: 'phase' }], on: true });
    expect(toggled(set.specs, { on: 'phase' })).toEqual({ specs: [b1], on: false });
    expect(toggled([switched(b1, false)], { on: 'cri', method: 'PullImage' })).toEqual({ specs: [b1], on: true });
  });
  it('gives ids that are free, and replaces by id', () => {
    expect(freeId([b1, { id: 'b3', on: 'phase' }])).toBe('b2');
    expect(withBreakpoint([b1], { id: 'b1', on: 'phase' })).toEqual([{ id: 'b1', on: 'phase' }]);
    expect(withBreakpoint([b1], { id: 'x', on: 'phase' })).toHaveLength(2);
  });
});
