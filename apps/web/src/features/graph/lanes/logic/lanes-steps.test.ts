import { type EraVersion, loadEras } from '@syncloop/core/kubelet';
import { findScenario, startScenario } from '@syncloop/core/scenario';
import type { StepView, TraceRecord } from '@syncloop/core/trace';
import { beforeAll, describe, expect, it } from 'vitest';
import { isStepName, OLDER_STEPS, STEP_NAMES, stepNames, stepTracks, syncFnOf } from './lanes-steps.js';

const step = (fn: string, n: number, name: string, seq: number) => ({ fn, n, name, seq, container: '', time: seq });

beforeAll(() => loadEras());

describe('the names of steps', () => {
  it('are those that the kubelet takes', () => {
    const wrong: string[] = [];
    const seen = new Set<string>();
    const take = (r: TraceRecord) => {
      if (r.kind !== 'step') return;
      seen.add(`${r.fn} ${r.n}`);
      const names: readonly string[] = STEP_NAMES[r.fn as keyof typeof STEP_NAMES] ?? [];
      if (names[r.n - 1] !== r.name) wrong.push(`${r.fn} ${r.n} ${r.name}`);
    };
    for (const name of ['init-and-sidecar', 'static-pod-edited', 'post-start-fails']) {
      const run = startScenario(findScenario(name), { sink: take });
      run.kernel.run({ stop: () => run.done });
    }
    expect(wrong).toEqual([]);
    for (const fn of ['SyncPod', 'SyncTerminatingPod', 'SyncTerminatedPod', 'startContainer'])
      expect(seen).toContain(`${fn} ${STEP_NAMES[fn as keyof typeof STEP_NAMES].length}`);
  });
  it.each(Object.keys(OLDER_STEPS) as EraVersion[])('are those of %s where that runs', (era) => {
    // By run and call.
    const taken = new Map<string, StepView[]>();
    for (const name of ['hello', 'static-pod-edited', 'crash-loop', 'memory-pressure']) {
      const run = startScenario(findScenario(name), {
        era,
        sink: (r) => {
          if (r.kind !== 'step') return;
          const call = `${name} ${r.span}`;
          taken.set(call, [...(taken.get(call) ?? []), step(r.fn, r.n, r.name, r.seq)]);
        },
      });
      run.kernel.run({ stop: () => run.done });
    }
    expect(taken.size).toBeGreaterThan(20);
    for (const steps of taken.values()) {
      if (steps[0]?.name === 'kill') continue;
      const { fn } = steps[0] as StepView;
      const tracks = stepTracks(steps, true, 'sync', era);
      const ticks = fn.startsWith('Sync') ? tracks.sync : fn === 'startContainer' ? tracks.start : tracks.runtime;
      expect(ticks.map(({ name }) => stepNames(fn, era).includes(name))).not.toContain(false);
      expect(ticks.length).toBeLessThanOrEqual(stepNames(fn, era).length);
    }
    expect(stepTracks([], false, 'sync', era).sync.map(({ name }) => name)).toEqual(stepNames('SyncPod', era));
  });
  it('stand under the name that the version gives their function', () => {
    for (const era of ['v1.12', 'v1.21', 'v1.25'] as const) {
      const tracks = stepTracks([step('SyncPod', 1, 'generateAPIPodStatus', 4)], true, 'sync', era);
      expect(tracks.syncFn).toBe('syncPod');
      expect(tracks.sync.some((s) => s.seq === 4)).toBe(true);
    }
    for (const era of ['v1.32', 'v1.36'] as const) expect(stepTracks([], false, 'sync', era).syncFn).toBe('SyncPod');
    expect(syncFnOf('terminated', 'v1.25')).toBe('syncTerminatedPod');
    expect(syncFnOf('terminated')).toBe('SyncTerminatedPod');
  });
  it('are known before they are taken, and move up where one is left out', () => {
    const fresh = stepTracks([], false, 'terminated');
    expect(fresh.syncFn).toBe('SyncTerminatedPod');
    expect(fresh.sync.map((s) => s.name)).toEqual([...STEP_NAMES.SyncTerminatedPod]);
    expect(fresh.sync.some((s) => s.done || s.seq > 0)).toBe(false);
    const without = stepTracks([step('SyncTerminatedPod', 6, 'release user namespace', 4)], true, 'terminated');
    expect(without.sync).toHaveLength(7);
    expect(without.sync.at(-1)).toMatchObject({ name: 'TerminatePod', done: false });
    expect(without.sync[5]).toMatchObject({ name: 'release user namespace', now: true, seq: 4 });
  });
  it('are told from words that are none', () => {
    expect(isStepName('pull image')).toBe(true);
    expect(isStepName('constructor')).toBe(false);
  });
});
