import type { PartPodCleanups, PodCleanupsInput } from '@syncloop/core/kubelet/parts';
import { list, object, text } from '@syncloop/core/shape';
import type { Json } from '@syncloop/core/trace';
import type { Message } from '../messages/index.js';
import { type Seam, sorted, unknownName } from './seam.js';

const uids = list(text, 10_000);

export const podCleanups: Seam<PartPodCleanups> = {
  part: 'podCleanups',
  fn: 'handlePodCleanups',
  result: object({ restart: uids, finish: uids, kill: uids, removeCgroups: uids }),
  canonical: sorted,
};

export const podCleanupsArgs = (input: PodCleanupsInput): Json[] => [input as unknown as Json];

/** Says in words which pod is not there; null if each is. */
export function cleanupsProblem(input: PodCleanupsInput, plan: PartPodCleanups): Message | null {
  const pods = input.pods.map((p) => p.uid);
  return (
    unknownName('restart', plan.restart, pods) ??
    unknownName('finish', plan.finish, pods) ??
    unknownName(
      'kill',
      plan.kill,
      input.runningPods.map((p) => p.uid),
    ) ??
    unknownName('removeCgroups', plan.removeCgroups, input.cgroups)
  );
}
