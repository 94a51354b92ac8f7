import type { Lesson, LessonState, LessonStep, StepProgress } from '@syncloop/core/lessons';
import { useEffect, useRef } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { Icon } from '../../ui/icons.js';
import { Exercise } from './exercise.js';
import { Finished } from './finished.js';
import { LessonFoot } from './lesson-foot.js';
import { Inline, Paragraphs, useLocal, usePlain } from './lesson-text.js';
import { openTask, useLessons } from './lessons-store.js';
import { LookAt } from './look-at.js';
import { AllNames, Names } from './names.js';
import { Question } from './question.js';
import { useReview } from './review-store.js';

/** The open lesson: one step at a time. */
export function LessonView() {
  const lesson = useLessons((s) => s.lesson);
  const play = useLessons((s) => s.play);
  if (!lesson || !play) return null;
  return (
    <section
      className="sl-lesson u-column u-grow u-min-height-0"
      data-testid="lesson"
      data-phase={play.phase}
      data-step={play.step + 1}
    >
      <Head lesson={lesson} play={play} />
      <Spoken lesson={lesson} play={play} />
      {play.phase === 'over' ? <Finished lesson={lesson} play={play} /> : <Step lesson={lesson} play={play} />}
    </section>
  );
}

interface Props {
  readonly lesson: Lesson;
  readonly play: LessonState;
}

function Head({ lesson, play }: Props) {
  const t = useT();
  const local = useLocal();
  const again = useReview((s) => s.asked !== null);
  const title = local(lesson.title);
  const m = lesson.steps.length;
  const leave = t('lessons.leave', { name: title });
  return (
    <header className="sl-lesson-head">
      <div className="sl-lesson-bar u-row u-gap-4">
        <button
          type="button"
          className="sl-button sl-quiet sl-lesson-all"
          aria-label={`‹ ${t('lessons.all')}: ${leave}`}
          title={leave}
          data-testid="lesson-leave"
          onClick={() => runCommand('lesson.leave')}
        >
          <span aria-hidden="true">‹</span> {t('lessons.all')}
        </button>
        <h2 className="u-grow u-min-width-0 u-clip u-weight-600 u-text-right u-dim">{title}</h2>
        {!again && (
          <button
            type="button"
            className="sl-button sl-quiet sl-icon-button"
            aria-label={t('lessons.restart')}
            title={t('lessons.restart')}
            data-testid="lesson-restart"
            onClick={() => runCommand('lesson.restart')}
          >
            <Icon name="restart" />
          </button>
        )}
      </div>
      {!again && (
        <progress
          className="sl-lesson-progress u-block u-width-full u-border-0 u-sunken"
          max={m}
          value={play.phase === 'over' ? m : play.step + 1}
          aria-label={t('lessons.steps', { n: play.step + 1, m })}
        />
      )}
    </header>
  );
}

/** Text that screen readers read out as the lesson goes on. */
function Spoken({ lesson, play }: Props) {
  const t = useT();
  const plain = usePlain();
  const again = useReview((s) => s.asked !== null);
  const where = useLessons((s) => s.where);
  const step = lesson.steps[play.step] as LessonStep;
  const own = play.progress[play.step] ?? {};
  const said = () => {
    if (play.phase === 'over') return t('lessons.over');
    if (play.phase !== 'reading' || where !== 'here') return '';
    if (own.graded) {
      const verdict = t(own.graded.right ? 'lessons.right' : 'lessons.wrong');
      return `${verdict} ${plain(step.ask?.right, own.ended?.values)}`;
    }
    if (own.solved && own.ended) return t(own.solved === 'learner' ? 'lessons.solved' : 'lessons.shown');
    const values = own.entered?.values;
    const text = [step.text, step.ask?.question, step.exercise?.text].map((x) => plain(x, values)).join(' ');
    const title = plain(step.title, values);
    if (again) return `${t('lessons.askedAgain')} ${title}. ${text}`;
    return t('lessons.said', { n: play.step + 1, m: lesson.steps.length, title, text });
  };
  return (
    <p className="sl-visually-hidden" role="status" data-testid="lesson-said">
      {said()}
    </p>
  );
}

function Step({ lesson, play }: Props) {
  const t = useT();
  const n = play.step;
  const step = lesson.steps[n] as LessonStep;
  const own: StepProgress = play.progress[n] ?? {};
  const moving = play.phase === 'moving';
  const known = own.entered !== undefined;
  const again = useReview((s) => s.asked !== null);
  const body = useRef<HTMLDivElement>(null);
  const primary = useRef<HTMLButtonElement>(null);
  useFocus(body, primary, play, known);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each step begins at its top
  useEffect(() => {
    body.current?.scrollTo(0, 0);
  }, [n]);
  useEffect(() => {
    if (own.graded) body.current?.querySelector('.sl-lesson-result')?.scrollIntoView({ block: 'nearest' });
  }, [own.graded]);
  return (
    <>
      <div
        className="sl-scroll sl-lesson-body u-grow u-min-height-0 u-scroll u-fs-3"
        ref={body}
        aria-busy={moving}
        data-known={known || undefined}
      >
        <p className="sl-small sl-tabular sl-lesson-count">
          {again ? t('lessons.askedAgain') : t('lessons.steps', { n: n + 1, m: lesson.steps.length })}
        </p>
        <h3>
          <Inline text={step.title} values={own.entered?.values} />
        </h3>
        {n === 0 && !again && (
          <p className="sl-lesson-goal u-dim">
            <strong>{t('lessons.goal')}</strong> <Inline text={lesson.goal} values={undefined} />
          </p>
        )}
        {known && (
          <>
            {step.text && <Paragraphs text={step.text} values={own.entered?.values} explained />}
            {step.ask && (
              <Question key={n} ask={step.ask} own={own} moving={moving} onSent={() => primary.current?.focus()} />
            )}
            {step.exercise && <Exercise exercise={step.exercise} own={own} moving={moving} />}
            <LookAt show={step.show} />
            {!again && <Names names={step.names} stopped={own.stopped ?? []} moving={moving} />}
          </>
        )}
        {!again && <AllSteps lesson={lesson} play={play} />}
        {!again && <AllNames lesson={lesson} play={play} />}
      </div>
      <LessonFoot lesson={lesson} play={play} primary={primary} />
    </>
  );
}

/** Keeps the focus in the lesson: on a question's first answer as it is asked, else on the button that goes on. */
function useFocus(
  body: { readonly current: HTMLDivElement | null },
  primary: { readonly current: HTMLButtonElement | null },
  play: LessonState,
  known: boolean,
): void {
  const task = useLessons(openTask);
  const asked = useLessons((s) => s.toQuestion);
  const before = useRef<{ asked: number; step: number; task: typeof task }>({ asked, step: -1, task });
  useEffect(() => {
    const was = before.current;
    if (!known || play.phase !== 'reading') return;
    before.current = { asked, step: play.step, task };
    const active = document.activeElement;
    const within = active !== null && active.closest('.sl-lesson') !== null;
    const field = body.current?.querySelector<HTMLElement>('form input, [data-testid=hint-button]');
    const lost = active === document.body;
    if (asked !== was.asked && task) field?.focus();
    // The lesson was just opened, and the button for it is gone.
    else if (was.step < 0) {
      if (lost) (task === 'ask' ? field : primary.current)?.focus();
    } else if (task === 'ask' && (play.step === was.step ? was.task !== 'ask' : within || lost)) field?.focus();
    // The element that had the focus is gone, as the last radio button is when its question is answered.
    else if (lost && task === null && was.task !== null && useUI.getState().left === 'lessons')
      primary.current?.focus();
  }, [asked, body, known, play.phase, play.step, primary, task]);
}

function AllSteps({ lesson, play }: Props) {
  const t = useT();
  const reached = Math.max(play.step, play.progress.length - 1);
  return (
    <details className="sl-lesson-steps u-fs-2 u-dim">
      <summary className="u-target u-pointer">{t('lessons.stepsAll')}</summary>
      <ol>
        {lesson.steps.map((step, i) => (
          <li key={step.line} aria-current={i === play.step ? 'step' : undefined}>
            {i <= reached && i !== play.step ? (
              <button
                type="button"
                className="sl-link u-target"
                disabled={play.phase === 'moving'}
                onClick={() => runCommand('lesson.go', i)}
              >
                <Inline text={step.title} values={play.progress[i]?.entered?.values} />
              </button>
            ) : (
              <span>
                <Inline text={step.title} values={play.progress[i]?.entered?.values} />
              </span>
            )}
            <Mark own={play.progress[i]} />
          </li>
        ))}
      </ol>
    </details>
  );
}

/** Shows how a question of a step was answered. */
function Mark({ own }: { readonly own: StepProgress | undefined }) {
  const t = useT();
  if (own?.graded)
    return (
      <span className="sl-small" title={t(own.graded.right ? 'lessons.right' : 'lessons.wrong')}>
        {' '}
        <span aria-hidden="true">{own.graded.right ? '✓' : '✗'}</span>
        <span className="sl-visually-hidden">{t(own.graded.right ? 'lessons.right' : 'lessons.wrong')}</span>
      </span>
    );
  return null;
}
