import { afterEach, describe, expect, it } from 'vitest';
import { changeTexts, translate } from './index.js';
import { pseudo } from './pseudo.js';

describe('the language for tests', () => {
  afterEach(() => changeTexts(null));
  it('is longer, accented, in brackets, with its holes and keys', () => {
    expect(pseudo('{n} pods [Space]')).toBe(`⟦{n} þöðš [Space]${'·'.repeat(7)}⟧`);
  });
  it('takes the place of every text', () => {
    changeTexts(pseudo);
    expect(translate('en', 'graph.podsN', { n: 3 })).toMatch(/^⟦3 þöðš·+⟧$/);
    changeTexts(null);
    expect(translate('en', 'graph.podsN', { n: 3 })).toBe('3 pods');
  });
});
