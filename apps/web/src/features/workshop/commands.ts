import { command } from '../../commands/types.js';
import { embedded } from '../../page/embedded.js';
import { useUI } from '../../page/ui-store.js';

export const workshopCommands = {
  'view.workshop': command({
    title: 'command.workshop',
    keys: ['Shift+D'],
    group: 'page',
    available: () => !embedded,
    run: () => useUI.setState({ dialog: 'workshop' }),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof workshopCommands> {}
}
