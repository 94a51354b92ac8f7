import { useOffline } from '../../offline/offline-store.js';
import { command } from './types.js';

export const offlineCommands = {
  'page.update': command({
    title: 'command.pageUpdate',
    available: () => useOffline.getState().take !== null,
    run: () => useOffline.getState().take?.(),
  }),
};
