import type { KillContainerInput } from '@syncloop/core/kubelet/parts';
import { flag, object, type Shape, whole } from '@syncloop/core/shape';
import type { Json } from '@syncloop/core/trace';
import { state } from './back-off.js';
import type { Seam } from './seam.js';

export interface KillContainerResult {
  readonly state: Json;
  readonly output: { readonly runPreStop: boolean; readonly gracePeriodSeconds: number };
}

export const killContainer: Seam<KillContainerResult> = {
  part: 'killContainer',
  fn: 'killContainer',
  result: object({
    state,
    output: object({ runPreStop: flag, gracePeriodSeconds: whole(0, 1_000_000_000) }),
  }) as Shape<KillContainerResult>,
  canonical: (output) => output,
};

export const killContainerArgs = (before: Json, { container: _, ...input }: KillContainerInput): Json[] => [
  before,
  { ...input },
];
