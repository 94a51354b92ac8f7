/** Requests to the API server. */
import type { Micros, RecordOf, Seq } from '../records.js';
import { emptyMap, mapValues, shallow } from './maps.js';
import { push, RING } from './ring.js';
import type { NodeState } from './state.js';

/**
 * A request to the API server. `code` is 0 until an answer came, and if none did; `took` null while it is under way.
 */
export interface APIRequestView {
  id: number;
  seq: Seq;
  verb: string;
  resource: string;
  subresource: string;
  namespace: string;
  name: string;
  since: Micros;
  took: Micros | null;
  code: number;
  error: string;
}
/** By id those under way and the open watches; `recent` newest last, bounded. */
export interface APIView {
  inFlight: Record<string, APIRequestView>;
  watches: Record<string, { id: number; resource: string; namespace: string; since: Micros }>;
  requests: number;
  errors: number;
  recent: APIRequestView[];
}

export const initialAPI = (): APIView => ({
  inFlight: emptyMap(),
  watches: emptyMap(),
  requests: 0,
  errors: 0,
  recent: [],
});
export const copyAPI = (api: APIView): APIView => ({
  ...api,
  inFlight: mapValues(api.inFlight, shallow),
  watches: mapValues(api.watches, shallow),
  recent: [...api.recent],
});

/** Folds in a request to the API server or its answer. */
export function reduceAPI({ api }: NodeState, record: RecordOf<'api'>): void {
  const { id, seq, time, phase, verb, resource, subresource = '', namespace = '', name = '' } = record;
  if (phase === 'request') {
    api.requests++;
    api.inFlight[id] = {
      id,
      seq,
      verb,
      resource,
      subresource,
      namespace,
      name,
      since: time,
      took: null,
      code: 0,
      error: '',
    };
    return;
  }
  if (phase === 'end') {
    delete api.watches[id];
    return;
  }
  const request = api.inFlight[id];
  if (record.error !== undefined) api.errors++;
  if (!request) return;
  delete api.inFlight[id];
  request.took = record.took ?? time - request.since;
  request.code = record.code ?? 0;
  request.error = record.error ?? '';
  push(api.recent, request, RING.calls);
  if (verb === 'watch' && record.code === 200) api.watches[id] = { id, resource, namespace, since: time };
}

/** Ends the connections of a process that ends. */
export function endAPI(state: NodeState): void {
  const { requests, errors, recent } = state.api;
  state.api = { ...initialAPI(), requests, errors, recent };
}
