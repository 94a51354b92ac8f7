import { tryCommand } from '../commands/index.js';
import { command } from '../commands/types.js';
import { redo, undo, useUndo } from '../commands/undo.js';
import { pickFiles } from '../files/pick-and-save.js';
import { type Selection, select, useUI } from '../page/ui-store.js';
import { registered } from './registry.js';

export const shellCommands = {
  'view.palette': command({
    title: 'command.palette',
    keys: ['Mod+K'],
    run: () => useUI.setState({ dialog: 'palette' }),
  }),
  'view.shortcuts': command({
    title: 'command.shortcuts',
    keys: ['?'],
    run: () => useUI.setState({ dialog: 'shortcuts' }),
  }),
  /** Closes the part that is on top. */
  'view.close': command({
    title: 'command.close',
    keys: ['Escape'],
    palette: false,
    run: () => {
      const { dialog } = useUI.getState();
      if (dialog) useUI.setState({ dialog: null });
      else if (!registered('escapes').some((part) => part.close()))
        useUI.setState((s) => {
          if (s.notice) return { notice: null };
          if (s.inspectorOpen) return { inspectorOpen: false, selection: null };
          if (s.left) return { left: null };
          return { bottom: null };
        });
    },
  }),
  'view.select': command<Selection | null>({
    title: 'command.select',
    palette: false,
    run: (selection) => select(selection),
  }),
  /** Asks for files of any kind; they are opened by what they contain. */
  'files.choose': command({
    title: 'command.openFile',
    keys: ['Mod+O'],
    group: 'page',
    run: async () => {
      const files = await pickFiles();
      if (files.length > 0) await tryCommand('files.open', files);
    },
  }),
  /** Opens a file of any kind that a feature opens. */
  'file.open': command<Blob>({
    title: 'command.openFile',
    palette: false,
    run: async (file) => (await import('./files/open-file.js')).openFile(file),
  }),
  /** Opens files that came together: a single one by its kind, several as one story. */
  'files.open': command<readonly Blob[]>({
    title: 'command.openFile',
    palette: false,
    run: async (files) => (await import('./files/open-file.js')).openFiles(files),
  }),
  'edit.undo': command({
    title: 'command.undo',
    keys: ['Mod+Z'],
    group: 'change',
    available: () => useUndo.getState().past.length > 0,
    hint: () => 'blocked.nothing',
    run: undo,
  }),
  'edit.redo': command({
    title: 'command.redo',
    keys: ['Mod+Shift+Z', 'Mod+Y'],
    group: 'change',
    available: () => useUndo.getState().future.length > 0,
    run: redo,
  }),
};

declare module '../commands/index.js' {
  interface Commands extends Arguments<typeof shellCommands> {}
}
