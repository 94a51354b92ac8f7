/** `syncloop conformance`: see the room conformance. */
import { conformanceFlags } from '../conformance/flags.js';
import type { Command } from './command.js';

export const command: Command = {
  usage: [
    'syncloop conformance [--runtime mock|cri] [FILE...]',
    'syncloop conformance --contract [--runtime mock|cri]',
  ].join('\n       '),
  flags: conformanceFlags,
  run: async (argv, io) => (await import('../conformance/main.js')).main(argv, (line) => io.out(`${line}\n`)),
};
