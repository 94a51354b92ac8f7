export { notShown, remedyRows, unknownOf } from './rows.js';
export { RemedySearch, subjectOf } from './search.js';
export type * from './types.js';
