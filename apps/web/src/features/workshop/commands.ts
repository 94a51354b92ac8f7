import { command } from '../../commands/types.js';
import { embedded } from '../../page/embedded.js';
import { toggleBottom, useUI } from '../../page/ui-store.js';
import { trace } from '../../run/trace-store.js';

export const workshopCommands = {
  'view.workshop': command({
    title: 'command.workshop',
    keys: ['Shift+D'],
    group: 'page',
    available: () => !embedded,
    run: () => useUI.setState({ dialog: 'workshop' }),
  }),
  'view.code': command({
    title: 'command.code',
    group: 'panels',
    // It is of use only in a run that has a learner's code: the workshop opens it there.
    available: () => useUI.getState().bottom === 'code' || trace.records.get(trace.cursor.seq)?.kind === 'part-line',
    run: toggleBottom('code'),
  }),
  'view.sides': command({
    title: 'command.sides',
    palette: false,
    available: () => useUI.getState().bottom === 'sides',
    run: toggleBottom('sides'),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof workshopCommands> {}
}
