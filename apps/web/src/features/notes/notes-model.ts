/** Notes: short texts at records of a run. What is read from elsewhere is checked here. */
import { fnv32a } from '@syncloop/core/base';
import type { Micros, Seq, TraceRecord } from '@syncloop/core/trace';
import type { Selection } from '../../page/ui-store.js';
import { selectionOf, whatOf } from '../../selection/selection-text.js';

export interface Note {
  readonly id: string;
  /** The record that it is at. */
  readonly seq: Seq;
  /** That record's time. */
  readonly time: Micros;
  /** Decisions taken there; undefined where that was not known when it was written. */
  readonly step?: number;
  /** Tells the record from one of the same number in another branch. */
  readonly mark: string;
  readonly text: string;
  /** What was selected beside the record. */
  readonly selection?: Selection;
}

export const MOST_NOTES = 200;
/** Characters of a note. */
export const MOST_TEXT = 500;

/** A text as a note has it: no blanks around it, not too long. */
export const noteText = (text: string): string => text.trim().slice(0, MOST_TEXT);

// --- which record
// ------------------------------------------------------------------------------------------------------

/** The same for the same record, whatever order its fields came in. */
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

/** `record`: that of its number in the run in view, undefined where it is not held. */
export function placeOfNote(note: Note, record: TraceRecord | undefined, last: Seq): NotePlace {
  if (record) return markOf(record) === note.mark ? 'here' : 'elsewhere';
  return note.seq > last ? 'ahead' : 'here';
}

// --- as others hand them to us
// -----------------------------------------------------------------------------------------

/**
 * A note as short as a link has it: `[seq, time, mark, text, step, [kind, what]]`, the end left out where there is
 * none.
 */
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

/** Throws an Error that names the place for what is no such note. `id`: what it is to be called here. */
export function noteFrom(value: unknown, place: string, id: string): Note {
  if (!Array.isArray(value)) throw new Error(`${place}: a note must be a list`);
  const [seq, time, mark, text, step, selected] = value as readonly unknown[];
  if (!isCount(seq) || seq < 1) throw new Error(`${place}[0]: a note must be at a record from 1 on`);
  if (!isCount(time)) throw new Error(`${place}[1]: a note's time must be whole microseconds from 0 on`);
  if (typeof mark !== 'string' || !/^[0-9a-z]{1,10}$/.test(mark))
    throw new Error(`${place}[2]: it is no record's mark`);
  if (typeof text !== 'string' || noteText(text) === '' || text.length > MOST_TEXT)
    throw new Error(`${place}[3]: a note must have a text of 1 to ${MOST_TEXT} characters`);
  const selection = selectionOf(selected);
  return {
    id,
    seq,
    time,
    mark,
    text: noteText(text),
    ...(isCount(step) && { step }),
    ...(selection && { selection }),
  };
}

/** All notes of a list; throws an Error that names the place of the first that is none. */
export function notesFrom(value: unknown, place: string): Note[] {
  if (!Array.isArray(value)) throw new Error(`${place}: it must be a list`);
  if (value.length > MOST_NOTES) throw new Error(`${place}: it has ${value.length} notes, of at most ${MOST_NOTES}`);
  return value.map((item, i) => noteFrom(item, `${place}[${i}]`, `n${i + 1}`));
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

// --- lists of them
// -----------------------------------------------------------------------------------------------------

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

/** Notes that a move from one record to a later one has come by; where it went back or far, only those right here. */
export function passed(notes: readonly Note[], before: Seq, now: Seq): readonly Note[] {
  const from = now > before && now - before <= STEP_RECORDS ? before + 1 : now;
  return notes.filter(({ seq }) => seq >= from && seq <= now);
}
/** A step has no more records than this. */
const STEP_RECORDS = 200;
