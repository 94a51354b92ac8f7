import { describe, expect, it } from 'vitest';
import { findScenario, startScenario } from '../../scenario/index.js';
import { foldAll, initialState, type TraceRecord } from '../../trace/index.js';
import { snapshotNode } from './index.js';

describe('snapshotNode', () => {
  const records: TraceRecord[] = [];
  startScenario(findScenario('crash-loop'), { sink: (r) => records.push(r) }).run();
  const at = (index: number) => snapshotNode(foldAll(records.slice(0, index)));

  it('puts together what belongs together', () => {
    const backoff = records.findIndex((r) => r.kind === 'backoff' && r.active);
    const node = at(backoff + 1);
    const [pod] = node.pods;
    expect(node.pods.length).toBe(1);
    expect(pod).toMatchObject({ pod: 'default/crash-node1', desired: true, source: 'file', phase: 'Running' });
    expect(pod?.worker).toMatchObject({ state: 'sync', working: true });
    expect(pod?.sandboxes).toMatchObject([
      { state: 'ready', containers: [{ name: 'app', state: 'exited', exitCode: 1 }, { name: 'app' }] },
    ]);
    const left = pod?.backoffs[0]?.left ?? 0;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(10_000_000);
    expect(node.orphans).toEqual([]);
    expect(node.sources).toEqual(
      expect.arrayContaining([{ source: 'file', ready: true, pods: ['default/crash-node1'] }]),
    );
    expect(node.runtime.errors).toEqual([]);
  });

  it('names who waits for what, and the stack of who works', () => {
    const index = records.findIndex((r) => r.kind === 'cri-call' && r.method === 'StartContainer');
    const node = at(index + 2);
    expect(node.cri.map((c) => c.method)).toContain('StartContainer');
    const worker = node.goroutines.find((g) => g.stack.includes('SyncPod'));
    expect(worker?.stack.slice(0, 1)).toEqual(['SyncPod']);
    expect(node.goroutines.some((g) => /^sleep until [0-9]+$/.test(g.wait))).toBe(true);
    const loop = node.goroutines.find((g) => g.stack[1] === 'syncLoop');
    expect(loop?.wait).toContain('select configCh');
    const configCh = node.channels.find((c) => c.name === 'configCh');
    expect(configCh?.receivers).toEqual([loop?.name]);
    expect(configCh?.len).toBe(0);
  });

  it('does not depend on the order in which things were met', () => {
    const state = foldAll(records.slice(0, 2000));
    const turned = {
      ...state,
      channels: Object.fromEntries(Object.entries(state.channels).reverse()),
      goroutines: Object.fromEntries(Object.entries(state.goroutines).reverse()),
    };
    expect(snapshotNode(turned)).toEqual(snapshotNode(state));
    expect(snapshotNode(initialState())).toMatchObject({ seq: 0, pods: [], channels: [] });
  });

  it('keeps containers whose sandbox or pod is not known', () => {
    const state = initialState();
    const c = {
      id: 'c',
      sandbox: 's',
      uid: 'u',
      name: 'app',
      attempt: 0,
      state: 'running',
      exitCode: null,
      reason: '',
      since: 3,
    } as const;
    state.containers.c = { ...c };
    expect(snapshotNode(state).orphans).toEqual([
      { id: 's', uid: 'u', pod: '', attempt: 0, state: 'removed', ip: '', since: 3, containers: [c] },
    ]);
  });
});
