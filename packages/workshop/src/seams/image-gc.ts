import type { ImageGCInput } from '@syncloop/core/kubelet/parts';
import { list, text } from '@syncloop/core/shape';
import type { Json } from '@syncloop/core/trace';
import type { Message } from '../messages/index.js';
import { type Seam, unknownName } from './seam.js';

export const imageGC: Seam<readonly string[]> = {
  part: 'imageGC',
  fn: 'freeSpace',
  result: list(text, 10_000),
  canonical: (result) => result,
};

const seconds = (micros: number): number => micros / 1_000_000;

/** Ages in seconds. */
export const imageGCArgs = ({ images, bytesToFree, minAge, maxAge }: ImageGCInput): Json[] => [
  images.map(({ age, unusedFor, ...image }) => ({
    ...image,
    ageSeconds: seconds(age),
    unusedForSeconds: unusedFor === null ? null : seconds(unusedFor),
  })),
  { bytesToFree, minAgeSeconds: seconds(minAge), maxAgeSeconds: maxAge === null ? null : seconds(maxAge) },
];

/** Says in words which image is not there; null if each is. */
export const imagesProblem = ({ images }: ImageGCInput, ids: readonly string[]): Message | null =>
  unknownName(
    '',
    ids,
    images.map((i) => i.id),
  );
