import { describe, expect, it } from 'vitest';
import { draftsFrom, draftsTo, fileRows, renamed, without, withText } from './manifests-drafts.js';

describe('drafts', () => {
  it('come back as they were kept, each session its own', () => {
    const drafts = { 'a.yaml': { text: 'x', fresh: true } };
    const stored = draftsTo(draftsTo(null, 'hello', drafts), 'oom', { 'b.yaml': { text: 'y', fresh: false } });
    expect(draftsFrom(stored, 'hello')).toEqual(drafts);
    expect(draftsFrom(stored, 'other')).toEqual({});
    expect(draftsFrom(draftsTo(stored, 'hello', {}), 'hello')).toEqual({});
    expect(draftsFrom(draftsTo(stored, 'hello', {}), 'oom')).not.toEqual({});
  });
  it('are none where what was stored is not ours', () => {
    for (const stored of [null, '', '[', '3', '{"hello":7}', '{"hello":{"a.yaml":{"text":5}}}'])
      expect(draftsFrom(stored, 'hello')).toEqual({});
    expect(draftsFrom('{}', '__proto__')).toEqual({});
  });
  it('do not fill the storage', () => {
    let stored = draftsTo(null, 'old', { 'a.yaml': { text: 'x'.repeat(200_000), fresh: true } });
    stored = draftsTo(stored, 'new', { 'a.yaml': { text: 'y'.repeat(200_000), fresh: true } });
    expect(draftsFrom(stored, 'old')).toEqual({});
    expect(draftsFrom(stored, 'new')['a.yaml']?.text).toHaveLength(200_000);
    expect(draftsTo(null, 'x', { a: { text: 'y'.repeat(400_000), fresh: true } })).toBe('{}');
  });
  it('are there as long as they differ from the file', () => {
    const changed = withText({}, 'a.yaml', 'new', 'old');
    expect(changed).toEqual({ 'a.yaml': { text: 'new', fresh: false } });
    expect(withText(changed, 'a.yaml', 'old', 'old')).toEqual({});
    const fresh = withText({ 'n.yaml': { text: '', fresh: true } }, 'n.yaml', 'x', undefined);
    expect(fresh['n.yaml']).toEqual({ text: 'x', fresh: true });
    expect(without(fresh, 'n.yaml')).toEqual({});
    expect(renamed(fresh, 'n.yaml', 'm.yaml')).toEqual({ 'm.yaml': { text: 'x', fresh: true, named: true } });
    expect(renamed({ ...fresh, 'm.yaml': { text: '', fresh: true } }, 'n.yaml', 'm.yaml')['n.yaml']).toBeDefined();
  });
  it('stand in the list behind the files of the folder, each with its state', () => {
    const drafts = {
      'a.yaml': { text: '', fresh: false },
      'n.yaml': { text: '', fresh: true },
      'g.yaml': { text: '', fresh: false },
    };
    expect(fileRows(['a.yaml', 'b.yaml'], drafts).map((r) => `${r.file} ${r.state}`)).toEqual([
      'a.yaml changed',
      'b.yaml saved',
      'n.yaml fresh',
      'g.yaml gone',
    ]);
  });
});
