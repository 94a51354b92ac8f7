import type { SessionTools } from '../debug/index.js';
import { compareEras } from './compare.js';

/** For sessions: see SessionTools. */
export const comparingEras: NonNullable<SessionTools['compareEras']> = compareEras;
