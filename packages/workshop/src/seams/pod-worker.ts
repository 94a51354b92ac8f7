import type { KubeletParts, PodWorkerEvent } from '@syncloop/core/kubelet/parts';
import { custom, flag, object, oneOf, type Shape } from '@syncloop/core/shape';
import type { Json } from '@syncloop/core/trace';
import { state } from './back-off.js';
import type { Seam } from './seam.js';

const update: Shape<number | null> = custom({ type: ['integer', 'null'] }, (r) => {
  const { value } = r;
  if (value === null || (typeof value === 'number' && Number.isInteger(value) && value > 0)) return value;
  throw r.error(`it is ${JSON.stringify(value)?.slice(0, 80)}`, 'it must be the number of an update, or null');
});

export interface PodWorkerResult {
  readonly state: Json;
  readonly output: Omit<ReturnType<NonNullable<KubeletParts['podWorker']>>, 'state'>;
}

export const podWorker: Seam<PodWorkerResult> = {
  part: 'podWorker',
  fn: 'podWorker',
  result: object({
    state,
    output: object({ podState: oneOf('sync', 'terminating', 'terminated', 'finished'), wake: flag, take: update }),
  }) as Shape<PodWorkerResult>,
  canonical: (output) => output,
};

export const podWorkerArgs = (before: Json, event: PodWorkerEvent): Json[] => [before, { ...event }];
