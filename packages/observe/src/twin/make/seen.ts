/** An observed run by subject: pods, containers, calls, the kubelet's processes. */
import { GrpcCode } from '@syncloop/core/cri';
import type { Micros, RecordOf, Seq, TraceRecord } from '@syncloop/core/trace';
import type { JsonObject } from '../base/json.js';

/** Returns `namespace/name`, without the default namespace. */
export const shortName = (pod: string): string => pod.replace(/^default\//, '');

export type PodSource = 'file' | 'http' | 'api';

/** A pod of one UID. */
export interface SeenPod {
  readonly uid: string;
  /** `namespace/name`. */
  pod: string;
  /** Null if unknown. */
  source: PodSource | null;
  /** It is the API's image of a static pod. */
  mirror: boolean;
  /** The operations of PodConfig on it, in order. */
  readonly ops: { readonly op: RecordOf<'pod-config'>['op']; readonly time: Micros; readonly seq: Seq }[];
  /** The Pod as it was listed, each time it had changed. */
  readonly objects: { readonly time: Micros; readonly seq: Seq; readonly object: JsonObject }[];
  /** The time of the first list without it. */
  unlisted: Micros | null;
  /** True if it was there before what is re-enacted begins. */
  there: boolean;
  /** First and last record that names it. */
  first: Micros;
  last: Micros;
}

/** A container, or a sandbox, of one id. */
export interface SeenContainer {
  readonly id: string;
  uid: string;
  /** '' for a sandbox. */
  name: string;
  sandbox: string;
  /** The value that the runtime reports; null if unknown. */
  attempt: number | null;
  image: string;
  imageRef: string;
  /** Order of first sight. */
  readonly order: number;
  /** By the runtime's own clock, microseconds since 1970. */
  createdAt?: number;
  startedAt?: number;
  finishedAt?: number;
  exitCode?: number | undefined;
  reason?: string;
  message?: string;
  /** By the clock of the records: when it was first seen to run, and first seen to have ended. */
  ran?: Micros | undefined;
  ended?: Micros | undefined;
}

export interface SeenCall {
  readonly seq: Seq;
  readonly time: Micros;
  readonly method: string;
  readonly request: JsonObject;
  uid: string;
  sandbox: string;
  container: string;
  took: Micros | null;
  response: JsonObject | null;
  error: { readonly code: number; readonly details: string } | null;
}

/** A step of the kubelet that stops a container, or runs one of its hooks, from its log. */
export interface SeenStep {
  readonly fn: 'killContainer' | 'executePreStopHook' | 'executePostStartHook';
  readonly uid: string;
  readonly container: string;
  readonly containerID: string;
  readonly time: Micros;
  /** Seconds. */
  readonly grace: number | null;
  to: Micros | null;
}

/** A Kubernetes event. */
export interface SeenEvent {
  readonly seq: Seq;
  readonly time: Micros;
  readonly kind: string;
  readonly object: string;
  readonly uid: string;
  /** The name of the container that it is about; '' if none, or unknown. Old logs leave out the path. */
  container: string;
  readonly init: boolean;
  readonly reason: string;
  readonly message: string;
}

/** The kubelet's process from its start to its end. */
export interface SeenProcess {
  readonly from: Micros;
  /** True if it was there before the evidence begins. */
  readonly before: boolean;
  to: Micros | null;
  killed: boolean;
  /** The beginning of its loop, if a line reports it. */
  loop: Micros | null;
  /** Starts of the PLEG's relists. */
  readonly relists: Micros[];
}

export interface Seen {
  readonly pods: ReadonlyMap<string, SeenPod>;
  readonly sandboxes: ReadonlyMap<string, SeenContainer>;
  readonly containers: ReadonlyMap<string, SeenContainer>;
  /** The concluded init containers of pods whose containers no line names, by the pod's UID. */
  readonly inits: ReadonlyMap<string, ReadonlySet<string>>;
  /** UIDs of pods that were seen to get another sandbox, as far as their log alone shows it. */
  readonly renewed: ReadonlySet<string>;
  /** False: its kubelet knows no sidecars. */
  readonly hasSidecars: boolean;
  readonly calls: readonly SeenCall[];
  readonly steps: readonly SeenStep[];
  readonly processes: readonly SeenProcess[];
  readonly logs: readonly RecordOf<'log'>[];
  readonly events: readonly SeenEvent[];
  readonly probes: readonly RecordOf<'probe'>[];
  readonly records: readonly TraceRecord[];
  /** Returns a record's source and line, for comments. */
  readonly place: (seq: Seq) => string;
  /** Time of the last record. */
  readonly end: Micros;
  readonly sources: ReadonlySet<string>;
}

/** The runtime was not there: that is a step of its own. */
export const isOutage = ({ error }: SeenCall): boolean => error?.code === GrpcCode.Unavailable;
