/** Folds lists of an observed kubelet's pods, for facts that no better source reports. */
import type { observed as observedKinds } from '../kinds/observed.js';
import type { Json, RecordOf } from '../records.js';
import { podOf } from './pods.js';
import type { ContainerView } from './runtime.js';
import type { NodeState } from './state.js';

export function reduceObserved(state: NodeState, record: RecordOf<keyof typeof observedKinds>): void {
  if (record.kind === 'pod-list') reducePodList(state, record);
}

function reducePodList(state: NodeState, record: RecordOf<'pod-list'>): void {
  const objects = Array.isArray(record.objects) ? (record.objects as readonly Json[]) : [];
  const listed = new Set<string>();
  for (const [i, ref] of record.pods.entries()) {
    listed.add(ref.uid);
    // A manifest has no UID yet: its reader knows the pod that it becomes.
    if (ref.uid === '') continue;
    const known = state.pods[ref.uid];
    const desired = record.removed !== true;
    if (desired ? !known?.desired : known?.desired) {
      const pod = podOf(state, ref, record);
      pod.desired = desired;
      pod.source ||= text(field(field(field(objects[i], 'metadata'), 'annotations'), 'kubernetes.io/config.source'));
    }
    if (desired && !state.actual) containersOf(state, record, ref.uid, field(objects[i], 'status'));
  }
  if (record.scope === 'one' || listed.has('')) return;
  for (const uid of Object.keys(state.pods)) {
    const pod = state.pods[uid];
    if (!pod?.desired || listed.has(uid)) continue;
    pod.desired = false;
    pod.lastSeq = record.seq;
    pod.lastTime = record.time;
  }
}

/** A container goes this way only: a list that is late changes nothing. */
const ORDER: readonly ContainerView['state'][] = ['unknown', 'created', 'running', 'exited', 'removed'];

function containersOf(state: NodeState, { time }: RecordOf<'pod-list'>, uid: string, status: Json | undefined): void {
  for (const list of ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses']) {
    for (const item of items(field(status, list))) {
      const now = field(item, 'state');
      const name = text(field(item, 'name'));
      const restarts = field(item, 'restartCount');
      const attempt = typeof restarts === 'number' ? restarts : 0;
      const last = field(field(item, 'lastState'), 'terminated');
      change(text(field(last, 'containerID')), 'exited', last, name, Math.max(0, attempt - 1));
      const ended = field(now, 'terminated');
      const to = ended !== undefined ? 'exited' : field(now, 'running') !== undefined ? 'running' : null;
      if (to) change(text(field(item, 'containerID')), to, ended, name, attempt);
    }
  }

  function change(
    containerID: string,
    to: 'running' | 'exited',
    ended: Json | undefined,
    name: string,
    attempt: number,
  ): void {
    // The id is written as `containerd://ID`.
    const id = containerID.replace(/^[\w.-]+:\/\//, '');
    const before = state.containers[id];
    if (id === '' || (before && ORDER.indexOf(before.state) >= ORDER.indexOf(to))) return;
    const exitCode = field(ended, 'exitCode');
    state.containers[id] = {
      id,
      sandbox: before?.sandbox ?? '',
      uid,
      name,
      attempt,
      state: to,
      exitCode: typeof exitCode === 'number' ? exitCode : (before?.exitCode ?? null),
      reason: text(field(ended, 'reason')) || (before?.reason ?? ''),
      since: time,
    };
  }
}

const field = (value: Json | undefined, key: string): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, key)
    ? (value as { readonly [key: string]: Json | undefined })[key]
    : undefined;
const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const items = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
