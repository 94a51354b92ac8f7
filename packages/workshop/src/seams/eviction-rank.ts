import type { EvictionRankInput } from '@syncloop/core/kubelet/parts';
import { list, text } from '@syncloop/core/shape';
import type { Json } from '@syncloop/core/trace';
import type { Message } from '../messages/index.js';
import { type Seam, unknownName } from './seam.js';

export const evictionRank: Seam<readonly string[]> = {
  part: 'evictionRank',
  fn: 'rankPods',
  result: list(text, 10_000),
  canonical: (result) => result,
};

export const evictionRankArgs = ({ pods, resource }: EvictionRankInput): Json[] => [
  pods.map(({ pod, ...figures }) => ({ name: pod, ...figures })),
  resource,
];

/** Says in words which pod is not there; null if each is. */
export const rankProblem = ({ pods }: EvictionRankInput, names: readonly string[]): Message | null =>
  unknownName(
    '',
    names,
    pods.map((p) => p.pod),
  );
