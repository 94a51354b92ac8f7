import { command } from '../commands/types.js';
import { redo, undo, useUndo } from '../commands/undo.js';

export const editCommands = {
  'edit.undo': command({
    title: 'command.undo',
    keys: ['Mod+Z'],
    available: () => useUndo.getState().past.length > 0,
    run: undo,
  }),
  'edit.redo': command({
    title: 'command.redo',
    keys: ['Mod+Shift+Z', 'Mod+Y'],
    available: () => useUndo.getState().future.length > 0,
    run: redo,
  }),
};
