/**
 * A run as OpenTelemetry spans, in OTLP's JSON: those that the real kubelet makes, with its names, attributes and
 * parents, and under `syncloop.` what it makes none of. Calls that have not returned at the end are not spans, as in a
 * kubelet that was killed.
 */
import { FNV32_OFFSET, fnv32aText, hex32, oldestKey } from '../../base/index.js';
import type { RecordingHeader } from '../recording/index.js';
import type { Micros, RecordOf, Seq, TraceRecord } from '../records.js';

/**
 * upstream: opentelemetry-proto, collector/trace/v1/trace_service.proto, as JSON: ids in hex, 64-bit numbers as text.
 */
export interface ExportTraceServiceRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly scope: { readonly name: string }; readonly spans: readonly OtlpSpan[] }[];
  }[];
}
export interface OtlpAttribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string };
}
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly flags: number;
  readonly name: string;
  /** 1 internal, 3 client. */
  readonly kind: 1 | 3;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly events?: readonly {
    readonly timeUnixNano: string;
    readonly name: string;
    readonly attributes: readonly OtlpAttribute[];
  }[];
  readonly status: { readonly code?: 2; readonly message?: string };
}

export interface OtlpOptions {
  /** Spans of one request; exporters send 512 at most by default, and so do we. */
  readonly batch?: number;
  /** Also the spans that a real kubelet has not: loop iterations, dispatch, waits of workers, relists. Default true. */
  readonly own?: boolean;
}

/**
 * One request per line: what the OpenTelemetry collector's file exporter writes and its otlpjsonfile receiver reads.
 */
export function* otlpLines(
  header: RecordingHeader,
  records: Iterable<TraceRecord>,
  options: OtlpOptions = {},
): IterableIterator<string> {
  for (const request of otlpRequests(header, records, options)) yield `${JSON.stringify(request)}\n`;
}

/**
 * The spans in the order in which they ended. Trace and span ids are functions of the run and the record they began
 * with.
 */
export function* otlpRequests(
  header: RecordingHeader,
  records: Iterable<TraceRecord>,
  { batch = 512, own = true }: OtlpOptions = {},
): IterableIterator<ExportTraceServiceRequest> {
  const spans = new OtlpSpans(header, own);
  const resource = [otlpText('service.name', 'kubelet'), otlpText('host.name', header.node)];
  let ended: EndedSpan[] = [];
  for (const record of records) {
    const span = spans.add(record);
    if (span) ended.push(span);
    if (ended.length < batch) continue;
    yield otlpRequest(resource, ended);
    ended = [];
  }
  if (ended.length > 0) yield otlpRequest(resource, ended);
}

const KUBELET = 'k8s.io/kubernetes/pkg/kubelet';
const OTELGRPC = 'go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc';
/** The scope of the spans that a real kubelet has not. */
export const OWN_SCOPE = 'syncloop';

/** Named calls of which the kubelet makes a span. `error`: what the call returned is recorded on it. */
const SPANS: ReadonlyMap<string, { name: string; scope: string; root?: true; error: boolean }> = new Map([
  ['SyncPod', { name: 'syncPod', scope: KUBELET, error: true }],
  ['SyncTerminatingPod', { name: 'syncTerminatingPod', scope: KUBELET, root: true, error: true }],
  ['SyncTerminatedPod', { name: 'syncTerminatedPod', scope: KUBELET, error: false }],
  ['Images/GarbageCollect', { name: 'Images/GarbageCollect', scope: `${KUBELET}/images`, error: false }],
  ['Containers/GarbageCollect', { name: 'Containers/GarbageCollect', scope: `${KUBELET}/kuberuntime`, error: false }],
]);

/** Returns the name of our span for a call; null if it has none. */
function ownSpan(fn: string): string | null {
  if (fn === 'syncLoopIteration') return 'syncloop.iteration';
  if (fn.startsWith('Handle') || fn === 'handleProbeSync') return 'syncloop.dispatch';
  if (fn === 'GetNewerThan') return 'syncloop.workerWait';
  if (fn === 'Relist' || fn === 'relistPod') return 'syncloop.relist';
  return null;
}

/** Goroutines that are started with the context of the call that starts them; others begin with one of their own. */
const INHERITS = ['pullImage ', 'preStop ', 'killContainer '];
/** Pulls images one after the other, each with the context of whoever asked for it. */
const SERIAL_PULLER = 'processImagePullRequests';
const IMAGE_SERVICE = new Set(['ListImages', 'StreamImages', 'ImageStatus', 'PullImage', 'RemoveImage', 'ImageFsInfo']);

interface OpenSpan {
  readonly name: string;
  readonly scope: string;
  readonly seq: Seq;
  readonly start: Micros;
  readonly traceId: string;
  readonly spanId: string;
  readonly parent: OpenSpan | null;
  readonly kind: 1 | 3;
  readonly attributes: OtlpAttribute[];
  readonly error: boolean;
}
/** A span with the name of the instrumentation that it is of. */
export interface EndedSpan {
  readonly scope: string;
  readonly span: OtlpSpan;
}

/**
 * A goroutine: the context it was given, and the spans of calls that have not returned, ours apart from the kubelet's.
 */
interface Context {
  readonly name: string;
  given: OpenSpan | null;
  readonly open: OpenSpan[];
  readonly ours: OpenSpan[];
}

/** The fields that tell a run's spans apart from another run's; `epochMillis` is when its time 0 was. */
export type OtlpRun = Pick<RecordingHeader, 'node' | 'scenario' | 'seed' | 'epochMillis' | 'title'>;

/** Names of channels that are kept: a node that runs for months makes any number of them. */
const channelNames = 4096;

/**
 * Spans of a stream of records, as they end. Holds what is open, and no more, so that it can go along with a node that
 * runs for months. The same run gives the same ids here and in an export of its recording.
 */
export class OtlpSpans {
  private readonly contexts = new Map<number, Context>();
  private readonly calls = new Map<Seq, OpenSpan>();
  private readonly channels = new Map<number, string>();
  /** Contexts that travel through the puller's channel, by the record of the send. */
  private readonly sent = new Map<Seq, OpenSpan>();
  private readonly run: string;

  constructor(
    private readonly header: OtlpRun,
    private readonly own: boolean,
  ) {
    const { node, scenario, seed, epochMillis, title } = header;
    this.run = JSON.stringify([node, scenario, seed, epochMillis, title]);
  }

  /** Takes the next record; returns the span that ended with it. */
  add(record: TraceRecord): EndedSpan | null {
    switch (record.kind) {
      case 'goroutine-start': {
        const inherits = INHERITS.some((prefix) => record.name.startsWith(prefix));
        const given = inherits ? this.current(record.g) : null;
        this.contexts.set(record.id, { name: record.name, given, open: [], ours: [] });
        return null;
      }
      case 'goroutine-end':
        this.contexts.delete(record.id);
        return null;
      case 'chan-make':
        this.channels.set(record.chan, record.name);
        if (this.channels.size > channelNames) this.channels.delete(oldestKey(this.channels) as number);
        return null;
      case 'send': {
        const span = this.channels.get(record.chan) === 'pullRequests' ? this.current(record.g) : null;
        if (span) this.sent.set(record.seq, span);
        return null;
      }
      case 'receive':
      case 'select': {
        const context = this.contexts.get(record.g);
        if (context?.name === SERIAL_PULLER) {
          context.given = this.sent.get(record.cause) ?? null;
          this.sent.delete(record.cause);
        }
        if (record.kind === 'select') this.iteration(record, context);
        return null;
      }
      case 'enter':
        this.enter(record);
        return null;
      case 'exit':
        return this.exit(record);
      case 'cri-call':
        this.call(record);
        return null;
      case 'cri-return':
        return this.returned(record);
      default:
        return null;
    }
  }

  /** The kubelet's span that a call of this goroutine is a child of. */
  private current(g: number): OpenSpan | null {
    const context = this.contexts.get(g);
    return context?.open.at(-1) ?? context?.given ?? null;
  }

  private context(g: number): Context {
    let context = this.contexts.get(g);
    if (!context) {
      context = { name: '', given: null, open: [], ours: [] };
      this.contexts.set(g, context);
    }
    return context;
  }

  private begin(
    record: TraceRecord,
    name: string,
    scope: string,
    parent: OpenSpan | null,
    kind: 1 | 3,
    attributes: OtlpAttribute[],
    error: boolean,
  ): OpenSpan {
    const { seq, time: start } = record;
    const traceId = parent?.traceId ?? hexId(`${this.run} trace ${seq}`, 4);
    const spanId = hexId(`${this.run} span ${scope === OWN_SCOPE ? 'own ' : ''}${seq}`, 2);
    return { name, scope, seq, start, traceId, spanId, parent, kind, attributes, error };
  }

  private enter(record: RecordOf<'enter'>): void {
    const spec = SPANS.get(record.fn);
    if (spec) {
      const parent = spec.root ? null : this.current(record.g);
      const { name, scope, error } = spec;
      const span = this.begin(record, name, scope, parent, 1, podAttributes(name, record), error);
      this.context(record.g).open.push(span);
      return;
    }
    const name = this.own ? ownSpan(record.fn) : null;
    if (name === null) return;
    const { ours } = this.context(record.g);
    const attributes = [otlpText('syncloop.function', record.fn), ...argAttributes(record)];
    ours.push(this.begin(record, name, OWN_SCOPE, ours.at(-1) ?? null, 1, attributes, true));
  }

  /** Adds the channel that the loop's select took to the iteration that is open. */
  private iteration(record: RecordOf<'select'>, context: Context | undefined): void {
    const span = context?.ours.at(-1);
    if (span?.name !== 'syncloop.iteration' || span.attributes.some((a) => a.key === 'syncloop.channel')) return;
    // Those that the loop still looks at are the last to be forgotten.
    for (const chan of record.cases) {
      const name = this.channels.get(chan);
      if (name !== undefined && this.channels.delete(chan)) this.channels.set(chan, name);
    }
    const chan = record.cases[record.chosen];
    if (chan !== undefined)
      span.attributes.push(otlpText('syncloop.channel', this.channels.get(chan) ?? `channel ${chan}`));
  }

  private exit(record: RecordOf<'exit'>): EndedSpan | null {
    const context = this.contexts.get(record.g);
    if (!context) return null;
    let ended: EndedSpan | null = null;
    for (const spans of [context.open, context.ours]) {
      // Calls within it that were left without a record of their own never ended.
      while ((spans.at(-1)?.seq ?? 0) > record.of) spans.pop();
      if (spans.at(-1)?.seq !== record.of) continue;
      const span = spans.pop() as OpenSpan;
      const error = span.error ? (record.error ?? '') : '';
      ended = this.end(
        span,
        record.time,
        error,
        error === '' ? [] : [exception(nanos(this.header, record.time), error)],
      );
    }
    // A goroutine without a name or spans ends without a trace.
    const { name, given, open, ours } = context;
    if (name === '' && given === null && open.length + ours.length === 0) this.contexts.delete(record.g);
    return ended;
  }

  private call(record: RecordOf<'cri-call'>): void {
    const service = `runtime.v1.${IMAGE_SERVICE.has(record.method) ? 'ImageService' : 'RuntimeService'}`;
    const attributes = [
      otlpText('rpc.system', 'grpc'),
      otlpText('rpc.service', service),
      otlpText('rpc.method', record.method),
    ];
    const parent = this.current(record.g);
    this.calls.set(
      record.seq,
      this.begin(record, `${service}/${record.method}`, OTELGRPC, parent, 3, attributes, true),
    );
  }

  private returned(record: RecordOf<'cri-return'>): EndedSpan | null {
    const span = this.calls.get(record.call);
    if (!span) return null;
    this.calls.delete(record.call);
    span.attributes.push(int('rpc.grpc.status_code', record.error?.code ?? 0));
    return this.end(span, record.time, record.error ? record.error.details || `code ${record.error.code}` : '', []);
  }

  private end(span: OpenSpan, time: Micros, error: string, events: NonNullable<OtlpSpan['events']>): EndedSpan {
    return {
      scope: span.scope,
      span: {
        traceId: span.traceId,
        spanId: span.spanId,
        ...(span.parent && { parentSpanId: span.parent.spanId }),
        flags: SAMPLED,
        name: span.name,
        kind: span.kind,
        startTimeUnixNano: nanos(this.header, span.start),
        endTimeUnixNano: nanos(this.header, Math.max(span.start, time)),
        attributes: [...span.attributes, int('syncloop.record', span.seq)],
        ...(events.length > 0 && { events }),
        status: error === '' ? {} : { code: 2, message: error },
      },
    };
  }
}

/** Sampled; known to come from no remote parent. */
const SAMPLED = 0x101;

/** An attribute that is a text. */
export const otlpText = (key: string, value: string): OtlpAttribute => ({ key, value: { stringValue: value } });
const int = (key: string, value: number): OtlpAttribute => ({ key, value: { intValue: String(Math.trunc(value)) } });

/** upstream: pkg/kubelet/kubelet.go (*Kubelet).SyncPod and its siblings */
function podAttributes(span: string, record: RecordOf<'enter'>): OtlpAttribute[] {
  const { args } = record;
  if (!span.startsWith('sync') || typeof args !== 'object' || args === null) return [];
  const { pod, uid, updateType } = args as { readonly [key: string]: unknown };
  if (typeof pod !== 'string' || typeof uid !== 'string') return [];
  const slash = pod.indexOf('/');
  return [
    otlpText('k8s.pod.uid', uid),
    otlpText('k8s.pod', pod),
    otlpText('k8s.pod.name', pod.slice(slash + 1)),
    ...(typeof updateType === 'string' ? [otlpText('k8s.pod.update_type', updateType)] : []),
    otlpText('k8s.namespace.name', slash < 0 ? '' : pod.slice(0, slash)),
  ];
}

function argAttributes({ args }: RecordOf<'enter'>): OtlpAttribute[] {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return [];
  const { pod, uid } = args as { readonly [key: string]: unknown };
  return [
    ...(typeof uid === 'string' ? [otlpText('k8s.pod.uid', uid)] : []),
    ...(typeof pod === 'string' ? [otlpText('k8s.pod', pod)] : []),
  ];
}

/** Returns the event that Go's RecordError adds to a span. */
function exception(timeUnixNano: string, message: string) {
  const attributes = [otlpText('exception.type', '*errors.errorString'), otlpText('exception.message', message)];
  return { timeUnixNano, name: 'exception', attributes };
}

function nanos({ epochMillis }: OtlpRun, time: Micros): string {
  // More digits than a number has: the last three are zeros.
  return `${Math.max(0, Math.round(epochMillis * 1000 + time))}000`;
}

/** One request for these spans, by scope. `resource`: what all of them come from. */
export function otlpRequest(
  resource: readonly OtlpAttribute[],
  ended: readonly EndedSpan[],
): ExportTraceServiceRequest {
  const scopes = new Map<string, OtlpSpan[]>();
  for (const { scope, span } of ended) {
    const spans = scopes.get(scope);
    if (spans) spans.push(span);
    else scopes.set(scope, [span]);
  }
  return {
    resourceSpans: [
      {
        resource: { attributes: resource },
        scopeSpans: [...scopes].map(([name, spans]) => ({ scope: { name }, spans })),
      },
    ],
  };
}

/** Returns `words` times 32 bits in hex, never all zero: the same for the same text. */
function hexId(of: string, words: number): string {
  let id = '';
  for (let w = 0; w < words; w++) {
    let h = fnv32aText(of, FNV32_OFFSET ^ Math.imul(w + 1, 0x9e3779b1));
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    id += hex32(h ^ (h >>> 16));
  }
  return /[^0]/.test(id) ? id : `${id.slice(0, -1)}1`;
}
