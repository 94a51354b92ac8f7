import { describe, expect, it } from 'vitest';
import { codesOf, holesOf, linksOf, pieces, plainText, valueText, withoutAddresses } from './text.js';

describe('texts', () => {
  const text = 'The `{{ fn }}` ran **{{ n }} times**,\nsaid {{ what }}.\n\nThen `syncLoop`.';
  const values = { fn: 'SyncPod', n: '3', what: '`x` **y**' };

  it('are pieces with their marks and values', () => {
    expect(pieces(text, values)).toEqual([
      { kind: 'text', text: 'The ' },
      { kind: 'code', text: 'SyncPod', value: true },
      { kind: 'text', text: ' ran ' },
      { kind: 'strong', text: '3 times' },
      { kind: 'text', text: ', said ' },
      // A value is never read as a mark.
      { kind: 'text', text: '`x` **y**', value: true },
      { kind: 'text', text: '.' },
      { kind: 'break', text: '' },
      { kind: 'text', text: 'Then ' },
      { kind: 'code', text: 'syncLoop' },
      { kind: 'text', text: '.' },
    ]);
    expect(plainText('`a` **b**\n\nc', {})).toBe('a b\nc');
  });

  it('have links, to https addresses alone', () => {
    const report = 'See [issue 1](https://example.com/1).';
    expect(pieces(report, {})).toEqual([
      { kind: 'text', text: 'See ' },
      { kind: 'link', text: 'issue 1', href: 'https://example.com/1' },
      { kind: 'text', text: '.' },
    ]);
    expect(plainText(report, {})).toBe('See issue 1.');
    expect(withoutAddresses(report)).toBe('See issue 1.');
    expect(linksOf(report)).toEqual(['https://example.com/1']);
    expect(pieces('[x](javascript:alert(1))', {}).map((p) => p.kind)).toEqual(['text']);
  });

  it('show a sign where a value is not known', () => {
    expect(plainText('at {{ x }}', {})).toBe('at …');
    expect(plainText('at {{ toString }}', {})).toBe('at …');
  });

  it('name their expressions and codes', () => {
    expect(holesOf(text)).toEqual(['fn', 'n', 'what']);
    expect(codesOf(text)).toEqual(['{{ fn }}', 'syncLoop']);
  });

  it('write numbers as in a sentence', () => {
    expect([1, 1.23456, 0.1 + 0.2, true, 'a', ['a', 1]].map(valueText)).toEqual([
      '1',
      '1.235',
      '0.3',
      'true',
      'a',
      '["a",1]',
    ]);
  });
});
