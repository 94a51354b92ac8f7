/** Pods and their workers. */
import type { pod as podKinds } from '../kinds/pod.js';
import type {
  Json,
  Micros,
  ObservedContainer,
  PodRef,
  ProbeType,
  RecordHead,
  RecordOf,
  Seq,
  UpdateType,
  WorkerState,
} from '../records.js';
import type { GoroutineView } from './kernel.js';
import { emptyMap, mapValues, shallow } from './maps.js';
import { push, RING } from './ring.js';
import type { NodeState } from './state.js';

export interface PodView {
  uid: string;
  pod: string;
  /** In the desired set: the config has it. */
  desired: boolean;
  source: string;
  worker: WorkerView | null;
  phase: string;
  reason: string;
  status: Json;
  statusVersion: number;
  /** Last computePodActions. */
  actions: Json;
  /** Steps of the current (or last) sync, in the order taken. */
  steps: StepView[];
  cache: {
    time: Micros;
    sandboxes: readonly ObservedContainer[];
    containers: readonly ObservedContainer[];
    error: string;
  } | null;
  backoffs: Record<
    string,
    /** `until` is the latest that it can be, if no source says it. */
    { of: string; container: string; delay: Micros; until: Micros; active: boolean }
  >;
  probes: Record<
    string,
    {
      container: string;
      probeType: ProbeType;
      outcome: string;
      output: string;
      /** Null if no source says so. */
      run: number | null;
      threshold: number | null;
      result: string;
      time: Micros;
    }
  >;
  /** By name: what the pod's containers mount, as far as anything was done about it. */
  volumes: Record<string, VolumeView>;
  lastSeq: Seq;
  lastTime: Micros;
}
export interface WorkerView {
  state: WorkerState;
  /** Update that waits in the one slot, null when none. */
  pending: UpdateType | null;
  overwrites: number;
  working: boolean;
  workType: 'sync' | 'terminating' | 'terminated';
  /** Set while it waits in GetNewerThan. */
  waitsForNewerThan: Micros | null;
  /** Next time from the work queue, null when not queued. */
  due: Micros | null;
  lastError: string;
  syncs: number;
}
export interface StepView {
  fn: string;
  n: number;
  name: string;
  container: string;
  seq: Seq;
  time: Micros;
}
export interface VolumeView {
  volume: string;
  plugin: string;
  /** `uncertain`: it may be mounted, or half. */
  state: 'waiting' | 'mounting' | 'mounted' | 'unmounting' | 'uncertain';
  /** The error of the last try; empty if it worked. */
  error: string;
  failures: number;
  time: Micros;
}

export const copyPod = (pod: PodView): PodView => ({
  ...pod,
  worker: pod.worker && { ...pod.worker },
  steps: [...pod.steps],
  backoffs: mapValues(pod.backoffs, shallow),
  probes: mapValues(pod.probes, shallow),
  volumes: mapValues(pod.volumes, shallow),
});

/** The view of a pod, made at its first mention. */
export function podOf(state: NodeState, ref: PodRef, head: RecordHead): PodView {
  let pod: PodView | undefined = state.pods[ref.uid];
  // An observed pod goes by its name until something tells its uid.
  const provisional = pod || ref.pod === '' ? undefined : state.pods[ref.pod];
  if (provisional) {
    delete state.pods[ref.pod];
    pod = { ...provisional, uid: ref.uid };
    state.pods[ref.uid] = pod;
  }
  if (!pod) {
    pod = {
      uid: ref.uid,
      pod: ref.pod,
      desired: false,
      source: '',
      worker: null,
      phase: '',
      reason: '',
      status: null,
      statusVersion: 0,
      actions: null,
      steps: [],
      cache: null,
      backoffs: emptyMap(),
      probes: emptyMap(),
      volumes: emptyMap(),
      lastSeq: 0,
      lastTime: 0,
    };
    state.pods[ref.uid] = pod;
  }
  // A pod that only the runtime knew may have come without its name.
  if (ref.pod !== '') pod.pod = ref.pod;
  pod.lastSeq = head.seq;
  pod.lastTime = head.time;
  return pod;
}

function workerOf(pod: PodView): WorkerView {
  pod.worker ??= {
    state: 'sync',
    pending: null,
    overwrites: 0,
    working: false,
    workType: 'sync',
    waitsForNewerThan: null,
    due: null,
    lastError: '',
    syncs: 0,
  };
  return pod.worker;
}

/** Folds a record about one pod. `g` is the goroutine that made it. */
export function reducePod(
  state: NodeState,
  record: RecordOf<keyof typeof podKinds>,
  g: GoroutineView | undefined,
): void {
  const pod = podOf(state, record, record);
  switch (record.kind) {
    case 'pod-update': {
      if (record.dropped !== undefined) return;
      const worker = workerOf(pod);
      // Without a reported type it is only known that an update waits.
      worker.pending = record.updateType ?? 'sync';
      if (record.overwrote) worker.overwrites++;
      if (worker.due !== null && worker.due <= record.time) worker.due = null;
      return;
    }
    case 'worker': {
      // The same uid again (a static pod that came back) is a new worker.
      if (record.state === 'sync' && record.from === undefined && pod.worker?.state !== 'sync') {
        const pending = pod.worker?.pending ?? null;
        pod.worker = null;
        workerOf(pod).pending = pending;
      }
      const worker = workerOf(pod);
      worker.state = record.state;
      if (record.state === 'finished' || record.state === 'removed') {
        worker.pending = null;
        worker.working = false;
        worker.waitsForNewerThan = null;
        worker.due = null;
      }
      return;
    }
    case 'cache-wait':
      workerOf(pod).waitsForNewerThan = record.newerThan;
      if (g) g.uid = record.uid;
      return;
    case 'work-start': {
      const worker = workerOf(pod);
      worker.pending = null;
      worker.working = true;
      worker.workType = record.workType;
      worker.waitsForNewerThan = null;
      pod.steps = [];
      if (g) g.uid = record.uid;
      return;
    }
    case 'work-done': {
      const worker = workerOf(pod);
      worker.working = false;
      worker.waitsForNewerThan = null;
      worker.lastError = record.error ?? '';
      worker.syncs++;
      return;
    }
    case 'step':
      if (pod.worker) pod.worker.waitsForNewerThan = null;
      push(
        pod.steps,
        {
          fn: record.fn,
          n: record.n,
          name: record.name,
          container: record.container ?? '',
          seq: record.seq,
          time: record.time,
        },
        RING.steps,
      );
      return;
    case 'pod-actions':
      pod.actions = record.actions;
      return;
    case 'queue':
      workerOf(pod).due = record.due;
      return;
    case 'probe': {
      const key = `${record.container}/${record.probeType}`;
      const { container, probeType, outcome, output, run, threshold, time } = record;
      pod.probes[key] = {
        container,
        probeType,
        outcome,
        output,
        run: run ?? null,
        threshold: threshold ?? null,
        result: pod.probes[key]?.result ?? '',
        time,
      };
      return;
    }
    case 'probe-result': {
      const key = `${record.container}/${record.probeType}`;
      const { container, probeType, result, time } = record;
      const before = pod.probes[key];
      if (before) before.result = result;
      else pod.probes[key] = { container, probeType, outcome: '', output: '', run: 0, threshold: 0, result, time };
      return;
    }
    case 'backoff': {
      const { of, container, delay, until, active } = record;
      pod.backoffs[`${of}/${container}`] = {
        of,
        container,
        delay: delay ?? 0,
        until: until ?? record.time + (delay ?? 0),
        active,
      };
      return;
    }
    case 'volume':
      reduceVolume(pod, record);
      return;
    case 'status':
      pod.status = record.status;
      // A status without a number is one all the same.
      pod.statusVersion = record.version ?? pod.statusVersion + 1;
      pod.phase = text(record.status, 'phase');
      pod.reason = text(record.status, 'reason');
      return;
    case 'status-removed':
      pod.status = null;
      pod.statusVersion = 0;
      return;
    case 'kill':
      return;
    default:
      record satisfies never;
  }
}

/** Folds in what the PLEG's cache has of a pod. */
export function cachePod(state: NodeState, record: RecordOf<'cache'>): void {
  const { op, modified: time, sandboxes, containers, error = '' } = record;
  podOf(state, record, record).cache = op === 'delete' ? null : { time, sandboxes, containers, error };
}

/** Clears all that the kubelet had of a pod in memory. */
export function endPod(pod: PodView): void {
  pod.desired = false;
  pod.worker = null;
  pod.cache = null;
  pod.actions = null;
  pod.steps = [];
  pod.backoffs = emptyMap();
  pod.probes = emptyMap();
  pod.volumes = emptyMap();
}

/** Folds in work on a volume, which is there from the first work until it is gone. */
function reduceVolume(pod: PodView, record: RecordOf<'volume'>): void {
  const { volume, plugin, op, phase, time, error = '' } = record;
  const before = pod.volumes[volume];
  const done = phase === 'done';
  if (op === 'volume_unmount' && done && error === '') {
    delete pod.volumes[volume];
    return;
  }
  let state = before?.state ?? 'waiting';
  if (op === 'reconstruct') state = 'uncertain';
  // A remount only updates the volume: it stays mounted, whether that works or not.
  else if (op === 'volume_mount' && !record.remount) state = done ? (error === '' ? 'mounted' : 'waiting') : 'mounting';
  else if (op === 'volume_unmount') state = done ? 'uncertain' : 'unmounting';
  const failures = error === '' ? (done ? 0 : (before?.failures ?? 0)) : (before?.failures ?? 0) + 1;
  pod.volumes[volume] = { volume, plugin, state, error: done ? error : (before?.error ?? ''), failures, time };
}

function text(value: Json, key: string): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return '';
  const field = (value as { readonly [key: string]: Json | undefined })[key];
  return typeof field === 'string' ? field : '';
}
