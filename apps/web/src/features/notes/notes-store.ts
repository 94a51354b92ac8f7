import type { Seq } from '@syncloop/core/trace';
import { create } from 'zustand';
import type { Note } from './notes-model.js';

/** The subject of the form for a note: a new one at a record, or one that is there. */
export type NoteForm = { readonly at: Seq } | { readonly id: string };

export interface NotesState {
  /** The run that these belong to; '' while that is not known. */
  readonly run: string;
  readonly notes: readonly Note[];
  readonly form: NoteForm | null;
}

export const useNotes = create<NotesState>(() => ({ run: '', notes: [], form: null }));
