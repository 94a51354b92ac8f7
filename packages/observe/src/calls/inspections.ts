/** After a change the PLEG asks for the status of each sandbox and container of the pod, and writes its cache. */
import type { Json, ObservedContainer, Seq } from '@syncloop/core/trace';
import { field, text } from '../cri/subjects.js';
import type { ReturnEvidence } from '../evidence/index.js';
import type { Change, ListedPod } from './lists.js';
import type { Pair } from './relists.js';

export interface Inspection {
  readonly pod: ListedPod;
  readonly changes: readonly Change[];
  /** The lists that showed the changes. */
  readonly pair: Pair;
  /** Ids whose status is still to come. */
  readonly missing: Set<string>;
  readonly statuses: Map<string, { readonly status: Json; readonly seq: Seq }>;
  failed: boolean;
}

export function newInspection(pod: ListedPod, changes: Inspection['changes'], pair: Pair): Inspection {
  const missing = new Set(pod.items.map(({ id }) => id));
  return { pod, changes, pair, missing, statuses: new Map(), failed: false };
}

/** Takes the return of a status call that began at `began`; whether it belongs to the inspection. */
export function inspect(one: Inspection, evidence: ReturnEvidence, began: number, seq: Seq): boolean {
  const { method, subject = {}, error, response } = evidence;
  const id = method === 'PodSandboxStatus' ? subject.sandbox : method === 'ContainerStatus' ? subject.container : '';
  if (!id || began < one.pair.end || !one.pod.items.some((item) => item.id === id)) return false;
  if (error) one.failed = true;
  else {
    one.missing.delete(id);
    one.statuses.set(id, { status: field(response ?? null, 'status') ?? null, seq });
  }
  return true;
}

/** Returns the exit code of a container and the record that reports it; undefined if there is none. */
export function exitOf(one: Inspection, { item, new: now }: Change): { exitCode: number; seq: Seq } | undefined {
  const found = item.sandbox || now !== 'exited' ? undefined : one.statuses.get(item.id);
  if (!found || text(found.status, 'state') !== 'CONTAINER_EXITED') return undefined;
  return { exitCode: Number(field(found.status, 'exitCode') ?? 0), seq: found.seq };
}

/** The pod in the cache after it. */
export function cached(one: Inspection): { sandboxes: ObservedContainer[]; containers: ObservedContainer[] } {
  const sandboxes: ObservedContainer[] = [];
  const containers: ObservedContainer[] = [];
  for (const { id, sandbox } of one.pod.items) {
    const status = one.statuses.get(id)?.status ?? null;
    const attempt = Number(field(status, 'metadata', 'attempt') ?? 0);
    const restartCount = Number(text(status, 'annotations', 'io.kubernetes.container.restartCount') || attempt);
    if (sandbox) {
      const ip = text(status, 'network', 'ip');
      const state = text(status, 'state') === 'SANDBOX_NOTREADY' ? 'exited' : 'running';
      sandboxes.push({ id, name: '', state, restartCount: attempt, ...(ip && { ip }) });
    } else {
      const state = STATES[text(status, 'state') || 'CONTAINER_CREATED'] ?? 'unknown';
      const reason = text(status, 'reason');
      const ended = state === 'exited' && { exitCode: Number(field(status, 'exitCode') ?? 0) };
      const name = text(status, 'metadata', 'name');
      containers.push({ id, name, state, restartCount, ...ended, ...(reason && { reason }) });
    }
  }
  return { sandboxes, containers };
}

const STATES: { readonly [state: string]: ObservedContainer['state'] } = {
  CONTAINER_CREATED: 'created',
  CONTAINER_RUNNING: 'running',
  CONTAINER_EXITED: 'exited',
};
