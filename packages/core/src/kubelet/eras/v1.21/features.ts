import type { FeatureSpec } from '../../features.js';

/** The gates of v1.21 that decide something here: none of them was there yet. */
export const features: ReadonlyMap<string, FeatureSpec> = new Map();
