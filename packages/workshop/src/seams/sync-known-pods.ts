import type { PartKnownPods, SyncKnownPodsInput } from '@syncloop/core/kubelet/parts';
import { list, object, text } from '@syncloop/core/shape';
import type { Json } from '@syncloop/core/trace';
import type { Message } from '../messages/index.js';
import { type Seam, sorted, unknownName } from './seam.js';

const uids = list(text, 10_000);

export const syncKnownPods: Seam<PartKnownPods> = {
  part: 'syncKnownPods',
  fn: 'syncKnownPods',
  result: object({ remove: uids, terminate: uids }),
  canonical: sorted,
};

export const syncKnownPodsArgs = ({ desired, workers }: SyncKnownPodsInput): Json[] => [
  [...desired],
  workers as unknown as Json,
];

/** Says in words which worker is not there; null if each is. */
export function knownPodsProblem({ workers }: SyncKnownPodsInput, plan: PartKnownPods): Message | null {
  const known = workers.map((w) => w.uid);
  return unknownName('remove', plan.remove, known) ?? unknownName('terminate', plan.terminate, known);
}
