export { causes } from './catalogue.js';
export { CauseSearch, type CauseSearchOptions } from './search.js';
export type * from './types.js';
