/** Notes: short texts at records of a run. What is read from elsewhere is checked here. */
import { fnv32a } from '@syncloop/core/base';
import { custom, list, matching, read, refine, type Shape, textOf, whole } from '@syncloop/core/shape';
import type { Micros, Seq, TraceRecord } from '@syncloop/core/trace';
import type { Selection } from '../../page/ui-store.js';
import { selectionOf, whatOf } from '../../selection/selection-text.js';

export interface Note {
  readonly id: string;
  /** The record that it is at. */
  readonly seq: Seq;
  /** The time of that record. */
  readonly time: Micros;
  /** Decisions taken there; undefined if that was not known when it was written. */
  readonly step?: number;
  /** Distinguishes the record from one of the same number in another branch. */
  readonly mark: string;
  readonly text: string;
  /** The selection in addition to the record. */
  readonly selection?: Selection;
}

export const MOST_NOTES = 200;
/** Characters of a note. */
export const MOST_TEXT = 500;

/** Returns a text as a note keeps it: no blanks around it, not too long. */
export const noteText = (text: string): string => text.trim().slice(0, MOST_TEXT);

// --- which record

/** Returns the same mark for the same record, whatever the order of its fields. */
export function markOf(record: TraceRecord): string {
  return fnv32a(Array.from(canonical(record), (c) => c.codePointAt(0) ?? 0)).toString(36);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, v]) => v !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([k, v]) => `${JSON.stringify(k)}:${canonical(v)}`).join()}}`;
}

/** `here`: its record is in the run in view. `ahead`: the run has not come there yet. `elsewhere`: another branch's. */
export type NotePlace = 'here' | 'ahead' | 'elsewhere';

/** `record`: that of its number in the run in view, undefined if it is not in memory. */
export function placeOfNote(note: Note, record: TraceRecord | undefined, last: Seq): NotePlace {
  if (record) return markOf(record) === note.mark ? 'here' : 'elsewhere';
  return note.seq > last ? 'ahead' : 'here';
}

// --- as others hand them to us

/** Returns a note in a link's short form: `[seq, time, mark, text, step, [kind, what]]`, without an absent end. */
export function shortNote({ seq, time, mark, text, step, selection }: Note): (string | number | (string | number)[])[] {
  return [
    seq,
    time,
    mark,
    text,
    ...(step !== undefined || selection ? [step ?? -1] : []),
    ...(selection ? [[selection.kind, whatOf(selection)]] : []),
  ];
}

const place = whole(1);
const count = whole(0);
const mark = matching(/^[0-9a-z]{1,10}$/, "a record's mark");
const words = refine(textOf(MOST_TEXT), (text, r) => {
  if (noteText(text) === '') throw r.mustBe('a text');
});
const item: Shape<Note> = custom({ type: 'array' }, (r) => {
  r.list('a note, as a list');
  const step = r.at(4).value;
  const selection = selectionOf(r.at(5).value);
  return {
    id: `n${Number(r.path.at(-1)) + 1}`,
    seq: place.read(r.at(0)),
    time: count.read(r.at(1)),
    mark: mark.read(r.at(2)),
    text: noteText(words.read(r.at(3))),
    ...(count.is?.(step) && { step: step as number }),
    ...(selection && { selection }),
  };
});
const items = list(item, MOST_NOTES);

/** All notes of a list, called `n1`, `n2`, ... Throws a ShapeError that names the place of the first invalid one. */
export const notesFrom = (value: unknown, place: string): Note[] => read(items, value, place);

// --- lists of them

export const byPlace = (a: Note, b: Note): number => a.seq - b.seq || a.id.localeCompare(b.id);

/** The smallest `n…` that no note has. */
export function nextId(notes: readonly Note[]): string {
  for (let n = 1; ; n++) if (!notes.some(({ id }) => id === `n${n}`)) return `n${n}`;
}

/** Both, each note once; `added`: those that were not there yet, as far as there is room. */
export function merged(
  ours: readonly Note[],
  theirs: readonly Note[],
): { notes: readonly Note[]; added: readonly Note[] } {
  const notes = [...ours];
  const added: Note[] = [];
  const same = (a: Note, b: Note) => a.seq === b.seq && a.mark === b.mark && a.text === b.text;
  for (const theirsOne of theirs) {
    if (notes.length >= MOST_NOTES || notes.some((n) => same(n, theirsOne))) continue;
    const note = { ...theirsOne, id: nextId(notes) };
    notes.push(note);
    added.push(note);
  }
  return { notes: notes.sort(byPlace), added };
}

/** Returns the notes between one record and a later one; after a step back or a far move, only those right here. */
export function passed(notes: readonly Note[], before: Seq, now: Seq): readonly Note[] {
  const from = now > before && now - before <= STEP_RECORDS ? before + 1 : now;
  return notes.filter(({ seq }) => seq >= from && seq <= now);
}
/** A step has no more records than this. */
const STEP_RECORDS = 200;
