import { command } from '../../commands/types.js';
import { type BottomPanel, toggleBottom, useUI } from '../../page/ui-store.js';

/** Panels whose filter field `/` goes to where they are open; otherwise it opens the records. */
const SEARCHED: readonly (BottomPanel | null)[] = ['records', 'log', 'timeline', 'outline'];

export const logCommands = {
  'view.records': command({ title: 'command.records', keys: ['R'], group: 'panels', run: toggleBottom('records') }),
  'view.log': command({ title: 'command.log', keys: ['G'], group: 'panels', run: toggleBottom('log') }),
  'view.events': command({ title: 'command.events', keys: ['E'], group: 'panels', run: toggleBottom('events') }),
  'view.search': command({
    title: 'command.search',
    keys: ['/'],
    group: 'panels',
    run: () => {
      useUI.setState((s) => ({ bottom: SEARCHED.includes(s.bottom) ? s.bottom : 'records' }));
      requestAnimationFrame(() => document.getElementById('sl-filter')?.focus());
    },
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof logCommands> {}
}
