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

/** A call with records of lines may take this many times as long. */
export const TRACE_SLOWER = 4;

/** The characters that records of lines may take in one call; what is beyond is left out. */
export const TRACE_BYTES = 4 * 1024 * 1024;
/** The bytes of memory that a character of them takes: in the interpreter, and once more as the answer. */
export const TRACE_MEMORY = 4;
