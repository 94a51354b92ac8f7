import type { NodeCondition, NodeStatus } from '../../api/cluster-types.js';
import { semanticEqual } from '../../api/semantic.js';

/** Returns true if anything but the times of heartbeats has changed. upstream: nodeStatusHasChanged */
export function nodeStatusHasChanged(before: NodeStatus | undefined, after: NodeStatus | undefined): boolean {
  if (nodeConditionsHaveChanged(before?.conditions ?? [], after?.conditions ?? [])) return true;
  const rest = (s: NodeStatus | undefined) => ({ ...s, conditions: undefined });
  return !semanticEqual(rest(before), rest(after));
}

/** Returns true if two lists differ, regardless of order. upstream: nodeConditionsHaveChanged */
export function nodeConditionsHaveChanged(before: readonly NodeCondition[], after: readonly NodeCondition[]): boolean {
  const plain = (list: readonly NodeCondition[]) =>
    list
      .map((c) => ({ ...c, lastHeartbeatTime: null }))
      .sort((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : 0));
  return !semanticEqual(plain(before), plain(after));
}
