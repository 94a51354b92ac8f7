import { describe, expect, it } from 'vitest';
import { decideLightDark } from './light-dark.js';

describe('light-dark()', () => {
  it('is decided, wherever it stands', () => {
    const shadow = '0 1px light-dark(rgb(20 30 40 / 8%), rgb(0 0 0 / 40%)), 0 6px light-dark(rgb(1, 2, 3), #000)';
    expect(decideLightDark(shadow, false)).toBe('0 1px rgb(20 30 40 / 8%), 0 6px rgb(1, 2, 3)');
    expect(decideLightDark(shadow, true)).toBe('0 1px rgb(0 0 0 / 40%), 0 6px #000');
    expect(decideLightDark('color-mix(in srgb, light-dark(#fff, light-dark(#111, #222)) 5%, red)', true)).toBe(
      'color-mix(in srgb, #222 5%, red)',
    );
  });
  it('is left where it is not whole, and nothing else is touched', () => {
    for (const text of ['', 'a: b', 'light-dark(#fff', 'light-dark(#fff)'])
      expect(decideLightDark(text, true)).toBe(text);
  });
});
