import '../fixtures/features.js';
import { lessons } from '@syncloop/core/lessons';
import { describe, expect, it } from 'vitest';
import { placeOfFile } from '../features/source/logic/place-of-file.js';
import { ownSources } from '../fixtures/own-sources.js';
import { isMapPlace } from '../selection/map-place.js';
import { termNamed, terms } from './terms.js';

const { functions } = ownSources.index;

describe('the glossary', () => {
  it('has some sixty terms, each once, as a sentence in both languages', () => {
    expect(terms.length).toBeGreaterThanOrEqual(60);
    expect(new Set(terms.map(({ name }) => name.toLowerCase())).size).toBe(terms.length);
    for (const { name, text } of terms) {
      expect(text.en, name).toMatch(/^[A-Z\w].*[^.]\.$/);
      expect(text.zh, name).toMatch(/\p{Script=Han}.*。$/u);
    }
  });
  it('is found by its name in any case', () => {
    expect(termNamed('pleg')?.name).toBe('PLEG');
    expect(termNamed('toString')).toBeUndefined();
  });
  it('leads to places, lessons and functions that there are', () => {
    const known = new Set(lessons.map(({ name }) => name));
    const wrong = terms.filter(
      ({ place, lesson, source }) => !isMapPlace(place) || !known.has(lesson) || !Object.hasOwn(functions, source),
    );
    expect(wrong).toEqual([]);
  });
});

it('every function of the sources has a place on the map', () => {
  const all = [ownSources.index, ...Object.values(ownSources.eras)].flatMap((index) => Object.values(index.functions));
  expect(all.filter(({ file }) => placeOfFile(file) === null).map(({ fn, file }) => `${fn} ${file}`)).toEqual([]);
  expect(placeOfFile(functions.computePodActions?.file ?? '')).toBe('workers');
});
