import { command } from '../../commands/types.js';
import { useOffline } from './offline-store.js';

export const offlineCommands = {
  'page.update': command({
    title: 'command.pageUpdate',
    available: () => useOffline.getState().take !== null,
    run: () => useOffline.getState().take?.(),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof offlineCommands> {}
}
