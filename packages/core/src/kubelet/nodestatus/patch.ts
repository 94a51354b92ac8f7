import { createTwoWayMergePatch } from '../../api/client/strategic-patch.js';
import type { NodeObject } from '../../api/cluster-types.js';
import { node as nodeType } from '../../api/objects/node.js';
import { deepCopy, deepEqual } from '../../base/deep.js';

/**
 * Returns the patch that makes the status (and the metadata) of `before` that of `after`; the spec is left alone.
 * upstream: component-helpers/node/util preparePatchBytesforNodeStatus
 */
export function nodeStatusPatch(before: NodeObject, after: NodeObject): Record<string, unknown> {
  const old = before.status?.addresses ?? [];
  const addresses = after.status?.addresses ?? [];
  // The merge key of addresses is their type, of which there may be several: they are replaced as a whole.
  const replaceAddresses = old.length > 0 && !deepEqual(old, addresses);
  const to = deepCopy(after);
  if (before.spec === undefined) delete to.spec;
  else to.spec = before.spec;
  if (replaceAddresses && to.status) to.status.addresses = old;
  const patch = createTwoWayMergePatch(before, to, nodeType);
  if (replaceAddresses)
    patch.status = { ...(patch.status as object | undefined), addresses: [...addresses, { $patch: 'replace' }] };
  return patch;
}
