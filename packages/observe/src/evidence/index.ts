/** Evidence: what was read from the sources, each piece with its place, before anything is concluded from it. */
import type { Json } from '@syncloop/core/trace';
import type { LogEntry, OtherLine } from './log-entry.js';

export type { LogEntry, LogPlace, OtherLine, Severity } from './log-entry.js';

/**
 * The kinds of sources. `cri` is the CRI socket, `events` the runtime's GetContainerEvents, `api` the events and
 * conditions that an API server has.
 */
export type SourceKind = 'log' | 'cri' | 'events' | 'spans' | 'pods' | 'metrics' | 'api';

/** A source of one observation, such as a file, a socket or an endpoint. */
export interface Source {
  /** Short and unique within the observation, as "log" or "log-2". */
  readonly id: string;
  readonly kind: SourceKind;
  /** The name that a person knows it by: a file's name, an address. Never a secret. */
  readonly name: string;
}

/** The place of a piece of evidence in its source. */
export interface EvidencePlace {
  /** Lines (of text sources) are counted from 1. */
  readonly line?: number;
  /** Bytes before it. */
  readonly offset?: number;
}

interface EvidenceHead {
  /** The id of its source. */
  readonly source: string;
  /** Microseconds since 1970 by the clock of its source; null if unknown. */
  readonly at: number | null;
  readonly place: EvidencePlace;
}

/** One record of a log, or a line that is not a record. */
export interface LineEvidence extends EvidenceHead {
  readonly kind: 'line';
  readonly entry: LogEntry | OtherLine;
}
/** The subject of a call, from the request and from earlier answers. What no message reports is absent. */
export interface CallSubject {
  readonly uid?: string;
  readonly sandbox?: string;
  readonly container?: string;
}
/** The request of a call over the CRI socket was seen. */
export interface CallEvidence extends EvidenceHead {
  readonly kind: 'call';
  /** Unique within the source; the return has the same. */
  readonly call: number;
  /** Such as "RunPodSandbox". */
  readonly method: string;
  /** The message in protobuf's JSON form, as records of kind `cri-call` have it; null if it is unknown. */
  readonly request: Json;
  readonly subject?: CallSubject;
}
/** The end of a call. */
export interface ReturnEvidence extends EvidenceHead {
  readonly kind: 'return';
  /** 0 if the request was not seen. */
  readonly call: number;
  readonly method: string;
  readonly response?: Json;
  /** gRPC's status if it is not OK. */
  readonly error?: { readonly code: number; readonly details: string };
  /** Microseconds from request to answer; null if the request's time is unknown. */
  readonly took: number | null;
  readonly subject?: CallSubject;
}
/** The runtime's answer to a call of another, read-only client, not of the kubelet. */
export interface RuntimeEvidence extends EvidenceHead {
  readonly kind: 'runtime';
  /** Such as "ListContainers". */
  readonly method: string;
  readonly response?: Json;
  readonly error?: { readonly code: number; readonly details: string };
}
/** An item of the runtime's GetContainerEvents. */
export interface ContainerEventEvidence extends EvidenceHead {
  readonly kind: 'container-event';
  readonly event: Json;
}
export type SpanKind = 'unspecified' | 'internal' | 'server' | 'client' | 'producer' | 'consumer';
/** A span as in OpenTelemetry; `at` is its start. */
export interface SpanEvidence extends EvidenceHead {
  readonly kind: 'span';
  readonly name: string;
  readonly spanKind: SpanKind;
  /** Name of the instrumentation that made it. */
  readonly scope: string;
  readonly traceId: string;
  readonly spanId: string;
  /** '' for a root. */
  readonly parentSpanId: string;
  /** Microseconds since 1970. */
  readonly end: number;
  readonly attributes: { readonly [key: string]: Json };
  /** The message of the status if it is Error. */
  readonly error?: string;
  /** Name of the process: `service.name`. */
  readonly service: string;
}
/** Pods as the kubelet, kubectl or a folder of manifests reports them: a whole list, or one pod of a watch. */
export interface PodsEvidence extends EvidenceHead {
  readonly kind: 'pods';
  /** `all`: these are all pods there are. `one`: something happened to this one. */
  readonly scope: 'all' | 'one';
  readonly removed?: boolean;
  /** Pods as v1 JSON has them. */
  readonly pods: readonly Json[];
}
/** Counters of `/metrics`, by name with labels in their order: `name{a="b"}`. */
export interface MetricsEvidence extends EvidenceHead {
  readonly kind: 'metrics';
  /** `at` is when it was asked for. Where it is not, the answer is from the seconds after `at`. */
  readonly timed?: boolean;
  readonly samples: ReadonlyMap<string, number>;
}
/** An event that an API server has, about the node or one of its pods. */
export interface ApiEventEvidence extends EvidenceHead {
  readonly kind: 'api-event';
  readonly object: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly fieldPath: string;
  };
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}
/** A condition of the node as an API server has it; `at` is its last transition. */
export interface ApiConditionEvidence extends EvidenceHead {
  readonly kind: 'api-condition';
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}
/** Something is missing here, and why: lost bytes, a connection that was seen from its middle, a cut line. */
export interface GapEvidence extends EvidenceHead {
  readonly kind: 'gap';
  /** A full sentence. */
  readonly why: string;
  /** The number of missing bytes if that is known. */
  readonly bytes?: number;
}

export type Evidence =
  | LineEvidence
  | CallEvidence
  | ReturnEvidence
  | RuntimeEvidence
  | ContainerEventEvidence
  | SpanEvidence
  | PodsEvidence
  | MetricsEvidence
  | ApiEventEvidence
  | ApiConditionEvidence
  | GapEvidence;

/** Reads one source: bytes in, in pieces of any size, evidence out, the same for any pieces. It never throws. */
export interface EvidenceReader {
  /** Returns the evidence that these bytes complete. */
  push(bytes: Uint8Array): Evidence[];
  /** Returns the evidence that had no end yet. Nothing may be pushed after it. */
  end(): Evidence[];
}
