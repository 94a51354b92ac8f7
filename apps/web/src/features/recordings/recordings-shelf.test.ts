import 'fake-indexeddb/auto';
import { SimulationSession, simulationSource } from '@syncloop/core/debug';
import { bytesSource, openRecording } from '@syncloop/core/trace';
import { IDBFactory } from 'fake-indexeddb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { redo, undo } from '../../commands/undo.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { freeName, keepNow, readList, remove, rename, shelfSentence } from './recordings-shelf.js';
import { useRecordings } from './recordings-store.js';
import { blobOf, closeShelf, ShelfError } from './shelf.js';

const about = { title: 't', scenario: 'hello', seed: 7, node: 'n', runtime: 'r', records: 5, micros: 9 };
const open = (name: string, text = 'abc') =>
  useRecordings.setState({ opened: { name, blob: new Blob([text]), about, id: null } });
const list = () => useRecordings.getState().list.map((k) => k.name);

beforeEach(async () => {
  await closeShelf();
  vi.unstubAllGlobals();
  vi.stubGlobal('indexedDB', new IDBFactory());
  useUI.setState({ lang: 'en', notice: null });
  useRecordings.setState({ list: [], state: 'unread', opened: null, room: null });
});

describe('what is kept', () => {
  it('is the recording that is open, once, under a name of its own', async () => {
    open('hello.syncloop');
    await keepNow();
    const { opened } = useRecordings.getState();
    expect(opened?.id).toBe(useRecordings.getState().list[0]?.id);
    expect(useUI.getState().notice?.text).toBe('“hello” is kept in this browser.');
    await keepNow();
    expect(list()).toEqual(['hello']);
    open('hello.syncloop', 'other');
    await keepNow();
    expect([...list()].sort()).toEqual(['hello', 'hello (2)']);
  });

  it('is the run of the session, as a recording that opens', async () => {
    const session = new SimulationSession(simulationSource(), { scenario: 'hello', seed: 3 });
    session.execute({ do: 'step', unit: 'iteration', count: 5 }, () => {});
    vi.stubGlobal('requestAnimationFrame', (then: () => void) => then());
    trace.use(session.store);
    useSession.setState({ phase: 'ready', info: session.info });
    await keepNow();
    const [kept] = useRecordings.getState().list;
    expect(kept).toMatchObject({ name: session.info.title, from: 'page', seed: 3, records: session.store.size });
    const bytes = new Uint8Array(await (await blobOf(kept?.id ?? '')).arrayBuffer());
    expect(bytes.length).toBe(kept?.size);
    const file = openRecording(bytesSource(bytes));
    expect([...file]).toEqual([...session.store.from(1)]);
    expect(file.lastTime - file.firstTime).toBe(kept?.micros);
  });

  it('is renamed and deleted, and both are undone and redone', async () => {
    open('a.syncloop');
    await keepNow();
    const id = useRecordings.getState().list[0]?.id ?? '';
    await rename(id, '  b ');
    expect(list()).toEqual(['b']);
    await rename(id, '   ');
    expect(list()).toEqual(['b']);
    await undo();
    expect(list()).toEqual(['a']);
    await redo();
    await remove(id);
    expect([list(), useRecordings.getState().opened?.id]).toEqual([[], null]);
    await undo();
    expect(list()).toEqual(['b']);
    expect(await (await blobOf(id)).text()).toBe('abc');
    await redo();
    expect(list()).toEqual([]);
  });

  it('is said not to be, with the reason and the remedy', async () => {
    vi.stubGlobal('indexedDB', undefined);
    open('a.syncloop');
    await expect(keepNow()).rejects.toThrow(/not let the page keep anything.*Save recordings as files instead/);
    await readList();
    expect(useRecordings.getState()).toMatchObject({ state: 'failed', list: [] });
    expect(useRecordings.getState().why).toMatch(/private window/);
    const full = new ShelfError('full', '');
    expect(shelfSentence(full, 5e6)).toMatch(/no room left/);
    useRecordings.setState({ room: { used: 9e6, most: 1e7 } });
    expect(shelfSentence(full, 5e6)).toMatch(/no room for 5.0 MB: the browser leaves 1.0 MB/);
    expect(shelfSentence(full, 5e5)).toMatch(/no room left/);
    expect(shelfSentence(new Error('odd'))).toMatch(/could not do it: odd/);
  });

  it('has a name that no other has', () => {
    expect(freeName('a', [])).toBe('a');
    expect(freeName('a', ['a', 'a (2)', 'b'])).toBe('a (3)');
  });
});
