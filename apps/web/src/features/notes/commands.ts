import type { Seq } from '@syncloop/core/trace';
import { command } from '../../commands/types.js';
import { undoable, undoableSaid } from '../../commands/undo.js';
import { t } from '../../i18n/index.js';
import { notify, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { useBranches } from '../branches/branches-store.js';
import { addNote, noteById, noteSeq, putNote, removeNote, whereIs } from './notes.js';
import { noteText } from './notes-model.js';
import { useNotes } from './notes-store.js';

const there = () => useNotes.getState().run !== '';
const some = () => useNotes.getState().notes.length > 0;
const canGo = () => {
  const { phase, info } = useSession.getState();
  return phase === 'ready' && info?.capabilities.rewind === true;
};

/** Goes to a note's record, and makes its selection. If the session cannot go there, the record is selected. */
async function go(id: string): Promise<void> {
  const note = noteById(id);
  if (!note) return;
  if (whereIs(note) === 'elsewhere')
    throw new Error(t('notes.elsewhereHow', { branches: useBranches.getState().branches.length }));
  if (canGo()) await session.command({ do: 'go', to: { seq: note.seq } });
  const selection = note.selection ?? { kind: 'record' as const, seq: note.seq };
  useUI.setState((s) => ({ selection, inspectorOpen: note.selection !== undefined || s.inspectorOpen }));
}

/** Goes from the present position to the note before or after. */
const neighbour = (by: 1 | -1) => async () => {
  const seq = session.latest?.seq ?? 0;
  const here = useNotes.getState().notes.filter((n) => whereIs(n) !== 'elsewhere');
  const next = by > 0 ? here.find((n) => n.seq > seq) : here.findLast((n) => n.seq < seq);
  if (next) await go(next.id);
  else notify(t(by > 0 ? 'notes.noneAfter' : 'notes.noneBefore'));
};

export const noteCommands = {
  'view.notes': command({
    title: 'command.notes',
    keys: ['Shift+A'],
    group: 'panels',
    run: () => useUI.setState((s) => ({ bottom: s.bottom === 'notes' ? null : 'notes' })),
  }),
  /** Asks for the text of a new note, at the selected record or at the run's position. */
  'notes.add': command({
    title: 'command.noteAdd',
    group: 'change',
    keys: ['A'],
    available: () => there() && noteSeq() > 0,
    run: () => {
      useNotes.setState({ form: { at: noteSeq() } });
      useUI.setState({ dialog: 'note' });
    },
  }),
  'notes.put': command<{ readonly at: Seq; readonly text: string }>({
    title: 'command.noteAdd',
    palette: false,
    available: there,
    run: ({ at, text }) => {
      const note = addNote(at, text);
      if (!note) return;
      undoable({
        title: t('notes.added'),
        ofSession: true,
        undo: () => removeNote(note.id),
        redo: () => putNote(note),
      });
    },
  }),
  'notes.edit': command<string>({
    title: 'command.noteEdit',
    palette: false,
    run: (id) => {
      if (!noteById(id)) return;
      useNotes.setState({ form: { id } });
      useUI.setState({ dialog: 'note' });
    },
  }),
  'notes.change': command<{ readonly id: string; readonly text: string }>({
    title: 'command.noteEdit',
    palette: false,
    run: ({ id, text }) => {
      const before = noteById(id);
      const words = noteText(text);
      if (!before || words === '' || words === before.text) return;
      const after = { ...before, text: words };
      putNote(after);
      undoable({
        title: t('notes.changed'),
        ofSession: true,
        undo: () => putNote(before),
        redo: () => putNote(after),
      });
    },
  }),
  'notes.remove': command<string>({
    title: 'command.noteRemove',
    palette: false,
    run: (id) => {
      const note = noteById(id);
      if (!note) return;
      removeNote(id);
      undoableSaid({
        title: t('notes.removed'),
        ofSession: true,
        undo: () => putNote(note),
        redo: () => removeNote(id),
      });
    },
  }),
  'notes.go': command<string>({ title: 'command.noteGo', palette: false, run: go }),
  'notes.next': command({
    title: 'command.noteNext',
    group: 'run',
    available: () => canGo() && some(),
    run: neighbour(1),
  }),
  'notes.previous': command({
    title: 'command.notePrevious',
    group: 'run',
    available: () => canGo() && some(),
    run: neighbour(-1),
  }),
  'notes.save': command({
    title: 'command.notesSave',
    group: 'change',
    available: some,
    run: async () => (await import('./notes-file.js')).saveNotes(),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof noteCommands> {}
}
