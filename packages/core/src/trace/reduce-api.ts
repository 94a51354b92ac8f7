import type { RecordOf } from './records.js';
import { push, RING } from './ring.js';
import { initialAPI, type NodeState } from './state.js';

/** What goes to the API server and comes back. */
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

/** Its connections end with the process. */
export function endAPI(state: NodeState): void {
  const { requests, errors, recent } = state.api;
  state.api = { ...initialAPI(), requests, errors, recent };
}
