import type { Limits } from './types.js';

/** The limits of a call unless its caller sets others: far more than any stage needs. */
export const LIMITS: Limits = {
  steps: 100_000,
  memoryBytes: 16 * 1024 * 1024,
  stackBytes: 64 * 1024,
  logBytes: 64 * 1024,
  resultBytes: 1024 * 1024,
  millis: 600,
};

/** The characters that records of lines may take in one call; what is beyond is left out. */
export const TRACE_BYTES = 4 * 1024 * 1024;
