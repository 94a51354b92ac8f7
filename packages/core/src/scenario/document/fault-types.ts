import type { FaultRule, PullAnswer } from '../../mock/index.js';
import type { Micros, ProbeType } from '../../trace/index.js';

/** The time of a fault. Without `for` it stays until it is cleared. Durations in Micros. */
export interface FaultBounds {
  /** Shown in the trace, and taken by clearFaults. Default: its kind. */
  readonly name?: string;
  /** It begins this much later. */
  readonly after?: Micros;
  readonly for?: Micros;
  /** Part of `after`, `for`, `every` and of delays that varies, 0 to 1, drawn from the seed. */
  readonly jitter?: number;
}

/** Something done to a container or sandbox, once or again and again. */
export interface RepeatedFault extends FaultBounds {
  readonly every?: Micros;
  /** The number of times. Default: once, or without end if `every` is given. */
  readonly times?: number;
}

/** A failure on a node. */
export type Fault =
  /** Calls of the CRI fail, are late, or are never answered. */
  | (FaultBounds & { readonly kind: 'cri'; readonly rule: FaultRule })
  /** The registry answers so for images that match; `times`: this many pulls. */
  | (FaultBounds & {
      readonly kind: 'pull';
      readonly answer: PullAnswer;
      readonly image?: string;
      readonly times?: number;
    })
  | (RepeatedFault & {
      readonly kind: 'kill';
      readonly pod: string;
      readonly container: string;
      readonly signal: string;
    })
  | (RepeatedFault & { readonly kind: 'oom'; readonly pod: string; readonly container: string })
  | (RepeatedFault & { readonly kind: 'killSandbox'; readonly pod: string })
  /** The runtime does not run; its containers do. */
  | (FaultBounds & { readonly kind: 'runtime' })
  /** The lists that the PLEG makes take this much longer. */
  | (FaultBounds & { readonly kind: 'relist'; readonly delay: Micros })
  /**
   * Probes come to this, whatever is behind them. `pattern`: one letter per probe, over and over: F fails, S succeeds,
   * H hangs, - as it is.
   */
  | (FaultBounds & {
      readonly kind: 'probe';
      readonly pattern: string;
      readonly pod?: string;
      readonly container?: string;
      readonly probe?: ProbeType;
      /** This many probes. */
      readonly times?: number;
    })
  | (FaultBounds & { readonly kind: 'network' })
  /**
   * Something takes so much of it that `available` is left at that moment; default: half of what the thresholds ask
   * for.
   */
  | (FaultBounds & {
      readonly kind: 'pressure';
      readonly resource: 'memory' | 'disk' | 'inodes' | 'pid';
      readonly available?: string;
    })
  /** The kubelet is away, then starts again; without `for` at once. */
  | (FaultBounds & { readonly kind: 'kubelet'; readonly how: 'restart' | 'crash' })
  /** The wall clock jumps, forwards or back; the monotonic one goes on. */
  | (FaultBounds & { readonly kind: 'clock'; readonly jump: Micros })
  /** Calls to the API server fail, its watches end. */
  /**
   * `unreachable`: connections are refused. `restart`: the server ends and comes back with all objects, but without the
   * changes that led to them, so that watches start over. `silent`: nothing comes back, as where a network is cut.
   */
  | (FaultBounds & { readonly kind: 'api'; readonly how: 'unreachable' | 'restart' | 'silent' });

export type FaultKind = Fault['kind'];

/** A fault that is there, or will be. */
export interface NodeFault {
  readonly id: number;
  readonly name: string;
  readonly fault: Fault;
  /** Since when it has been there; null: it has not begun. */
  readonly since: Micros | null;
  /** The number of times that it struck. */
  readonly hits: number;
}
