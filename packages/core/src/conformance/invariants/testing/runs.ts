import * as fc from 'fast-check';
import { FNV32_OFFSET, fnv32aText } from '../../../base/index.js';
import type { Plan } from './plan.js';
import { type PlanResult, runPlan } from './run-plan.js';

/** SYNCLOOP_RUNS: number of runs of each property instead of its own. */
const wanted = Number(process.env.SYNCLOOP_RUNS ?? 0);
export const manyRuns = wanted > 0;
export const runs = (usual: number): number => (manyRuns ? wanted : usual);
/** Every `n`th of these from the one at `first`, so that suites try different ones; all of them with SYNCLOOP_RUNS. */
export const sampled = <T>(all: readonly T[], n: number, first = 0): readonly T[] =>
  manyRuns ? all : all.filter((_, i) => i % n === first);
/**
 * False for the scenario of 110 pods, whose run costs as much as twenty others and shows no kind of record of its own;
 * sweeps of the whole library take it only with SYNCLOOP_RUNS.
 */
export const isUsualSize = (scenario: string): boolean => manyRuns || scenario !== 'full-node';
/** SYNCLOOP_SEED: other plans than always. */
export const seed = Number(process.env.SYNCLOOP_SEED ?? 1);

/** A counter-example is not made smaller for ever. */
const shrinkRuns = 300;

/** Checks `problems` of many values; fails with the smallest value found that has some, and with what they are. */
export function holds<T>(arbitrary: fc.Arbitrary<T>, usual: number, problems: (value: T) => readonly string[]): void {
  let left = shrinkRuns;
  let failed = false;
  fc.assert(
    fc.property(arbitrary, (value) => {
      if (failed && --left < 0) return;
      const found = problems(value);
      if (found.length === 0) return;
      failed = true;
      throw new Error(`${found.slice(0, 5).join('\n')}\nplan: ${JSON.stringify(value)}`);
    }),
    { seed, numRuns: runs(usual) },
  );
}

/** Runs a plan and returns what went wrong. */
export const problemsOf = (plan: Plan): readonly string[] => runPlan(plan).problems;

/** FNV-1a over a run's records, and how many there were. */
export function fingerprint(plan: Plan): { readonly hash: number; readonly result: PlanResult } {
  let hash = FNV32_OFFSET;
  const result = runPlan(plan, {
    sink: (record) => {
      const text = JSON.stringify(record);
      hash = fnv32aText(text, hash);
    },
  });
  return { hash: hash >>> 0, result };
}
