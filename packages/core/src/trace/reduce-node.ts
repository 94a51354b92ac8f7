import type { RecordOf } from './records.js';
import { initialNode, type NodeState } from './state.js';

type NodeRecord = RecordOf<'manager' | 'node-condition' | 'node-status' | 'node-lease'>;

/** What becomes known of the node and of the kubelet's parts. */
export function reduceNode({ node }: NodeState, record: NodeRecord): void {
  const { time } = record;
  switch (record.kind) {
    case 'manager': {
      const { name, state, detail = '' } = record;
      node.managers[name] = { name, state, detail, since: time };
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
  }
}

/** What the kubelet held in memory goes with it. */
export function endNode(state: NodeState): void {
  state.node = initialNode();
}
