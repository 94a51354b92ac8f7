import type { Position } from '../protocol/commands.js';

/** True if one place in a run comes before another. */
export const isBefore = (a: Position, b: Position): boolean => a.step < b.step || (a.step === b.step && a.seq < b.seq);
