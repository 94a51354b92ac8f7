export { causes } from './catalogue.js';
export { type Change, mapSteps, nodeOf, specOf, withNode, withSpec } from './document.js';
export { containersOf, manifestOf, withContainer, withPodSpec } from './manifests.js';
export { nameInDocument } from './places.js';
export { CauseSearch, type CauseSearchOptions, withDocument } from './search.js';
export type * from './types.js';
