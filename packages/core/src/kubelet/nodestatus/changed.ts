import { parseQuantity } from '../../base/index.js';
import type { ResourceList } from '../api/types.js';
import type { NodeCondition, NodeStatus } from '../client/api-objects.js';

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/** Nothing, an empty list and an empty map are the same. upstream: apiequality.Semantic.DeepEqual */
function semanticEqual(a: unknown, b: unknown): boolean {
  if (isEmpty(a) || isEmpty(b)) return isEmpty(a) && isEmpty(b);
  if (typeof a !== 'object' || typeof b !== 'object' || Array.isArray(a) !== Array.isArray(b)) return a === b;
  if (Array.isArray(a)) {
    const other = b as readonly unknown[];
    return a.length === other.length && a.every((x, i) => semanticEqual(x, other[i]));
  }
  const [x, y] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return [...new Set([...Object.keys(x), ...Object.keys(y)])].every((key) => semanticEqual(x[key], y[key]));
}

/** Amounts in place of their texts: 1Gi and 1024Mi are the same. */
function amounts(list: ResourceList | undefined): Record<string, string> {
  const out: Record<string, string> = Object.create(null);
  for (const [name, text] of Object.entries(list ?? {}))
    try {
      out[name] = String(parseQuantity(text));
    } catch {
      out[name] = text;
    }
  return out;
}

/** Anything but the times of heartbeats. upstream: nodeStatusHasChanged */
export function nodeStatusHasChanged(before: NodeStatus | undefined, after: NodeStatus | undefined): boolean {
  if (nodeConditionsHaveChanged(before?.conditions ?? [], after?.conditions ?? [])) return true;
  const rest = (s: NodeStatus | undefined) => ({
    ...s,
    conditions: undefined,
    capacity: amounts(s?.capacity),
    allocatable: amounts(s?.allocatable),
  });
  return !semanticEqual(rest(before), rest(after));
}

/** Compares lists regardless of order. upstream: nodeConditionsHaveChanged */
export function nodeConditionsHaveChanged(before: readonly NodeCondition[], after: readonly NodeCondition[]): boolean {
  const plain = (list: readonly NodeCondition[]) =>
    list
      .map((c) => ({ ...c, lastHeartbeatTime: null }))
      .sort((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : 0));
  return !semanticEqual(plain(before), plain(after));
}
