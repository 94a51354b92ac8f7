import * as fc from 'fast-check';
import { calmPlan, healthyRestart, stormyPlan } from './arbitrary.js';
import type { Plan } from './plan.js';
import { restartOnHealthyPods, runPlan } from './run-plan.js';

export const sampleKinds = ['calm', 'stormy', 'restart'] as const;
export type SampleKind = (typeof sampleKinds)[number];

/** One random scenario under one random schedule, not run yet. */
export interface Sample {
  readonly plan: Plan;
  run(): { readonly problems: readonly string[]; readonly records: number };
}

/** Makes random scenarios without a test runner: the same kind and seed give the same ones. */
export function samples(kind: SampleKind, seed: number, count: number): Sample[] {
  const params = { seed, numRuns: count };
  if (kind !== 'restart')
    return fc
      .sample(kind === 'calm' ? calmPlan : stormyPlan, params)
      .map((plan) => ({ plan, run: () => runPlan(plan) }));
  return fc.sample(healthyRestart, params).map(({ plan, up, down }) => ({
    plan,
    run() {
      let records = 0;
      const problems = restartOnHealthyPods(plan, up, down, { sink: () => void records++ });
      return { problems, records };
    },
  }));
}
