import { command } from '../../commands/types.js';
import { toggleBottom } from '../../page/ui-store.js';

export const outlineCommands = {
  'view.outline': command({ title: 'command.outline', keys: ['O'], group: 'panels', run: toggleBottom('outline') }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof outlineCommands> {}
}
