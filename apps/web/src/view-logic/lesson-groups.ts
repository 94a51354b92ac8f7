/** The lessons by subject, by words in their names: what a lesson is about is not in the list of lessons. */

/** In the order in which they are taken. A lesson belongs to the first whose words its name has. */
const GROUPS = {
  loop: ['syncloop', 'channel', 'config', 'select', 'housekeeping', 'resync'],
  runtime: ['pleg', 'cri', 'image', 'sandbox', 'computepodactions', 'actions', 'runtime', 'cache'],
  pods: [
    'pod',
    'sync',
    'worker',
    'dispatch',
    'start',
    'init',
    'sidecar',
    'probe',
    'liveness',
    'readiness',
    'crash',
    'backoff',
    'restart',
    'stop',
    'terminat',
    'delete',
    'kill',
    'hook',
    'grace',
    'status',
    'static',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** `node`: everything else that a kubelet does. */
export type LessonGroup = keyof typeof GROUPS | 'node';
const ORDER: readonly LessonGroup[] = ['loop', 'pods', 'runtime', 'node'];

const NODE = ['evict', 'node', 'kubelet-', 'era', 'history', 'admission', 'pressure', 'deadlock', 'api-'];

export function groupOfLesson(name: string): LessonGroup {
  if (NODE.some((word) => name.includes(word))) return 'node';
  for (const group of Object.keys(GROUPS) as (keyof typeof GROUPS)[])
    if ((GROUPS[group] as readonly string[]).some((word) => name.includes(word))) return group;
  return 'node';
}

/** Within a group in the order of the list; empty groups are left out. */
export function groupedLessons<L extends { readonly name: string }>(
  lessons: readonly L[],
): readonly { readonly group: LessonGroup; readonly lessons: readonly L[] }[] {
  return ORDER.map((group) => ({
    group,
    lessons: lessons.filter((l) => groupOfLesson(l.name) === group),
  })).filter(({ lessons: own }) => own.length > 0);
}
