import { type Lesson, type LessonState, type LessonStep, type StepProgress, score } from '@syncloop/core/lessons';
import { useEffect, useRef } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { withUnit } from '../../units/typed-number.js';
import { Inline, useLocal } from './lesson-text.js';
import { nextLesson, useLessons } from './lessons-store.js';
import { outcomeOf } from './logic/outcome.js';
import { Reasons } from './question.js';

/**
 * Shows the page after the last step: what the learner knows now, what was predicted wrongly and why, and what comes
 * next.
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
  const counts = score(lesson, play);
  const { answered, right } = counts;
  const outcome = outcomeOf(counts);
  return (
    <>
      <div className="sl-scroll sl-lesson-body u-grow u-min-height-0 u-scroll u-fs-3" data-testid="lesson-over">
        {outcome === 'knows' ? (
          <>
            <h3>
              <span aria-hidden="true">✓ </span>
              {t('lessons.over')}
            </h3>
            <p className="sl-lesson-goal u-dim">
              <Inline text={lesson.goal} values={undefined} />
            </p>
          </>
        ) : (
          <h3>{t('lessons.overNone')}</h3>
        )}
        <p data-testid="lesson-score">
          {outcome === 'skipped' && t('lessons.passed')}
          {outcome === 'none' && t(answered === 1 ? 'lessons.scoreNoneOne' : 'lessons.scoreNone', { n: answered })}
          {right > 0 && t('lessons.score', { right, n: answered })} {outcome === 'few' && t('lessons.scoreFew')}
        </p>
        <MissedHere lesson={lesson} play={play} />
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

/** The lesson's questions that were answered wrongly, each with what the run showed and why. */
function MissedHere({ lesson, play }: { readonly lesson: Lesson; readonly play: LessonState }) {
  const t = useT();
  const missed = lesson.steps.flatMap((step, i) => {
    const own = play.progress[i];
    return own?.graded && !own.graded.right ? [{ step, i, own }] : [];
  });
  if (missed.length === 0) return null;
  return (
    <section className="sl-lesson-missed-list" data-testid="lesson-missed">
      <h4>{t('lessons.missed')}</h4>
      <ol className="u-pad-0">
        {missed.map(({ step, i, own }) => (
          <MissedOne key={step.line} step={step} at={i} own={own} />
        ))}
      </ol>
    </section>
  );
}

interface OneProps {
  readonly step: LessonStep;
  readonly at: number;
  readonly own: StepProgress;
}
function MissedOne({ step: { ask }, at, own }: OneProps) {
  const t = useT();
  if (!ask || !own.graded) return null;
  const said = (value: unknown) => {
    const option = ask.options.find((o) => o.value === value);
    return option ? (
      <Inline text={option.text} values={own.entered?.values} />
    ) : (
      withUnit(value, ask.number?.unit ?? '')
    );
  };
  return (
    <li className="u-border-top" data-right="false">
      <p className="u-weight-600">
        <Inline text={ask.question} values={own.entered?.values} />
      </p>
      <p>
        <span aria-hidden="true">✗ </span>
        {t('lessons.yours', { value: '' })}
        {said(own.graded.given)}
        <br />
        <span aria-hidden="true">✓ </span>
        {t('lessons.truth', { value: '' })}
        {said(own.graded.answer)}
      </p>
      {own.ended && <Reasons ask={ask} own={own} graded={own.graded} />}
      <button type="button" className="sl-button sl-quiet" onClick={() => runCommand('lesson.retakeAt', at)}>
        {t('lessons.retake')}
      </button>
    </li>
  );
}
