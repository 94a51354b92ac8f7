import type { ProbeResultInput } from '@syncloop/core/kubelet/parts';
import { custom, flag, object, type Shape } from '@syncloop/core/shape';
import type { Json } from '@syncloop/core/trace';
import { state } from './back-off.js';
import type { Seam } from './seam.js';

const published: Shape<'Success' | 'Failure' | null> = custom({ enum: ['Success', 'Failure', null] }, (r) => {
  const { value } = r;
  if (value === null || value === 'Success' || value === 'Failure') return value;
  throw r.error(`it is ${JSON.stringify(value)?.slice(0, 80)}`, 'it must be "Success", "Failure" or null');
});

export interface ProbeResultResult {
  readonly state: Json;
  readonly output: { readonly publish: 'Success' | 'Failure' | null; readonly hold: boolean };
}

export const probeResult: Seam<ProbeResultResult> = {
  part: 'probeResult',
  fn: 'doProbe',
  result: object({ state, output: object({ publish: published, hold: flag }) }) as Shape<ProbeResultResult>,
  canonical: (output) => output,
};

export const probeResultArgs = (
  before: Json,
  { probeType, result, successThreshold, failureThreshold }: ProbeResultInput,
): Json[] => [before, { probeType, result, successThreshold, failureThreshold }];
