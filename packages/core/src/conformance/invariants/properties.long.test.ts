import { expect, it } from 'vitest';
import { calmPlan, healthyRestart, stormyPlan } from './testing/arbitrary.js';
import { restartOnHealthyPods } from './testing/run-plan.js';
import { fingerprint, holds, problemsOf } from './testing/runs.js';

it('every invariant holds while pods come, change and go', () => holds(calmPlan, 6, problemsOf));

it('every invariant holds while everything goes wrong, and all comes to rest', () => holds(stormyPlan, 12, problemsOf));

it('a restart of the kubelet does nothing to healthy pods', () =>
  holds(healthyRestart, 4, ({ plan, up, down }) => restartOnHealthyPods(plan, up, down)));

it('the same plan gives the same records, to the byte', () => {
  const hashes = new Set<number>();
  holds(stormyPlan, 2, (plan) => {
    const [a, b] = [fingerprint(plan), fingerprint(plan)];
    hashes.add(a.hash);
    return a.hash === b.hash && a.result.records === b.result.records
      ? []
      : [`${a.hash} of ${a.result.records} records, then ${b.hash} of ${b.result.records}`];
  });
  expect(hashes.size).toBeGreaterThan(1);
});
