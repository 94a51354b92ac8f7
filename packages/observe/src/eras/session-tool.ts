import type { SessionTools } from '@syncloop/core/debug';
import type { Json } from '@syncloop/core/trace';
import { compareEras } from './compare.js';

/** For sessions: see SessionTools. */
export const comparingEras: NonNullable<SessionTools['compareEras']> = function* (source, runs) {
  return (yield* compareEras(source, runs)) as unknown as Json;
};
