/** Rules for pods and containers: they end, start, leave. */
import type { Json, RecordOf, TraceRecord } from '../../trace/index.js';
import { containersOf } from '../findings/rules.js';
import { classifyOfPod } from './errors.js';
import { kindRows } from './kinds.js';
import type { Sign } from './sign.js';
import type { IncidentState } from './state.js';

interface Ended {
  readonly id: string;
  readonly pod: string;
  readonly uid: string;
  readonly name: string;
  readonly code: number;
  readonly reason?: string | undefined;
}

/** Returns the sign of a container that ended; none if the kubelet killed it, or if it was known to have ended. */
export function ended(record: TraceRecord, state: IncidentState, c: Ended): Sign[] {
  const past = state.past.of(c.uid, c.pod);
  const container = c.name || state.past.containerName(past, c.id);
  const killed = state.past.isKilled(past, container, record.time);
  if (!state.past.endsFirst(c.id)) return [];
  const known = past.containers.get(container);
  if (known?.id === c.id) known.startedAt = -1;
  const about = { pod: c.pod || past.name, uid: c.uid, container };
  if (c.reason === 'OOMKilled') return [{ kind: 'oom', ...about, facts: { exitCode: c.code, id: c.id } }];
  if (c.code === 0 || killed) return [];
  return [
    { kind: 'container-exit', ...about, facts: { exitCode: c.code, id: c.id, ...(c.reason && { reason: c.reason }) } },
  ];
}

/** A container has started: whatever kept it from starting is over. */
export function startOf(
  record: TraceRecord,
  state: IncidentState,
  uid: string,
  pod: string,
  container: string,
  id: string,
): Sign[] {
  const past = state.past.of(uid, pod);
  const known = state.past.container(past, container);
  const again = id !== '' && known.id === id;
  if (id !== '') known.id = id;
  if (again) return [];
  known.startedAt = record.time;
  past.endedAt = -1;
  past.done = false;
  state.problems.endAt(
    { pod, uid },
    (p) =>
      (kindRows[p.kind].untilStart === true || p.kind === 'container-exit' || p.kind === 'sandbox-died') &&
      (kindRows[p.kind].scope === 'pod' || p.container === container || container === ''),
    record.time,
    'healed',
  );
  return [];
}

/** A kubelet that ends a pod ends its sandbox last: it takes no longer than a grace period. */
const ENDED_WITHIN = 40e6;
const FIRST_LOOK = 5e6;

/**
 * The kubelet finds no ready sandbox: it died, unless the pod is over or on its way, as when the kubelet itself has
 * ended the pod's last containers.
 */
export function sandboxDied(
  record: TraceRecord & { readonly pod?: string | undefined; readonly uid?: string | undefined },
  state: IncidentState,
  reason: string,
): Sign[] {
  if (!/No ready sandbox|sandbox (for pod )?has changed/i.test(reason)) return [];
  // A log that begins now does not have its sandbox, if there was one.
  if (/No ready sandbox/i.test(reason) && !state.past.has(record.uid ?? '', record.pod)) return [];
  const past = state.past.of(record.uid ?? '', record.pod);
  const about = { pod: record.pod, uid: record.uid };
  // It had died before this kubelet looked, as after a restart of the node.
  if (past.seenAt >= 0 && record.time - past.seenAt < FIRST_LOOK && !past.started)
    return [{ kind: 'starting', part: 'sandboxes', what: reason }];
  if (state.problems.goesOn('sandbox-died', about)) return [{ kind: 'sandbox-died', ...about }];
  const own = past.endedAt >= 0 && record.time - past.endedAt < ENDED_WITHIN;
  // It never had one; or the PLEG, which reports this pod, has seen no sandbox of it end.
  const never = past.added && !past.started;
  const unseen = past.started && (past.sandboxDiedAt < 0 || record.time - past.sandboxDiedAt > ENDED_WITHIN);
  // Nothing ran in it any more: it was ended with the pod, which is complete.
  if (past.started && past.sandboxLast) return [];
  // The kubelet knew before the PLEG did: it has ended the sandbox itself, as that of a pod which is over.
  if (unseen) past.endedAt = record.time;
  return past.leaving || past.done || own || never || unseen ? [] : [{ kind: 'sandbox-died', ...about }];
}

/** A pod is deleted, or its source no longer has it. */
export function leave(
  record: RecordOf<'pod-config'>,
  state: IncidentState,
  pod: { readonly pod: string; readonly uid: string },
  how: 'deleted' | 'removed' | 'unmanaged',
): Sign[] {
  const past = state.past.of(pod.uid, pod.pod);
  const before = past.leaving;
  past.leaving ??= { why: how, time: record.time, seq: record.seq };
  if (how === 'deleted') return before ? [] : [{ kind: 'pod-deleted', ...pod }];
  if (how === 'unmanaged') return before ? [] : [{ kind: 'pod-deleted', ...pod, facts: { how: 'manifest' } }];
  // The API server has no such pod: it was deleted at once, or is gone after its grace.
  past.gone = true;
  state.podGone(past, record.time);
  // After a grace period its containers have ended before the API server forgets it.
  if (past.working && (before === null || before.why === 'deleted')) return [{ kind: 'force-deleted', ...pod }];
  return before === null ? [{ kind: 'pod-deleted', ...pod }] : [];
}

const objectOf = (value: Json | undefined): { readonly [key: string]: Json | undefined } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as { readonly [key: string]: Json | undefined })
    : {};
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
/** Waiting reasons that are not trouble. */
const WAITS = new Set(['ContainerCreating', 'PodInitializing', '']);
/** Reasons of a failed pod, by which it was ended on purpose. */
const POD_REASONS: { readonly [reason: string]: Sign['kind'] } = {
  DeadlineExceeded: 'deadline',
  Evicted: 'eviction',
  Preempting: 'eviction',
  Terminated: 'shutdown',
  NodeShutdown: 'shutdown',
};

/** A pod's status reports ends and starts of containers, the reasons why they wait, and how the pod ended. */
export function statusSigns(r: RecordOf<'status'>, state: IncidentState): Sign[] {
  const past = state.past.of(r.uid, r.pod);
  const signs: Sign[] = [];
  const about = { pod: r.pod, uid: r.uid };
  const status = objectOf(r.status);
  for (const { name, running, ends } of containersOf(r.status)) {
    for (const end of ends)
      signs.push(...ended(r, state, { ...about, name, id: end.id, code: end.exitCode, reason: end.reason }));
    if (running !== '' && past.containers.get(name)?.id !== running) startOf(r, state, r.uid, r.pod, name, running);
  }
  if (past.leaving === null)
    for (const list of [status.initContainerStatuses, status.containerStatuses])
      for (const one of Array.isArray(list) ? (list as readonly Json[]) : []) {
        const c = objectOf(one);
        const { reason, message } = objectOf(objectOf(c.state).waiting);
        const text = `${textOf(reason)}: ${textOf(message)}`;
        if (WAITS.has(textOf(reason))) continue;
        const found = classifyOfPod(text);
        if (found)
          signs.push({
            kind: found.kind,
            ...about,
            container: textOf(c.name),
            what: textOf(message) || textOf(reason),
            facts: { reason: found.reason ?? textOf(reason) },
          });
      }
  const reason = textOf(status.reason);
  const message = textOf(status.message);
  if (status.phase === 'Failed' && reason !== '') {
    const kind = POD_REASONS[reason] ?? 'admission';
    signs.push({ kind, ...about, what: message, facts: { reason, phase: 'Failed' } });
  } else if (status.phase === 'Succeeded' && past.leaving === null) signs.push({ kind: 'pod-completed', ...about });
  return signs;
}
