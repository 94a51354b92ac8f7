import { describe, expect, it } from 'vitest';
import { keyAt, yamlContext } from './yaml-context.js';

/** The context at the bar. */
const at = (text: string) => {
  const place = text.indexOf('¦');
  return yamlContext(text.replace('¦', ''), place);
};
const where = (text: string) => {
  const c = at(text);
  return c && `${c.kind} ${c.path.join('.')}`;
};

describe('yamlContext', () => {
  it.each([
    ['¦', 'key '],
    ['spec:\n  ¦', 'key spec'],
    ['spec:\n  containers:\n    - na¦', 'key spec.containers.-'],
    ['spec:\n  containers:\n    - name: a\n      ima¦', 'key spec.containers.-'],
    ['spec:\n  containers:\n  - name: a\n    ima¦', 'key spec.containers.-'],
    ['spec:\n  containers:\n  - name: a\n  ¦', 'key spec'],
    ['spec:\n  containers:\n    - name: a\n      ports:\n        - ¦', 'key spec.containers.-.ports.-'],
    ['spec:\n  restartPolicy: Al¦', 'value spec.restartPolicy'],
    ['spec:\n  restartPolicy: ¦\n  containers: []', 'value spec.restartPolicy'],
    ['spec:\n  containers:\n    - imagePullPolicy: ¦', 'value spec.containers.-.imagePullPolicy'],
    ['a: 1\n---\nspec:\n  ¦', 'key spec'],
    ['spec:\n\n  # note\n\n  containers:\n\n    - name: a\n\n      ¦', 'key spec.containers.-'],
    ['x:\n  - - a: 1\n      ¦', 'key x.-.-'],
    ['"spec":\n  ¦', 'key spec'],
  ])('%j', (text, expected) => {
    expect(where(text)).toBe(expected);
  });
  it('is none in literal texts, comments, braces, JSON, between documents', () => {
    for (const text of [
      'a: |\n  x\n  ¦',
      'a: # ¦',
      '# ¦',
      '{"a": ¦}',
      '--¦-',
      'a:\n  [¦',
      'args:\n  - |\n    set -e\n    ¦',
    ])
      expect(at(text), text).toBeNull();
  });
  it('knows the keys beside it, before and after, not those of other items', () => {
    expect(
      at('spec:\n  containers:\n    - name: a\n      image: x\n      ¦\n      tty: true\n    - name: b\n')?.siblings,
    ).toEqual(['name', 'image', 'tty']);
    expect(at('spec:\n  containers:\n    - name: a\n    - ¦\n      image: x\n')?.siblings).toEqual(['image']);
    expect(at('kind: Pod\n¦\nspec:\n  kind: x\n')?.siblings).toEqual(['kind', 'spec']);
  });
  it('gives the word and its column', () => {
    expect(at('spec:\n  rest¦')).toMatchObject({ word: 'rest', from: 8, to: 12, column: 2 });
    expect(at('    - na¦')).toMatchObject({ word: 'na', column: 6, dashes: 1 });
  });
});

describe('keyAt', () => {
  it('is the key under a place', () => {
    const text = 'spec:\n  containers:\n    - name: app\n';
    expect(keyAt(text, text.indexOf('name') + 1)).toMatchObject({ path: ['spec', 'containers', '-', 'name'] });
    expect(text.slice(keyAt(text, 9)?.from, keyAt(text, 9)?.to)).toBe('containers');
    expect(keyAt(text, text.indexOf('app'))).toBeNull();
    expect(keyAt('spec:\n  rest', 9)).toBeNull();
  });
});
