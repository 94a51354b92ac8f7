/**
 * The trace schema: everything that happens in a run is one of these records, in one dense sequence.
 * A change here that older readers cannot take is a new RECORDING_VERSION with an upgrader (see recording.ts).
 */

/** Whole microseconds since the run's start. Wall time is the header's `epochMillis` plus this. */
export type Micros = number;
/** Position of a record in its run: 1, 2, 3... without holes. 0 stands for "none". */
export type Seq = number;

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/** What every record carries, stamped by the kernel. */
export interface RecordHead {
  readonly seq: Seq;
  readonly time: Micros;
  /** Goroutine that did it; 0 is the kernel itself (timers) or the outside. */
  readonly g: number;
  /** `seq` of the innermost open `enter` record of that goroutine, 0 outside any. */
  readonly span: Seq;
  /** `seq` of the record that made this one happen, 0 where nothing did. */
  readonly cause: Seq;
}

/** Why a goroutine does not run. */
export interface Wait {
  readonly op: 'send' | 'receive' | 'select' | 'sleep' | 'lock' | 'rlock' | 'cond' | 'waitgroup' | 'once' | 'call';
  /** Channels by id, for send, receive and select; a nil channel is 0. */
  readonly chans?: readonly number[];
  /** Select only: positions in `chans` of the cases that send. */
  readonly sends?: readonly number[];
  /** Mutex, condition or call by name. */
  readonly name?: string;
  readonly until?: Micros;
  readonly item?: Json;
}

export interface PodRef {
  /** `namespace/name`, as klog prints a pod. */
  readonly pod: string;
  readonly uid: string;
}

export type WorkerState = 'sync' | 'terminating' | 'terminated' | 'finished' | 'removed';
export type UpdateType = 'create' | 'update' | 'sync' | 'kill';
export type ProbeType = 'liveness' | 'readiness' | 'startup';

/** A container or sandbox as the runtime cache sees it. State names as the PLEG's. */
export interface ObservedContainer {
  readonly id: string;
  readonly name: string;
  readonly state: 'created' | 'running' | 'exited' | 'unknown';
  readonly restartCount?: number;
  readonly exitCode?: number;
  readonly reason?: string;
  readonly ip?: string;
}

/** One threshold of the eviction manager and where the node stands with it. */
export interface EvictionSignal {
  readonly signal: string;
  readonly available: number;
  readonly capacity: number;
  readonly threshold: number;
  readonly met: boolean;
  /** Seconds that it has to be met before anything is done; absent: 0. */
  readonly graceSeconds?: number;
}

export type KernelRecord =
  | { kind: 'goroutine-start'; id: number; name: string; parent: number; process: string }
  | { kind: 'goroutine-end'; id: number; panic?: { error: string; stack: readonly string[] }; killed?: true }
  | { kind: 'wait'; on: Wait }
  | { kind: 'chan-make'; chan: number; name: string; cap: number }
  | { kind: 'send'; chan: number; item: Json; len: number }
  /** `discarded`: nobody got it, a stopped or reset timer took back its unread tick. */
  | { kind: 'receive'; chan: number; item: Json; ok: boolean; len: number; discarded?: true }
  | { kind: 'close'; chan: number }
  /** `cases` are channel ids in source order (0: nil channel), `ready` and `chosen` index them; chosen -1 is default. */
  | { kind: 'select'; cases: readonly number[]; ready: readonly number[]; chosen: number }
  | { kind: 'enter'; fn: string; args?: Json }
  | { kind: 'exit'; of: Seq; fn: string; error?: string; result?: Json }
  | { kind: 'deadlock'; waits: readonly { g: number; name: string; on: Wait }[] };

export type KubeletRecord =
  | {
      kind: 'log';
      severity: 'I' | 'W' | 'E';
      v: number;
      msg: string;
      kv: { readonly [key: string]: Json | undefined };
      file: string;
    }
  | {
      kind: 'kube-event';
      object: { kind: string; namespace: string; name: string; uid: string; fieldPath: string };
      type: 'Normal' | 'Warning';
      reason: string;
      message: string;
    }
  /** A source read its input: the complete set of pods it found. */
  | { kind: 'source'; source: string; origin: 'list' | 'watch'; pods: readonly PodRef[]; errors?: readonly string[] }
  /** PodConfig merged a snapshot into one operation that goes to configCh. */
  | {
      kind: 'pod-config';
      source: string;
      op: 'ADD' | 'UPDATE' | 'REMOVE' | 'RECONCILE' | 'DELETE';
      pods: readonly PodRef[];
    }
  /** A choice of the kubelet: the rule by name (upstream's function), what came out, the values it saw. */
  | ({
      kind: 'decision';
      rule: string;
      verdict: string;
      values: { readonly [key: string]: Json | undefined };
      container?: string;
    } & Partial<PodRef>)
  /** podWorkers.UpdatePod took an update. `overwrote`: it replaced one still pending. `dropped`: it was ignored, and why. */
  | ({
      kind: 'pod-update';
      updateType: UpdateType;
      workType?: 'sync' | 'terminating' | 'terminated';
      overwrote?: boolean;
      dropped?: string;
    } & PodRef)
  | ({ kind: 'worker'; state: WorkerState; from?: WorkerState; reason: string } & PodRef)
  /** A worker waits in cache.GetNewerThan for a status newer than `newerThan`. */
  | ({ kind: 'cache-wait'; newerThan: Micros } & PodRef)
  | ({ kind: 'work-start'; workType: 'sync' | 'terminating' | 'terminated'; updateType: UpdateType } & PodRef)
  | ({ kind: 'work-done'; workType: 'sync' | 'terminating' | 'terminated'; error?: string } & PodRef)
  /** Numbered step of SyncPod and its siblings; `n` counts from 1 in the order of upstream's own comments. */
  | ({ kind: 'step'; fn: string; n: number; name: string; container?: string } & PodRef)
  | ({ kind: 'pod-actions'; actions: Json } & PodRef)
  | ({ kind: 'queue'; due: Micros; why: string } & PodRef)
  | { kind: 'cri-call'; method: string; request: Json; uid?: string; sandbox?: string; container?: string }
  | {
      kind: 'cri-return';
      call: Seq;
      method: string;
      response?: Json;
      error?: { code: number; details: string };
      took: Micros;
      uid?: string;
      sandbox?: string;
      container?: string;
    }
  | { kind: 'relist'; pods: number; changed: number; scope: 'global' | 'pod' }
  | ({
      kind: 'pleg-transition';
      id: string;
      name: string;
      sandbox: boolean;
      old: string;
      new: string;
      exitCode?: number;
    } & PodRef)
  | ({ kind: 'pleg-event'; type: string; data: string; name: string; dropped?: true } & PodRef)
  /** `modified`: the time the entry stands for (its own field, not the record's time). */
  | ({
      kind: 'cache';
      op: 'set' | 'delete';
      modified: Micros;
      sandboxes: readonly ObservedContainer[];
      containers: readonly ObservedContainer[];
      error?: string;
    } & PodRef)
  | ({
      kind: 'probe';
      container: string;
      probeType: ProbeType;
      outcome: 'success' | 'warning' | 'failure' | 'unknown';
      output: string;
      run: number;
      threshold: number;
    } & PodRef)
  | ({
      kind: 'probe-result';
      container: string;
      probeType: ProbeType;
      result: 'Success' | 'Failure' | 'Unknown';
    } & PodRef)
  | ({
      kind: 'backoff';
      of: 'crash-loop' | 'image-pull';
      container: string;
      delay: Micros;
      until: Micros;
      active: boolean;
    } & PodRef)
  /**
   * Work on one volume of a pod, by the name that upstream's metrics have for it. `remount`: it is there and is brought up to
   * date. `reconstruct`: found on disk after a restart. `pod` is '' where only the disk tells of it. Never what is in it.
   */
  | ({
      kind: 'volume';
      volume: string;
      plugin: string;
      op: 'verify_controller_attached_volume' | 'volume_mount' | 'volume_unmount' | 'reconstruct';
      phase: 'start' | 'done';
      remount?: boolean;
      took?: Micros;
      error?: string;
    } & PodRef)
  | ({ kind: 'status'; version: number; status: Json } & PodRef)
  | ({ kind: 'status-removed' } & PodRef)
  /**
   * A request to the API server, and its answer: two records of one id. A watch has a third, when it ends. `code` is HTTP's;
   * without one the request did not get there. Never what a request carries.
   */
  | {
      kind: 'api';
      id: number;
      phase: 'request' | 'response' | 'end';
      verb: string;
      resource: string;
      subresource?: string;
      namespace?: string;
      name?: string;
      code?: number;
      error?: string;
      took?: Micros;
    }
  /**
   * What the eviction manager sees and does. `signals`: what is left of what, when it has changed; `conditions`: the node's,
   * when they change; `reclaim`: it removes dead containers or unused images first, `reclaimed`: and that did; `rank`: the
   * pods, the first to go first; `evict`: one has to go; `evicted`: it is dead, or could not be killed; `cleaned`: its
   * remains are gone, or were waited for in vain. Amounts are bytes, inodes or processes.
   */
  | ({
      kind: 'eviction';
      phase: 'signals' | 'conditions' | 'reclaim' | 'reclaimed' | 'rank' | 'evict' | 'evicted' | 'cleaned';
      signals?: readonly EvictionSignal[];
      conditions?: readonly string[];
      /** That which is acted for, and what it is short of. */
      signal?: string;
      resource?: string;
      what?: 'containers' | 'images';
      ranked?: readonly (PodRef & { priority: number; usage?: number; request: number })[];
      gracePeriodSeconds?: number;
      message?: string;
      error?: string;
    } & Partial<PodRef>)
  /** A cgroup was made, set or removed by the kubelet; `config` is what was set: bytes, shares, microseconds. */
  | { kind: 'cgroup'; op: 'create' | 'update' | 'destroy'; path: string; config?: Json }
  /** A part of the kubelet begins its work, ends it, or could not begin. By upstream's names: containerManager, statusManager... */
  | { kind: 'manager'; name: string; state: 'started' | 'stopped' | 'failed'; detail?: string }
  /** What the kubelet says of its node, when that changes. */
  | { kind: 'node-condition'; type: string; status: 'True' | 'False' | 'Unknown'; reason: string; message: string }
  /** `set`: what the node is and has, when that changes; `registered`, `reported`, `failed`: with the API server. */
  | {
      kind: 'node-status';
      op: 'set' | 'registered' | 'reported' | 'failed';
      node: string;
      addresses?: readonly { readonly type: string; readonly address: string }[];
      capacity?: { readonly [resource: string]: string };
      allocatable?: { readonly [resource: string]: string };
      error?: string;
    }
  /** The lease that shows the cluster that this node lives. */
  | { kind: 'node-lease'; op: 'created' | 'renewed' | 'failed'; name: string; error?: string }
  | { kind: 'runtime-state'; errors: readonly string[]; networkError?: string; backoff?: Micros }
  | { kind: 'sources-ready'; source: string; all: boolean };

/** Facts of the mock runtime: what is, whether or not the kubelet has seen it. */
export type RuntimeRecord =
  | {
      kind: 'actual-sandbox';
      id: string;
      uid: string;
      pod: string;
      attempt: number;
      state: 'ready' | 'notready' | 'removed';
      ip?: string;
    }
  | {
      kind: 'actual-container';
      id: string;
      sandbox: string;
      uid: string;
      name: string;
      attempt: number;
      state: 'created' | 'running' | 'exited' | 'removed';
      exitCode?: number;
      reason?: string;
    }
  | { kind: 'actual-image'; image: string; state: 'pulling' | 'present' | 'failed' | 'removed'; error?: string };

/** What came from outside: the user, a scenario, a node's own happenings; and what the session did. */
export type SessionRecord =
  | { kind: 'input'; verb: string; args: readonly Json[] }
  | { kind: 'fault'; rule: string; method: string; effect: string }
  | { kind: 'process'; process: string; state: 'started' | 'stopped' | 'killed' }
  /** Records that were lost before they reached this reader: sequence numbers from..to. */
  | { kind: 'gap'; from: Seq; to: Seq };

export type RecordBody = KernelRecord | KubeletRecord | RuntimeRecord | SessionRecord;
export type TraceRecord = RecordHead & RecordBody;
export type RecordKind = RecordBody['kind'];
export type RecordOf<K extends RecordKind> = RecordHead & Extract<RecordBody, { kind: K }>;

/** Takes each record as it is made. It must not change it, and must not call back into the kernel. */
export type RecordSink = (record: TraceRecord) => void;
