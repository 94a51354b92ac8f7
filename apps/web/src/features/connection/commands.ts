import { command } from '../../commands/types.js';
import { useUI } from '../../page/ui-store.js';
import { showsRecording, useSession } from '../../run/session-store.js';
import { leftAgent, simulate } from '../../session/connect.js';

const shared = () => {
  const { phase, kind, info } = useSession.getState();
  return phase === 'ready' && kind === 'agent' && info !== null;
};

export const connectionCommands = {
  'session.liveNode': command({ title: 'command.liveNode', run: () => useUI.setState({ dialog: 'liveNode' }) }),
  /** Away from an agent or a recording. */
  'session.simulate': command({
    title: 'command.simulate',
    available: () => useSession.getState().kind === 'agent' || showsRecording(),
    fits: () => 0.8,
    run: simulate,
  }),
  /** Goes on alone from this moment, in a simulation of this browser. */
  'session.own': command({
    title: 'command.ownSession',
    available: () => shared() && useSession.getState().info?.virtual === true,
    hint: () => (shared() ? 'pages.ownNever' : null),
    fits: () => (useSession.getState().company.pages > 1 ? 0.7 : 0),
    run: async () => (await import('./own-session.js')).haveOwn(),
  }),
  /** Back to the agent that this page left. */
  'session.rejoin': command({
    title: 'command.rejoin',
    available: () => leftAgent() !== null,
    fits: () => 0.5,
    run: async () => (await import('./own-session.js')).rejoin(),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof connectionCommands> {}
}
