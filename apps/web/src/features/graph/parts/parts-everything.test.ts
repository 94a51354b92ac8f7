import { foldAll, initialState, reduce } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { stateAfter, web } from '../../../fixtures/node-state.js';
import { recordsOf, storeOf } from '../../../fixtures/timeline-run.js';
import {
  backoffRows,
  cacheRows,
  eventRows,
  goroutineRows,
  queueOf,
  sleeper,
  ticking,
  workQueue,
} from './parts-everything.js';
import { FactsFold, noFacts, ROUTINES, takeFact } from './parts-facts.js';
import {
  storyChoice,
  storyDesired,
  storyInputs,
  storyNode,
  storyPLEG,
  storyStatus,
  storyWorkers,
} from './parts-story.js';

const hello = recordsOf('hello');
const crash = recordsOf('crash-loop');

describe('what comes round', () => {
  const state = foldAll(hello);
  it('sleeps until, or waits for its ticker', () => {
    const up = sleeper(state, 'updateRuntimeUp', 5_000_000, state.time);
    expect(up).toMatchObject({ alive: true, now: false });
    expect(up.next).toBeGreaterThan(state.time);
    expect(up.fill).toBeGreaterThanOrEqual(0);
    expect(up.fill).toBeLessThanOrEqual(1);
    const logs = ticking(state, 'containerLogManager', 'logRotateTicker', 10_000_000, state.time);
    expect(logs).toMatchObject({ alive: true, now: false });
    expect((logs.next ?? 0) - 10_000_000).toBeLessThanOrEqual(state.time);
  });
  it('is said to be absent where its goroutine is', () => {
    expect(sleeper(initialState(), 'evictionManager', 1, 0).alive).toBe(false);
    expect(ticking(initialState(), 'imageCache', 'imageCacheTicker', 1, 0).alive).toBe(false);
    expect(queueOf(state, 'nothing')).toEqual({ exists: false, count: 0, cap: 0, sent: 0 });
    expect(queueOf(state, 'pullRequests')).toMatchObject({ exists: true, cap: 10, count: 0 });
  });
  it('works where it does not wait', () => {
    const working = initialState();
    let seen = false;
    for (const r of hello) {
      reduce(working, r);
      if (r.kind === 'enter' && r.fn === 'updateRuntimeUp')
        seen ||= sleeper(working, 'updateRuntimeUp', 5e6, r.time).now;
    }
    expect(seen).toBe(true);
  });
});

describe('what pods wait for', () => {
  it('stands in the work queue, the first first', () => {
    const state = stateAfter(
      { kind: 'pod-update', updateType: 'create', ...web },
      { kind: 'worker', state: 'sync', reason: '', ...web },
      { kind: 'queue', due: 9_000_000, why: 'resync', ...web },
    );
    expect(workQueue(state)).toEqual([{ uid: 'u-web', pod: 'web-node1', due: 9_000_000 }]);
  });
  it('is held back by back-offs until they are over', () => {
    const state = initialState();
    let most = 0;
    for (const r of crash) {
      reduce(state, r);
      const rows = backoffRows(state);
      most = Math.max(most, rows.length);
      for (const row of rows) expect(row.until).toBeGreaterThan(state.time);
    }
    expect(most).toBe(1);
  });
  it('is looked up in the cache', () => {
    const [row] = cacheRows(foldAll(hello));
    expect(row).toMatchObject({ pod: 'hello-node1', containers: 1, wanted: null });
  });
});

describe('goroutines and events', () => {
  it('are those of the kubelet that live, with what they wait for by name', () => {
    const rows = goroutineRows(foldAll(hello));
    expect(rows.find((r) => r.name === 'syncLoop')?.on).toContain('configCh, plegCh');
    expect(rows.find((r) => r.name === 'containerGC')).toMatchObject({ op: 'sleep' });
    expect(rows.some((r) => r.name.startsWith('podWorker'))).toBe(true);
    expect(goroutineRows(initialState())).toEqual([]);
  });
  it('are the newest first, warnings marked', () => {
    const rows = eventRows(foldAll(crash), 50);
    expect(rows.find((e) => e.reason === 'BackOff')).toMatchObject({ warning: true, who: 'crash-node1' });
    // The node's own name takes no room.
    expect(rows.find((e) => e.reason === 'NodeHasNoDiskPressure')?.who).toBe('');
    expect(rows.map((e) => e.seq)).toEqual(rows.map((e) => e.seq).toSorted((a, b) => b - a));
    expect(eventRows(foldAll(crash), 2)).toHaveLength(2);
  });
});

describe('facts', () => {
  it('tell the runtime’s own word and what came round', () => {
    const facts = noFacts();
    for (const r of hello) takeFact(facts, r);
    for (const fn of ROUTINES) expect(facts.routines[fn]?.runs, fn).toBeGreaterThan(0);
    expect(facts.routines.updateRuntimeUp).toMatchObject({ runs: 2, open: 0, error: '' });
    expect(facts.conditions.slice(0, 2)).toEqual([
      { type: 'RuntimeReady', status: true, reason: '' },
      { type: 'NetworkReady', status: true, reason: '' },
    ]);
    expect(facts.images).toBe(2);
    expect(facts.deadline).toBeNull();
  });
  it('tell a deadline that has passed, and a runtime that does not answer', () => {
    const deadline = noFacts();
    for (const r of recordsOf('deadline')) takeFact(deadline, r);
    expect(deadline.deadline).toMatchObject({ verdict: 'evict', pod: 'default/hurry-node1' });
    const stopped = noFacts();
    let error = '';
    for (const r of recordsOf('runtime-stopped')) {
      takeFact(stopped, r);
      error ||= stopped.conditionsError;
    }
    expect(error).not.toBe('');
  });
  it('begin anew with each kubelet', () => {
    const facts = noFacts();
    let after = 0;
    for (const r of recordsOf('kubelet-restart')) {
      takeFact(facts, r);
      if (r.kind === 'process' && r.process === 'kubelet' && r.state === 'started')
        after = Object.keys(facts.routines).length;
    }
    expect(after).toBe(0);
    expect(facts.routines.updateRuntimeUp?.runs).toBeGreaterThan(0);
  });
  it('are the same folded at once, bit by bit, or after a step back', () => {
    const all = noFacts();
    for (const r of hello) takeFact(all, r);
    const store = storeOf([]);
    const bits = new FactsFold();
    for (const r of hello) {
      store.push(r);
      if (r.seq % 7 === 0) bits.at(store, 1);
    }
    expect(bits.at(store, 1)).toEqual(all);
    const earlier = storeOf(hello.slice(0, 100));
    expect(bits.at(earlier, 2).seq).toBe(100);
    expect(bits.at(store, 3)).toEqual(all);
  });
});

describe('the Story', () => {
  it('says what there is to do, who does it, and what has come of it', () => {
    const state = foldAll(hello);
    expect(storyDesired(state)).toMatchObject({ any: true, total: 1, pods: [{ pod: 'hello-node1' }], errors: 0 });
    expect(storyWorkers(state)).toMatchObject({ total: 1, rows: [{ pod: 'hello-node1', phase: 'Running', step: 0 }] });
    expect(storyNode(state)).toMatchObject({ total: 1, rows: [{ containers: [{ name: 'app', state: 'running' }] }] });
    expect(storyPLEG(state).rows[0]).toMatchObject({ new: 'running' });
    expect(storyStatus(state)).toMatchObject({ api: false, rows: [{ phase: 'Running' }] });
    expect(storyChoice(state)).toMatchObject({ phase: 'waiting', took: '' });
    expect(storyInputs(state)).toEqual({ exists: true, waiting: [] });
  });
  it('shows what waits in a channel, and a worker by its step', () => {
    const waiting = stateAfter({ kind: 'send', chan: 2, item: { type: 'ContainerDied' }, len: 1 });
    expect(storyInputs(waiting).waiting).toMatchObject([{ channel: 'plegCh', count: 1, label: 'ContainerDied' }]);
    const state = initialState();
    let furthest = 0;
    for (const r of hello) {
      reduce(state, r);
      for (const w of storyWorkers(state).rows) if (w.working) furthest = Math.max(furthest, w.step);
    }
    expect(furthest).toBe(15);
  });
  it('names those at work first, and only the first few of many', () => {
    const pods = Array.from({ length: 12 }, (_, i) => ({ pod: `default/p${i}-node1`, uid: `u${i}` }));
    const last = pods[11] as (typeof pods)[number];
    const state = stateAfter(
      { kind: 'pod-config', source: 'file', op: 'ADD', pods },
      { kind: 'worker', state: 'sync', reason: '', ...last },
      { kind: 'work-start', workType: 'sync', updateType: 'create', ...last },
    );
    const { rows, total } = storyWorkers(state);
    expect(total).toBe(12);
    expect(rows.length).toBeLessThan(12);
    expect(rows[0]).toMatchObject({ pod: 'p11-node1', working: true });
  });
  it('has nothing to say before anything happened', () => {
    const none = initialState();
    expect(storyDesired(none)).toMatchObject({ any: false, total: 0 });
    expect(storyInputs(none)).toEqual({ exists: false, waiting: [] });
    expect(storyWorkers(none)).toEqual({ rows: [], total: 0 });
    expect(storyNode(none)).toEqual({ rows: [], total: 0 });
    expect(storyStatus(none)).toEqual({ api: false, rows: [] });
  });
});
