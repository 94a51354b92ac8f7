/** Concludes from a kubelet's spans: steps of workers, CRI calls, passes of garbage collection. */
import { oldestKey } from '@syncloop/core/base';
import type { Json, RecordBody, RecordOf, Seq, UpdateType } from '@syncloop/core/trace';
import type { CallEvidence, Evidence, ReturnEvidence, SpanEvidence } from './evidence/index.js';
import { callMethod, isKubelet } from './join/spans-and-calls.js';
import type { Extractor, RecordWriter, Written } from './record-writer.js';

/** Spans of a worker's steps, and the functions that make them. upstream: pkg/kubelet/kubelet.go */
const STEPS: ReadonlyMap<string, string> = new Map([
  ['syncPod', 'SyncPod'],
  ['syncTerminatingPod', 'SyncTerminatingPod'],
  ['syncTerminatedPod', 'SyncTerminatedPod'],
]);
const WORK: { readonly [fn: string]: WorkType } = {
  SyncPod: 'sync',
  SyncTerminatingPod: 'terminating',
  SyncTerminatedPod: 'terminated',
};
/** upstream: pkg/kubelet/images/image_gc_manager.go, pkg/kubelet/kuberuntime/kuberuntime_gc.go */
const PASSES: ReadonlySet<string> = new Set(['Images/GarbageCollect', 'Containers/GarbageCollect']);
const UPDATES: ReadonlySet<unknown> = new Set(['create', 'update', 'sync', 'kill']);
/** Most spans and calls whose records are remembered: those that may still be open. */
const MOST_OPEN = 4096;

type WorkType = RecordOf<'work-start'>['workType'];
type Place = Pick<Written, 'g' | 'span' | 'cause'>;

/**
 * A step that a log reports, too, has one record. A call of the socket keeps its record; its span only adds the step in
 * which it was made.
 */
export class SpanExtractor implements Extractor {
  /** The `enter` record of a span. */
  private readonly entered = new Map<string, { readonly seq: Seq; readonly g: number }>();
  /** The goroutine and span of calls of the socket for their returns, by source and call. */
  private readonly placed = new Map<string, Place>();
  /** Records of lists of containers, by span: a relist rests on two spans. */
  private readonly lists = new Map<string, Seq>();

  hear(evidence: Evidence, seq: Seq, writer: RecordWriter): void {
    if (evidence.kind !== 'span' || evidence.at === null || !isKubelet(evidence)) return;
    const step = STEPS.get(evidence.name);
    if (step !== undefined) this.step(evidence, step, seq, writer);
    else if (PASSES.has(evidence.name)) {
      const g = writer.goroutine(evidence.name);
      this.frame(evidence, { fn: evidence.name }, seq, { g, cause: 0 }, writer);
    } else this.call(evidence, seq, writer);
  }

  place(evidence: Evidence, writer: RecordWriter): Place | undefined {
    if (evidence.kind === 'call') {
      const span = writer.calls.spanOf(evidence);
      const place = span && this.placeWithin(span, writer);
      if (place) remember(this.placed, callKey(evidence), place);
      return place;
    }
    if (evidence.kind !== 'return') return undefined;
    const key = callKey(evidence);
    const place = this.placed.get(key);
    this.placed.delete(key);
    return place && { ...place, cause: 0 };
  }

  private step(span: SpanEvidence, fn: string, seq: Seq, writer: RecordWriter): void {
    const uid = text(span, 'k8s.pod.uid');
    const pod = text(span, 'k8s.pod') || joined(text(span, 'k8s.namespace.name'), text(span, 'k8s.pod.name'));
    writer.pods.learn(pod, uid);
    if (uid === '' && pod === '') return;
    const type = span.attributes['k8s.pod.update_type'];
    const updateType = UPDATES.has(type) ? (type as UpdateType) : undefined;
    const update = updateType === undefined ? {} : { updateType };
    const workType = WORK[fn] as WorkType;
    // If a log reports when the worker began, its wait for the cache is known, too.
    const open = writer.step('work', uid);
    const started = open?.workType === workType ? open : undefined;
    const g = writer.goroutine(`worker ${uid || pod}`, `podWorker ${pod || uid}`, { place: 'pod/worker', uid });
    const work =
      started?.seq ?? writer.write({ kind: 'work-start', pod, uid, workType, ...update }, { g, concluded: true });
    this.frame(span, { fn, args: { pod, uid, ...update } }, seq, { g, cause: work }, writer);
    if (started) return;
    const error = span.error === undefined ? {} : { error: span.error };
    writer.later(span.end, () => {
      if (writer.step('work', uid)?.seq !== work) return;
      const done: RecordBody = { kind: 'work-done', pod, uid, workType, ...error };
      writer.write(done, { g, at: span.end, cause: work, basis: [seq], concluded: true });
    });
  }

  /** `enter` now, and `exit` when the span ends. */
  private frame(
    span: SpanEvidence,
    call: { readonly fn: string; readonly args?: Json },
    seq: Seq,
    { g, cause }: { readonly g: number; readonly cause: Seq },
    writer: RecordWriter,
  ): void {
    const of = writer.write({ kind: 'enter', ...call }, { g, cause });
    remember(this.entered, span.spanId, { seq: of, g });
    writer.later(span.end, () => {
      const error = span.error === undefined ? {} : { error: span.error };
      writer.write({ kind: 'exit', of, fn: call.fn, ...error }, { g, at: span.end, span: of, cause: of, basis: [seq] });
    });
  }

  private call(span: SpanEvidence, seq: Seq, writer: RecordWriter): void {
    const method = callMethod(span);
    if (method === '' || writer.calls.hasCall(span)) return;
    const place = this.placeWithin(span, writer) ?? {};
    // A span carries neither request nor response.
    const call = writer.write({ kind: 'cri-call', method, request: null }, place);
    const took = span.end - (span.at ?? span.end);
    const error = callError(span);
    writer.later(span.end, () => {
      const body: RecordBody = { kind: 'cri-return', call, method, took, ...(error && { error }) };
      writer.write(body, { ...place, cause: call, at: span.end, basis: [seq] });
    });
    if (span.parentSpanId === '') this.relist(span, method, seq, writer);
  }

  private relist(span: SpanEvidence, method: string, seq: Seq, writer: RecordWriter): void {
    if (method === 'ListContainers') remember(this.lists, span.spanId, seq);
    const pair = method === 'ListPodSandbox' ? writer.calls.relists.pairOf(span) : undefined;
    if (!pair) return;
    writer.later(pair.end, () => {
      const other = this.lists.get(pair.spanId);
      const basis = other === undefined ? [seq] : [seq, other];
      const g = writer.goroutine('pleg');
      writer.write({ kind: 'relist', scope: 'global' }, { g, at: pair.end, basis, concluded: true });
    });
  }

  /** The innermost step that a span was made within. */
  private placeWithin(span: SpanEvidence, writer: RecordWriter): Place | undefined {
    for (const outer of writer.calls.lineage(span)) {
      if (outer === span) continue;
      const fn = STEPS.get(outer.name);
      const open =
        this.entered.get(outer.spanId) ?? (fn === undefined ? undefined : writer.step(fn, text(outer, 'k8s.pod.uid')));
      if (open) return { g: open.g, span: open.seq, cause: open.seq };
    }
    return undefined;
  }
}

const text = (span: SpanEvidence, key: string): string => {
  const value = span.attributes[key];
  return typeof value === 'string' ? value : '';
};
const joined = (namespace: string, name: string): string => (namespace === '' ? name : `${namespace}/${name}`);
const callKey = ({ source, call }: CallEvidence | ReturnEvidence): string => `${source} ${call}`;

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.set(key, value);
  if (map.size > MOST_OPEN) map.delete(oldestKey(map) as string);
}

/** Names of gRPC's codes, as newer instrumentation has them. */
const CODES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];

/**
 * Reads a call's failure. Older instrumentation says `rpc.grpc.status_code: 5`, newer `rpc.response.status_code:
 * "NOT_FOUND"` (fidelity 4:7).
 */
function callError(span: SpanEvidence): { code: number; details: string } | undefined {
  const number = span.attributes['rpc.grpc.status_code'];
  const name = span.attributes['rpc.response.status_code'];
  const named = typeof name === 'string' ? CODES.indexOf(name.toUpperCase()) : -1;
  const code = typeof number === 'number' ? number : named >= 0 ? named : undefined;
  if (code === 0 || (code === undefined && span.error === undefined)) return undefined;
  return { code: code ?? 2, details: span.error ?? '' };
}
