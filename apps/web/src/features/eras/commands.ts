import type { EraVersion } from '@syncloop/core/kubelet';
import { command } from '../../commands/types.js';
import { embedded } from '../../page/embedded.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { loadChanges, useEras } from './eras-store.js';
import { openEras } from './opener.js';

/** Whether the session can run a scenario: a simulation can, an agent's node cannot. */
export const canRun = (): boolean => {
  const { phase, info } = useSession.getState();
  return phase === 'ready' && info?.capabilities.scenarios === true;
};

/** What of the changes somebody wants to see: one by its id, or what is about a name, since a version where it says. */
export type Wanted = { readonly change: string } | { readonly name: string; readonly since?: string };

export const erasCommands = {
  'view.eras': command({
    title: 'command.eras',
    keys: ['Shift+E'],
    group: 'page',
    available: () => !embedded,
    run: () => openEras(null),
  }),
  /** Opens the page at a change, or at all that is about a name. */
  'eras.show': command<Wanted>({
    title: 'command.erasShow',
    palette: false,
    available: () => !embedded,
    run: async (wanted) => {
      if ('change' in wanted) return openEras(wanted.change);
      const about = (await loadChanges()).filter(({ names }) => names.includes(wanted.name));
      const [only, more] = wanted.since === undefined ? about : about.filter(({ since }) => since === wanted.since);
      if (only && !more) return openEras(only.id);
      useEras.setState({ sought: wanted.name, open: null });
      useUI.setState({ dialog: 'eras' });
    },
  }),
  /** Runs a change's scenario with the kubelet of a version. */
  'eras.run': command<{ readonly change: string; readonly era: EraVersion }>({
    title: 'command.erasRun',
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
  interface Commands extends Arguments<typeof erasCommands> {}
}
