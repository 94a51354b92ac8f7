import type { EraVersion } from '@syncloop/core/kubelet';
import { runCommand, tryCommand } from '../../commands/index.js';
import { command } from '../../commands/types.js';
import { isSet } from '../breakpoints/commands.js';
import type { Target } from '../breakpoints/logic/breakpoints.js';

export const nameCommands = {
  /** Sets the breakpoint if it is not set, in a run of another version if `era` says so. */
  'name.stop': command<{ readonly target: Target; readonly era?: EraVersion }>({
    title: 'command.nameStop',
    palette: false,
    run: async ({ target, era }) => {
      if (era !== undefined) await tryCommand('era.choose', era);
      if (!isSet(target)) runCommand('breakpoint.toggleAt', target);
    },
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof nameCommands> {}
}
