import type { LibraryLesson } from '@syncloop/core/lessons';

/** The lessons by group; both keep the order of the list. */
export function groupedLessons(
  lessons: readonly LibraryLesson[],
): readonly { readonly group: LibraryLesson['group']; readonly lessons: readonly LibraryLesson[] }[] {
  return [...new Set(lessons.map((l) => l.group))].map((group) => ({
    group,
    lessons: lessons.filter((l) => l.group === group),
  }));
}
