export { formatPath, type Path, parsePath, type Segment } from '../../expression/index.js';
export { applyChanges, type Change, diffStates, diffValues } from './diff.js';
export { hashState, hashValue } from './hash.js';
export { type Blocks, type FieldValue, type HistoryOptions, historyOf, lastWriter } from './history.js';
export { getPath } from './path.js';
