import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  blobOf,
  closeShelf,
  type KeptRecording,
  listKept,
  putKept,
  renameKept,
  ShelfError,
  shelfProblem,
  takeKept,
} from './shelf.js';

const entry = (id: string, kept: number): KeptRecording => ({
  ...{ id, kept, name: `name of ${id}`, size: 3, from: 'file' },
  ...{ title: 't', scenario: 'hello', seed: 1, node: 'n', runtime: 'r', records: 5, micros: 9 },
});
const blob = (text: string) => new Blob([text]);
const problem = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (e: unknown) => (e instanceof ShelfError ? e.problem : e),
  );

beforeEach(async () => {
  await closeShelf();
  vi.unstubAllGlobals();
  vi.stubGlobal('indexedDB', new IDBFactory());
});

describe('the shelf', () => {
  it('has what was put on it, the newest first, after it was closed too', async () => {
    await putKept(entry('a', 1), blob('aaa'));
    await putKept(entry('b', 2), blob('bbb'));
    await closeShelf();
    expect((await listKept()).map((e) => e.id)).toEqual(['b', 'a']);
    expect(await (await blobOf('a')).text()).toBe('aaa');
  });

  it('renames one, and says when it is gone', async () => {
    await putKept(entry('a', 1), blob('aaa'));
    await renameKept('a', 'other');
    expect((await listKept()).map((e) => e.name)).toEqual(['other']);
    expect(await problem(renameKept('z', 'other'))).toBe('gone');
    expect(await problem(blobOf('z'))).toBe('gone');
  });

  it('gives one away whole, so that it can be put back', async () => {
    await putKept(entry('a', 1), blob('aaa'));
    const taken = await takeKept('a');
    expect(await listKept()).toEqual([]);
    expect(await problem(blobOf('a'))).toBe('gone');
    expect(await problem(takeKept('a'))).toBe('gone');
    await putKept(taken.entry, taken.blob);
    expect(await listKept()).toEqual([entry('a', 1)]);
    expect(await (await blobOf('a')).text()).toBe('aaa');
  });

  it('says why a browser keeps nothing', async () => {
    vi.stubGlobal('indexedDB', undefined);
    expect(await problem(listKept())).toBe('refused');
    vi.stubGlobal('indexedDB', {
      open: () => {
        throw new DOMException('The operation is insecure.', 'SecurityError');
      },
    });
    expect(await problem(putKept(entry('a', 1), blob('a')))).toBe('refused');
    // And asks again, once it lets it.
    vi.stubGlobal('indexedDB', new IDBFactory());
    expect(await problem(listKept())).toBe('none');
  });

  it('knows the errors of browsers', () => {
    const of = (name: string) => shelfProblem(new DOMException('', name));
    expect(['QuotaExceededError', 'InvalidStateError', 'NotReadableError', 'DataError'].map(of)).toEqual([
      ...['full', 'refused', 'unreadable', 'other'],
    ]);
    expect(shelfProblem('x')).toBe('other');
  });
});
