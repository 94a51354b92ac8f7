import { command } from '../../commands/types.js';
import { useUI } from '../../page/ui-store.js';
import { simulate } from '../../session/connect.js';

export const connectionCommands = {
  'session.liveNode': command({ title: 'command.liveNode', run: () => useUI.setState({ dialog: 'liveNode' }) }),
  'session.simulate': command({ title: 'command.simulate', palette: false, run: simulate }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof connectionCommands> {}
}
