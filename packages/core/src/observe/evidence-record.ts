import type { Json, RecordBody } from '../trace/index.js';
import type { Evidence } from './evidence/index.js';
import { podName } from './identity.js';

/** The record of a piece of evidence itself: what it says, nothing that follows from it. */
export function evidenceBody(evidence: Evidence): RecordBody {
  switch (evidence.kind) {
    case 'line': {
      const { entry } = evidence;
      return entry.kind === 'other'
        ? { kind: 'log', severity: 'I', v: 0, msg: entry.text, kv: {}, file: entry.program ?? '' }
        : {
            kind: 'log',
            severity: entry.severity === 'F' ? 'E' : entry.severity,
            v: entry.v ?? 0,
            msg: entry.msg,
            // A copy with a prototype, as what comes out of a recording has.
            kv: Object.fromEntries(Object.entries(entry.fields)) as { readonly [key: string]: Json },
            file: entry.file,
          };
    }
    case 'call':
      return { kind: 'cri-call', method: evidence.method, request: evidence.request };
    case 'return': {
      const { call, method, response, error, took } = evidence;
      return {
        kind: 'cri-return',
        call,
        method,
        ...(response !== undefined && { response }),
        ...(error && { error }),
        took: took ?? 0,
      };
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
        pods: evidence.pods.map(podRef),
        ...(evidence.removed && { removed: true as const }),
        objects: evidence.pods,
      };
    case 'metrics':
      return { kind: 'metrics', values: Object.fromEntries(evidence.samples) };
    case 'gap':
      return {
        kind: 'evidence-gap',
        source: evidence.source,
        why: evidence.why,
        ...(evidence.bytes !== undefined && { bytes: evidence.bytes }),
      };
  }
}

function podRef(pod: Json): { pod: string; uid: string } {
  const { metadata } = (typeof pod === 'object' && pod !== null ? pod : {}) as { readonly metadata?: Json };
  const { uid } = (typeof metadata === 'object' && metadata !== null ? metadata : {}) as { readonly uid?: Json };
  return { pod: podName(metadata), uid: typeof uid === 'string' ? uid : '' };
}
