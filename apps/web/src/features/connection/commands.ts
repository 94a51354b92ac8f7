import { command } from '../../commands/types.js';
import { useUI } from '../../page/ui-store.js';
import { showsRecording, useSession } from '../../run/session-store.js';
import { simulate } from '../../session/connect.js';

export const connectionCommands = {
  'session.liveNode': command({ title: 'command.liveNode', run: () => useUI.setState({ dialog: 'liveNode' }) }),
  /** Away from an agent or a recording. */
  'session.simulate': command({
    title: 'command.simulate',
    available: () => useSession.getState().kind === 'agent' || showsRecording(),
    fits: () => 0.8,
    run: simulate,
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof connectionCommands> {}
}
