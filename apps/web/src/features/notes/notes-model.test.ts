import type { TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import {
  MOST_NOTES,
  markOf,
  merged,
  type Note,
  nextId,
  notesFrom,
  noteText,
  passed,
  placeOfNote,
  shortNote,
} from './notes-model.js';

const record = (more: object = {}) =>
  ({ seq: 5, time: 100, kind: 'log', goroutine: 1, severity: 'I', message: 'x', ...more }) as unknown as TraceRecord;
const note = (id: string, seq: number, text = id, mark = 'a'): Note => ({ id, seq, time: seq * 10, mark, text });

describe('a note', () => {
  it('knows its record again, whatever order the fields came in, and not another', () => {
    const mark = markOf(record());
    expect(markOf(Object.fromEntries(Object.entries(record()).reverse()) as unknown as TraceRecord)).toBe(mark);
    expect(markOf(record({ gone: undefined }))).toBe(mark);
    expect(markOf(record({ message: 'y' }))).not.toBe(mark);
    const mine = { ...note('n1', 5), mark };
    expect(placeOfNote(mine, record(), 9)).toBe('here');
    expect(placeOfNote(mine, record({ time: 101 }), 9)).toBe('elsewhere');
    expect(placeOfNote(mine, undefined, 4)).toBe('ahead');
    expect(placeOfNote(mine, undefined, 100_000)).toBe('here');
  });

  it('comes back as it went', () => {
    const notes: Note[] = [
      note('n1', 1, 'line\nline'),
      { ...note('n2', 2), step: 0 },
      { ...note('n3', 3), selection: { kind: 'channel', name: 'plegCh' } },
      { ...note('n4', 4), step: 9, selection: { kind: 'goroutine', id: 3 } },
    ];
    expect(notesFrom(JSON.parse(JSON.stringify(notes.map(shortNote))), 'notes')).toEqual(notes);
  });

  it('that is none is told of with its place', () => {
    const good = [1, 0, 'a', 'x'];
    const place = (value: unknown) => {
      try {
        notesFrom([good, good, good, value], 'notes');
        return 'none';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(place({})).toContain('notes[3]: it is an object; it must be a note, as a list');
    expect(place([1.5, 0, 'a', 'x'])).toContain('notes[3][0]');
    expect(place([1, '0', 'a', 'x'])).toContain('notes[3][1]');
    expect(place([1, 0, 'A B', 'x'])).toContain('notes[3][2]');
    expect(place([1, 0, 'a', '\n'])).toContain('notes[3][3]');
    expect(place([1, 0, 'a', 'x', 'no step', ['nothing', 1]])).toBe('none');
    expect(() => notesFrom('x', 'notes')).toThrow('notes: it is "x"; it must be a list');
  });

  it('is cut where it is too long', () => {
    expect(noteText(`  ${'x'.repeat(600)}`)).toHaveLength(500);
  });
});

describe('notes', () => {
  it('of others are taken once each, as far as there is room', () => {
    const ours = [note('n1', 5), note('n2', 9)];
    const theirs = [note('n1', 5, 'n1'), note('n2', 7, 'seven'), note('n3', 7, 'seven'), note('n4', 9, 'n2', 'b')];
    const { notes, added } = merged(ours, theirs);
    expect(notes.map(({ id, seq, text }) => [id, seq, text])).toEqual([
      ['n1', 5, 'n1'],
      ['n3', 7, 'seven'],
      ['n2', 9, 'n2'],
      ['n4', 9, 'n2'],
    ]);
    expect(added.map(({ id }) => id)).toEqual(['n3', 'n4']);
    const full = Array.from({ length: MOST_NOTES }, (_, i) => note(`n${i + 1}`, i + 1));
    expect(merged(full, theirs).added).toEqual([]);
    expect(nextId(full)).toBe(`n${MOST_NOTES + 1}`);
  });

  it('are said when a step comes by them, and when one stands at them', () => {
    const notes = [note('a', 5), note('b', 7), note('c', 300)];
    const ids = (before: number, now: number) => passed(notes, before, now).map(({ id }) => id);
    expect(ids(4, 8)).toEqual(['a', 'b']);
    expect(ids(5, 7)).toEqual(['b']);
    expect(ids(9, 7)).toEqual(['b']);
    expect(ids(9, 6)).toEqual([]);
    expect(ids(0, 300)).toEqual(['c']);
  });
});
