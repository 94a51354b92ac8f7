/** Asks a session that has an observed run and its twin. */

import type { TwinSide } from '@syncloop/core/debug';
import type { NodeState, Seq } from '@syncloop/core/trace';
import type { Verdict } from '@syncloop/observe/twin';
import { LONGEST_TWIN } from '@syncloop/observe/twin/base';
import { type Selection, useUI } from '../../page/ui-store.js';
import { allFacts, useCounterpart } from '../../run/counterpart.js';
import { setMarks } from '../../run/marks.js';
import { isUnderWay, useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { session } from '../../session/session.js';
import { answerHere, differenceHere, pairedHere } from './logic/here.js';
import { NO_PREVENTION, NO_TWIN, usePrevention, useTwin } from './twin-store.js';

/** The time without any move after which the other run is asked for its moment, ms. */
const STILL = 120;

export const twinState = () => useSession.getState().run.twin;
export const canReenact = () => {
  const { info, phase } = useSession.getState();
  return phase === 'ready' && info?.capabilities.twin === true;
};
export const hasTwin = () => canReenact() && (twinState()?.made ?? 0) > 0;

/** True if an observed run is longer than a twin can be: a part of it has to be chosen. */
export const isLong = ({ info, run }: Pick<ReturnType<typeof useSession.getState>, 'info' | 'run'>): boolean =>
  info?.capabilities.observed === true && (run.end?.time ?? 0) > LONGEST_TWIN;

/** Stops the work on a twin for Escape. False if there is none. */
export function stopTwinWork(): boolean {
  if (twinState()?.doing === undefined) return false;
  void session.stop();
  return true;
}

/** The observed run that is re-enacted; a twin's session is named after it. */
const observedId = (id: string | undefined): string => (id ?? '').replace(/-twin-.*$/, '');

let asked = '';
async function refresh(): Promise<void> {
  const { info, run } = useSession.getState();
  const version = `${observedId(info?.id)} ${run.twin?.made ?? 0}`;
  if (version === asked) return;
  asked = version;
  if (!hasTwin()) {
    useTwin.setState(NO_TWIN);
    useCounterpart.setState({ counterpart: null, over: false });
    return;
  }
  const answer = await session.command({ do: 'twin' });
  if (version === asked && answer) useTwin.setState({ ...NO_TWIN, answer });
}

const standing = () => {
  const { twin, branch = 1 } = useSession.getState().run;
  return { side: twin?.side ?? 'seen', branch } as const;
};

/** The verdict on the branch of the twin that is looked at; null while that is not compared. */
export const verdictHere = (): Verdict | null => answerHere(useTwin.getState(), standing())?.verdict ?? null;

/** Marks the differences at their places in the run that is shown, on the map and in the timeline. */
function mark(): void {
  const { side } = standing();
  const state = useTwin.getState();
  const shown = hasTwin() ? answerHere(state, standing()) : null;
  useCounterpart.setState({
    difference: differenceHere(shown, state.at, side),
    paired: pairedHere(shown, state.at, side),
  });
  const { lang } = useUI.getState();
  setMarks(
    'twin',
    (verdictHere()?.differences ?? []).flatMap((d) => {
      const decision = d[side];
      return decision
        ? [{ kind: 'difference' as const, seq: decision.seq, text: d.text[lang === 'en' ? 'en' : 'zh'] }]
        : [];
    }),
  );
}

let timer: ReturnType<typeof setTimeout> | undefined;
let counterpart = '';
const wanted = () => hasTwin() && (useCounterpart.getState().over || useUI.getState().inspectorOpen);
const place = () => {
  const { info, run } = useSession.getState();
  return `${info?.id} ${run.twin?.made} ${run.branch} ${run.seq} ${run.time}`;
};
/** Asks for the other run's state at this moment, once the one that is shown stands still. */
function lookUpCounterpart(): void {
  clearTimeout(timer);
  const { run } = useSession.getState();
  if (!wanted() || isUnderWay(run) || run.busy || place() === counterpart) return;
  timer = setTimeout(async () => {
    const now = place();
    counterpart = now;
    try {
      const { side, seq, time, state } = await session.command({ do: 'counterpart' });
      if (now === place()) useCounterpart.setState({ counterpart: { side, seq, time, facts: allFacts(state) } });
    } catch {
      // The session has ended or is moving: there is nothing to show.
      useCounterpart.setState({ counterpart: null });
    }
  }, STILL);
}

/** Keeps the page's state of the twin up to date as long as it is open. */
export function followTwin(): void {
  useSession.subscribe(({ info, run }, before) => {
    // Records of a branch have other numbers.
    if (info === before.info && (run.branch ?? 1) !== (before.run.branch ?? 1)) {
      useTwin.setState({ at: -1 });
      mark();
    }
    if (observedId(info?.id) !== observedId(before.info?.id)) usePrevention.setState(NO_PREVENTION);
    if (info !== before.info || run.twin !== before.run.twin) {
      void refresh().catch(() => {});
      mark();
    }
    if (run.twin) lookUpCounterpart();
  });
  useTwin.subscribe(({ answer, branch, at }, before) => {
    if (answer !== before.answer || branch !== before.branch || at !== before.at) mark();
  });
  useUI.subscribe((s, before) => {
    if (s.lang !== before.lang) mark();
    if (s.inspectorOpen !== before.inspectorOpen) lookUpCounterpart();
  });
  useCounterpart.subscribe(({ over }, before) => {
    if (over !== before.over) lookUpCounterpart();
  });
}

/** Finds the selection of one run in the other; null if that does not have it. */
function inOther(selection: Selection | null, from: NodeState, to: NodeState, side: TwinSide): Selection | null {
  const podOf = (uid: string) => {
    const name = from.pods[uid]?.pod;
    return Object.values(to.pods).findLast((pod) => pod.pod === name)?.uid;
  };
  switch (selection?.kind) {
    case 'pod': {
      const uid = podOf(selection.uid);
      return uid === undefined ? null : { kind: 'pod', uid };
    }
    case 'container': {
      const of = from.containers[selection.id];
      const uid = of && podOf(of.uid);
      const found = Object.values(to.containers).findLast((c) => c.uid === uid && c.name === of?.name);
      return found ? { kind: 'container', id: found.id } : null;
    }
    case 'record': {
      const far = side === 'seen' ? 'twin' : 'seen';
      const pair = useTwin.getState().answer?.verdict.pairs.find((one) => one[far] === selection.seq);
      return pair ? { kind: 'record', seq: pair[side] } : null;
    }
    case 'part':
    case 'channel':
      return selection;
    default:
      return null;
  }
}

/** Shows one of the two runs; at the given records of them, if any. The selection stays in the other. */
export async function show(side: TwinSide, at: { readonly seen?: Seq; readonly twin?: Seq } = {}): Promise<void> {
  const before = twinState()?.side;
  const { state } = trace;
  await session.command({ do: 'side', side, ...at });
  if (before === side) return;
  const { selection, inspectorOpen } = useUI.getState();
  if (selection === null) return;
  const now = inOther(selection, state, trace.state, side);
  useUI.setState({ selection: now, inspectorOpen: inspectorOpen && now !== null });
}

/** Selects a record; on a phone the inspector, which would cover the graph, stays as it is. */
export function select(seq: Seq): void {
  const wide = !window.matchMedia('(max-width: 720px)').matches;
  useUI.setState({ selection: { kind: 'record', seq }, ...(wide && { inspectorOpen: true }) });
}

/** Goes to a difference, in both runs. */
export async function goToDifference(index: number): Promise<void> {
  const difference = verdictHere()?.differences[index];
  if (!difference) return;
  const { seen, twin } = difference;
  const side = twinState()?.side ?? 'seen';
  await show(side, { ...(seen && { seen: seen.seq }), ...(twin && { twin: twin.seq }) });
  useTwin.setState({ at: index });
  const decision = difference[side];
  if (decision) select(decision.seq);
}

/** Holds the branch that it is in against the observed run. */
export async function compareBranch(id: number, name: string): Promise<void> {
  const verdict = await session.command({ do: 'hold', branch: id });
  useTwin.setState({ branch: { id, name, verdict } });
}
