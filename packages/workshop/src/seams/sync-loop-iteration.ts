import { object, type Shape, text } from '@syncloop/core/shape';
import type { Json } from '@syncloop/core/trace';
import type { Message } from '../messages/index.js';
import { state } from './back-off.js';
import { type Seam, unknownName } from './seam.js';

export interface SyncLoopIterationResult {
  readonly state: Json;
  readonly output: { readonly channel: string };
}

export const syncLoopIteration: Seam<SyncLoopIterationResult> = {
  part: 'syncLoopIteration',
  fn: 'syncLoopIteration',
  result: object({ state, output: object({ channel: text }) }) as Shape<SyncLoopIterationResult>,
  canonical: (output) => output,
};

export const syncLoopIterationArgs = (before: Json, ready: readonly string[]): Json[] => [
  before,
  { ready: [...ready] },
];

/** Says in words that the channel is not ready; null if it is. */
export const channelProblem = (ready: readonly string[], { output }: SyncLoopIterationResult): Message | null =>
  unknownName('output.channel', [output.channel], ready);
