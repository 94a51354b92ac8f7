/** Folds records of the node: what the kubelet reports about it and does for it. */
import type { node as nodeKinds } from '../kinds/node.js';
import type { Micros, RecordOf } from '../records.js';
import { endAPI, reduceAPI } from './api.js';
import { initialEviction, reduceEviction } from './eviction.js';
import { emptyMap, mapValues, shallow } from './maps.js';
import type { NodeState } from './state.js';

/** The node as the kubelet reports it, and which of the kubelet's parts run. */
export interface NodeView {
  /** By name. */
  managers: Record<string, { name: string; state: RecordOf<'manager'>['state']; detail: string; since: Micros }>;
  /** By type. */
  conditions: Record<string, { type: string; status: string; reason: string; message: string; since: Micros }>;
  /** '' until it said anything. */
  name: string;
  addresses: readonly { readonly type: string; readonly address: string }[];
  capacity: { readonly [resource: string]: string };
  allocatable: { readonly [resource: string]: string };
  /** With an API server only. */
  registered: boolean;
  /** Times that the status was sent, and the last of them; null before. */
  reports: number;
  lastReport: Micros | null;
  /** The devices of the node by resource, and what became of their plug-in. */
  devices: Record<
    string,
    {
      resource: string;
      endpoint: 'connected' | 'stopped' | 'removed';
      since: Micros;
      devices: readonly { id: string; healthy: boolean; allocated: boolean; uid?: string }[];
    }
  >;
  /** Null before the first. */
  lease: { renewals: number; lastRenewal: Micros; lastError: string } | null;
}

/** The view before a kubelet has reported anything. */
export const initialNode = (): NodeView => ({
  managers: emptyMap(),
  conditions: emptyMap(),
  name: '',
  addresses: [],
  capacity: {},
  allocatable: {},
  registered: false,
  reports: 0,
  devices: emptyMap(),
  lastReport: null,
  lease: null,
});

export const copyNode = (node: NodeView): NodeView => ({
  ...node,
  managers: mapValues(node.managers, shallow),
  conditions: mapValues(node.conditions, shallow),
  devices: mapValues(node.devices, shallow),
  lease: node.lease && { ...node.lease },
});

export function reduceNode(state: NodeState, record: RecordOf<keyof typeof nodeKinds>): void {
  const { node } = state;
  const { time } = record;
  switch (record.kind) {
    case 'eviction':
      reduceEviction(state, record);
      break;
    case 'api':
      reduceAPI(state, record);
      break;
    case 'cgroup':
      if (record.op === 'destroy') delete state.cgroups[record.path];
      // Settings that the record does not name stay as they are.
      else state.cgroups[record.path] = { ...state.cgroups[record.path], ...(record.config as object | undefined) };
      break;
    case 'manager': {
      const { name, state, detail = '' } = record;
      node.managers[name] = { name, state, detail, since: time };
      break;
    }
    case 'devices': {
      const { resource, endpoint, devices } = record;
      const before = node.devices[resource];
      const since = before?.endpoint === endpoint ? before.since : time;
      if (endpoint === 'removed' && devices.length === 0) delete node.devices[resource];
      else node.devices[resource] = { resource, endpoint, since, devices };
      break;
    }
    case 'node-condition': {
      const { type, status, reason, message } = record;
      const before = node.conditions[type];
      const since = before?.status === status ? before.since : time;
      node.conditions[type] = { type, status, reason, message, since };
      break;
    }
    case 'node-status':
      node.name = record.node;
      if (record.op === 'registered') node.registered = true;
      else if (record.op === 'reported') {
        node.reports++;
        node.lastReport = time;
      } else if (record.op === 'set') {
        node.addresses = record.addresses ?? [];
        node.capacity = record.capacity ?? {};
        node.allocatable = record.allocatable ?? {};
      }
      break;
    case 'node-lease': {
      node.lease ??= { renewals: 0, lastRenewal: time, lastError: '' };
      node.lease.lastError = record.error ?? '';
      if (record.op === 'failed') break;
      node.lease.renewals++;
      node.lease.lastRenewal = time;
      break;
    }
    default:
      record satisfies never;
  }
}

/** Clears all that the kubelet had in memory. */
export function endNode(state: NodeState): void {
  state.node = initialNode();
  state.eviction = initialEviction();
  endAPI(state);
}
