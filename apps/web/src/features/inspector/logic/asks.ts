/** The questions about a selection. Pure. */
import type { Question } from '@syncloop/core/debug/why';
import type { ContainerView, Json, NodeState, PodView, ProbeType, Seq, TraceRecord } from '@syncloop/core/trace';
import type { MessageKey } from '../../../i18n/index.js';
import type { Selection } from '../../../page/ui-store.js';
import { fields, list, textOf } from '../../../units/text.js';

/** A question as a button. `not`: it asks why something did not happen. */
export interface Ask {
  readonly id: string;
  readonly not: boolean;
  readonly question: Question;
  readonly key: MessageKey;
  readonly params?: Readonly<Record<string, string | number>>;
}

/** The records that some questions start from; 0 if there is none. */
export interface AskContext {
  /** Newest telling record about the selection. */
  readonly newest: Seq;
  /** For a container that is not the newest of its name: where this one was started and stopped. */
  readonly started?: Seq;
  readonly stopped?: Seq;
  /** The selected record, if it is in memory. */
  readonly record?: TraceRecord | undefined;
}

/** Most probes that one pod's questions name. */
const MOST_PROBES = 6;

/** Returns the questions about a selection; the first is asked unless the user picks another. */
export function asksOf(state: NodeState, selection: Selection, known: AskContext): Ask[] {
  switch (selection.kind) {
    case 'pod':
      return podAsks(state, selection.uid, known);
    case 'container':
      return containerAsks(state, selection.id, known);
    case 'sandbox': {
      const uid = state.sandboxes[selection.id]?.uid ?? '';
      return [...happened(known), ...(state.pods[uid] ? podAsks(state, uid, { newest: 0 }) : [])];
    }
    case 'goroutine': {
      const g = state.goroutines[selection.id];
      const wait = why('wait', { about: 'wait', goroutine: selection.id }, 'why.ask.wait');
      const pod = g && g.uid !== '' ? state.pods[g.uid] : undefined;
      return [
        ...(g && g.state !== 'dead' ? [wait] : []),
        ...(pod ? workerAsks(pod) : []),
        ...(!g || g.state === 'dead' ? happened(known) : []),
      ];
    }
    case 'record':
      return [
        why('record', { about: 'record', seq: selection.seq }, 'why.ask.record'),
        ...recordAsks(state, known.record),
      ];
    case 'channel':
      return happened(known);
    case 'part':
      if (selection.part === 'probes')
        return [
          ...happened(known),
          ...Object.values(state.pods)
            .flatMap((pod) => probeAsks(pod))
            .slice(0, MOST_PROBES),
        ];
      if (selection.part === 'loop' && state.loop.g > 0)
        return [...happened(known), why('wait', { about: 'wait', goroutine: state.loop.g }, 'why.ask.wait')];
      return happened(known);
  }
}

type Params = Ask['params'];
const why = (id: string, question: Question, key: MessageKey, params?: Params): Ask => ({
  id,
  not: false,
  question,
  key,
  ...(params && { params }),
});
const whyNot = (id: string, question: Question, key: MessageKey, params?: Params): Ask => ({
  ...why(id, question, key, params),
  not: true,
});

const happened = ({ newest }: AskContext): Ask[] =>
  newest > 0 ? [why('newest', { about: 'record', seq: newest }, 'why.ask.newest')] : [];

function podAsks(state: NodeState, uid: string, known: AskContext): Ask[] {
  const pod = state.pods[uid];
  if (!pod) return happened(known);
  const { phase } = pod;
  const ready = conditionOf(pod.status, 'Ready');
  const phaseAsk = why('phase', { about: 'field', uid, path: 'phase' }, 'why.ask.phase', { phase });
  const pending = whyNot('pending', { about: 'pending', uid }, 'why.ask.pending');
  return [
    // For a pod that does not run yet, "why not" comes first.
    ...(phase === '' || phase === 'Pending' ? [pending] : []),
    ...(phase === '' ? [] : [phaseAsk]),
    ...(ready === ''
      ? []
      : [why('ready', { about: 'field', uid, path: 'conditions.Ready.status' }, 'why.ask.ready', { ready })]),
    ...(phase !== '' && phase !== 'Pending' && phase !== 'Running' ? [pending] : []),
    ...(ready === 'True' ? [] : [whyNot('notReady', { about: 'ready', uid }, 'why.ask.notReady')]),
    ...workerAsks(pod),
    ...probeAsks(pod),
    ...happened(known),
  ];
}

function workerAsks(pod: PodView): Ask[] {
  const { uid } = pod;
  return [
    ...(pod.worker ? [why('worker', { about: 'worker', uid }, 'why.ask.worker')] : []),
    whyNot('workerNot', { about: 'worker', uid }, 'why.ask.workerNot'),
  ];
}

/**
 * Returns questions about probes. Liveness and startup probes may restart a container; readiness probes never do, and
 * the answer says so.
 */
function probeAsks(pod: PodView, container?: string): Ask[] {
  return Object.values(pod.probes)
    .filter((p) => container === undefined || p.container === container)
    .sort((a, b) => order(a.probeType) - order(b.probeType))
    .slice(0, MOST_PROBES)
    .map((p) =>
      whyNot(
        `probe-${p.probeType}-${p.container}-${pod.uid}`,
        { about: 'probe', uid: pod.uid, container: p.container, probeType: p.probeType },
        container === undefined ? 'why.ask.probe' : 'why.ask.probeHere',
        { probe: p.probeType, ...(container === undefined && { container: p.container }) },
      ),
    );
}
const order = (type: ProbeType): number => ({ liveness: 0, startup: 1, readiness: 2 })[type];

/** Returns further questions about a single record. */
function recordAsks(state: NodeState, record: TraceRecord | undefined): Ask[] {
  if (record?.kind !== 'probe' && record?.kind !== 'probe-result') return [];
  const pod = state.pods[record.uid];
  return pod ? probeAsks(pod, record.container).filter((a) => a.params?.probe === record.probeType) : [];
}

/** Returns the newest of a pod's containers of one name. */
function newestOf(state: NodeState, c: ContainerView): ContainerView {
  return Object.values(state.containers)
    .filter((o) => o.uid === c.uid && o.name === c.name)
    .reduce((a, b) => (b.attempt > a.attempt ? b : a), c);
}

/** The container of a selection, by id or by `uid/name`. */
export function containerIn(state: NodeState, id: string): ContainerView | undefined {
  return (
    state.containers[id] ??
    Object.values(state.containers).find((c) => `${c.uid}/${c.name}` === id && c.state !== 'removed')
  );
}

function containerAsks(state: NodeState, id: string, known: AskContext): Ask[] {
  const c = containerIn(state, id);
  if (!c) return happened(known);
  const { uid, name: container } = c;
  const latest = newestOf(state, c).id === c.id;
  const about = (what: 'start' | 'restart' | 'kill', seq: Seq | undefined): Question | null =>
    latest ? { about: 'container', uid, container, what } : seq ? { about: 'record', seq } : null;
  const first = c.attempt === 0;
  const started = about(first ? 'start' : 'restart', known.started);
  const ended = c.state === 'exited' || c.state === 'removed' ? about('kill', known.stopped) : null;
  const pod = state.pods[uid];
  return [
    ...(ended ? [why('ended', ended, 'why.ask.ended')] : []),
    ...(started ? [why('started', started, first ? 'why.ask.started' : 'why.ask.restarted')] : []),
    ...(ended && latest
      ? [whyNot('restartNot', { about: 'restart', uid, container }, 'why.ask.restartNot', { container })]
      : []),
    ...(pod && latest ? probeAsks(pod, container) : []),
    ...happened(known),
  ];
}

/** The status of a condition, `''` if the pod has none of that type. */
export function conditionOf(status: Json, type: string): string {
  const found = list(fields(status)?.conditions).find((c) => textOf(fields(c)?.type) === type);
  return textOf(fields(found)?.status);
}
