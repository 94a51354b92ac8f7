import type { SessionTools } from '@syncloop/core/debug';
import { compareEras } from './compare.js';

/** For sessions: see SessionTools. */
export const comparingEras: NonNullable<SessionTools['compareEras']> = compareEras;
