/** The lessons by subject, in the order to take them. A table by name: what a lesson is about is not in the list of lessons. */
const GROUPS = {
  loop: ['syncloop', 'channels', 'config-ops', 'dispatch', 'select-races'],
  pods: ['syncpod', 'startcontainer', 'init-sidecars', 'probes', 'termination'],
  runtime: ['pleg', 'images', 'crash-loop'],
  node: ['startup', 'housekeeping', 'static-pods', 'restart'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** `more`: those that the table does not have yet. */
export type LessonGroup = keyof typeof GROUPS | 'more';
const ORDER = [...Object.keys(GROUPS), 'more'] as readonly LessonGroup[];

const namesOf = (group: LessonGroup): readonly string[] => (group === 'more' ? [] : GROUPS[group]);

export const groupOfLesson = (name: string): LessonGroup => ORDER.find((g) => namesOf(g).includes(name)) ?? 'more';

/** Within a group in the order of the table; empty groups are left out. */
export function groupedLessons<L extends { readonly name: string }>(
  lessons: readonly L[],
): readonly { readonly group: LessonGroup; readonly lessons: readonly L[] }[] {
  return ORDER.map((group) => {
    const names = namesOf(group);
    const own = lessons.filter((l) => groupOfLesson(l.name) === group);
    return { group, lessons: own.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name)) };
  }).filter(({ lessons: own }) => own.length > 0);
}

/** All of them in the order in which they are listed. */
export const inOrder = <L extends { readonly name: string }>(lessons: readonly L[]): readonly L[] =>
  groupedLessons(lessons).flatMap((g) => g.lessons);
