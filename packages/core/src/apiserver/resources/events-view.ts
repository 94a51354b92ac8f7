import type { ApiObject } from '../types.js';

/** Field of core/v1 -> field of events.k8s.io/v1. upstream: pkg/apis/events/v1 conversion */
const renamed: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
];

function rename(o: ApiObject, apiVersion: string, from: 0 | 1): ApiObject {
  const out: ApiObject = { ...o, apiVersion };
  for (const pair of renamed) {
    const [a, b] = [pair[from], pair[from === 0 ? 1 : 0]];
    delete out[a];
    if (o[a] !== undefined) out[b] = o[a];
  }
  return out;
}
export const toEventsV1 = (stored: ApiObject): ApiObject => rename(stored, 'events.k8s.io/v1', 0);
export const toCoreEvent = (sent: ApiObject): ApiObject => rename(sent, 'v1', 1);
