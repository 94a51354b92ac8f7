import { describe, expect, it } from 'vitest';
import { Kernel } from '../../kernel/index.js';
import { newEvictionAdmitHandler } from './admit.js';
import { pod } from './testing/setup.js';
import type { NodeConditionType } from './types.js';

function verdict(conditions: readonly NodeConditionType[], p: ReturnType<typeof pod>) {
  const k = new Kernel({});
  const handler = newEvictionAdmitHandler(k, { nodeConditions: () => conditions });
  let result: unknown;
  k.go('test', function* () {
    result = yield* handler.admit({ pod: p, otherPods: [], operation: 'add' });
  });
  k.run();
  return result as { admit: boolean; reason?: string; message?: string };
}
const bestEffort = pod('a');
const burstable = pod('a', { requests: { memory: '1Mi' } });
const tolerant = (toleration: object) => pod('a', { spec: { tolerations: [toleration] } as never });
const key = 'node.kubernetes.io/memory-pressure';

describe('[3:ADM-05] the eviction manager at admission', () => {
  it('lets all in where the node is short of nothing, and critical ones always', () => {
    expect(verdict([], bestEffort)).toEqual({ admit: true });
    const all = ['MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;
    expect(verdict(all, pod('a', { static: true }))).toEqual({ admit: true });
    expect(verdict(all, pod('a', { priority: 2_000_000_000 }))).toEqual({ admit: true });
  });
  it('memory pressure alone keeps out who asks for nothing and does not tolerate the taint', () => {
    expect(verdict(['MemoryPressure'], bestEffort)).toEqual({
      admit: false,
      reason: 'Evicted',
      message: 'The node had condition: [MemoryPressure]. ',
    });
    expect(verdict(['MemoryPressure'], burstable)).toEqual({ admit: true });
    for (const [toleration, admit] of [
      [{ key, operator: 'Exists' }, true],
      [{ key, operator: 'Exists', effect: 'NoSchedule' }, true],
      [{ operator: 'Exists' }, true],
      [{ key }, true],
      [{ key, operator: 'Exists', effect: 'NoExecute' }, false],
      [{ key, operator: 'Equal', value: 'x' }, false],
      [{ key: 'node.kubernetes.io/disk-pressure', operator: 'Exists' }, false],
    ] as const)
      expect(verdict(['MemoryPressure'], tolerant(toleration)).admit).toBe(admit);
  });
  it('any other condition keeps out all but critical pods', () => {
    expect(verdict(['DiskPressure'], burstable).message).toBe('The node had condition: [DiskPressure]. ');
    expect(verdict(['PIDPressure'], tolerant({ operator: 'Exists' })).admit).toBe(false);
    expect(verdict(['MemoryPressure', 'DiskPressure'], burstable).message).toBe(
      'The node had condition: [MemoryPressure DiskPressure]. ',
    );
  });
});
