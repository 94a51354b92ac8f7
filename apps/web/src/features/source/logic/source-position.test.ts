import { RecordStore } from '@syncloop/core/debug';
import type { RecordOf, Seq, TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { ownSources } from '../../../fixtures/own-sources.js';
import { recordsOf, storeOf } from '../../../fixtures/timeline-run.js';
import { breakLines, targetOfFunction } from './source-breakpoints.js';
import { type Marked, markedOf } from './source-lines.js';
import { actsOf, sourcePositionOf } from './source-position.js';

const run = recordsOf('crash-loop');
const all = storeOf(run);
const names = (calls: readonly { readonly fn: string }[]) => calls.map((c) => c.fn);
const select = (seq: Seq) => ({ kind: 'record', seq }) as const;
const find = <K extends TraceRecord['kind']>(kind: K, test: (r: RecordOf<K>) => boolean, from = 0): RecordOf<K> =>
  run.find((r) => r.seq > from && r.kind === kind && test(r as RecordOf<K>)) as RecordOf<K>;

describe('where a run stands', () => {
  it('is the stack of the goroutine, at each record of a run', () => {
    const store = new RecordStore();
    let looked = 0;
    for (const record of run.slice(0, 1500)) {
      store.push(record);
      if (record.kind === 'exit' || record.g === 0 || record.kind === 'goroutine-end') continue;
      const stack = store.state.goroutines[record.g]?.stack ?? [];
      if (stack.length === 0) continue;
      looked++;
      const here = sourcePositionOf(store, null);
      expect(here).toMatchObject({ seq: record.seq, earlier: false, cut: false });
      expect(here.calls.map((c) => [c.seq, c.fn])).toEqual(stack.map((c) => [c.seq, c.fn]));
      // The result is the same later, when that record is selected.
      expect(sourcePositionOf(all, select(record.seq)).calls).toEqual(here.calls);
    }
    expect(looked).toBeGreaterThan(400);
  });
  it('has the call that returns at its exit record still on it', () => {
    const exit = find('exit', (r) => r.fn === 'computePodActions');
    expect(names(sourcePositionOf(all, select(exit.seq)).calls)).toEqual([
      'podWorkerLoop',
      'SyncPod',
      'kuberuntime.SyncPod',
      'computePodActions',
    ]);
  });
  it('is the newest record before that is in a call, where the kernel made one; and says so', () => {
    const outside = find('actual-container', () => true);
    expect(outside.span).toBe(0);
    const here = sourcePositionOf(all, select(outside.seq));
    expect(here.earlier).toBe(true);
    expect(here.seq).toBeLessThan(outside.seq);
    expect(here.calls.length).toBeGreaterThan(0);
  });
  it('is where a pod is worked on, or the loop stands, when those are selected', () => {
    const step = find('step', (r) => r.name === 'start container' && r.fn === 'startContainer');
    const then = all.until(step.seq);
    expect(names(sourcePositionOf(then, { kind: 'pod', uid: step.uid }).calls)).toEqual([
      'podWorkerLoop',
      'SyncPod',
      'kuberuntime.SyncPod',
      'startContainer',
    ]);
    expect(sourcePositionOf(then, { kind: 'goroutine', id: step.g }).goroutine).toContain('crash');
    expect(names(sourcePositionOf(then, { kind: 'part', part: 'loop' }).calls).slice(0, 3)).toEqual([
      'Kubelet.Run',
      'syncLoop',
      'syncLoopIteration',
    ]);
    expect(names(sourcePositionOf(then, { kind: 'part', part: 'pleg' }).calls).at(-1)).toMatch(
      /elist|reconcilePodRecord|updateCache/,
    );
  });
  it('comes from the stacks of the state where old records are gone', () => {
    const step = find('step', (r) => r.name === 'create container');
    const late = new RecordStore({}, all.stateAt(step.seq - 1));
    late.push(step);
    const here = sourcePositionOf(late, null);
    expect(names(here.calls)).toEqual(['podWorkerLoop', 'SyncPod', 'kuberuntime.SyncPod', 'startContainer']);
    expect(here.cut).toBe(false);
    const blind = storeOf(run.slice(step.seq - 1, step.seq));
    expect(sourcePositionOf(blind, null)).toMatchObject({ cut: true, calls: [] });
  });
  it('is nowhere before the first record', () => {
    expect(sourcePositionOf(new RecordStore(), null).calls).toEqual([]);
  });
});

/** Returns the marks for a call in progress at a record; `fn` picks one further out than the innermost. */
function marked(seq: Seq, fn?: string): Marked | null {
  const { calls } = sourcePositionOf(all, select(seq));
  const call = fn === undefined ? calls.at(-1) : calls.find((c) => c.fn === fn);
  return call ? markedOf(ownSources, all, call, seq) : null;
}
const textAt = (m: Marked | null): string =>
  m?.line
    ? (ownSources.texts[m.file] ?? '')
        .split('\n')
        .slice(m.line.from - 1, m.line.to)
        .join('\n')
    : '';

describe('the lines that are marked', () => {
  it('are those of the step, in the function that has them', () => {
    const step = find('step', (r) => r.fn === 'SyncPod' && r.name === 'volumes');
    const m = marked(step.seq);
    expect(m).toMatchObject({
      file: 'kubelet/sync-pod.ts',
      name: 'syncPodSteps',
      step: { name: 'volumes' },
      act: step.seq,
    });
    expect(textAt(m)).toContain("step('volumes')");
    expect((m?.step?.to ?? 0) > (m?.step?.from ?? 0)).toBe(true);
  });
  it('are the case of the select that was taken, and nothing before one is', () => {
    const taken = find(
      'select',
      (r) => r.g === all.state.loop.g && all.state.channels[r.cases[r.chosen] ?? 0]?.name === 'plegCh',
    );
    expect(textAt(marked(taken.seq)).trim()).toMatch(/^case 'plegCh':\n\s+if \(r\.ok\) handlePlegEvent/);
    expect(textAt(marked(taken.seq, 'syncLoop'))).toContain("frame('syncLoopIteration'");
  });
  it('are where an outer call waits for the inner one', () => {
    const step = find('step', (r) => r.fn === 'startContainer' && r.name === 'create container');
    expect(textAt(marked(step.seq, 'SyncPod'))).toContain('.syncPod(');
    expect(marked(step.seq, 'SyncPod')?.step?.name).toBe('container runtime');
    expect(marked(step.seq, 'kuberuntime.SyncPod')?.step?.name).toBe('start container');
    expect(textAt(marked(step.seq, 'kuberuntime.SyncPod'))).toContain('startContainer(');
  });
  it('are the call to the runtime, the log line, the rule of a decision', () => {
    const call = find('cri-call', (r) => r.method === 'StartContainer');
    expect(textAt(marked(call.seq))).toContain('.startContainer(');
    const log = find('log', (r) => r.msg === 'SyncPod enter');
    expect(textAt(marked(log.seq))).toContain("'SyncPod enter'");
    const decision = find('decision', (r) => r.rule === 'SyncPod: terminal');
    expect(textAt(marked(decision.seq))).toContain("rule: 'SyncPod: terminal'");
  });
  it('are the head of a function at its beginning, and its end where it returns', () => {
    const enter = find('enter', (r) => r.fn === 'HandlePodAdditions');
    expect(textAt(marked(enter.seq))).toContain('function handlePodAdditions(');
    const exit = find('exit', (r) => r.fn === 'HandlePodAdditions');
    expect(textAt(marked(exit.seq)).trim()).toBe('}');
  });
  it('are found for nearly every record in a call, and lie in the file', () => {
    let found = 0;
    let looked = 0;
    for (const r of run) {
      if (r.span === 0 || r.kind === 'enter') continue;
      looked++;
      const m = marked(r.seq);
      if (!m) continue;
      const length = (ownSources.texts[m.file] ?? '').split('\n').length;
      for (const l of [m.body, m.line, m.step])
        if (l) expect(l.from >= 1 && l.from <= l.to && l.to <= length).toBe(true);
      if (m.line) expect(m.line.from >= m.body.from && m.line.to <= m.body.to, `${r.seq} ${r.kind}`).toBe(true);
      if (m.line) found++;
    }
    expect(looked).toBeGreaterThan(1000);
    expect(found / looked).toBeGreaterThan(0.95);
  });
  it('are not known for a name that our sources do not have', () => {
    expect(markedOf(ownSources, all, { seq: 1, fn: 'nobody', args: null }, 10)).toBeNull();
    expect(markedOf(ownSources, all, { seq: 1, fn: 'toString', args: null }, 10)).toBeNull();
  });
  it('belong to what the call itself did, newest first, down to its beginning', () => {
    const step = find('step', (r) => r.fn === 'SyncPod' && r.name === 'probes');
    const call = sourcePositionOf(all, select(step.seq)).calls.at(-1);
    const acts = [...actsOf(all, call ?? { seq: 0, fn: '', args: null }, step.seq)];
    expect(acts[0]?.seq).toBe(step.seq);
    expect(acts.at(-1)).toMatchObject({ kind: 'enter', fn: 'SyncPod' });
    expect(acts.slice(0, -1).every((r) => r.span === call?.seq)).toBe(true);
    expect(acts.map((r) => r.seq)).toEqual(acts.map((r) => r.seq).sort((a, b) => b - a));
  });
});

describe('breakpoints at lines', () => {
  const { index } = ownSources;
  const at = (specs: Parameters<typeof breakLines>[2], file = 'kubelet/sync-pod.ts') => breakLines(index, file, specs);
  it('are offered where calls and steps begin', () => {
    const offered = at([]);
    expect(offered.find((b) => b.name === 'SyncPod')).toMatchObject({
      target: { on: 'function', name: 'SyncPod' },
      state: 'none',
      step: false,
    });
    expect(offered.find((b) => b.name === 'volumes')?.target).toEqual({ on: 'step', fn: 'SyncPod', step: 'volumes' });
    expect(offered.every((b) => b.state === 'none')).toBe(true);
    expect(targetOfFunction('HandlePodSyncs')).toEqual({ on: 'handler', name: 'HandlePodSyncs' });
  });
  it('show those that there are, switched off or on, and no others', () => {
    const state = (specs: Parameters<typeof breakLines>[2]) =>
      at(specs)
        .filter((b) => b.state !== 'none')
        .map((b) => `${b.name} ${b.state}`);
    expect(state([{ id: 'a', on: 'function', name: 'SyncPod', pod: 'web' }])).toEqual(['SyncPod on']);
    expect(state([{ id: 'a', on: 'function', name: 'SyncPod', enabled: false }])).toEqual(['SyncPod off']);
    expect(
      state([
        { id: 'a', on: 'function', name: 'SyncPod', when: 'exit' },
        { id: 'b', on: 'worker' },
      ]),
    ).toEqual([]);
    expect(state([{ id: 'a', on: 'step', fn: 'SyncPod', step: 'volumes' }])).toEqual(['volumes on']);
  });
});
