import type { Lesson, LessonState } from '@syncloop/core/lessons';
import { type RefObject, useEffect, useState } from 'react';
import { keyLabel } from '../../commands/hotkeys.js';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { SHOWN_AFTER } from '../../run/progress-store.js';
import { openTask, useLessons } from './lessons-store.js';
import { QUESTION_FORM } from './question.js';
import { useReview } from './review-store.js';

/** True while something lasts for longer than one notices. */
function useLasting(is: boolean): boolean {
  const [lasting, setLasting] = useState(false);
  useEffect(() => {
    if (!is) {
      setLasting(false);
      return;
    }
    const timer = setTimeout(() => setLasting(true), SHOWN_AFTER);
    return () => clearTimeout(timer);
  }, [is]);
  return is && lasting;
}

interface Props {
  readonly lesson: Lesson;
  readonly play: LessonState;
  readonly primary: RefObject<HTMLButtonElement | null>;
}

/**
 * The buttons of a lesson: always in the same place, the way on always the same button, so that the focus can stay on
 * it.
 */
export function LessonFoot({ lesson, play, primary }: Props) {
  const t = useT();
  const task = useLessons(openTask);
  const where = useLessons((s) => s.where);
  const checked = useLessons((s) => s.checked);
  const again = useReview((s) => s.asked !== null);
  const more = useReview((s) => s.due.length > 0);
  const last = play.step === lesson.steps.length - 1;
  const moving = play.phase === 'moving';
  const lasting = useLasting(moving);
  const stuck = play.phase === 'stuck';
  const own = play.progress[play.step];
  const on = stuck
    ? 'retry'
    : task === 'ask'
      ? 'runSee'
      : task === 'exercise'
        ? 'check'
        : again
          ? more
            ? 'nextReview'
            : 'endReview'
          : last
            ? 'finish'
            : 'next';
  const under = own?.given !== undefined && !own.graded ? 'movingAnswer' : own?.solved ? 'movingSolution' : 'moving';
  const open = task === 'exercise' && own?.checked && checked?.filter((c) => c.problem === null).length;
  const press = () => {
    if (moving) return;
    runCommand(task === 'exercise' && !stuck ? 'lesson.check' : 'lesson.next');
  };
  return (
    <footer className="sl-lesson-foot u-border-top">
      {lasting && (
        <div className="sl-lesson-status u-row u-wrap">
          <progress aria-label={t(`lessons.${under}`)} />
          <span className="u-grow">{t(`lessons.${under}`)}</span>
          <button
            type="button"
            className="sl-button"
            data-testid="lesson-stop"
            onClick={() => runCommand('lesson.stop')}
          >
            {t('lessons.stop')}
          </button>
        </div>
      )}
      <div role="status">
        {stuck && play.trouble && (
          <p className="sl-lesson-status u-row u-wrap" data-testid="trouble">
            {t(`lessons.trouble.${play.trouble.reason}`, { why: play.trouble.text })}
          </p>
        )}
        {!moving && where !== 'here' && (
          <div className="sl-lesson-status sl-lesson-away u-row u-wrap" data-testid="lesson-away">
            <span className="u-grow">{t(`lessons.${where}`)}</span>
            <button
              type="button"
              className="sl-button"
              data-testid="lesson-return"
              onClick={() => runCommand('lesson.back')}
            >
              {t('lessons.return')}
            </button>
          </div>
        )}
        {typeof open === 'number' && !moving && where === 'here' && checked && (
          <p className="sl-lesson-status u-row u-wrap">{t('lessons.open', { n: open, m: checked.length })}</p>
        )}
      </div>
      <div className="sl-lesson-buttons u-row u-wrap u-gap-4">
        {!again && (
          <button
            type="button"
            className="sl-button"
            disabled={play.step === 0 || moving}
            title={`${t('lessons.back')} (${keyLabel('Shift+N')})`}
            data-testid="lesson-previous"
            onClick={() => runCommand('lesson.previous')}
          >
            {t('lessons.back')}
          </button>
        )}
        <button
          type="button"
          className="sl-button sl-quiet"
          disabled={moving}
          data-testid="lesson-again"
          onClick={() => runCommand('lesson.again')}
        >
          {t('lessons.replay')}
        </button>
        <span className="sl-push" />
        {task !== null && !stuck && (
          <button
            type="button"
            className="sl-button sl-quiet"
            disabled={moving}
            data-testid="lesson-skip"
            onClick={() => runCommand('lesson.skip')}
          >
            {t('lessons.skip')}
          </button>
        )}
        <button
          // A disabled button would lose the focus: it is only marked as disabled.
          ref={primary}
          type={on === 'runSee' ? 'submit' : 'button'}
          form={on === 'runSee' ? QUESTION_FORM : undefined}
          className="sl-button sl-primary sl-lesson-next u-weight-600"
          aria-disabled={moving}
          title={`${t(`lessons.${on}`)} (${keyLabel('N')})`}
          data-testid="lesson-next"
          onClick={on === 'runSee' ? undefined : press}
        >
          {t(`lessons.${on}`)}
        </button>
      </div>
    </footer>
  );
}
