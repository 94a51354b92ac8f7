import type { Deviation } from '../../kernel/index.js';
import {
  anyText,
  custom,
  flag,
  list,
  object,
  oneOf,
  optional,
  orNull,
  real,
  type Shape,
  tagged,
  text,
  texts,
  whole,
} from '../../shape/index.js';
import type { PartialReport } from './partial.js';
import type { ContainerEnd, Outcome, PodEnd, Problem, Schedule, Strategy } from './types.js';

// The fields stand in the order in which an exploration writes them, so that what is read prints as it was.

const count = whole(0);
const index = whole(0, Number.MAX_SAFE_INTEGER);

const deviation: Shape<Deviation> = object({
  decision: count,
  goroutine: optional(count),
  case: optional(count),
});
const schedule: Shape<Schedule> = object({
  seed: whole(Number.MIN_SAFE_INTEGER),
  deviations: list(deviation),
});
const problem: Shape<Problem> = object({
  kind: oneOf('invariant', 'never', 'finally', 'step', 'panic', 'deadlock', 'stuck'),
  name: text,
  pod: anyText,
  text: anyText,
  decision: count,
  seq: count,
  time: count,
});
const container: Shape<ContainerEnd> = object({
  name: anyText,
  state: oneOf('waiting', 'running', 'terminated', 'unknown'),
  reason: anyText,
  exitCode: orNull(whole(Number.MIN_SAFE_INTEGER)),
  restarts: count,
});
const pod: Shape<PodEnd> = object({
  pod: anyText,
  present: flag,
  phase: anyText,
  reason: anyText,
  containers: list(container),
});
const outcome: Shape<Outcome> = object({
  result: oneOf('passed', 'failed', 'unfinished'),
  pods: list(pod),
  failures: list(anyText),
});
const preemption: Shape<number | readonly number[]> = custom({}, (r) =>
  typeof r.value === 'number' ? real(0, 1).read(r) : list(real(0, 1)).read(r),
);
const strategy = tagged('kind', {
  random: { preemption: optional(preemption) },
  pct: { changes: optional(count) },
}) as Shape<Strategy>;
const shrunk = object({
  seed: whole(Number.MIN_SAFE_INTEGER),
  deviations: list(deviation),
  names: texts,
  problem,
  trials: count,
  minimal: flag,
  replays: flag,
});

/** Reads what a shard wrote. */
export const partialReport: Shape<PartialReport> = object({
  strategy,
  maxSchedules: whole(1),
  shard: object({ index, of: whole(1, 100_000) }),
  base: object({ hash: count, choices: count, steps: count, records: count }),
  schedules: count,
  steps: count,
  records: count,
  hashes: list(count),
  outcomes: list(
    object({ at: count, outcome, times: whole(1), first: schedule, end: object({ step: count, seq: count }) }),
  ),
  findings: list(object({ at: count, problem, times: whole(1), inBase: flag, schedule, shrunk: orNull(shrunk) })),
});
