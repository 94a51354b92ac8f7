import type { Pod } from '../../api/types.js';
import type { RecordSink } from '../../trace/index.js';
import type { Check, Checker, Violation } from './checker.js';
import { Facts } from './facts.js';
import { loopNeverBlocks } from './loop-checks.js';
import { initContainersComeFirst, neverStartsTwice, oneReadySandbox, oneRunningPerName } from './runtime-checks.js';
import { endIsTold, restartCountsGrow, startTimeStays, terminalPhaseStays } from './status-checks.js';
import {
  nothingStartsAfterKill,
  nothingStartsWhileTerminating,
  preStopRunsOnce,
  sidecarsStopLast,
} from './termination-checks.js';
import { oneStaticPodPerName, oneWorkerPerPod, syncsOnFreshView, workersGoForward } from './worker-checks.js';

/** All invariants that hold at every moment of a run, by name: a built page's functions have no names of their own. */
const byName = {
  oneReadySandbox,
  oneRunningPerName,
  neverStartsTwice,
  initContainersComeFirst,
  sidecarsStopLast,
  nothingStartsWhileTerminating,
  terminalPhaseStays,
  restartCountsGrow,
  startTimeStays,
  oneStaticPodPerName,
  syncsOnFreshView,
  workersGoForward,
  loopNeverBlocks,
  preStopRunsOnce,
  oneWorkerPerPod,
  nothingStartsAfterKill,
  endIsTold,
} satisfies Readonly<Record<string, Checker>>;
const names = new Map<Checker, string>(Object.entries(byName).map(([name, checker]) => [checker, name]));

export const checkers: readonly Checker[] = Object.values(byName);
export const invariantNames: readonly string[] = Object.keys(byName);

/** The invariant of that name; undefined if there is none. */
export const checkerOf = (name: string): Checker | undefined =>
  Object.hasOwn(byName, name) ? byName[name as keyof typeof byName] : undefined;

export interface Watch {
  readonly sink: RecordSink;
  readonly violations: readonly Violation[];
  readonly facts: Facts;
}

/**
 * Checks invariants while a run goes on: `sink` must get every record of it, from the first.
 * `podOf` gives the pod that the kubelet holds under a uid at the moment.
 */
export function watchInvariants(podOf: (uid: string) => Pod | undefined, which: readonly Checker[] = checkers): Watch {
  const facts = new Facts(podOf);
  const violations: Violation[] = [];
  let now = { seq: 0, time: 0 };
  const checks = which.map(
    (checker): Check =>
      checker({
        facts,
        report: (pod, text) =>
          void violations.push({
            invariant: names.get(checker) ?? checker.name,
            pod,
            seq: now.seq,
            time: now.time,
            text,
          }),
      }),
  );
  return {
    violations,
    facts,
    sink(record) {
      now = record;
      facts.apply(record);
      for (const check of checks) check(record);
    },
  };
}
