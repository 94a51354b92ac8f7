import { isMilestone, type NodeState, type Seq, type TraceRecord } from '../../trace/index.js';
import type { Work } from '../base/work.js';
import type { StepUnit } from '../protocol/commands.js';

/** Units that are found by looking at records. */
export type RecordUnit = Exclude<StepUnit, 'decision'>;

export interface StepOptions {
  /**
   * For into, over and out: whose calls. Default: that of the record where it stands, or the loop's where that one is
   * over.
   */
  readonly goroutine?: number;
  /** Only what is about this pod, by uid, name or namespace/name. */
  readonly pod?: string;
}

/**
 * Returns true if a step ends at a record; `depth`: calls that the goroutine is in right after it; `state`: one from
 * about then.
 */
export type StepTest = (record: TraceRecord, depth: number, state: NodeState) => boolean;

const channelOps: ReadonlySet<string> = new Set(['send', 'receive', 'close', 'select']);

/** Returns the test for the end of a step of this kind that begins at `state`. */
export function stepTest(
  unit: RecordUnit,
  state: NodeState,
  here: TraceRecord | undefined,
  options: StepOptions,
): StepTest {
  const ofPod = podTest(state, options.pod);
  switch (unit) {
    case 'record':
      return ofPod;
    case 'iteration': {
      // A loop that has ended, or ends meanwhile, has no next iteration: a step ends there, or at once.
      const over = state.loop.g === 0 && state.counts.iterations > 0;
      return (r, _, now) => over || isIteration(now, r) || (r.kind === 'exit' && r.fn === 'syncLoop');
    }
    case 'milestone':
      return (r) => isMilestone(r) && ofPod(r);
    case 'channel':
      return (r) => channelOps.has(r.kind) && ofPod(r);
    case 'dispatch':
      return (r) => r.kind === 'pod-update' && ofPod(r);
    case 'cri':
      return (r) => r.kind === 'cri-call' && ofPod(r);
    case 'status':
      return (r) => r.kind === 'status' && ofPod(r);
    case 'line':
      return (r) => r.kind === 'part-line' && ofPod(r);
    default: {
      const g = goroutineOf(state, here, options);
      const depth = depthOf(state, g);
      // With its goroutine every call is over.
      const ends = (r: TraceRecord) => r.kind === 'goroutine-end' && r.id === g;
      if (unit === 'into') return (r) => ends(r) || (r.g === g && (r.kind === 'enter' || r.kind === 'exit'));
      if (unit === 'over') return (r, d) => ends(r) || (r.g === g && r.kind !== 'wait' && d <= depth);
      return (r, d) => ends(r) || (r.g === g && d < depth);
    }
  }
}

export function goroutineOf(state: NodeState, here: TraceRecord | undefined, { goroutine }: StepOptions): number {
  if (goroutine !== undefined) return goroutine;
  const g = here?.g ?? 0;
  const view = state.goroutines[g];
  return view && view.state !== 'dead' ? g : state.loop.g;
}
export const depthOf = (state: NodeState, g: number): number => state.goroutines[g]?.stack.length ?? 0;

/** Returns a test for records about a pod: one names it, or comes from the pod's worker. */
function podTest(state: NodeState, pod: string | undefined): (record: TraceRecord) => boolean {
  if (pod === undefined) return () => true;
  return (record) => {
    const { uid, pod: name } = record as { uid?: unknown; pod?: unknown };
    if (uid === pod || name === pod) return true;
    if (typeof name === 'string' && name.endsWith(`/${pod}`)) return true;
    if (uid !== undefined || name !== undefined) return false;
    const worker = state.goroutines[record.g]?.uid ?? '';
    return (
      worker !== '' &&
      (worker === pod || state.pods[worker]?.pod === pod || state.pods[worker]?.pod.endsWith(`/${pod}`) === true)
    );
  };
}

/** Records that are looked at between two yields. */
const SLICE = 256;

/** The last record before `seq` at which a step back ends, or undefined when there is none that is available. */
export function* findingBack(
  store: { readonly first: Seq; get(seq: Seq): TraceRecord | undefined },
  seq: Seq,
  state: NodeState,
  unit: RecordUnit,
  options: StepOptions,
): Work<Seq | undefined> {
  const here = store.get(seq);
  const g = goroutineOf(state, here, options);
  const test = stepTest(unit, state, here, { ...options, goroutine: g });
  let depth = depthOf(state, g);
  for (let s = seq; s > store.first; s--) {
    // Depth after the record before it: what this one did to it, undone.
    const r = store.get(s);
    if (r?.g === g) depth += r.kind === 'enter' ? -1 : r.kind === 'exit' ? 1 : 0;
    const before = store.get(s - 1);
    if (s % SLICE === 0) yield;
    if (before && test(before, depth, state)) return s - 1;
  }
  return undefined;
}

/**
 * Returns true for a select of the loop: an iteration begins. `state`: one of the same run, near enough to know its
 * channels.
 */
export function isIteration(state: NodeState, record: TraceRecord): boolean {
  return record.kind === 'select' && record.cases.some((id) => state.channels[id]?.name === 'configCh');
}
