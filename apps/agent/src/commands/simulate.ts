/** `syncloop simulate`: a scenario in virtual time, without a page. */
import type { FlagSpecs } from '../cli/args.js';
import type { IO } from '../cli/io.js';

export const simulateFlags = {
  seed: { type: 'int', value: 'N', min: 0, help: 'seed; the same one gives the same run' },
  record: { type: 'string', value: 'FILE', help: 'write a recording' },
  until: { type: 'duration', help: 'how much time to simulate (default: as long as the scenario says)' },
} as const satisfies FlagSpecs;

export async function simulateCommand(_argv: readonly string[], io: IO): Promise<number> {
  io.err('not yet\n');
  return 1;
}
