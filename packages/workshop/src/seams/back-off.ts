import type { BackOffInput } from '@syncloop/core/kubelet/parts';
import { custom, flag, object, type Shape, whole } from '@syncloop/core/shape';
import type { Json } from '@syncloop/core/trace';
import type { Seam } from './seam.js';

/** A part's memory: whatever plain data it likes. */
export const state: Shape<Json> = custom({}, (r) => r.value as Json);

export interface BackOffResult {
  readonly state: Json;
  readonly output: { readonly wait: boolean; readonly delaySeconds: number };
}

export const backOff: Seam<BackOffResult> = {
  part: 'backOff',
  fn: 'doBackOff',
  result: object({
    state,
    output: object({ wait: flag, delaySeconds: whole(0, 1_000_000_000) }),
  }) as Shape<BackOffResult>,
  canonical: (output) => output,
};

const millis = (micros: number): number => micros / 1000;

/** Times in milliseconds since the start of the run, durations in seconds. */
export const backOffArgs = (before: Json, { now, finishedAt, initial, max }: BackOffInput): Json[] => [
  before,
  {
    nowMillis: millis(now),
    finishedAtMillis: millis(finishedAt),
    initialSeconds: initial / 1_000_000,
    maxSeconds: max / 1_000_000,
  },
];
