import type { LocalText } from '../../scenario/document/scenario.js';
import { type LessonGroup, lessonGroups } from '../names.js';
import { entries } from './gen/index.js';

/** A lesson as it is in the list, before its text is loaded: a file of packages/core/content/lessons. */
export interface LibraryLesson {
  readonly name: string;
  readonly group: LessonGroup;
  /** Its place within the group. */
  readonly order: number;
  readonly title: LocalText;
  readonly summary: LocalText;
  readonly minutes: number;
  /** Loads its YAML, as parseLesson takes it. */
  load(): Promise<string>;
}

const groupIndex = ({ group }: LibraryLesson) => lessonGroups.indexOf(group);

/** The lessons that come with the program, in the order to take them. */
export const lessons: readonly LibraryLesson[] = [...entries].sort(
  (a, b) => groupIndex(a) - groupIndex(b) || a.order - b.order,
);
