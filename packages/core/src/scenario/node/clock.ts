import { VirtualClock } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';

/** A virtual clock whose wall time can be set: `epochMillis` moves, the time since the start goes on as before. */
export class JumpingClock extends VirtualClock {
  declare epochMillis: number;

  /** Jumps as when somebody sets the clock, or a machine wakes up from sleep. Whole milliseconds. */
  jump(by: Micros): void {
    this.epochMillis += Math.round(by / 1000);
  }
}
