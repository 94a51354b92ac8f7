export { redactRecord } from '@syncloop/core/redaction';
export { TwinSession } from '@syncloop/observe/twin/session';
export { observeFiles } from './observed.js';
