import type { Known } from '@syncloop/core/kubectl';
import { describe, expect, it } from 'vitest';
import { withPart } from './console-store.js';
import { insert, searchBack, tab, walk } from './suggest.js';

const known: Known = {
  pods: ['web-1', 'web-2', 'db'].map((name) => ({ namespace: 'default', name, containers: ['app'] })),
  manifests: [],
  containers: [],
  sandboxes: [],
  fields: () => ['pod.spec'],
};

describe('Tab', () => {
  it('completes what is the only way on', () => {
    expect(tab('desc', known).line).toBe('describe ');
    expect(tab('logs d', known).line).toBe('logs db ');
    expect(tab('logs db --tai', known).line).toBe('logs db --tail=');
    expect(tab('explain pod.s', known).line).toBe('explain pod.spec');
  });
  it('goes as far as all ways go, and offers them', () => {
    const { line, suggestions } = tab('logs w', known);
    expect([line, suggestions.completion.candidates]).toEqual(['logs web-', ['web-1', 'web-2']]);
    expect(insert(line, suggestions.completion, 'web-2')).toBe('logs web-2 ');
  });
  it('leaves alone what cannot go on', () => {
    expect(tab('nonsense x', known)).toMatchObject({
      line: 'nonsense x',
      suggestions: { completion: { candidates: [] } },
    });
  });
});

describe('what was typed before', () => {
  const history = ['get pods', 'logs db', 'get events', 'get pods'];
  it('comes back, the newest first, and goes away again', () => {
    const first = walk(history, 4, -1, '');
    expect(first).toEqual({ at: 3, line: 'get pods' });
    expect(walk(history, 3, -1, '')).toEqual({ at: 2, line: 'get events' });
    expect(walk(history, 0, -1, '')).toEqual({ at: 0, line: 'get pods' });
    expect(walk(history, 3, 1, '')).toEqual({ at: 4, line: null });
  });
  it('only what begins as the line does', () => {
    expect(walk(history, 4, -1, 'logs')).toEqual({ at: 1, line: 'logs db' });
    expect(walk(history, 1, 1, 'logs')).toEqual({ at: 4, line: null });
  });
  it('is searched from the newest on', () => {
    expect([searchBack(history, 'pods', 4), searchBack(history, 'pods', 3), searchBack(history, 'x', 4)]).toEqual([
      3,
      0,
      null,
    ]);
    expect(searchBack(history, '', 4)).toBeNull();
  });
});

describe('output', () => {
  const empty = { id: 1, input: 'x', parts: [], cut: 0 };
  it('of one kind stays together', () => {
    const two = withPart(withPart(empty, { kind: 'out', text: 'a' }), { kind: 'out', text: 'b' });
    expect(withPart(two, { kind: 'err', text: 'c' }).parts).toEqual([
      { kind: 'out', text: 'a\nb' },
      { kind: 'err', text: 'c' },
    ]);
  });
  it('of very much keeps its end, and says how much was left out', () => {
    const lines = Array.from({ length: 10 }, (_, i) => `${i}`).join('\n');
    const cut = withPart(withPart(empty, { kind: 'err', text: 'e' }, 4), { kind: 'out', text: lines }, 4);
    expect(cut).toMatchObject({ cut: 7, parts: [{ kind: 'out', text: '6\n7\n8\n9' }] });
    expect(withPart(cut, { kind: 'out', text: '10' }, 4)).toMatchObject({ cut: 8, parts: [{ text: '7\n8\n9\n10' }] });
  });
});
