/**
 * The list of changes that can be undone, the newest last. Whoever changes something that people may want back adds it
 * here afterwards.
 */
import { create } from 'zustand';
import { t } from '../i18n/index.js';
import { notify, useUI } from '../page/ui-store.js';
import { useSession } from '../run/session-store.js';

export interface Undoable {
  /** The change, as a sentence without its full stop: "web.yaml deleted". */
  readonly title: string;
  readonly undo: () => void | Promise<void>;
  readonly redo: () => void | Promise<void>;
  /** The change belongs to the session and is forgotten with it. Changes of the page itself are kept. */
  readonly ofSession?: boolean;
  /** Changes with the same name right after one another are one: typing into a field. */
  readonly merge?: string;
}
interface Entry extends Undoable {
  /** Session it belongs to; undefined: to the page. */
  readonly session: string | undefined;
}
export interface UndoState {
  readonly past: readonly Entry[];
  readonly future: readonly Entry[];
}

const MOST = 50;

export const useUndo = create<UndoState>(() => ({ past: [], future: [] }));

let replaying = false;

/** Records a change that can be undone. Undoing and redoing add nothing: they are not changes of their own. */
export function undoable(done: Undoable): void {
  if (replaying) return;
  const session = done.ofSession ? useSession.getState().info?.id : undefined;
  useUndo.setState(({ past }) => {
    const last = past.at(-1);
    const entry: Entry =
      done.merge !== undefined && last?.merge === done.merge
        ? { ...done, undo: last.undo, session }
        : { ...done, session };
    const before = entry.undo === last?.undo ? past.slice(0, -1) : past;
    return { past: [...before, entry].slice(-MOST), future: [] };
  });
}

/** Does the same as `undoable`, and shows a notice, in better words if there are any, with a button that undoes it. */
export function undoableSaid(done: Undoable, words = sentence(done.title)): void {
  undoable(done);
  notify(words, false, { label: t('undo.undo'), run: () => void undo() });
}

const sentence = (title: string): string => `${title.slice(0, 1).toUpperCase()}${title.slice(1)}.`;

async function replay(from: 'past' | 'future', said: 'undo.undone' | 'undo.redone'): Promise<void> {
  const entry = useUndo.getState()[from].at(-1);
  if (!entry || replaying) return;
  replaying = true;
  try {
    await (from === 'past' ? entry.undo() : entry.redo());
  } finally {
    replaying = false;
  }
  useUndo.setState((s) => {
    // It was forgotten meanwhile: its session is over.
    if (!s[from].includes(entry)) return s;
    return from === 'past'
      ? { past: s.past.slice(0, -1), future: [...s.future, entry] }
      : { past: [...s.past, entry], future: s.future.slice(0, -1) };
  });
  notify(t(said, { what: entry.title }));
}

/** Undoes the last change; one that fails stays on the list, and rejects. */
export const undo = (): Promise<void> => replay('past', 'undo.undone');
export const redo = (): Promise<void> => replay('future', 'undo.redone');

/** Forgets changes of a session that is over; makes the filter's changes undoable. Returns a function that ends it. */
export function followUndo(): () => void {
  const ends = [
    useSession.subscribe(({ info }, before) => {
      if (info?.id === before.info?.id) return;
      const here = (e: Entry) => e.session === undefined || e.session === info?.id;
      useUndo.setState(({ past, future }) => ({ past: past.filter(here), future: future.filter(here) }));
    }),
    useUI.subscribe(({ filter }, { filter: before }) => {
      if (filter === before) return;
      undoable({
        title: t('undo.filter'),
        merge: 'filter',
        undo: () => useUI.setState({ filter: before }),
        redo: () => useUI.setState({ filter }),
      });
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}
