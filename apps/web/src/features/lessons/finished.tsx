import { type Lesson, type LessonState, score } from '@syncloop/core/lessons';
import { useEffect, useRef } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { Inline, useLocal } from './lesson-text.js';
import { nextLesson, useLessons } from './lessons-store.js';

/**
 * Shows the page after the last step: what the learner knows now, the result of the predictions, and what comes next.
 */
export function Finished({ lesson, play }: { readonly lesson: Lesson; readonly play: LessonState }) {
  const t = useT();
  const local = useLocal();
  const next = useLessons((s) => nextLesson(s, lesson.name));
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The button that was pressed is gone.
    if (document.activeElement === document.body) first.current?.focus();
  }, []);
  const { answered, right } = score(lesson, play);
  return (
    <>
      <div className="sl-scroll sl-lesson-body u-grow u-min-height-0 u-scroll u-fs-3" data-testid="lesson-over">
        <h3>
          <span aria-hidden="true">✓ </span>
          {t('lessons.over')}
        </h3>
        <p className="sl-lesson-goal u-dim">
          <Inline text={lesson.goal} values={undefined} />
        </p>
        {answered > 0 && <p>{t('lessons.score', { right, n: answered })}</p>}
        {next ? (
          <div className="sl-lesson-coming u-border-top">
            <h4 className="u-margin-0">{t('lessons.nextLesson', { name: local(next.title) })}</h4>
            <p>
              {local(next.summary)} <span className="sl-small">{t('lessons.minutes', { n: next.minutes })}</span>
            </p>
          </div>
        ) : (
          <p>{t('lessons.noNext')}</p>
        )}
      </div>
      <footer className="sl-lesson-foot u-border-top">
        <div className="sl-lesson-buttons u-row u-wrap u-gap-4">
          <button type="button" className="sl-button" onClick={() => runCommand('lesson.previous')}>
            {t('lessons.back')}
          </button>
          <button type="button" className="sl-button sl-quiet" onClick={() => runCommand('lesson.restart')}>
            {t('lessons.onceMore')}
          </button>
          <span className="sl-push" />
          <button
            ref={first}
            type="button"
            className="sl-button sl-primary sl-lesson-next u-weight-600"
            data-testid="lesson-next"
            onClick={() => (next ? runCommand('lesson.open', { name: next.name }) : runCommand('lesson.leave'))}
          >
            {next ? t('lessons.beginNext') : t('lessons.all')}
          </button>
        </div>
      </footer>
    </>
  );
}
