import { initialState, type NodeState, type TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { RUN_BEFORE } from '../../../run/session-store.js';
import { goTarget, knownEnd, parseTime, stepCommand, subjectOf } from './stepping.js';

const head = { seq: 1, time: 0, g: 0, span: 0, cause: 0 };
function state(): NodeState {
  const s = initialState();
  s.goroutines[1] = goroutine(1, 'syncLoop', '');
  s.goroutines[7] = goroutine(7, 'podWorkerLoop', 'u1');
  s.goroutines[8] = { ...goroutine(8, 'gone', 'u1'), state: 'dead' };
  s.pods.u1 = { uid: 'u1', pod: 'default/web-node1' } as NodeState['pods'][string];
  return s;
}
const goroutine = (id: number, name: string, uid: string): NodeState['goroutines'][number] => ({
  id,
  name,
  process: 'kubelet',
  state: 'waiting',
  wait: null,
  since: 0,
  stack: [],
  uid,
  place: null,
});

describe('subjects of steps', () => {
  it('are the pod that is selected, and its worker', () => {
    expect(subjectOf(state(), { kind: 'pod', uid: 'u1' }, undefined)).toEqual({
      uid: 'u1',
      goroutine: 7,
      name: 'web-node1',
    });
  });
  it('are the pod and goroutine of a record', () => {
    const record = { ...head, g: 7, kind: 'enter', fn: 'SyncPod' } as TraceRecord;
    expect(subjectOf(state(), { kind: 'record', seq: 1 }, record)).toMatchObject({ uid: 'u1', goroutine: 7 });
  });
  it('are a goroutine alone where it is of no pod', () => {
    expect(subjectOf(state(), { kind: 'goroutine', id: 1 }, undefined)).toEqual({
      uid: '',
      goroutine: 1,
      name: 'syncLoop',
    });
  });
  it('are none where nothing, a channel or a part is selected', () => {
    expect(subjectOf(state(), null, undefined)).toBeNull();
    expect(subjectOf(state(), { kind: 'channel', name: 'plegCh' }, undefined)).toBeNull();
    expect(subjectOf(state(), { kind: 'part', part: 'loop' }, undefined)).toBeNull();
  });
});

describe('steps', () => {
  const subject = { uid: 'u1', goroutine: 7, name: 'web-node1' };
  it('of calls follow a goroutine, of records a pod', () => {
    expect(stepCommand('out', false, subject)).toEqual({ do: 'step', unit: 'out', goroutine: 7 });
    expect(stepCommand('cri', true, subject)).toEqual({ do: 'step', unit: 'cri', back: true, pod: 'u1' });
    expect(stepCommand('cri', false, { ...subject, uid: '' })).toEqual({ do: 'step', unit: 'cri' });
  });
  it('of decisions and iterations are of nobody', () => {
    expect(stepCommand('decision', true, subject)).toEqual({ do: 'step', unit: 'decision', back: true });
    expect(stepCommand('iteration', false, subject)).toEqual({ do: 'step', unit: 'iteration' });
  });
});

describe('the field "go to"', () => {
  it('reads times as people write them', () => {
    expect(parseTime('12.345')).toBe(12_345_000);
    expect(parseTime(' 12.3 s ')).toBe(12_300_000);
    expect(parseTime('1m30s')).toBe(90_000_000);
    expect(parseTime('1h 2m 250ms')).toBe(3_720_250_000);
    expect(parseTime('0')).toBe(0);
  });
  it('refuses what is no time', () => {
    for (const text of ['', '-1', 'soon', '1x', '1e9', 's', '99999999999999999999h', `${'1s'.repeat(50)}`])
      expect(parseTime(text), text).toBeNull();
  });
  it('reads numbers, with or without a hash', () => {
    expect(goTarget('seq', '#4210')).toEqual({ seq: 4210 });
    expect(goTarget('iteration', '17')).toEqual({ iteration: 17 });
    expect(goTarget('step', ' 5 ')).toEqual({ step: 5 });
    expect(goTarget('seq', '1.5')).toBeNull();
    expect(goTarget('step', '')).toBeNull();
  });
});

describe('the end of what is known', () => {
  const run = { ...RUN_BEFORE, seq: 10, steps: 5, time: 1000 };
  it('is told in the past only', () => {
    expect(knownEnd(run)).toBeNull();
    expect(knownEnd({ ...run, end: { seq: 10, step: 5, time: 1000 } })).toBeNull();
    expect(knownEnd({ ...run, end: { seq: 40, step: 9, time: 4000 } })).toEqual({ time: 4000, seq: 40, step: 9 });
  });
});
