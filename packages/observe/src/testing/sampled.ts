/** SYNCLOOP_RUNS: suites go through all that there is to try. */
export const manyRuns = Number(process.env.SYNCLOOP_RUNS ?? 0) > 0;

/** Every `n`th of these from the one at `first`, so that suites try different ones; all of them with SYNCLOOP_RUNS. */
export const sampled = <T>(all: readonly T[], n: number, first = 0): readonly T[] =>
  manyRuns ? all : all.filter((_, i) => i % n === first);
