import { tracedRequest, tracedResponse } from '@syncloop/core/cri';
import type { Json, RecordBody, Seq } from '@syncloop/core/trace';
import { find } from './catalogue/index.js';
import type { Evidence, LineEvidence, LogEntry } from './evidence/index.js';
import { podIdentity } from './pods/facts.js';

/** The record of a line. */
export function lineBody({ entry }: LineEvidence): RecordBody & { readonly kind: 'log' } {
  if (entry.kind === 'other')
    return { kind: 'log', severity: 'I', v: 0, msg: entry.text, kv: {}, file: entry.program ?? '' };
  return {
    kind: 'log',
    severity: entry.severity === 'F' ? 'E' : entry.severity,
    v: entry.v ?? verbosityOf(entry),
    msg: entry.msg,
    kv: entry.fields as { readonly [key: string]: Json },
    file: entry.file,
  };
}

/**
 * Returns the record of a piece of evidence itself, without any conclusions. `call` is the record of the call that a
 * return belongs to; 0 if there is none.
 */
export function evidenceBody(evidence: Evidence, call: Seq): RecordBody {
  switch (evidence.kind) {
    case 'line':
      return lineBody(evidence);
    case 'call': {
      const { method, request, subject } = evidence;
      return {
        kind: 'cri-call',
        method,
        request: isObject(request) ? tracedRequest(method, request) : null,
        ...subject,
      };
    }
    case 'return': {
      const { method, response, error, took, subject } = evidence;
      return {
        kind: 'cri-return',
        call,
        method,
        ...(response !== undefined && { response: isObject(response) ? tracedResponse(method, response) : null }),
        ...(error && { error }),
        ...(took !== null && { took }),
        ...subject,
      };
    }
    case 'runtime': {
      const { method, response, error } = evidence;
      const answer = response !== undefined && isObject(response) && { response: tracedResponse(method, response) };
      return { kind: 'runtime-answer', method, ...answer, ...(error && { error }) };
    }
    case 'container-event':
      return { kind: 'container-event', event: evidence.event };
    case 'span': {
      const { name, service, traceId, spanId, parentSpanId: parent, attributes, error, end, at } = evidence;
      const took = Math.max(0, end - (at ?? end));
      return {
        kind: 'telemetry-span',
        name,
        service,
        traceId,
        spanId,
        parent,
        took,
        attributes,
        ...(error !== undefined && { error }),
      };
    }
    case 'pods':
      return {
        kind: 'pod-list',
        scope: evidence.scope,
        pods: evidence.pods.map(podIdentity),
        ...(evidence.removed && { removed: true as const }),
        objects: evidence.pods,
      };
    case 'metrics':
      return { kind: 'metrics', values: Object.fromEntries(evidence.samples) };
    case 'api-event': {
      const { object, type, reason, message } = evidence;
      return { kind: 'kube-event', object, type, reason, message };
    }
    case 'api-condition': {
      const { type, status, reason, message } = evidence;
      return { kind: 'node-condition', type, status, reason, message };
    }
    case 'gap':
      return {
        kind: 'evidence-gap',
        source: evidence.source,
        why: evidence.why,
        ...(evidence.bytes !== undefined && { bytes: evidence.bytes }),
      };
  }
}

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null;
/** The verbosity that prints a line of text does not say, the catalogue does. */
function verbosityOf(entry: LogEntry): number {
  const gate = entry.severity === 'I' ? find(entry)?.row.v : 0;
  return typeof gate === 'number' ? gate : 0;
}
