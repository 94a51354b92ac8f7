/** The page's part in lessons before one is opened: their list, and links to them. */

import type { Command } from '@syncloop/core/debug';
import { t } from '../../i18n/index.js';
import { embedded } from '../../page/embedded.js';
import { notify } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { sessionReady, simulationReady } from '../../session/connect.js';
import { session } from '../../session/session.js';
import type { Opener } from '../../shell/registry.js';
import { type LessonsState, useLessons } from './lessons-store.js';
import { useReview } from './review-store.js';

export interface LessonLink {
  readonly name: string;
  /** The step, from 0. */
  readonly step?: number;
}

/** The lesson in a URL's fragment: `#lesson=NAME`, or `#lesson=NAME/3` for its third step; null if there is none. */
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

/**
 * Opens the lesson of a link. Problems are shown to the user, and the session stays as it is. Resolves with whether it
 * is open, with its run at the right place.
 */
export async function openLessonLink({ name, step }: LessonLink, ready: () => Promise<boolean>): Promise<boolean> {
  try {
    const { openLesson } = await import('./lessons.js');
    await loadLessons();
    if (await ready()) await openLesson(name, step);
  } catch (error) {
    notify(t('lessons.notOpened', { why: error instanceof Error ? error.message : String(error) }), true);
  }
  const { lesson, play } = useLessons.getState();
  return lesson?.name === name && (play?.phase === 'reading' || play?.phase === 'over');
}

/** Goes to a moment of the open lesson's run, or of a branch that its reader made; see `toMoment` of lessons.ts. */
export async function momentInLesson(
  load: Extract<Command, { do: 'load' }>,
  loaded: () => Promise<unknown>,
): Promise<void> {
  const { toMoment } = await import('./lessons.js');
  await toMoment(load, loaded);
}

/**
 * For links: the open lesson and its step; `away` if the run stands elsewhere than the lesson left it. Null if another
 * run is in view.
 */
export function lessonNow(
  { lesson, play, where }: LessonsState = useLessons.getState(),
  run = session.latest ?? useSession.getState().run,
): (Required<LessonLink> & { readonly away?: true }) | null {
  // A question that is asked again is in a run that is not the lesson's own.
  if (useReview.getState().asked) return null;
  if (!lesson || !play || where === 'left' || (play.phase !== 'reading' && play.phase !== 'over')) return null;
  const own = play.progress[play.step];
  const spot = (own?.ended ?? own?.entered)?.spot;
  const there = spot?.seq === run.seq && spot.step === run.steps && spot.branch === (run.branch ?? 1);
  return { name: lesson.name, step: play.step, ...(!there && { away: true }) };
}

/** Opens a link to a lesson, or to a step of it. */
export const lessonOpener: Opener = {
  order: 30,
  frames: true,
  find: (href, first) => {
    const link = lessonIn(href);
    return link && { open: () => void openLessonLink(link, first || embedded ? sessionReady : simulationReady) };
  },
};
