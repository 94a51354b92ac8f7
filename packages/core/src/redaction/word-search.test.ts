import fc from 'fast-check';
import { expect, it } from 'vitest';
import { WordSearch } from './word-search.js';

it('finds what a search for each word finds, in any case', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '_', '"'), minLength: 1, maxLength: 4 });
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'B', '_', '"', ' '), maxLength: 30 });
  fc.assert(
    fc.property(fc.uniqueArray(word, { minLength: 1, maxLength: 8 }), text, (words, text) => {
      const search = new WordSearch(words);
      const count = search.find(text);
      const found = search.words.slice(0, count).map((word, i) => `${search.ends[i]} ${words[word]}`);
      const lower = text.toLowerCase();
      const expected = words.flatMap((word) =>
        [...lower].flatMap((_, at) => (lower.startsWith(word, at) ? [`${at + word.length} ${word}`] : [])),
      );
      expect(found.sort()).toEqual(expected.sort());
    }),
    { seed: 24, numRuns: 500 },
  );
});
