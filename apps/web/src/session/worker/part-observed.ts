export { redactRecord } from '@syncloop/core/redaction';
export { TwinSession } from '@syncloop/core/twin/session';
export { observeFiles } from './observed.js';
