import { command } from '../../commands/types.js';
import { useUI } from '../../page/ui-store.js';
import { canBranch } from '../branches/branches.js';
import { useExplore } from './explore-store.js';

/** Loaded when it is first needed. */
const explorer = () => import('./explore.js');
export const canExplore = canBranch;
const running = () => useExplore.getState().running !== null;

export const exploreCommands = {
  'view.explore': command({
    title: 'command.explore',
    keys: ['Shift+X'],
    group: 'ask',
    available: canExplore,
    run: () => {
      const open = useUI.getState().bottom === 'explore';
      useUI.setState({ bottom: open ? null : 'explore' });
      if (!open) useExplore.setState((s) => ({ toForm: s.toForm + 1 }));
    },
  }),
  'explore.start': command({
    title: 'command.exploreStart',
    palette: false,
    available: () => canExplore() && !running(),
    run: async () => (await explorer()).start(),
  }),
  'explore.stop': command({
    title: 'command.exploreStop',
    available: running,
    run: async () => (await explorer()).stop(),
  }),
  'explore.finding': command<number>({
    title: 'command.exploreFinding',
    palette: false,
    available: () => canExplore() && !running(),
    run: async (index) => (await explorer()).followFinding(index),
  }),
  'explore.outcome': command<number>({
    title: 'command.exploreOutcome',
    palette: false,
    available: () => canExplore() && !running(),
    run: async (index) => (await explorer()).followOutcome(index),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof exploreCommands> {}
}
