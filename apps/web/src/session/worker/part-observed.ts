export { observeFiles } from './observed.js';
