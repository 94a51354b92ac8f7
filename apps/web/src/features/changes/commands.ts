import type { EraVersion } from '@syncloop/core/kubelet';
import { command } from '../../commands/types.js';
import { embedded } from '../../page/embedded.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { loadChanges, seek } from './changes-store.js';
import { openChanges } from './opener.js';

/** True if the session can run a scenario: a simulation can, an agent's node cannot. */
export const canRun = (): boolean => {
  const { phase, info } = useSession.getState();
  return phase === 'ready' && info?.capabilities.scenarios === true;
};

/** The changes that somebody wants to see: one by its id, or those about a name, since a version if there is one. */
export type Wanted = { readonly change: string } | { readonly name: string; readonly since?: string };

export const changesCommands = {
  'view.changes': command({
    title: 'command.changes',
    keys: ['Shift+H'],
    group: 'page',
    available: () => !embedded,
    run: () => openChanges(null),
  }),
  /** Opens the page at a change, or at all that is about a name. */
  'change.show': command<Wanted>({
    title: 'command.changesShow',
    palette: false,
    available: () => !embedded,
    run: async (wanted) => {
      if ('change' in wanted) return openChanges(wanted.change);
      const about = (await loadChanges()).filter(({ names }) => names.includes(wanted.name));
      const [only, more] = wanted.since === undefined ? about : about.filter(({ since }) => since === wanted.since);
      if (only && !more) return openChanges(only.id);
      seek(wanted.name);
      useUI.setState({ dialog: 'changes' });
    },
  }),
  /** Runs a change's scenario with the kubelet of a version. */
  'change.run': command<{ readonly change: string; readonly era: EraVersion }>({
    title: 'command.changesRun',
    palette: false,
    available: canRun,
    run: async ({ change: id, era }) => {
      const [change, { runChange }] = await Promise.all([
        loadChanges().then((all) => all.find((one) => one.id === id)),
        import('./run-change.js'),
      ]);
      if (change) await runChange(change, era);
    },
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof changesCommands> {}
}
