export { LONGEST_TWIN } from './types.js';
