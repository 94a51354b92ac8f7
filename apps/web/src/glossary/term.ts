import type { MapPlace } from '../selection/map-place.js';

/** A term of the glossary: one sentence, and where there is more of it. */
export interface Term {
  readonly name: string;
  /** Other words that people type for it, in both languages. */
  readonly words: string;
  readonly text: { readonly en: string; readonly zh: string };
  /** Its place on the map. */
  readonly place: MapPlace;
  /** The lesson that is about it. */
  readonly lesson: string;
  /** The function of the kubelet that does it, as `enter` records name it. */
  readonly source: string;
}

/** Returns a maker of terms that have a place and a lesson in common. */
export const termsAt =
  (place: MapPlace, lesson: string) =>
  (name: string, words: string, source: string, en: string, zh: string): Term => ({
    ...{ name, words, place, lesson, source },
    text: { en, zh },
  });
