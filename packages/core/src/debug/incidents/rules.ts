/** The incident that each record is a sign of, by its kind; and what the record says about pods, for later ones. */
import type { RecordKind, TraceRecord } from '../../trace/index.js';
import { classify, classifyOfPod, GIVEN_UP } from './errors.js';
import { signsOfEvent } from './events.js';
import { ended, leave, sandboxDied, startOf, statusSigns } from './pods.js';
import { rulesOfNode } from './rules-node.js';
import { about, healed, kindOfMethod, type Sign } from './sign.js';
import type { IncidentState, Rules } from './state.js';
import { signOfSymptom } from './symptoms.js';

const NOT_FOUND = 5;
const PROBES = { liveness: 'probe-liveness', readiness: 'probe-readiness', startup: 'probe-startup' } as const;
const containerOfError = (error: string): string =>
  /failed to "(?:Start|Create|Kill|Init)\w*Container" for "([^"]+)"/.exec(error)?.[1] ?? '';

/** An error at a pod. */
function ofPod(text: string, of: Partial<Sign>, fallback: Sign['kind']): Sign {
  const found = classifyOfPod(text) ?? { kind: fallback };
  return { ...of, kind: found.kind, what: text, ...(found.reason && { facts: { reason: found.reason } }) };
}

/** Containers of one pod that are remembered as running. */
const MOST_RUNNING = 64;

const rules: Rules = {
  ...rulesOfNode,
  symptom: (r, state) => {
    const sign = signOfSymptom(r);
    if (sign?.kind === 'sandbox-died') return sandboxDied(r, state, String(r.facts.reason ?? r.facts.error ?? ''));
    // A request that the API server does not answer: its error may say why.
    const why = sign && !sign.healed && ASKS.has(sign.kind) ? classify(sign.what ?? '')?.kind : undefined;
    return sign && why !== undefined && REFUSALS.has(why) ? [{ kind: why, what: sign.what }, sign] : sign;
  },
  'kube-event': (r, state) => {
    if (r.object.kind === 'Pod' && r.reason === 'Killing') {
      const container = /\{(.+)\}/.exec(r.object.fieldPath)?.[1] ?? '';
      return killing(r, state, r.object.uid, `${r.object.namespace}/${r.object.name}`, container, r.message);
    }
    if (r.object.kind === 'Pod' && r.reason === 'Started')
      return startOf(
        r,
        state,
        r.object.uid,
        `${r.object.namespace}/${r.object.name}`,
        /\{(.+)\}/.exec(r.object.fieldPath)?.[1] ?? '',
        '',
      );
    return signsOfEvent(r);
  },
  'pod-config': (r, state) => {
    state.reached = true;
    if (r.source === 'api' && r.pods.length > 0) state.problems.answered(['api-unreachable', 'api-refused'], r.time);
    if (r.op === 'DELETE') return r.pods.flatMap((pod) => leave(r, state, pod, 'deleted'));
    if (r.op === 'REMOVE')
      return r.pods.flatMap((pod) => leave(r, state, pod, r.source === 'api' ? 'removed' : 'unmanaged'));
    for (const pod of r.pods) {
      const past = state.past.of(pod.uid, pod.pod);
      if (r.op === 'ADD') past.added = true;
      if (past.seenAt < 0) past.seenAt = r.time;
    }
    return null;
  },
  worker: (r, state) => {
    const past = state.past.of(r.uid, r.pod);
    if (r.state === 'sync') {
      past.leaving = null;
      past.gone = false;
      past.working = true;
      return null;
    }
    if (r.state === 'finished' || r.state === 'removed' || r.state === 'terminated') {
      past.leaving ??= { why: 'ended', time: r.time, seq: r.seq };
      past.working = false;
      if (r.state !== 'terminated') gone(r, state);
      return null;
    }
    past.leaving ??= { why: r.reason, time: r.time, seq: r.seq };
    return null;
  },
  'status-removed': (r, state) => {
    gone(r, state);
    return null;
  },
  status: (r, state) => statusSigns(r, state),
  'pleg-transition': (r, state) =>
    r.sandbox === true || r.exitCode === undefined
      ? null
      : ended(r, state, { ...r, name: r.name ?? '', code: r.exitCode }),
  cache: (r, state) =>
    r.containers.flatMap((c) =>
      c.state === 'exited' && c.exitCode !== undefined
        ? ended(r, state, { ...about(r), uid: r.uid, pod: r.pod, ...c, code: c.exitCode })
        : [],
    ),
  'actual-container': (r, state) =>
    r.exitCode === undefined ? null : ended(r, state, { ...r, pod: state.past.nameOf(r.uid), code: r.exitCode }),
  'pleg-event': (r, state) => {
    // The PLEG has listed the containers.
    state.problems.answered(['runtime-down', 'pleg-unhealthy'], r.time);
    const past = state.past.of(r.uid, r.pod);
    if (r.type === 'ContainerStarted') {
      past.started = true;
      if (past.running.size < MOST_RUNNING) past.running.add(r.data);
    } else if (r.type === 'ContainerDied') {
      past.running.delete(r.data);
      if (r.name === '' || (r.name === undefined && !state.past.hasEnded(r.data))) {
        past.sandboxDiedAt = r.time;
        past.sandboxLast = past.running.size === 0;
      }
    }
    return r.type === 'ContainerStarted' && r.name !== ''
      ? startOf(r, state, r.uid, r.pod, r.name ?? '', r.data)
      : null;
  },
  kill: (r, state) => {
    const past = state.past.of(r.uid, r.pod);
    state.past.container(past, r.container).killedAt = r.time;
    // Without a reason it ends the pod, or all that was in a sandbox that is gone.
    if (r.reason === undefined) past.endedAt = r.time;
    return null;
  },
  'work-done': (r, state) => {
    if (r.error === undefined || GIVEN_UP.test(r.error)) return r.workType === 'sync' ? synced(r, state) : null;
    return ofPod(
      r.error,
      { ...about(r), container: containerOfError(r.error) },
      r.workType === 'sync' ? 'sync-failed' : 'kill-failed',
    );
  },
  probe: (r) =>
    r.outcome === 'failure' && !GIVEN_UP.test(r.output)
      ? {
          kind: PROBES[r.probeType],
          ...about(r),
          container: r.container,
          what: r.output,
          facts: { probe: r.probeType },
        }
      : r.outcome === 'success'
        ? healed(PROBES[r.probeType], { ...about(r), container: r.container })
        : null,
  // A container that does not run has the result Failure, too: only probes say that one failed.
  'probe-result': (r) =>
    r.result === 'Success' ? healed(PROBES[r.probeType], { ...about(r), container: r.container }) : null,
  backoff: (r) =>
    r.active
      ? {
          kind: r.of === 'crash-loop' ? 'crash-loop' : 'image',
          ...about(r),
          container: r.container,
          ...(r.delay !== undefined && { facts: { delay: `${Math.round(r.delay / 1e6)}s` } }),
        }
      : null,
  volume: (r) => {
    const release = r.op === 'volume_unmount';
    if (r.error !== undefined) {
      const fallback = release ? 'volume-release' : 'volume-mount';
      const sign = ofPod(r.error, about(r), fallback);
      // A volume that cannot be released was mounted: the words of its error may be those of a mount.
      const own = release ? sign.kind === 'disk-full' : OF_VOLUME.test(sign.kind);
      const kind = own ? sign.kind : fallback;
      return { ...sign, kind, facts: { volume: r.volume, plugin: r.plugin } };
    }
    return r.phase === 'done' ? healed(release ? 'volume-release' : 'volume-mount', about(r)) : null;
  },
  'cri-return': (r, state) => {
    const { error } = r;
    const of = r.uid ? { uid: r.uid, pod: state.past.nameOf(r.uid) } : {};
    if (!error) return state.isOpen('runtime-down') ? healed('runtime-down') : null;
    if (error.code === NOT_FOUND || GIVEN_UP.test(error.details)) return null;
    const method = kindOfMethod(r.method);
    // A call that only looks, or runs a probe, fails with the container that it is about; others say more of that.
    if (method === undefined && !WHOLE.has(classify(error.details)?.kind ?? '')) return null;
    const sign = ofPod(error.details, of, method ?? 'sync-failed');
    const kind =
      (sign.kind === 'runtime-slow' && method === 'kill-failed') || (method === 'sandbox' && OF_RUNC.has(sign.kind))
        ? method
        : sign.kind;
    return { ...sign, kind, facts: { ...sign.facts, method: r.method } };
  },
  'actual-image': () => null,
  decision: (r, state) => {
    if (r.rule === 'canAdmitPod' && r.verdict !== 'admit') return { kind: 'admission', ...about(r), what: r.verdict };
    if (r.rule === 'computePodActions' && r.verdict === 'kill' && typeof r.values.message === 'string')
      return killing(r, state, r.uid ?? '', r.pod ?? '', r.container ?? '', r.values.message);
    // A container that started in the future: the clock was ahead then, and nobody probes it until it has caught up.
    if (r.rule === 'doProbe' && Number(r.values.ageSeconds) < 0)
      return {
        kind: 'clock-jumped',
        what: `${r.container} of ${r.pod} started ${-Number(r.values.ageSeconds)} s in the future`,
      };
    if (r.rule === 'PodSandboxChanged') return sandboxDied(r, state, r.verdict);
    if (r.rule === 'getPhase') state.past.of(r.uid ?? '', r.pod).done = /^(Succeeded|Failed)$/.test(r.verdict);
    return null;
  },
};

const ASKS: ReadonlySet<string> = new Set(['lease', 'node-not-registered', 'api-unreachable']);
const REFUSALS: ReadonlySet<string> = new Set(['certificate-invalid', 'clock-jumped', 'api-refused']);
/** The kinds that the error of a volume can show, which is never that of a call to the runtime. */
const OF_VOLUME = /^(volume-|config-missing|disk-full)/;

/** The kinds of a container that runc cannot run: one of a sandbox is that of the sandbox. */
const OF_RUNC: ReadonlySet<string> = new Set(['container-create', 'container-start']);
/** The kinds that a failed call of any method can show. */
const WHOLE: ReadonlySet<string> = new Set(['runtime-down', 'runtime-slow', 'disk-full']);
/** A sync without an error: what stood in its way is over. */
function synced(r: { readonly pod: string; readonly uid: string }, state: IncidentState): Sign[] {
  state.past.of(r.uid, r.pod);
  return OF_SYNC.filter((kind) => state.isOpen(kind)).map((kind) => healed(kind, about(r)));
}
const OF_SYNC = ['sync-failed', 'sandbox', 'network-setup', 'volume-mount', 'volume-attach', 'name-reserved'] as const;

/** The kubelet kills a container that is to start again, or one of a pod that ends. */
function killing(
  r: TraceRecord,
  state: IncidentState,
  uid: string,
  pod: string,
  container: string,
  message: string,
): Sign | null {
  state.past.container(state.past.of(uid, pod), container).killedAt = r.time;
  const probe = /(liveness|startup) probe/i.exec(message)?.[1]?.toLowerCase();
  if (probe !== undefined)
    return { kind: PROBES[probe as 'liveness' | 'startup'], pod, uid, container, facts: { probe, killed: 'yes' } };
  return /definition changed|resize/i.test(message)
    ? { kind: 'spec-changed', pod, uid, container, what: message }
    : null;
}
/** The pod is not there any more: what it suffered from is over. */
function gone(r: { readonly uid: string; readonly pod: string; readonly time: number }, state: IncidentState): void {
  const past = state.past.of(r.uid, r.pod);
  past.gone = true;
  state.podGone(past, r.time);
}

/** True if records of this kind are looked at. */
export const hasRule = (kind: RecordKind): boolean => kind in rules;

const NO_SIGNS: readonly Sign[] = [];
/** Returns what a record is a sign of. */
export function signsOf(record: TraceRecord, state: IncidentState): readonly Sign[] {
  const rule = rules[record.kind] as
    | ((record: TraceRecord, state: IncidentState) => Sign | null | undefined | readonly Sign[])
    | undefined;
  const found = rule?.(record, state);
  if (!found) return NO_SIGNS;
  return Array.isArray(found) ? found : [found as Sign];
}
