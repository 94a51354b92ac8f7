import { describe, expect, it } from 'vitest';
import { db, stateAfter, WORKER_G, web } from '../../../../fixtures/node-state.js';
import { laneOrder } from './lanes.js';
import { laneIndex } from './lanes-index.js';
import { byActivity, cellName, heatCounts, shownOrder, stripCells } from './lanes-strip.js';

const add = { kind: 'pod-config', source: 'file', op: 'ADD', pods: [web, db] } as const;
const started = (pod: typeof web | typeof db) =>
  [
    { kind: 'pod-update', updateType: 'create', ...pod },
    { kind: 'worker', state: 'sync', reason: 'first seen', ...pod },
  ] as const;
const cells = (state: ReturnType<typeof stateAfter>) => stripCells(state, laneOrder(state), laneIndex(state));

describe('a cell of the strip', () => {
  it('tells what the worker does, and until when it waits', () => {
    const waits = stateAfter(add, ...started(web), { kind: 'cache-wait', newerThan: 5, ...web, g: WORKER_G });
    expect(cells(waits)[0]).toMatchObject({ pod: 'web-node1', doing: 'cache-wait', at: 5, pending: true });
    const works = stateAfter(add, ...started(web), {
      kind: 'work-start',
      workType: 'sync',
      updateType: 'create',
      ...web,
      g: WORKER_G,
    });
    expect(cells(works)[0]).toMatchObject({ doing: 'working', fn: 'SyncPod', heat: 'working', pending: false });
    const due = stateAfter(add, ...started(web), { kind: 'queue', due: 9_000_000, why: 'resync', ...web });
    expect(cells(due)[0]).toMatchObject({ doing: 'queued', at: 9_000_000 });
    expect(cells(due)[1]).toMatchObject({ pod: 'shop/db-node1', doing: 'none', heat: 'waiting' });
  });
  it('has the back-off that ends first and the most restarts', () => {
    const backoff = { kind: 'backoff', of: 'crash-loop', active: true, delay: 10_000_000, ...web } as const;
    const state = stateAfter(
      add,
      ...started(web),
      { kind: 'actual-sandbox', id: 's1', attempt: 0, state: 'ready', ...web },
      { kind: 'actual-container', id: 'c1', sandbox: 's1', uid: web.uid, name: 'a', attempt: 3, state: 'running' },
      { kind: 'actual-container', id: 'c2', sandbox: 's1', uid: web.uid, name: 'b', attempt: 1, state: 'running' },
      { ...backoff, container: 'a', until: 30_000_000 },
      { ...backoff, container: 'b', until: 20_000_000 },
    );
    expect(cells(state)[0]).toMatchObject({ restarts: 3, backoff: { delay: 10_000_000, until: 20_000_000 } });
    expect(heatCounts(cells(state))).toMatchObject({ waiting: 2, working: 0 });
  });
});

it('a cell leaves out the node that all static pods are named after', () => {
  expect(['web-node1', 'web-node12', '-node1', 'node1'].map((pod) => cellName(pod, 'node1'))).toEqual([
    'web',
    'web-node12',
    '-node1',
    'node1',
  ]);
  expect(cellName('web-', '')).toBe('web-');
});

describe('the order of the strip', () => {
  const failing = stateAfter(
    add,
    ...started(web),
    ...started(db),
    { kind: 'work-start', workType: 'sync', updateType: 'create', ...db, g: WORKER_G },
    { kind: 'work-done', workType: 'sync', error: 'no', ...db, g: WORKER_G },
  );
  const order = laneOrder(failing);
  it('is that of arrival, or by name with numbers as numbers', () => {
    expect(shownOrder(failing, order, 'arrival', [])).toEqual([web.uid, db.uid]);
    const state = structuredClone(failing);
    Object.assign(state.pods[web.uid] ?? {}, { pod: 'default/w-10' });
    Object.assign(state.pods[db.uid] ?? {}, { pod: 'default/w-9' });
    expect(shownOrder(state, order, 'name', [])).toEqual([db.uid, web.uid]);
  });
  it('by activity begins with what fails, and then stands still', () => {
    const ranked = byActivity(failing, order, laneIndex(failing));
    expect(ranked).toEqual([db.uid, web.uid]);
    // Whatever they do later; who comes later goes last, who is gone is left out.
    expect(shownOrder(failing, [web.uid, 'new', db.uid], 'activity', ranked)).toEqual([db.uid, web.uid, 'new']);
    expect(shownOrder(failing, [web.uid], 'activity', ranked)).toEqual([web.uid]);
  });
});
