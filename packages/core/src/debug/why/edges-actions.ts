/** Causes of what a sync decides and does: computePodActions, back-off, starting and stopping. */
import type { RecordOf, Seq } from '../../trace/index.js';
import { type Edge, type Focus, main, ownCause, shallow, side } from './edge.js';
import { cacheReadEdges } from './edges-runtime.js';
import type { RecordIndex } from './record-index.js';
import { between, lastBefore } from './seq-lists.js';

/** Verdicts that leave things as they are. */
const idle = /^(keep|unchanged|skip|leave alone|wait|initialized|goes on|present)/;
/** Made from the pod's status as in the cache. */
const fromStatus: ReadonlySet<string> = new Set([
  'ShouldContainerBeRestarted',
  'computePodActions',
  'containerSucceeded',
  'PodSandboxChanged',
  'computeInitContainerActions',
  'containerChanged',
  'livenessManager',
  'startupManager',
  'keepCount',
  'RestartAllContainers',
  'shouldRestartOnFailure',
  'HasAnyRegularContainerCreated',
  'getPhase',
  'convertToAPIContainerStatuses',
  'ephemeral container',
]);

export function decisionEdges(ix: RecordIndex, r: RecordOf<'decision'>): Edge[] {
  const own = main(ownCause(ix, r));
  switch (r.rule) {
    case 'getPodsToSync': {
      const deadline = r.verdict === 'due' ? 0 : lastRule(ix, r, 'pastActiveDeadline', r.seq);
      return deadline ? [...main(deadline), ...shallow(r.cause)] : own;
    }
    case 'SyncPod: terminal':
      return [
        ...main(
          lastRule(ix, r, 'generateAPIPodStatus', r.seq, r.span) ||
            lastRule(ix, r, 'getPhase', r.seq, r.span) ||
            r.cause,
        ),
        ...shallow(r.cause),
      ];
    case 'generateAPIPodStatus': {
      const deadline = r.verdict.startsWith('evicted') ? lastRule(ix, r, 'pastActiveDeadline', r.seq) : 0;
      return [...own, ...shallow(deadline), ...shallow(lastRule(ix, r, 'getPhase', r.seq, r.span))];
    }
    case 'doBackOff': {
      const state = lastBefore(ix.of(r.uid, 'backoff'), r.seq, (s) => ix.get(s)?.g === r.g, r.span);
      return state ? main(state) : own;
    }
    case 'livenessManager':
    case 'startupManager': {
      const type = r.rule === 'livenessManager' ? 'liveness' : 'startup';
      const result = lastBefore(ix.of(r.uid, 'probe-result'), r.seq, (s) => {
        const p = ix.as(s, 'probe-result');
        return p?.probeType === type && p.container === r.container && p.result === 'Failure';
      });
      return [...own, ...side(result)];
    }
  }
  const ended = r.basis && r.rule === 'computePodActions' && r.verdict === 'start' ? endBefore(ix, r) : 0;
  if (ended) return [...main(ended), ...side(r.cause)];
  if (!fromStatus.has(r.rule)) return own;
  const read = cacheReadEdges(ix, r);
  if (r.rule === 'ShouldContainerBeRestarted' && cameMeanwhile(ix, r, read[0]?.seq))
    return [...main(read[0]?.seq ?? 0), ...side(ownCause(ix, r))];
  return [...own, ...read, ...unstarted(ix, r)];
}

/**
 * Returns true if the worker had begun for another reason and waited for a newer entry of the cache when this one came:
 * what the entry tells is why, not what the worker began for. PLEG's own event comes too late to be it.
 */
function cameMeanwhile(ix: RecordIndex, r: RecordOf<'decision'>, entry: Seq | undefined): boolean {
  const begun = lastBefore(ix.works.of(r.g), r.seq);
  if (begun === 0 || entry === undefined || entry < begun) return false;
  // Otherwise the beginning of this sync is held no longer, and what was found is that of an earlier one.
  return lastBefore(ix.of(r.uid, 'work-done'), r.seq, (s) => ix.get(s)?.g === r.g, begun) === 0;
}

/**
 * Finds the end of a container that is started again: an observed kubelet's log tells no status, but what its PLEG saw.
 */
function endBefore(ix: RecordIndex, r: RecordOf<'decision'>): Seq {
  return lastBefore(ix.of(r.uid, 'pleg-transition'), r.seq, (s) => {
    const t = ix.as(s, 'pleg-transition');
    return t?.name === r.container && t?.new === 'exited';
  });
}

/** A container that was made but does not run: the start that failed. */
function unstarted(ix: RecordIndex, r: RecordOf<'decision'>): Edge[] {
  const status = r.values.status as { readonly id?: unknown; readonly state?: unknown } | null | undefined;
  if (typeof status?.id !== 'string' || (status.state !== 'created' && status.state !== 'unknown')) return [];
  const call = lastBefore(
    ix.callsOn.of(status.id.replace(/^.*:\/\//, '')),
    r.seq,
    (s) => ix.as(s, 'cri-call')?.method === 'StartContainer',
  );
  const answer = ix.as(ix.answerTo(call), 'cri-return');
  return answer?.error ? side(answer.seq) : [];
}

function lastRule(ix: RecordIndex, r: { uid?: string; g: number }, rule: string, before: Seq, from: Seq = 0): Seq {
  return lastBefore(
    ix.of(r.uid, 'decision'),
    before,
    (s) => ix.as(s, 'decision')?.rule === rule && (from === 0 || ix.get(s)?.g === r.g),
    from,
  );
}

/** A back-off check, and what computePodActions found: both follow from the decisions before them in the same sync. */
export function actionEdges(ix: RecordIndex, r: RecordOf<'backoff' | 'pod-actions'>, focus: Focus): Edge[] {
  if (r.kind === 'backoff') {
    if (r.of === 'image-pull') return pullBackoffEdges(ix, r);
    const actions = lastBefore(ix.of(r.uid, 'pod-actions'), r.seq, (s) => ix.get(s)?.g === r.g, r.span);
    return main(actions || r.cause);
  }
  const made = between(ix.of(r.uid, 'decision'), r.span, r.seq).filter((s) => ix.as(s, 'decision')?.g === r.g);
  const rule = (s: Seq) => ix.as(s, 'decision') as RecordOf<'decision'>;
  const active = made.filter((s) => !idle.test(rule(s).verdict));
  const sandbox = active.find((s) => rule(s).rule === 'PodSandboxChanged');
  const mine =
    focus.container === undefined || focus.uid !== r.uid
      ? undefined
      : made.filter((s) => rule(s).container === focus.container).at(-1);
  const first = sandbox ?? (mine !== undefined && !idle.test(rule(mine).verdict) ? mine : undefined) ?? active.at(-1);
  if (first === undefined) return [...main(r.cause), ...shallow(mine ?? 0)];
  // A decision about another container would not be why.
  const foreign =
    mine !== undefined &&
    first !== sandbox &&
    rule(first).container !== undefined &&
    rule(first).container !== focus.container;
  return [...main(foreign ? (mine as Seq) : first), ...shallow(mine ?? 0)];
}

function pullBackoffEdges(ix: RecordIndex, r: RecordOf<'backoff'>): Edge[] {
  const failed = lastBefore(ix.callsFor.of(r.uid), r.seq, (s) => {
    const answer = ix.as(ix.answerTo(s), 'cri-return');
    return answer?.method === 'PullImage' && answer.error !== undefined && answer.seq < r.seq;
  });
  const answer = failed ? ix.answerTo(failed) : 0;
  return r.active && answer ? [...main(answer), ...side(r.cause)] : [...main(r.cause), ...side(answer)];
}

type Args = { readonly [key: string]: unknown };

/** Functions that do what was decided go back to the decision. */
export function enterEdges(ix: RecordIndex, r: RecordOf<'enter'>): Edge[] {
  const own = ownCause(ix, r);
  const args: Args = typeof r.args === 'object' && r.args !== null ? (r.args as Args) : {};
  switch (r.fn) {
    case 'startContainer': {
      const uid = typeof args.uid === 'string' ? args.uid : undefined;
      const here = (s: Seq) => ix.get(s)?.g === r.g;
      const checked = lastBefore(
        ix.of(uid, 'backoff'),
        r.seq,
        (s) => here(s) && ix.as(s, 'backoff')?.container === args.container,
        r.span,
      );
      return main(checked || actionsBefore(ix, r, uid) || own);
    }
    case 'killContainer': {
      // A container whose postStart hook failed is killed by its own start.
      const c =
        typeof args.containerID === 'string' ? ix.names.container(args.containerID.replace(/^.*:\/\//, '')) : undefined;
      const hook = lastBefore(
        ix.eventsOf.of(c?.uid ?? ''),
        r.seq,
        (s) => ix.get(s)?.g === r.g && ix.as(s, 'kube-event')?.reason === 'FailedPostStartHook',
        Math.max(r.span, 1),
      );
      return main(hook || actionsOfSync(ix, r) || own);
    }
    case 'killPodWithSyncResult':
    case 'createPodSandbox':
      return main(actionsOfSync(ix, r) || own);
  }
  return main(own);
}

/** Finds the result of computePodActions, for a function that the same sync calls. */
function actionsOfSync(ix: RecordIndex, r: RecordOf<'enter'>): Seq {
  const sync = ix.as(r.span, 'enter');
  if (sync?.fn !== 'kuberuntime.SyncPod') return 0;
  const { uid } = (sync.args ?? {}) as Args;
  return typeof uid === 'string' ? actionsBefore(ix, r, uid) : 0;
}

function actionsBefore(ix: RecordIndex, r: RecordOf<'enter'>, uid: string | undefined): Seq {
  return lastBefore(ix.of(uid, 'pod-actions'), r.seq, (s) => ix.get(s)?.g === r.g, r.span);
}

/** The uid of the pod whose container a call is about, if both are known. */
const podOf = (ix: RecordIndex, { container }: RecordOf<'cri-call'>): string | undefined =>
  container === undefined ? undefined : ix.names.container(container)?.uid;

/** The kill of which this call is a part. */
export const killOf = (ix: RecordIndex, r: RecordOf<'cri-call'>): Seq =>
  lastBefore(
    ix.of(podOf(ix, r), 'kill'),
    r.seq,
    (s) => ix.as(s, 'kill')?.id === r.container && ix.get(s)?.g === r.g,
    r.span,
  );

/** The order to kill, and the decision on how long the container may take to stop. */
export function killEdges(ix: RecordIndex, r: RecordOf<'kill'>): Edge[] {
  const call = ix.as(r.cause, 'cri-call');
  return [...main(call ? call.cause : r.cause), ...shallow(stopDecision(ix, r))];
}

/** Finds what the log of an observed kubelet reported of a kill, or else what ended the pod, before its event. */
export function killingReported(ix: RecordIndex, r: RecordOf<'kube-event'>): Seq {
  const { uid, fieldPath } = r.object;
  const container = /\{([^}]*)\}/.exec(fieldPath)?.[1];
  const kill = lastBefore(ix.of(uid, 'kill'), r.seq, (s) => ix.as(s, 'kill')?.container === container);
  // The event is recorded before a preStop hook runs, and its line is written a moment later.
  const ordered = Math.max(
    lastBefore(ix.of(uid, 'decision'), r.seq, (s) => {
      const d = ix.as(s, 'decision');
      return d?.container === container && d?.verdict === 'kill';
    }),
    lastBefore(ix.of(uid, 'worker'), r.seq, (s) => ix.as(s, 'worker')?.state === 'terminating'),
  );
  return kill > ordered ? kill : ordered || kill;
}

/** Finds the decision on how long a container may take to stop. */
export function stopDecision(ix: RecordIndex, r: RecordOf<'cri-call' | 'kill'>): Seq {
  return lastBefore(
    ix.of(r.kind === 'kill' ? r.uid : podOf(ix, r), 'decision'),
    r.seq,
    (s) => ix.as(s, 'decision')?.rule === 'setTerminationGracePeriod' && ix.get(s)?.g === r.g,
    r.span,
  );
}

interface Result {
  readonly target?: unknown;
  readonly error?: unknown;
}

/** A return follows from its call; a sync that could not start something, also from what kept it from that. */
export function exitEdges(ix: RecordIndex, r: RecordOf<'exit'>, focus: Focus): Edge[] {
  const edges = main(r.of || r.cause);
  if (r.fn !== 'kuberuntime.SyncPod')
    return r.error === undefined
      ? edges
      : [...edges, ...side(lastBefore(ix.failures.of(r.g), r.seq, () => true, r.of))];
  const call = ix.as(r.of, 'enter');
  const uid = (call?.args as Args | undefined)?.uid as string | undefined;
  const results = (r.result as { results?: readonly Result[] } | undefined)?.results ?? [];
  const failed =
    results.find((x) => x.error && (focus.container === undefined || x.target === focus.container)) ??
    results.find((x) => x.error);
  if (!failed || uid === undefined) return edges;
  const container = typeof failed.target === 'string' ? failed.target : undefined;
  const about = (c: string | undefined) => c === undefined || c === container;
  const found = Math.max(
    lastBefore(
      ix.of(uid, 'backoff'),
      r.seq,
      (s) => ix.as(s, 'backoff')?.active === true && about(ix.as(s, 'backoff')?.container),
      r.of,
    ),
    lastBefore(
      ix.of(uid, 'decision'),
      r.seq,
      (s) => {
        const d = ix.as(s, 'decision');
        return (
          d?.container === container &&
          (d?.verdict === failed.error || /^(Err|Invalid|ImageInspect|Registry|Signature)/.test(d?.verdict ?? ''))
        );
      },
      r.of,
    ),
    lastBefore(ix.failures.of(r.g), r.seq, () => true, r.of),
  );
  const pull = /ImagePull|RegistryUnavailable|SignatureValidation/.test(String(failed.error))
    ? lastBefore(ix.callsFor.of(uid), r.seq, (s) => {
        const answer = ix.as(ix.answerTo(s), 'cri-return');
        return answer?.method === 'PullImage' && answer.error !== undefined && answer.seq < r.seq;
      })
    : 0;
  const backoff = ix.as(found, 'backoff');
  const first = backoff ? found : pull > r.of ? ix.answerTo(pull) : found || (pull && ix.answerTo(pull));
  return first ? [...main(first), ...side(r.of)] : edges;
}
