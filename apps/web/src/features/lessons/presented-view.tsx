import { type Ask, isRightAnswer, type Lesson, type LessonStep, lessons, parseLesson } from '@syncloop/core/lessons';
import { useEffect, useState } from 'react';
import { useT } from '../../i18n/index.js';
import { withUnit } from '../../units/typed-number.js';
import { Inline, Paragraphs, useLocal } from './lesson-text.js';
import { type Presented, useLessons } from './lessons-store.js';
import { Reasons } from './question.js';

/** The lesson that the presenter shows: its step with text, question and, once the run has shown it, the answer. */
export function PresentedView() {
  const presented = useLessons((s) => s.presented);
  const lesson = useLesson(presented?.name);
  const step = presented && lesson?.steps[presented.step];
  return presented && lesson && step ? <Shown lesson={lesson} step={step} presented={presented} /> : null;
}

/** The lesson of that name, once its text is loaded. */
function useLesson(name: string | undefined): Lesson | null {
  const [lesson, setLesson] = useState<Lesson | null>(null);
  useEffect(() => {
    let current = true;
    const entry = lessons.find((l) => l.name === name);
    entry
      ?.load()
      .then((text) => current && setLesson(parseLesson(text, entry.name)))
      .catch(() => {});
    return () => {
      current = false;
    };
  }, [name]);
  return lesson?.name === name ? lesson : null;
}

interface Props {
  readonly lesson: Lesson;
  readonly step: LessonStep;
  readonly presented: Presented;
}
function Shown({ lesson, step, presented }: Props) {
  const t = useT();
  const local = useLocal();
  const { step: n, values } = presented;
  return (
    <section className="sl-lesson u-column u-grow u-min-height-0" data-testid="presented-lesson" data-step={n + 1}>
      <div className="sl-scroll sl-lesson-body u-grow u-min-height-0 u-scroll u-fs-3">
        <p className="sl-small sl-tabular sl-lesson-count">
          <strong>{local(lesson.title)}</strong> · {t('lessons.steps', { n: n + 1, m: lesson.steps.length })} ·{' '}
          {t('lessons.presented')}
        </p>
        <h3>
          <Inline text={step.title} values={values} />
        </h3>
        {step.text && <Paragraphs text={step.text} values={values} explained />}
        {step.ask && <Asked presented={presented} ask={step.ask} />}
        {step.exercise && <Paragraphs text={step.exercise.text} values={values} />}
      </div>
    </section>
  );
}

function Asked({ presented, ask }: { readonly presented: Presented; readonly ask: Ask }) {
  const t = useT();
  const { values, ended, answer, own } = presented;
  const given = own === undefined || ask.number ? own : ask.options[own]?.value;
  const right = given !== undefined && answer !== undefined && isRightAnswer(ask, given, answer);
  return (
    <>
      <div className="sl-lesson-question u-weight-600">
        <Paragraphs text={ask.question} values={values} />
      </div>
      {!ended || answer === undefined ? (
        <p className="u-dim">{t('lessons.presentedAsk')}</p>
      ) : (
        <div className="sl-lesson-result" data-right={given === undefined || right} data-testid="presented-answer">
          <div className="sl-lesson-verdict u-pad-8 u-sunken">
            {given !== undefined && (
              <p className="u-weight-600">
                <span aria-hidden="true">{right ? '✓ ' : '✗ '}</span>
                {t(right ? 'lessons.right' : 'lessons.wrong')}
              </p>
            )}
            {given !== undefined && ask.number && (
              <p>{t('lessons.yours', { value: withUnit(given, ask.number.unit) })}</p>
            )}
            <p>
              {t('lessons.truth', { value: '' })}
              {ask.number ? (
                withUnit(answer, ask.number.unit)
              ) : (
                <Inline text={ask.options.find((o) => o.value === answer)?.text ?? ask.right} values={values} />
              )}
            </p>
            <Reasons
              ask={ask}
              own={{ ended: { spot: NOWHERE, values: ended } }}
              graded={{ given: given ?? answer, answer, right: given === undefined || right }}
            />
          </div>
        </div>
      )}
    </>
  );
}

/** The presenter's place in the run is not known here, and not needed for words. */
const NOWHERE = { session: '', branch: 0, step: 0, seq: 0 } as const;
