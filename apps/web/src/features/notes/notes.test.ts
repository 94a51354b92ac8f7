import '../../fixtures/features.js';
import { simulationSource } from '@syncloop/core/debug';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tryCommand } from '../../commands/index.js';
import { redo, undo } from '../../commands/undo.js';
import { nameOfFile, readOwn } from '../../files/own-file.js';
import { inProcess, ManualTimers } from '../../fixtures/in-process.js';
import { storageIn } from '../../fixtures/storage.js';
import { useUI } from '../../page/ui-store.js';
import { useMarks } from '../../run/marks.js';
import { trace } from '../../run/trace-store.js';
import { session } from '../../session/session.js';
import { useBreakpoints } from '../breakpoints/breakpoints-store.js';
import { decodeMoment, encodeMoment, LinkError, momentFile } from '../share/share.js';
import { openMomentFile } from '../share/share-file.js';
import { momentNow } from '../share/share-now.js';
import { newBreakpoints, openMoment } from '../share/share-open.js';
import { addNote, followNotes, keptNotes, notesOfRun, syncNotes, takeNotes, whereIs } from './notes.js';
import { openNotesFile } from './notes-file.js';
import { useNotes } from './notes-store.js';

const timers = new ManualTimers();
const frames: (() => void)[] = [];
const settle = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
  for (const f of frames.splice(0)) f();
};
/** Commands that take time need the host to be pumped while they are waited for. */
async function wait<T>(promise: Promise<T>): Promise<T> {
  let done = false;
  const ended = promise.finally(() => {
    done = true;
  });
  ended.catch(() => {});
  while (!done) {
    timers.advance(20);
    await settle();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await settle();
  return ended;
}
const goTo = (time: number) => wait(session.command({ do: 'go', to: { time } }));
const texts = () => useNotes.getState().notes.map(({ text }) => text);
const stored = new Map<string, string>();
let stop = () => {};

beforeEach(async () => {
  globalThis.requestAnimationFrame = (f) => frames.push(() => f(0));
  stored.clear();
  vi.stubGlobal('localStorage', storageIn(stored));
  useUI.setState({ notice: null, selection: null, left: null, bottom: null, lang: 'en', dialog: null });
  useNotes.setState({ run: '', notes: [], form: null });
  useBreakpoints.setState({ specs: [] });
  stop = followNotes();
  session.connect(inProcess(simulationSource(), timers).connect, 'worker');
  await settle();
  await wait(syncNotes());
});
afterEach(() => {
  stop();
  session.disconnect();
  vi.unstubAllGlobals();
});

describe('notes on a run', () => {
  it('are written where it stands or at what is selected, changed, deleted, and all of it undone', async () => {
    await goTo(2_000_000);
    useUI.setState({ selection: { kind: 'part', part: 'pleg' } });
    const { seq } = trace.cursor;
    await tryCommand('notes.add');
    expect(useNotes.getState().form).toEqual({ at: seq });
    await tryCommand('notes.put', { at: seq, text: '  first\n' });
    useUI.setState({ selection: { kind: 'record', seq: 10 } });
    await tryCommand('notes.add');
    expect(useNotes.getState().form).toEqual({ at: 10 });
    await tryCommand('notes.put', { at: 10, text: 'second' });
    await tryCommand('notes.put', { at: 10, text: ' ' });
    const [second, first] = useNotes.getState().notes;
    expect(first).toMatchObject({ seq, text: 'first', selection: { kind: 'part', part: 'pleg' } });
    expect(second).toMatchObject({ seq: 10, text: 'second' });
    expect(second?.step).toBeUndefined();
    expect(useMarks.getState().marks.notes).toEqual([
      { kind: 'note', seq: 10, text: 'second' },
      { kind: 'note', seq, text: 'first' },
    ]);
    await tryCommand('notes.change', { id: 'n1', text: 'other' });
    await tryCommand('notes.remove', 'n2');
    expect(texts()).toEqual(['other']);
    await undo();
    await undo();
    expect(texts()).toEqual(['second', 'first']);
    await undo();
    expect(texts()).toEqual(['first']);
    await redo();
    await redo();
    expect(texts()).toEqual(['second', 'other']);
    await wait(tryCommand('notes.go', 'n1'));
    expect(trace.cursor.seq).toBe(seq);
    expect(useUI.getState().selection).toEqual({ kind: 'part', part: 'pleg' });
    await wait(tryCommand('notes.previous'));
    expect(trace.cursor.seq).toBe(10);
    await wait(tryCommand('notes.next'));
    expect(trace.cursor.seq).toBe(seq);
  });

  it('are kept by run, and are there when that is run again', async () => {
    await goTo(1_000_000);
    addNote(trace.cursor.seq, 'of hello');
    await wait(session.command({ do: 'load', scenario: 'crash-loop', seed: 3 }));
    await wait(syncNotes());
    expect(texts()).toEqual([]);
    await wait(session.command({ do: 'load', scenario: 'hello', seed: 1, to: { step: 0, seq: 0 } }));
    await wait(syncNotes());
    expect(texts()).toEqual(['of hello']);
    expect(whereIs(useNotes.getState().notes[0] as never)).toBe('ahead');
    stored.set('syncloop.notes', JSON.stringify({ 'run hello 1': [[1, 2]], x: 7 }));
    expect(keptNotes('run hello 1')).toEqual([]);
    stored.set('syncloop.notes', '[');
    expect(keptNotes('run hello 1')).toEqual([]);
  });

  it('belong to the branch that they were written in', async () => {
    await goTo(2_000_000);
    addNote(5, 'of both');
    await goTo(8_000_000);
    const late = addNote(trace.cursor.seq, 'of main');
    await goTo(2_000_000);
    await wait(tryCommand('faults.do', { fault: { method: 'StartContainer', error: { message: 'no' } } }));
    await goTo(8_500_000);
    expect(late && whereIs(late)).toBe('elsewhere');
    expect(notesOfRun().map(({ text }) => text)).toEqual(['of both']);
    await goTo(1_000_000);
    expect(late && whereIs(late)).toBe('elsewhere');
    await expect(tryCommand('notes.go', late?.id ?? '')).rejects.toThrow('not in this branch');
    await wait(session.command({ do: 'switch', branch: 1 }));
    expect(late && whereIs(late)).toBe('here');
  });
});

describe('a moment', () => {
  const ready = async () => true;

  it('takes notes and breakpoints to where it is opened, beside those that are there', async () => {
    await goTo(3_000_000);
    addNote(trace.cursor.seq, 'theirs');
    await wait(tryCommand('breakpoint.put', { id: 'b1', on: 'cri', method: 'StopContainer' }));
    useUI.setState({ bottom: 'notes', filter: 'x' });
    const text = await encodeMoment(await wait(momentNow()));
    const there = JSON.stringify(trace.state);

    stored.clear();
    useNotes.setState({ run: '', notes: [] });
    useUI.setState({ bottom: null, filter: '' });
    await wait(tryCommand('breakpoint.put', { id: 'b1', on: 'handler' }));
    session.connect(inProcess(simulationSource(), timers).connect, 'worker');
    await wait(syncNotes());
    await goTo(1_000_000);
    addNote(trace.cursor.seq, 'ours');
    await wait(openMoment(await decodeMoment(text), ready));
    expect(JSON.stringify(trace.state)).toBe(there);
    expect(texts()).toEqual(['ours', 'theirs']);
    expect(useBreakpoints.getState().specs).toEqual([
      { id: 'b1', on: 'handler' },
      { id: 'b1-2', on: 'cri', method: 'StopContainer' },
    ]);
    expect(useUI.getState()).toMatchObject({ bottom: 'notes', filter: 'x' });
    expect(useUI.getState().notice?.text).toContain('It brings 1 note. It brings 1 breakpoint.');
    await wait(openMoment(await decodeMoment(text), ready));
    expect(texts()).toEqual(['ours', 'theirs']);
    expect(useBreakpoints.getState().specs).toHaveLength(2);
  });

  it('is opened from a file; what is no such file is told of, and nothing changes', async () => {
    await goTo(2_000_000);
    addNote(trace.cursor.seq, 'mine');
    const file = momentFile(await wait(momentNow()));
    const { seq } = trace.cursor;
    await goTo(4_000_000);
    const standing = trace.cursor.seq;
    const open = (text: string) => {
      const opened = new Blob([text]);
      return wait(text.includes('"notes"') ? openNotesFile(opened) : openMomentFile(opened, ready));
    };
    const bad = [
      ['{', 'it is not JSON'],
      ['[1]', 'neither a moment nor notes'],
      ['{"syncloop":"moment"}', 'its version is not a whole number'],
      ['{"syncloop":"moment","version":9,"moment":{}}', 'later version'],
      ['{"syncloop":"notes","version":9}', 'later version'],
      ['{"syncloop":"notes","version":1,"notes":[1]}', 'notes[0]: it is'],
      [' '.repeat(4_000_001), 'too large'],
    ] as const;
    for (const [text, says] of bad) {
      useUI.setState({ notice: null });
      await open(text);
      expect(useUI.getState().notice).toMatchObject({ bad: true });
      expect(useUI.getState().notice?.text).toContain(says);
      expect([trace.cursor.seq, texts()]).toEqual([standing, ['mine']]);
    }
    await open(file);
    expect(trace.cursor.seq).toBe(seq);
    await open('{"syncloop":"notes","version":1,"notes":[[9,9,"a","theirs"]]}');
    expect(texts()).toEqual(['theirs', 'mine']);
    expect(useUI.getState().notice?.text).toBe('1 of 1 notes of the file were new and are in the list now.');
    expect(readOwn(file).syncloop).toBe('moment');
    expect(() => readOwn('7')).toThrow(LinkError);
    expect(nameOfFile('Hello, kubelet', 12_345_000, 'moment')).toBe('hello-kubelet-12.345s.moment.json');
  });

  it('adds breakpoints under ids that are free, each once', () => {
    const cri = { on: 'cri', method: 'X' } as const;
    expect(
      newBreakpoints(
        [
          { id: 'a', ...cri },
          { id: 'b', on: 'handler' },
        ],
        [
          { id: 'z', ...cri },
          { id: 'b', on: 'handler', enabled: false },
          { id: 'c', on: 'handler', enabled: false },
        ],
      ),
    ).toEqual([{ id: 'b-2', on: 'handler', enabled: false }]);
  });

  it('takes no more notes than a run may have', async () => {
    await goTo(1_000_000);
    const notes = Array.from({ length: 200 }, (_, i) => ({ id: '', seq: i + 1, time: 1, mark: 'a', text: `t${i}` }));
    expect(await wait(takeNotes(notes))).toHaveLength(200);
    expect(() => addNote(5, 'one more')).toThrow('200 notes at most');
  });
});
