/** Removal of secrets from records before they leave the process. */
export { redactKnown, redactRecord, type SecretValues } from './redact.js';
export { scrubText } from './scrub.js';
