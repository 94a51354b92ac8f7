import { command } from '../../commands/types.js';
import { t } from '../../i18n/index.js';
import { recall } from '../../page/storage.js';
import { notify, useUI } from '../../page/ui-store.js';
import { showsRecording, useSession } from '../../run/session-store.js';
import { leftAgent, simulate } from '../../session/connect.js';
import { newCode, TOKEN } from '../../session/link.js';

const shared = () => {
  const { phase, kind, info } = useSession.getState();
  return phase === 'ready' && kind === 'agent' && info !== null;
};

/** True if this page can make a link to the agent for another browser. Only pages that are secure can. */
export const canHandOn = () => shared() && recall(TOKEN, 'session') !== null && globalThis.crypto?.subtle !== undefined;

/** Copies a link for another browser; if nothing can be copied, it is shown. */
async function copyLinkToAgent(): Promise<void> {
  const token = recall(TOKEN, 'session');
  if (token === null) return;
  const link = `${location.origin}/#code=${await newCode(token)}`;
  const control = useSession.getState().info?.capabilities.control === true;
  try {
    await navigator.clipboard.writeText(link);
    notify(t(control ? 'session.linkCopied' : 'session.lookLinkCopied'));
  } catch {
    notify(t('session.linkShown', { link }));
  }
}

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
  /** Makes a link to this agent's session for another browser, or another person: it may do what this page may. */
  'session.link': command({
    title: 'command.linkToAgent',
    available: canHandOn,
    hint: () => (useSession.getState().kind === 'agent' ? null : 'session.linkNone'),
    run: copyLinkToAgent,
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
