/** Objects that several kinds of records hold. */
import { boolean, json, list, maybe, micros, number, object, text, word } from './field.js';

const podRefFields = {
  /** `namespace/name`, as klog prints a pod. */
  pod: text,
  uid: text,
};
export const podRefs = list('pods', object(podRefFields));
/** The fields of a record that is about one pod. */
export const aboutPod = podRefFields;
/** The fields of a record that may be about a pod. */
export const maybeAboutPod = { pod: maybe(text), uid: maybe(text) };

/** The reason why a goroutine does not run. */
export const wait = object(
  {
    op: word<'send' | 'receive' | 'select' | 'sleep' | 'lock' | 'rlock' | 'cond' | 'waitgroup' | 'once' | 'call'>(),
    /** Channels by id, for send, receive and select; a nil channel is 0. */
    chans: maybe(list('numbers', number)),
    /** Select only: positions in `chans` of the cases that send. */
    sends: maybe(list('numbers', number)),
    /** Mutex, condition or call by name. */
    name: maybe(text),
    until: maybe(micros),
    item: maybe(json),
  },
  'a wait',
);

/** A container or sandbox as the runtime cache sees it. State names are those of the PLEG. */
export const observedContainers = list(
  'containers',
  object({
    id: text,
    name: text,
    state: word<'created' | 'running' | 'exited' | 'unknown'>(),
    restartCount: maybe(number),
    exitCode: maybe(number),
    reason: maybe(text),
    ip: maybe(text),
  }),
);

/** The thresholds of the eviction manager and where the node stands with each. */
export const evictionSignals = list(
  'signals',
  object({
    signal: text,
    available: number,
    capacity: number,
    threshold: number,
    met: boolean,
    /** Seconds that it has to be met before anything is done; absent: 0. */
    graceSeconds: maybe(number),
  }),
);

export const texts = list('texts', text);
export const numbers = list('numbers', number);
export type WorkType = 'sync' | 'terminating' | 'terminated';
export type ProbeType = 'liveness' | 'readiness' | 'startup';
export type WorkerState = 'sync' | 'terminating' | 'terminated' | 'finished' | 'removed';
/** The reason why a container is killed, if it is more than the end of its pod. upstream: containerKillReason */
export type KillReason = 'StartupProbe' | 'LivenessProbe' | 'FailedPostStartHook' | 'RestartAllContainers';
export type UpdateType = 'create' | 'update' | 'sync' | 'kill';
/** The constants of update types, the same in all versions. upstream: pkg/kubelet/types/pod_update.go SyncPodType */
export const SYNC_POD_TYPES: Readonly<Record<UpdateType, string>> = {
  sync: 'SyncPodSync',
  update: 'SyncPodUpdate',
  create: 'SyncPodCreate',
  kill: 'SyncPodKill',
};

/** Returns true for the step that a pod was admitted, however many handlers were asked: one thing to see. */
export const isAdmitted = ({
  name,
  found,
}: {
  readonly name: string;
  readonly found: { readonly [key: string]: unknown };
}) => (name === 'canAdmitPod' || name === 'allocationManager.AddPod') && found.admit === true;
