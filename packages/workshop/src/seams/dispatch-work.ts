import type { DispatchWorkInput, KubeletParts } from '@syncloop/core/kubelet/parts';
import { oneOf, type Shape } from '@syncloop/core/shape';
import type { Json } from '@syncloop/core/trace';
import type { Seam } from './seam.js';

export type DispatchWorkResult = ReturnType<NonNullable<KubeletParts['dispatchWork']>>;

export const dispatchWork: Seam<DispatchWorkResult> = {
  part: 'dispatchWork',
  fn: 'dispatchWork',
  result: oneOf('UpdatePod', 'TerminatePod', 'ignore') as Shape<DispatchWorkResult>,
  canonical: (result) => result,
};

export const dispatchWorkArgs = ({ containers, ...input }: DispatchWorkInput): Json[] => [
  { ...input, containers: containers.map((c) => ({ ...c })) },
];
