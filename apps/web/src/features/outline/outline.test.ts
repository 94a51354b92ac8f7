import { describe, expect, it } from 'vitest';
import { LOOP_WAITS, stateAfter, WORKER_G, web } from '../../fixtures/node-state.js';
import type { MessageKey } from '../../i18n/index.js';
import { type Params, translate } from '../../i18n/index.js';
import { type OutlineLine, outlineLines } from './outline-lines.js';
import { filterLines, keyInTree, rowsOf } from './outline-rows.js';

const t = (key: MessageKey, params?: Params) => translate('en', key, params);
const state = stateAfter(
  ...LOOP_WAITS,
  { kind: 'pod-config', source: 'file', op: 'ADD', pods: [web] },
  { kind: 'pod-update', updateType: 'create', ...web },
  { kind: 'worker', state: 'sync', reason: 'first seen', ...web },
  { kind: 'send', chan: 1, item: { op: 'ADD', pods: [web] }, len: 1 },
  { kind: 'work-start', workType: 'sync', updateType: 'create', ...web, g: WORKER_G },
  { kind: 'step', fn: 'SyncPod', n: 2, name: 'generateAPIPodStatus', ...web, g: WORKER_G },
  { kind: 'actual-sandbox', id: 's1', attempt: 0, state: 'ready', ip: '10.0.0.7', ...web },
  {
    kind: 'actual-container',
    id: 'c1',
    sandbox: 's1',
    uid: web.uid,
    name: 'app',
    attempt: 2,
    state: 'exited',
    exitCode: 7,
  },
);
const all = outlineLines(state, t, (_, open) => open);
const find = (id: string, lines: readonly OutlineLine[] = all): OutlineLine | undefined => {
  for (const line of lines) {
    const found = line.id === id ? line : find(id, line.children);
    if (found) return found;
  }
  return undefined;
};

describe('the outline', () => {
  it('has every part of the graph, in its order', () => {
    expect(all.map((l) => l.id)).toEqual([
      'sources',
      'channels',
      'loop',
      'workers',
      'node',
      'cri',
      'pleg',
      'status',
      'probes',
      'around',
    ]);
    expect(find('channels')?.children).toHaveLength(8);
    expect(find('loop')?.children).toHaveLength(7);
  });
  it('has the pod killer of a kubelet that has one, with what it kills', () => {
    const older = stateAfter(
      { kind: 'chan-make', chan: 30, name: 'podKillingCh', cap: 50 },
      { kind: 'goroutine-start', id: 20, name: 'podKiller', parent: 1, process: 'kubelet' },
      { kind: 'goroutine-start', id: 21, name: `podKiller ${web.pod}`, parent: 20, process: 'kubelet' },
    );
    const lines = outlineLines(older, t, () => true);
    expect(lines.map((l) => l.id)).toContain('podKiller');
    expect(find('podKiller', lines)).toMatchObject({
      note: 'podKillingCh: empty',
      selection: { kind: 'part', part: 'podKiller' },
      children: [
        { text: 'A goroutine kills web-node1, apart from its worker', selection: { kind: 'goroutine', id: 21 } },
      ],
    });
  });
  it('says of each what it is doing, and selects it', () => {
    expect(find('channel/configCh')).toMatchObject({
      note: '1 of 50 waiting',
      selection: { kind: 'channel', name: 'configCh' },
      children: [{ text: 'ADD web-node1', selection: { kind: 'record' } }],
    });
    expect(find(`worker/${web.uid}`)).toMatchObject({
      text: 'web-node1',
      note: 'no status yet · sync · in SyncPod',
      selection: { kind: 'pod', uid: web.uid },
    });
    expect(find(`worker/${web.uid}/steps/0`)?.text).toBe('SyncPod: step 2, generateAPIPodStatus');
    expect(find(`node/${web.uid}`)?.note).toBe('sandbox: ready · 10.0.0.7');
    expect(find(`node/${web.uid}/app`)).toMatchObject({
      note: 'exited 7 · restarted 2 times',
      bad: true,
      selection: { kind: 'container', id: 'c1' },
    });
  });
  it('tells the parts around the loop: managers, the node, the API server, its lease, what guards it', () => {
    const node = stateAfter(
      { kind: 'manager', name: 'nodeStatus', state: 'started' },
      { kind: 'manager', name: 'containerManager', state: 'failed', detail: 'no cgroups' },
      { kind: 'node-status', op: 'set', node: 'node1', capacity: { cpu: '4' }, allocatable: { cpu: '3' } },
      { kind: 'node-condition', type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: 'not yet' },
      { kind: 'api', id: 1, phase: 'request', verb: 'patch', resource: 'nodes', subresource: 'status', name: 'node1' },
      { kind: 'volume', volume: 'data', plugin: 'kubernetes.io/empty-dir', op: 'volume_mount', phase: 'start', ...web },
    );
    const lines = outlineLines(node, t, () => true);
    expect(find('managers', lines)?.note).toMatch(/^1 of \d+ started/);
    expect(find('manager/containerManager', lines)).toMatchObject({ bad: true, note: 'failed · 0.015 s · no cgroups' });
    expect(find('condition/Ready', lines)).toMatchObject({ text: 'Ready: False', bad: true });
    expect(find('api-server', lines)?.children[0]).toMatchObject({ text: 'patch nodes/status node1' });
    expect(find('volumes', lines)).toMatchObject({ selection: { kind: 'part', part: 'volumes' } });
    expect(find('volumes', lines)?.children[0]).toMatchObject({ text: 'web-node1 data' });
    expect(find('lease', lines)?.note).toBe('none: there is no API server');
  });
  it('leaves out what is below pods while nobody looks', () => {
    const folded = outlineLines(state, t, () => false);
    expect(find(`worker/${web.uid}`, folded)).toMatchObject({ parent: true, children: [] });
  });
});

describe('rows of the outline', () => {
  it('are what is unfolded, with their level and place', () => {
    const rows = rowsOf(all, new Map([['channels', false]]));
    expect(rows[0]).toMatchObject({ level: 1, expanded: true, place: 1, of: 10 });
    const channels = rows.findIndex((r) => r.line.id === 'channels');
    expect(rows[channels]).toMatchObject({ expanded: false });
    expect(rows[channels + 1]?.line.id).toBe('loop');
    expect(rows.find((r) => r.line.id === `node/${web.uid}/app`)).toMatchObject({ level: 3, expanded: null });
  });
  it('are filtered by words, and keep what is above a match', () => {
    const { lines, found } = filterLines(all, 'exited APP');
    expect(found).toBe(1);
    expect(rowsOf(lines, new Map()).map((r) => r.line.id)).toEqual(['node', `node/${web.uid}`, `node/${web.uid}/app`]);
    expect(filterLines(all, 'nosuchword')).toEqual({ lines: [], found: 0 });
    expect(filterLines(all, '  ').lines).toBe(all);
  });
  it('fold and unfold by the arrows of a tree', () => {
    const rows = rowsOf(all, new Map([['channels', false]]));
    const at = (id: string) => rows.findIndex((r) => r.line.id === id);
    expect(keyInTree('ArrowRight', rows, at('channels'))).toEqual({
      to: at('channels'),
      fold: { id: 'channels', open: true },
    });
    expect(keyInTree('ArrowRight', rows, at('sources'))).toEqual({ to: at('sources') + 1 });
    expect(keyInTree('ArrowLeft', rows, at('podConfig'))).toEqual({ to: at('sources') });
    expect(keyInTree('ArrowLeft', rows, at('sources'))).toEqual({
      to: at('sources'),
      fold: { id: 'sources', open: false },
    });
    expect(keyInTree('ArrowUp', rows, 0)).toEqual({ to: 0 });
    expect(keyInTree('End', rows, 0)).toEqual({ to: rows.length - 1 });
    expect(keyInTree('x', rows, 0)).toBeNull();
  });
});
