import '../fixtures/features.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useUI } from '../page/ui-store.js';
import { useSession } from '../run/session-store.js';
import { isAvailable, tryCommand } from './index.js';
import { followUndo, undoable, undoableSaid, useUndo } from './undo.js';

const session = (id: string) =>
  useSession.setState((s) => ({ info: { ...(s.info as NonNullable<typeof s.info>), id } }));
let value: string;
/** Sets the value, undoably. */
function set(to: string, more: { merge?: string; ofSession?: boolean } = {}): void {
  const before = value;
  value = to;
  undoable({
    title: `set to ${to}`,
    undo: () => {
      value = before;
    },
    redo: () => {
      value = to;
    },
    ...more,
  });
}
let end: () => void;

describe('undo', () => {
  beforeEach(() => {
    value = 'a';
    useUI.setState({ lang: 'en', filter: '', notice: null });
    session('one');
    useUndo.setState({ past: [], future: [] });
    end = followUndo();
  });
  afterEach(() => {
    end();
    useSession.setState({ info: null });
  });

  it('goes back and forth, newest first, and says what it did', async () => {
    expect(isAvailable('edit.undo')).toBe(false);
    set('b');
    set('c');
    await tryCommand('edit.undo');
    expect(value).toBe('b');
    expect(useUI.getState().notice?.text).toBe('Undone: set to c.');
    await tryCommand('edit.undo');
    expect(value).toBe('a');
    expect(isAvailable('edit.undo')).toBe(false);
    await tryCommand('edit.redo');
    await tryCommand('edit.redo');
    expect(value).toBe('c');
    expect(isAvailable('edit.redo')).toBe(false);
  });
  it('forgets what ended its own session, and nothing else', async () => {
    undoable({ title: 'page changed', undo: () => {}, redo: () => {} });
    undoable({ title: 'loaded', ofSession: true, undo: () => session('two'), redo: () => {} });
    await tryCommand('edit.undo');
    expect(useUndo.getState().past.map((e) => e.title)).toEqual(['page changed']);
    expect(useUndo.getState().future).toEqual([]);
  });
  it('forgets what was undone when something else is done', async () => {
    set('b');
    await tryCommand('edit.undo');
    set('x');
    expect(isAvailable('edit.redo')).toBe(false);
  });
  it('takes one field being typed into for one change', async () => {
    useUI.setState({ filter: 'p' });
    useUI.setState({ filter: 'po' });
    useUI.setState({ filter: 'pod' });
    expect(useUndo.getState().past).toHaveLength(1);
    await tryCommand('edit.undo');
    expect(useUI.getState().filter).toBe('');
    await tryCommand('edit.redo');
    expect(useUI.getState().filter).toBe('pod');
    expect(useUndo.getState().past).toHaveLength(1);
  });
  it('forgets what belongs to a session that is over, and keeps the rest', () => {
    set('b', { ofSession: true });
    set('c');
    session('two');
    expect(useUndo.getState().past.map((e) => e.title)).toEqual(['set to c']);
  });
  it('keeps what could not be undone', async () => {
    undoable({ title: 'x', undo: () => Promise.reject(new Error('no')), redo: () => {} });
    await expect(tryCommand('edit.undo')).rejects.toThrow('no');
    expect(useUndo.getState().past).toHaveLength(1);
  });
  it('offers a button where it is said', async () => {
    value = 'b';
    undoableSaid({
      title: 'b',
      undo: () => {
        value = 'a';
      },
      redo: () => {},
    });
    useUI.getState().notice?.action?.run();
    await Promise.resolve();
    expect(value).toBe('a');
  });
  it('holds no more than it can', () => {
    for (let i = 0; i < 200; i++) set(String(i));
    expect(useUndo.getState().past).toHaveLength(50);
  });
});
