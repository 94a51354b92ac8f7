/** Notes at records of a run: kept in this browser, taken along by links and files. */
import { lazy } from 'react';
import { words } from '../../i18n/index.js';
import type { Feature } from '../../shell/registry.js';
import { noteCommands } from './commands.js';
import { en } from './en.js';
import { followNotes } from './notes.js';
import { NotesHere } from './notes-here.js';

export const notes: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [noteCommands],
  bottom: [
    {
      id: 'notes',
      order: 100,
      title: 'panel.notes',
      command: 'view.notes',
      filter: true,
      Body: lazy(async () => ({ default: (await import('./notes-panel.js')).NotesPanel })),
    },
  ],
  slots: [{ at: 'narrator.line', order: 10, Component: NotesHere }],
  dialogs: { note: lazy(async () => ({ default: (await import('./note-dialog.js')).NoteDialog })) },
  menus: [{ menu: 'share', order: 210, id: 'notes.add' }],
  importers: [
    {
      takes: (kind) => kind === 'notes',
      open: async (file) => (await import('./notes-file.js')).openNotesFile(file),
    },
  ],
  start: (page) => {
    if (page !== 'follower') followNotes();
  },
};

declare module '../../page/ui-store.js' {
  interface BottomPanels {
    notes: true;
  }
  interface Dialogs {
    note: true;
  }
}
