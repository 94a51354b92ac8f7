import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyJSONPatch, applyMergePatch, PatchFailed, PatchMalformed } from './json-patch.js';

describe('applyJSONPatch', () => {
  // The cases of RFC 6902, appendix A.
  it.each([
    ['A.1 adds a member', { foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { baz: 'qux', foo: 'bar' }],
    [
      'A.2 adds an element',
      { foo: ['bar', 'baz'] },
      [{ op: 'add', path: '/foo/1', value: 'qux' }],
      { foo: ['bar', 'qux', 'baz'] },
    ],
    ['A.3 removes a member', { baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
    [
      'A.4 removes an element',
      { foo: ['bar', 'qux', 'baz'] },
      [{ op: 'remove', path: '/foo/1' }],
      { foo: ['bar', 'baz'] },
    ],
    [
      'A.5 replaces',
      { baz: 'qux', foo: 'bar' },
      [{ op: 'replace', path: '/baz', value: 'boo' }],
      { baz: 'boo', foo: 'bar' },
    ],
    [
      'A.6 moves a value',
      { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
      [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
      { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
    ],
    [
      'A.7 moves an element',
      { foo: ['all', 'grass', 'cows', 'eat'] },
      [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
      { foo: ['all', 'cows', 'eat', 'grass'] },
    ],
    [
      'A.8 tests',
      { baz: 'qux', foo: ['a', 2, 'c'] },
      [
        { op: 'test', path: '/baz', value: 'qux' },
        { op: 'test', path: '/foo/1', value: 2 },
      ],
      { baz: 'qux', foo: ['a', 2, 'c'] },
    ],
    [
      'A.10 adds a nested object',
      { foo: 'bar' },
      [{ op: 'add', path: '/child', value: { grandchild: {} } }],
      { foo: 'bar', child: { grandchild: {} } },
    ],
    [
      'A.11 ignores what it does not know',
      { foo: 'bar' },
      [{ op: 'add', path: '/baz', value: 'qux', xyz: 123 }],
      { foo: 'bar', baz: 'qux' },
    ],
    ['A.14 unescapes ~', { '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: 10 }], { '/': 9, '~1': 10 }],
    [
      'A.16 appends an array',
      { foo: ['bar'] },
      [{ op: 'add', path: '/foo/-', value: ['abc', 'def'] }],
      { foo: ['bar', ['abc', 'def']] },
    ],
    [
      'copies, and shares nothing',
      { a: { b: 1 } },
      [
        { op: 'copy', from: '/a', path: '/c' },
        { op: 'replace', path: '/c/b', value: 2 },
      ],
      { a: { b: 1 }, c: { b: 2 } },
    ],
    ['replaces the whole', { a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }], { b: 2 }],
  ])('%s', (_, doc, patch, wanted) => {
    expect(applyJSONPatch(doc, patch)).toEqual(wanted);
  });

  it.each([
    ['A.9 a test that fails', { baz: 'qux' }, [{ op: 'test', path: '/baz', value: 'bar' }]],
    ['A.12 a place that is not there', { foo: 'bar' }, [{ op: 'add', path: '/baz/bat', value: 'qux' }]],
    ['A.15 a number is no text', { '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: '10' }]],
    ['an index beyond the end', { a: [1] }, [{ op: 'add', path: '/a/2', value: 1 }]],
    ['an index with a leading zero', { a: [1, 2] }, [{ op: 'remove', path: '/a/01' }]],
    ['a move into itself', { a: { b: {} } }, [{ op: 'move', from: '/a', path: '/a/b/c' }]],
    ['what is inherited', {}, [{ op: 'remove', path: '/toString' }]],
  ])('refuses %s', (_, doc, patch) => {
    expect(() => applyJSONPatch(doc, patch)).toThrow(PatchFailed);
  });
  it.each([
    ['no list', { op: 'add' }],
    ['an unknown operation', [{ op: 'spam', path: '/a' }]],
    ['a missing value', [{ op: 'add', path: '/a' }]],
    ['a relative pointer', [{ op: 'remove', path: 'a' }]],
  ])('takes %s for no patch', (_, patch) => {
    expect(() => applyJSONPatch({ a: 1 }, patch)).toThrow(PatchMalformed);
  });
  it('leaves the document as it was, and prototypes alone', () => {
    const doc = { a: [1, { b: 2 }] };
    const out = applyJSONPatch(doc, [
      { op: 'add', path: '/__proto__', value: { polluted: true } },
      { op: 'add', path: '/a/1/b', value: 3 },
    ]);
    expect(doc).toEqual({ a: [1, { b: 2 }] });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.keys(out as object)).toContain('__proto__');
  });
});

describe('applyMergePatch', () => {
  // The cases of RFC 7396, appendix A.
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j with %j is %j', (doc, patch, wanted) => {
    expect(applyMergePatch(doc, patch)).toEqual(wanted);
  });
  it('twice is once', () => {
    fc.assert(
      fc.property(fc.object(), fc.object(), (doc, patch) => {
        const once = applyMergePatch(doc, patch);
        expect(applyMergePatch(once, patch)).toEqual(once);
      }),
    );
  });
});
