/** The values of the parts around the loop that the inspector shows, and which records are about them. */
import { type NodeState, placeOf, type TraceRecord } from '@syncloop/core/trace';
import type { Part } from '../page/ui-store.js';

export const NODE_PARTS = [
  'managers',
  'node',
  'lease',
  'apiServer',
  'volumes',
  'eviction',
  'cgroups',
  'devices',
  'oom',
  'shutdown',
  'stats',
] as const satisfies readonly Part[];
export type NodePart = (typeof NODE_PARTS)[number];

const managers = ({ node }: NodeState, ...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, node.managers[name] ?? null]));

/** Values of a part, out of the state as it is: to be copied before it goes on. */
export function nodePartOf(state: NodeState, part: NodePart): unknown {
  const { node, api } = state;
  switch (part) {
    case 'managers':
      return node.managers;
    case 'node':
      return node;
    case 'lease':
      return { lease: node.lease, ...managers(state, 'nodeLeaseController') };
    case 'apiServer':
      return {
        requests: api.requests,
        errors: api.errors,
        watches: Object.values(api.watches),
        inFlight: Object.values(api.inFlight),
        recent: [...api.recent].reverse(),
      };
    case 'volumes':
      return Object.fromEntries(
        Object.values(state.pods)
          .filter((p) => Object.keys(p.volumes).length > 0)
          .map((p) => [p.pod, p.volumes]),
      );
    case 'eviction':
      return state.eviction;
    case 'cgroups':
      return state.cgroups;
    case 'devices':
      return node.devices;
    case 'oom':
      return { ...managers(state, 'oomWatcher'), events: state.events.filter((e) => e.reason === SYSTEM_OOM) };
    case 'shutdown':
      return { ...managers(state, 'shutdownManager'), Ready: node.conditions.Ready ?? null };
    case 'stats':
      return managers(state, 'resourceAnalyzer', 'cadvisor');
  }
}
export const SYSTEM_OOM = 'SystemOOM';

/** A test for the records that are about a part. */
export function aboutNodePart(part: NodePart): (record: TraceRecord) => boolean {
  const manager =
    (...names: readonly string[]) =>
    (r: TraceRecord) =>
      r.kind === 'manager' && names.includes(r.name);
  switch (part) {
    case 'lease':
      return (r) => placeOf(r) === 'lease' || (r.kind === 'api' && r.resource === 'leases');
    case 'volumes':
      return (r) => r.kind === 'volume';
    case 'oom': {
      const own = manager('oomWatcher');
      return (r) => own(r) || (r.kind === 'kube-event' && r.reason === SYSTEM_OOM);
    }
    case 'shutdown': {
      const own = manager('shutdownManager');
      return (r) => own(r) || (r.kind === 'enter' && r.fn === 'processShutdownEvent');
    }
    case 'stats':
      return manager('resourceAnalyzer', 'cadvisor');
    default:
      return (r) => placeOf(r) === part;
  }
}
