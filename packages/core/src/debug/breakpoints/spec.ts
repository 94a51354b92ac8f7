import type { ProbeType, RecordKind, Wait, WorkerState } from '../../trace/index.js';

/** Stop at the n-th hit only, or at each n-th one. */
export type HitCount = { readonly at: number } | { readonly every: number };

/** Where to stop. Names (`name`, `method`, `reason`, ...) are exact, or globs with `*` and `?`; left out they are any. */
export type BreakpointOn =
  /** An operation on a channel, by the channel's name. A tick that nobody got is none. */
  | { readonly on: 'channel'; readonly name?: string; readonly op?: 'send' | 'receive' | 'close' | 'any' }
  /** A select took a case: of the channel `channel` (`default` where none was ready); `several`: more than one was ready. */
  | { readonly on: 'select'; readonly channel?: string; readonly several?: boolean; readonly goroutine?: string }
  /** PodConfig merged an operation. */
  | {
      readonly on: 'config-op';
      readonly op?: 'ADD' | 'UPDATE' | 'REMOVE' | 'RECONCILE' | 'DELETE';
      readonly source?: string;
    }
  /** `type` as ContainerDied. `container` by name. */
  | { readonly on: 'pleg-event'; readonly type?: string; readonly container?: string }
  /** syncLoop calls a handler: HandlePodAdditions, ... */
  | { readonly on: 'handler'; readonly name?: string }
  /** A named function is entered or left (`error`: left with an error). Default: enter. */
  | { readonly on: 'function'; readonly name?: string; readonly when?: 'enter' | 'exit' | 'both' | 'error' }
  /** A pod worker goes to a state. */
  | { readonly on: 'worker'; readonly state?: WorkerState }
  /** A step of SyncPod, startContainer or the like, by its number or name. */
  | { readonly on: 'step'; readonly fn?: string; readonly step?: number | string; readonly container?: string }
  /** A CRI call. `before`: as it goes out (default); `after`: at any answer; `error`: at an answer that is an error. */
  | {
      readonly on: 'cri';
      readonly method?: string;
      readonly when?: 'before' | 'after' | 'error';
      readonly container?: string;
    }
  /** A probe ran (`stage: run`) or the result that the kubelet acts on was set (`result`). Default: both. */
  | {
      readonly on: 'probe';
      readonly type?: ProbeType;
      readonly result?: 'success' | 'failure' | 'warning' | 'unknown';
      readonly stage?: 'run' | 'result' | 'any';
      readonly container?: string;
    }
  /** A pod's phase becomes another one. */
  | { readonly on: 'phase'; readonly value?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown' }
  /** A condition in a pod's status gets another `status`, or is new. */
  | { readonly on: 'condition'; readonly type?: string; readonly status?: 'True' | 'False' | 'Unknown' }
  /**
   * A back-off begins to hold something back (`start`), or is over (`expiry`). Nothing need happen at the moment it is over, so
   * the first record at or after that moment stands for it. Default: both.
   */
  | {
      readonly on: 'backoff';
      readonly of?: 'crash-loop' | 'image-pull';
      readonly when?: 'start' | 'expiry' | 'both';
      readonly container?: string;
    }
  | { readonly on: 'kube-event'; readonly reason?: string; readonly type?: 'Normal' | 'Warning' }
  /** `message` is klog's message key, without the fields. */
  | { readonly on: 'log'; readonly message?: string; readonly severity?: 'I' | 'W' | 'E' }
  /** `rule` is upstream's function. */
  | { readonly on: 'decision'; readonly rule?: string; readonly verdict?: string }
  /** A goroutine begins to wait; `name` of the channel, lock or call. */
  | { readonly on: 'wait'; readonly op?: Wait['op']; readonly name?: string; readonly goroutine?: string }
  /** Any record of that kind; without one, any record. */
  | { readonly on: 'record'; readonly kind?: RecordKind };

export interface BreakpointCommon {
  readonly id: string;
  /** Default true. */
  readonly enabled?: boolean;
  /** Uid or name of the pod that it is about. */
  readonly pod?: string;
  /** Expression over record and state (docs/expressions.md); the hit counts only where it holds. */
  readonly condition?: string;
  readonly hitCount?: HitCount;
  /** Only the first one; then it is done. */
  readonly once?: boolean;
  /** Text with `{expression}` parts: it is written, and the run goes on. */
  readonly log?: string;
}

/** A breakpoint or logpoint as JSON. */
export type BreakpointSpec = BreakpointCommon & BreakpointOn;
export type BreakpointKind = BreakpointSpec['on'];
export type SpecOf<K extends BreakpointKind> = BreakpointCommon & Extract<BreakpointOn, { on: K }>;

/** A breakpoint that is reached. */
export interface Hit {
  readonly id: string;
  readonly seq: number;
  /** Of a logpoint. */
  readonly text?: string;
  /** False for logpoints. */
  readonly pause: boolean;
  /** Pod that it is about; '' where neither the record tells nor the state was needed. */
  readonly uid: string;
}
