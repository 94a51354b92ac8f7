import type { Json } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { yamlOf } from './yaml.js';

describe('yamlOf', () => {
  it('writes maps and lists in lines of their own', () => {
    expect(yamlOf({ kind: 'Pod', list: [{ a: 1, b: [] }, 'x', [1, 2]], none: undefined, empty: {} })).toBe(
      'kind: Pod\nlist:\n  - a: 1\n    b: []\n  - x\n  -\n    - 1\n    - 2\nempty: {}\n'.replace(
        '  -\n    - 1',
        '  - - 1',
      ),
    );
    expect(yamlOf('text')).toBe('text\n');
    expect(yamlOf([])).toBe('[]\n');
  });
  it('reads back as what it was, whatever the strings', () => {
    const strings = [
      'yes',
      'null',
      '~',
      '',
      ' x',
      'a: b',
      '- a',
      '#c',
      '1',
      '1e3',
      '0x1f',
      'a\nb',
      "it's",
      '"q"',
      '2026-01-01T00:00:00Z',
      '日本',
      '*a',
      '&b',
      'true',
      'a #b',
      '=',
      '<<',
      '.5',
      'x:',
    ];
    const value: Json = {
      strings,
      ...Object.fromEntries(strings.map((s, i) => [`${s} ${i}`, { [s]: s }])),
      nested: [[], {}, [[1, [2, { a: null }]]], { b: [{ c: false }] }],
      numbers: [0, -1, 1.5, 1e21],
    };
    expect(parse(yamlOf(value))).toEqual(value);
    for (const s of strings) expect(parse(yamlOf(s))).toBe(s);
  });
});
