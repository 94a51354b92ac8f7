/** The shell's own commands, dialogs and texts, registered as those of features are. */
import { lazy } from 'react';
import { startHotkeys } from '../commands/hotkeys.js';
import { followUndo } from '../commands/undo.js';
import { words } from '../i18n/index.js';
import { shellCommands } from './commands.js';
import { commandEntries } from './dialogs/command-entries.js';
import { Palette } from './dialogs/palette.js';
import { en } from './en.js';
import { DoorLine } from './files/door-line.js';
import { keepFocus } from './focus-back.js';
import type { Feature } from './registry.js';
import { followSheets } from './sheets.js';

export const shell: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [shellCommands],
  dialogs: {
    // It is part of the first load, as keys typed right after its own are for it.
    palette: Palette,
    shortcuts: lazy(async () => ({ default: (await import('./dialogs/shortcuts.js')).Shortcuts })),
  },
  palette: [commandEntries],
  slots: [{ at: 'stage', order: 30, Component: DoorLine }],
  menus: [
    { menu: 'session', order: 10, id: 'files.choose' },
    { menu: 'session', order: 210, id: 'edit.undo' },
    { menu: 'session', order: 220, id: 'edit.redo' },
  ],
  start: (page) => {
    // A frame in an article has few keys, and only those that it needs.
    if (page !== 'frame') startHotkeys();
    keepFocus();
    if (page !== 'page') return;
    followUndo();
    followSheets();
  },
};

declare module '../page/ui-store.js' {
  interface Dialogs {
    palette: true;
    shortcuts: true;
  }
}
