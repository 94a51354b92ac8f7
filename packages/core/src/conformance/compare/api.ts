/** Compares what a node reports to an API server, also about itself. */
import { at, type Loose, listAt, type Recording } from './recording.js';

/** UIDs to blot out of statuses in the API: the pods' own and those of their mirrors, which only the server knows. */
export function apiUids(recording: Recording, uids: Iterable<string>): string[] {
  const pods = (recording.apiStatus ?? []).flatMap((snapshot) => snapshot.pods);
  return [...new Set([...uids, ...pods.map((pod) => pod.uid)])];
}

/** Returns the node's writes by pod, in order; the same write several times running counts once. */
export function podWrites(recording: Recording): Map<string, string[]> {
  const out = new Map<string, string[]>();
  for (const write of recording.api ?? []) {
    const { verb, resource, subresource, code, request } = write as Record<string, unknown>;
    if (resource !== 'pods' || verb === 'get' || verb === 'list' || code === 404 || code === 409) continue;
    let text = `${verb} pods${subresource ? `/${subresource}` : ''} ${code}`;
    if (verb === 'delete') {
      const uid = at(request, 'preconditions', 'uid') ? 'set' : 'none';
      text += ` grace=${at(request, 'gracePeriodSeconds') ?? ''} uid=${uid}`;
    }
    const name = String(write.name ?? at(request, 'metadata', 'name'));
    const writes = out.get(name) ?? [];
    out.set(name, writes);
    if (writes.at(-1) !== text) writes.push(text);
  }
  return out;
}

const joined = (items: readonly unknown[], text: (item: Loose) => string, separator: string) =>
  items
    .map((item) => text(item as Loose))
    .sort()
    .join(separator);

/**
 * Returns the Node object and its lease, fact by fact, without the machine's own values; undefined if there is none.
 */
export function nodeFacts({ node, lease }: Recording): Record<string, unknown> | undefined {
  if (!node) return undefined;
  const capacity = (at(node, 'status', 'capacity') ?? {}) as Loose;
  const spec = at(lease, 'spec');
  return {
    labels: Object.keys((at(node, 'metadata', 'labels') as Loose | undefined) ?? {})
      .sort()
      .join(),
    taints: JSON.stringify(at(node, 'spec', 'taints') ?? []),
    conditions: joined(
      listAt(node, 'status', 'conditions'),
      (c) => `${c.type}=${c.status}:${c.reason}:${c.message}`,
      '; ',
    ),
    addresses: joined(listAt(node, 'status', 'addresses'), (a) => `${a.type}=${a.address}`, ','),
    pods: capacity.pods,
    resources: Object.keys(capacity)
      .filter((name) => !name.startsWith('hugepages') && name !== 'ephemeral-storage')
      .sort()
      .join(),
    operatingSystem: at(node, 'status', 'nodeInfo', 'operatingSystem'),
    architecture: at(node, 'status', 'nodeInfo', 'architecture'),
    lease: lease ? `${at(spec, 'holderIdentity')}:${at(spec, 'leaseDurationSeconds')}` : 'none',
  };
}

/** Returns the kinds (`Warning BackOff`) of events by pod, from the log. A message of several lines begins with <. */
export function eventKinds(recording: Recording): Map<string, Set<string>> {
  const line =
    /"Event occurred" object="([^"]*)".*?kind="Pod".*? type="(\w+)" reason="(\w+)" message=(?:"(?:[^"\\]|\\.)*"|<)/;
  const out = new Map<string, Set<string>>();
  for (const text of recording.klog ?? []) {
    const [, object = '', type = '', reason = ''] = line.exec(text) ?? [];
    if (!object) continue;
    const name = String(object.split('/')[1]);
    out.set(name, (out.get(name) ?? new Set()).add(`${type} ${reason}`));
  }
  return out;
}
