import type { Deviation } from '../../kernel/index.js';
import { type InputAction, lookupOf, type Seq } from '../../trace/index.js';
import type { Work } from '../base/work.js';
import type { Position } from '../protocol/commands.js';
import type { RunSpec } from '../protocol/run-spec.js';
import { cut, type Execution } from '../run/execution.js';
import { isBefore } from '../run/position.js';
import type { Branch } from './branches.js';
import { jumpToNearest, restoreRecords } from './jumps.js';
import type { TimeTravel } from './time-travel.js';

/** Records in which the action that began a branch is looked for: the rest of a decision may come before it. */
const NAMED_WITHIN = 200;

/**
 * Makes the position the head of a branch of its own. Throws if the run cannot be repeated; then all is as it was.
 */
export function* fork(travel: TimeTravel, name?: string): Work {
  const { position, replay } = travel;
  const clock = replay?.clock ?? 0;
  travel.branches.mustHaveRoom();
  begin(travel, name, position, yield* travel.available.at(travel));
  const { kernel } = travel;
  // The clock has moved as far as it was shown.
  if (clock > kernel.now() && !kernel.nextRunnable && (kernel.nextTimerAt() ?? Number.POSITIVE_INFINITY) > clock)
    kernel.clock.advanceTo(clock);
}

/**
 * Begins a branch right before a record, at a decision that the deviation changes; goes to the end of that decision.
 */
export function* branchBefore(
  travel: TimeTravel,
  seq: Seq,
  deviation: Omit<Deviation, 'decision'>,
  name: string,
): Work {
  yield* restoreRecords(travel, seq - 1);
  const decision = travel.timeline.stepOf(seq);
  const before = { step: decision - 1, seq: seq - 1 };
  const { deviations = [], ...spec } = cut(travel.branch.spec, before);
  const other = { ...spec, deviations: [...deviations, { decision, ...deviation }] };
  travel.branches.mustHaveRoom();
  begin(travel, name, before, yield* travel.available.from(other, travel.timeline, before, { step: decision, seq }));
}

/**
 * Adds another way that the run up to here may go, as a branch that ends at `to`; the position stays. Only deviations
 * tell them apart. `name`: what somebody calls it, or what it was found by, which each language words. Returns its id.
 * Throws if it does not get there.
 */
export function* addBranchTo(
  travel: TimeTravel,
  name: string | InputAction,
  deviations: readonly Deviation[],
  to: Position,
): Work<number> {
  travel.branches.mustHaveRoom();
  const { timeline } = travel;
  const { deviations: own = [], ...spec } = travel.spec;
  const first = Math.min(firstDifference(own, deviations) - 1, travel.step, to.step);
  const seq = Math.min(timeline.seqAfter(first), travel.view.last, to.seq);
  const held = seq >= timeline.store.oldest - 1;
  const full: RunSpec = deviations.length > 0 ? { ...spec, deviations } : spec;
  const execution = travel.executionOf(full, held ? timeline.until(seq) : undefined);
  yield* execution.repeat(to);
  const added = addBranch(travel, typeof name === 'string' ? name : '', { step: first, seq }, execution);
  if (typeof name !== 'string') added.nameAfter(name, lookupOf(timeline.store.state));
  return added.id;
}

/** Adds another branch of the one in view; the position stays. */
function addBranch(travel: TimeTravel, name: string, forkedAt: Position, execution: Execution): Branch {
  const { branch: parent, branches } = travel;
  const branch = branches.add(name, parent, forkedAt, execution);
  travel.adopt(branch, execution);
  branches.dropExecutions(parent);
  return branch;
}
/** Begins another branch of the one in view, and goes over to its head. */
export function begin(travel: TimeTravel, name: string | undefined, forkedAt: Position, execution: Execution): Branch {
  // From now on it is a branch of its own.
  travel.available.forget();
  travel.branch.note();
  const branch = addBranch(travel, name ?? `branch ${travel.branches.nextId}`, forkedAt, execution);
  travel.enter(branch);
  return branch;
}

/** The first decision at which only one of two runs deviates, or each in its own way; infinite if there is none. */
export function firstDifference(a: readonly Deviation[], b: readonly Deviation[]): number {
  const text = (d: Deviation) => JSON.stringify([d.decision, d.goroutine, d.case]);
  const [mine, others] = [new Set(a.map(text)), new Set(b.map(text))];
  return Math.min(...[...a, ...b].filter((d) => mine.has(text(d)) !== others.has(text(d))).map((d) => d.decision));
}

/** Goes over to another branch, to its end or to a position in it. */
export function* switchTo(travel: TimeTravel, id: number, position?: Position): Work {
  const { branches } = travel;
  const branch = branches.find(id);
  travel.branch.note();
  const { end } = branch;
  if (position && (position.seq > end.seq || position.step > end.step))
    throw new Error(
      `branch ${id} is known up to decision ${end.step} and record ${end.seq}: switch to a place before that, and go on from there`,
    );
  const undo = travel.checkpoint();
  try {
    if (!branch.execution || isBefore(branch.execution.position, end)) yield* travel.runAgain(end, branch);
    travel.enter(branch);
    yield* jumpToNearest(travel, position ?? end);
  } catch (error) {
    undo();
    throw error;
  }
  branches.used(branch);
  branches.dropExecutions(branch);
}

/** Names the branch in view after the intervention that began it, or after `action`. */
export function nameAfter(travel: TimeTravel, action?: InputAction): void {
  const { branch, view } = travel;
  const done = action ?? view.slice(branch.forkedAt.seq + 1, NAMED_WITHIN).find((r) => r.kind === 'input');
  if (done) branch.nameAfter(done, lookupOf(view.state));
}
