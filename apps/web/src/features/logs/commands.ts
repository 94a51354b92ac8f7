import { focusOn } from '../../commands/focus.js';
import { command } from '../../commands/types.js';
import { toggleBottom, useUI } from '../../page/ui-store.js';
import { registered } from '../../shell/registry.js';

export const logCommands = {
  'view.records': command({ title: 'command.records', keys: ['R'], group: 'panels', run: toggleBottom('records') }),
  'view.log': command({ title: 'command.log', keys: ['G'], group: 'panels', run: toggleBottom('log') }),
  'view.events': command({ title: 'command.events', keys: ['E'], group: 'panels', run: toggleBottom('events') }),
  'view.search': command({
    title: 'command.search',
    keys: ['/'],
    group: 'panels',
    run: () => {
      // The filter field of the open panel; if it has none, that of the records.
      const { bottom } = useUI.getState();
      const hasOne = registered('bottom').some(({ id, filter }) => id === bottom && filter);
      focusOn(
        () => document.getElementById('sl-filter'),
        () => {
          if (!hasOne) useUI.setState({ bottom: 'records' });
        },
      );
    },
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof logCommands> {}
}
