import type { LocalText } from '../../scenario/scenario.js';

/** A lesson as it stands in the list, before its text is loaded. */
export interface LibraryLesson {
  readonly name: string;
  readonly title: LocalText;
  readonly summary: LocalText;
  readonly minutes: number;
  /** Its YAML, as parseLesson takes it. */
  load(): Promise<string>;
}

/** Lessons that come with the program, in the order to take them. Title, summary and minutes are those of their texts. */
export const lessons: readonly LibraryLesson[] = [];
