/** What the page does about lessons before one is opened: their list, and links to them. */

import { t } from '../../i18n/index.js';
import { embedded } from '../../page/embedded.js';
import { notify } from '../../page/ui-store.js';
import { sessionReady, simulationReady } from '../../session/connect.js';
import type { Opener } from '../../shell/registry.js';
import { type LessonsState, useLessons } from './lessons-store.js';

export interface LessonLink {
  readonly name: string;
  /** From 0. */
  readonly step?: number;
}

/** The lesson in a URL's fragment: `#lesson=NAME`, or `#lesson=NAME/3` for its third step; null where there is none. */
export function lessonIn(href: string): LessonLink | null {
  const text = new URLSearchParams(new URL(href).hash.replace(/^#/, '')).get('lesson');
  const [, name, step] = /^([a-z0-9-]{1,63})(?:\/([1-9]\d{0,2}))?$/.exec(text ?? '') ?? [];
  if (name === undefined) return null;
  return { name, ...(step !== undefined && { step: Number(step) - 1 }) };
}

let loading: Promise<void> | null = null;
/** Loads the list of lessons, once. */
export function loadLessons(): Promise<void> {
  loading ??= import('@syncloop/core/lessons/library').then(
    ({ lessons }) => useLessons.setState({ list: lessons }),
    (error: unknown) => {
      loading = null;
      throw error;
    },
  );
  return loading;
}

/** The list is there after the page: nothing waits for it. */
export function followLessons(): void {
  loadLessons().catch(() => {});
}

/** Opens the lesson of a link. What is wrong with it is said, and the session stays as it is. */
export async function openLessonLink({ name, step }: LessonLink, ready: () => Promise<boolean>): Promise<void> {
  try {
    const { openLesson } = await import('./lessons.js');
    await loadLessons();
    if (await ready()) await openLesson(name, step);
  } catch (error) {
    notify(t('lessons.notOpened', { why: error instanceof Error ? error.message : String(error) }), true);
  }
}

/** For links: the open lesson and its step, where the run stands as the lesson left it. */
export function lessonNow({ lesson, play, where }: LessonsState = useLessons.getState()): Required<LessonLink> | null {
  if (!lesson || !play || where !== 'here' || (play.phase !== 'reading' && play.phase !== 'over')) return null;
  return { name: lesson.name, step: play.step };
}

/** A link to a lesson, or to a step of it. */
export const lessonOpener: Opener = {
  order: 30,
  frames: true,
  find: (href, first) => {
    const link = lessonIn(href);
    return link && { open: () => void openLessonLink(link, first || embedded ? sessionReady : simulationReady) };
  },
};
