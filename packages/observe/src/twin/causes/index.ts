export { causes } from './catalogue.js';
export { nodeOf, secondsOf, specOf, withNode, withSpec } from './document.js';
export { containersOf, manifestOf, withContainer, withPodSpec } from './manifests.js';
export { CauseSearch, type CauseSearchOptions } from './search.js';
export type * from './types.js';
