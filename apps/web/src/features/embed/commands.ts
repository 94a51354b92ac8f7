import { command } from '../../commands/types.js';
import { useUI } from '../../page/ui-store.js';
import { canShare, linkNow } from '../share/link.js';

export const embedCommands = {
  'share.embed': command({
    title: 'command.embed',
    group: 'change',
    available: canShare,
    run: async () => useUI.setState({ link: await linkNow(), dialog: 'embed' }),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof embedCommands> {}
}
