import { focusOn } from '../../commands/focus.js';
import { command } from '../../commands/types.js';
import { toggleBottom, useUI } from '../../page/ui-store.js';

/** The element id of the console's input, while the console is open. */
export const CONSOLE_INPUT = 'sl-console-input';

export const consoleCommands = {
  'view.podTable': command({
    title: 'command.podTable',
    keys: ['Shift+P'],
    group: 'panels',
    run: toggleBottom('podTable'),
  }),
  /** Opens it with the caret in its input; closes it from there. */
  'view.console': command({
    title: 'command.console',
    keys: ['`', 'Mod+`'],
    group: 'panels',
    run: () => {
      const input = document.getElementById(CONSOLE_INPUT);
      if (useUI.getState().bottom === 'console' && (input === null || document.activeElement === input)) {
        input?.blur();
        useUI.setState({ bottom: null });
        return;
      }
      focusOn(
        () => document.getElementById(CONSOLE_INPUT),
        () => useUI.setState({ bottom: 'console' }),
      );
    },
  }),
  'console.run': command<string>({
    title: 'command.consoleRun',
    palette: false,
    run: async (line) => {
      const { runLine } = await import('./run.js');
      await runLine(line);
    },
  }),
  'console.clear': command({
    title: 'command.consoleClear',
    group: 'panels',
    available: () => useUI.getState().bottom === 'console',
    run: async () => {
      const { clearEntries } = await import('./console-store.js');
      clearEntries();
    },
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof consoleCommands> {}
}
