import type { SessionTools } from '../debug/index.js';
import type { Json } from '../trace/index.js';
import { compareEras } from './compare.js';

/** For sessions: see SessionTools. */
export const comparingEras: NonNullable<SessionTools['compareEras']> = function* (source, runs) {
  return (yield* compareEras(source, runs)) as unknown as Json;
};
