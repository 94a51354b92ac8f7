/** The steps within calls, as the boxes of the Everything level show them: plain values copied out of the facts. */
import { callSteps, type Json, type NodeState, type RecordOf, type Seq, type SteppedCall } from '@syncloop/core/trace';
import { shortPod } from '../../../units/text.js';

/** The steps that the newest call of a function has taken. Of housekeeping: the newest finding of each step. */
export interface TakenSteps {
  readonly fn: SteppedCall;
  readonly span: Seq;
  readonly pod: string;
  readonly container: string;
  readonly steps: readonly RecordOf<'call-step'>[];
}

/** The call whose steps are kept from call to call: one that finds the same as before leaves no record. */
const COMES_ROUND = 'HandlePodCleanups';

/** Adds a step to those of its call; another call, or another pod of the same call, starts over. */
export function withStep(before: TakenSteps | undefined, r: RecordOf<'call-step'>): TakenSteps {
  // The handlers go through their steps for one pod after the other.
  const goesOn =
    before !== undefined && (r.fn === COMES_ROUND || (before.span === r.span && r.n > (before.steps.at(-1)?.n ?? 0)));
  return {
    fn: r.fn as SteppedCall,
    span: r.span,
    pod: r.pod ?? '',
    container: r.container ?? '',
    steps: [...(goesOn ? before.steps.filter((s) => s.n !== r.n) : []), r],
  };
}

/** One finding of a step, by upstream's or our word for it. */
export interface FoundPart {
  readonly key: string;
  readonly value: string;
}
export interface StepRow {
  readonly n: number;
  readonly name: string;
  /** The record of the step, 0 if there is none. */
  readonly seq: Seq;
  readonly found: readonly FoundPart[];
}

/** Those of the functions whose steps were taken last; null if none has taken any. */
export function newestOf(taken: Readonly<Record<string, TakenSteps>>, fns: readonly SteppedCall[]): TakenSteps | null {
  let newest: TakenSteps | null = null;
  for (const fn of fns) {
    const t = taken[fn];
    if (t && (newest === null || lastOf(t) > lastOf(newest))) newest = t;
  }
  return newest;
}
const lastOf = ({ steps }: TakenSteps): Seq => steps.at(-1)?.seq ?? 0;

/** All steps of a function in a version, in order, with what was found where they were taken. */
export function stepRows(state: NodeState, fn: SteppedCall, minor: number, taken: TakenSteps | null): StepRow[] {
  return callSteps(fn, minor).map((name, i) => {
    const step = taken?.steps.find((s) => s.n === i + 1);
    return { n: i + 1, name, seq: step?.seq ?? 0, found: step ? foundIn(state, step.found) : [] };
  });
}

function foundIn(state: NodeState, found: RecordOf<'call-step'>['found']): FoundPart[] {
  return Object.entries(found).flatMap(([key, value]) =>
    value === undefined || value === '' ? [] : [{ key, value: valueText(state, value) }],
  );
}

/** A list by its members, pods by their names; '0' for an empty one. */
function valueText(state: NodeState, value: Json): string {
  if (!Array.isArray(value)) return String(value);
  return value.length === 0
    ? '0'
    : value.map((one) => shortPod(state.pods[String(one)]?.pod ?? String(one))).join(', ');
}
