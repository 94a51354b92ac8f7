export { judgeOf } from './judge.js';
export { TwinSearch, type TwinSearchOptions } from './search.js';
export type * from './types.js';
