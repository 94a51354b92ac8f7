/** The page's notes: those of the run in view, kept in this browser by run, and shown as marks in the timeline. */
import { fnv32a } from '@syncloop/core/base';
import type { SessionInfo } from '@syncloop/core/debug';
import type { Seq } from '@syncloop/core/trace';
import { t } from '../../i18n/index.js';
import { recall, remember } from '../../page/storage.js';
import { useUI } from '../../page/ui-store.js';
import { here } from '../../run/here.js';
import { setMarks } from '../../run/marks.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { session } from '../../session/session.js';
import {
  byPlace,
  MOST_NOTES,
  markOf,
  merged,
  type Note,
  type NotePlace,
  nextId,
  notesFrom,
  noteText,
  placeOfNote,
  shortNote,
} from './notes-model.js';
import { useNotes } from './notes-store.js';

const KEY = 'notes';
/** Most runs whose notes are kept; the one that was used longest ago is removed first. */
const MOST_RUNS = 30;

// --- which run

function hash(text: string): string {
  return fnv32a(Array.from(text, (c) => c.codePointAt(0) ?? 0)).toString(36);
}

/** A name for the run in view that is the same whenever it is run or opened again. */
async function nameOfRun(): Promise<string> {
  const { info } = useSession.getState();
  if (!info) return '';
  const { capabilities: can, scenario, seed, title, node, epochMillis } = info;
  if (can.scenarios && can.rewind)
    try {
      const { text } = await session.command({ do: 'spec' });
      return `run ${scenario} ${seed}${text === undefined ? '' : ` ${hash(text)}`}`;
    } catch {
      // A session that has just ended.
    }
  return `seen ${hash(JSON.stringify([title, scenario, seed, node, epochMillis]))}`;
}

// --- kept

type StoredNotes = Readonly<Record<string, unknown>>;
function kept(): StoredNotes {
  try {
    const value: unknown = JSON.parse(recall(KEY) ?? '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as StoredNotes) : {};
  } catch {
    return {};
  }
}

/** Returns the kept notes of a run; what is not ours is dropped. */
export function keptNotes(run: string): readonly Note[] {
  const all = kept();
  try {
    return Object.hasOwn(all, run) ? notesFrom(all[run], 'notes') : [];
  } catch {
    return [];
  }
}

function save(run: string, notes: readonly Note[]): void {
  if (run === '') return;
  const others = Object.entries(kept()).filter(([name]) => name !== run);
  const entries = notes.length > 0 ? [...others, [run, notes.map(shortNote)] as const] : others;
  remember(KEY, JSON.stringify(Object.fromEntries(entries.slice(-MOST_RUNS))));
}

/** Replaces the notes of the run in view. */
function put(notes: readonly Note[]): void {
  const sorted = [...notes].sort(byPlace);
  useNotes.setState({ notes: sorted });
  save(useNotes.getState().run, sorted);
}

// --- of the run in view

let loaded: SessionInfo | null = null;
let last: Promise<void> = Promise.resolve();
/** Loads the kept notes of the run in view, once for each. Resolves when the notes are that run's. */
export function syncNotes(): Promise<void> {
  const { info } = useSession.getState();
  if (info === loaded) return last;
  loaded = info;
  seen.clear();
  last = nameOfRun().then((run) => {
    if (loaded !== info || run === useNotes.getState().run) return;
    useNotes.setState({ run, notes: [...keptNotes(run)].sort(byPlace), form: null });
  });
  return last;
}

/** The places of notes whose records are not in memory just now, by branch and note. */
const seen = new Map<string, NotePlace>();
export function whereIs(note: Note): NotePlace {
  const { records } = trace;
  const key = `${useSession.getState().run.branch ?? 0} ${note.id} ${note.mark}`;
  const record = records.get(note.seq);
  const place = placeOfNote(note, record, records.last);
  if (record) {
    seen.set(key, place);
    return place;
  }
  return seen.get(key) === 'elsewhere' ? 'elsewhere' : place;
}

/** The notes that a link to the run in view takes along: all but those of other branches. */
export const notesOfRun = (): readonly Note[] => useNotes.getState().notes.filter((n) => whereIs(n) !== 'elsewhere');

/** The record to which a new note is attached: the selected one, else the newest one in view; 0 if there is none. */
export function noteSeq(): Seq {
  const { selection } = useUI.getState();
  if (selection?.kind === 'record' && trace.records.get(selection.seq)) return selection.seq;
  return here()?.seq ?? 0;
}

/** Adds a note; throws if there are too many already. Returns it; null for an empty text or a record that is gone. */
export function addNote(seq: Seq, text: string): Note | null {
  const { notes } = useNotes.getState();
  if (notes.length >= MOST_NOTES) throw new Error(t('notes.full', { n: MOST_NOTES }));
  const record = trace.records.get(seq);
  const words = noteText(text);
  if (!record || words === '') return null;
  const { selection } = useUI.getState();
  const { run } = useSession.getState();
  const note: Note = {
    id: nextId(notes),
    seq,
    time: record.time,
    ...(seq === here()?.seq && { step: run.steps }),
    mark: markOf(record),
    text: words,
    ...(selection && selection.kind !== 'record' && { selection }),
  };
  put([...notes, note]);
  return note;
}

export const noteById = (id: string): Note | undefined => useNotes.getState().notes.find((n) => n.id === id);

/** Puts a note there, in the place of the one with its id. */
export function putNote(note: Note): void {
  put([...useNotes.getState().notes.filter((n) => n.id !== note.id), note]);
}
export function removeNote(id: string): void {
  put(useNotes.getState().notes.filter((n) => n.id !== id));
}

/** Takes notes of others into those of the run in view. Resolves with those that were new. */
export async function takeNotes(theirs: readonly Note[]): Promise<readonly Note[]> {
  await syncNotes();
  const { notes, added } = merged(useNotes.getState().notes, theirs);
  if (added.length > 0) put(notes);
  return added;
}

/**
 * Keeps the notes those of the run in view, and the timeline's marks those of the notes. Returns a function that ends
 * it.
 */
export function followNotes(): () => void {
  const mark = () => {
    const { notes } = useNotes.getState();
    const marks = notes.filter((n) => whereIs(n) !== 'elsewhere');
    setMarks(
      KEY,
      marks.map(({ seq, text }) => ({ kind: 'note', seq, text })),
    );
  };
  let branch = 0;
  // Another tab has written notes, perhaps on the same run.
  const elsewhere = ({ key }: StorageEvent) => {
    const { run } = useNotes.getState();
    if (key === `syncloop.${KEY}` && run !== '') useNotes.setState({ notes: [...keptNotes(run)].sort(byPlace) });
  };
  if (typeof window !== 'undefined') window.addEventListener('storage', elsewhere);
  const ends = [
    () => typeof window !== 'undefined' && window.removeEventListener('storage', elsewhere),
    useSession.subscribe(({ phase, info, run }) => {
      if (phase === 'ready' && info && info !== loaded) void syncNotes();
      if (run.branch === branch) return;
      branch = run.branch ?? 0;
      if (useNotes.getState().notes.length > 0) mark();
    }),
    useNotes.subscribe((s, before) => {
      if (s.notes !== before.notes) mark();
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}
