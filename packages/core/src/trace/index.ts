export * from './export/index.js';
export {
  hasFailed,
  importanceOf,
  isListing,
  kindOf,
  kinds,
  kindsAt,
  markOf,
  placeOf,
  recordKinds,
} from './kinds/index.js';
export type * from './kinds/kind.js';
export * from './klog-format.js';
export { type Lang, lookupOf, narrate } from './narrator/narrator.js';
export type { NameLookup, Narration, NarrationLink, NarrationPart, NarrationRef } from './narrator/parts.js';
export * from './recording/index.js';
export type * from './records.js';
export { foldAll, reduce } from './reducer.js';
export { RING } from './ring.js';
export * from './state.js';
