import type { AnswerValue, Ask, Graded, StepProgress } from '@syncloop/core/lessons';
import { type FormEvent, useId, useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { embedded } from '../../page/embedded.js';
import { numberFrom, withUnit } from '../../units/typed-number.js';
import { Inline, Paragraphs } from './lesson-text.js';
import { useReview } from './review-store.js';

/** The form's id: its submit button is in another place. */
export const QUESTION_FORM = 'sl-lesson-question';

interface Props {
  readonly ask: Ask;
  readonly own: StepProgress;
  /** The run goes on to the answer. */
  readonly moving: boolean;
  /** Called as the answer is sent, before the fields are locked. */
  readonly onSent: () => void;
}

/** A prediction: one of some options, or a number. Once the run has shown the right answer, that, and the reason. */
export function Question({ ask, own, moving, onSent }: Props) {
  const values = own.entered?.values;
  return (
    <>
      <div className="sl-lesson-question u-weight-600" id="sl-lesson-question-text">
        <Paragraphs text={ask.question} values={values} />
      </div>
      {own.graded ? (
        <Result ask={ask} own={own} graded={own.graded} moving={moving} />
      ) : (
        <Answers ask={ask} own={own} locked={moving} onSent={onSent} />
      )}
    </>
  );
}

function Answers({ ask, own, locked, onSent }: Omit<Props, 'moving'> & { readonly locked: boolean }) {
  const t = useT();
  const name = useId();
  const [chosen, setChosen] = useState(-1);
  const [typed, setTyped] = useState('');
  const [missing, setMissing] = useState(false);
  const { number } = ask;
  const value: AnswerValue | undefined = number ? numberFrom(typed) : ask.options[chosen]?.value;
  const send = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    if (locked) return;
    if (value === undefined) {
      setMissing(true);
      e.currentTarget.querySelector<HTMLInputElement>('input')?.focus();
      return;
    }
    onSent();
    runCommand('lesson.answer', value);
  };
  const problem = missing && value === undefined ? t(number ? 'lessons.type' : 'lessons.choose') : '';
  const given = own.given;
  return (
    <form id={QUESTION_FORM} noValidate onSubmit={send} data-testid="question">
      {number ? (
        <label className="sl-lesson-number u-row u-gap-8">
          {t('lessons.answers')}
          <input
            className="sl-input sl-short"
            inputMode="decimal"
            autoComplete="off"
            value={given === undefined ? typed : String(given)}
            disabled={locked}
            aria-invalid={problem !== '' || (typed !== '' && value === undefined)}
            aria-describedby={`sl-lesson-question-text ${name}-problem`}
            onChange={(e) => setTyped(e.currentTarget.value)}
          />
          {number.unit}
        </label>
      ) : (
        <fieldset
          className="sl-lesson-options u-column u-gap-6 u-pad-0 u-border-0"
          aria-describedby="sl-lesson-question-text"
          disabled={locked}
        >
          <legend className="sl-visually-hidden">{t('lessons.answers')}</legend>
          {ask.options.map((option, i) => (
            <label key={String(option.value)} className="sl-lesson-option u-line u-gap-10 u-border u-round">
              <input
                className="u-flex-none u-margin-0"
                type="radio"
                name={name}
                checked={given === undefined ? chosen === i : given === option.value}
                onChange={() => setChosen(i)}
              />
              <span>
                <Inline text={option.text} values={own.entered?.values} />
              </span>
            </label>
          ))}
        </fieldset>
      )}
      <p id={`${name}-problem`} className="sl-lesson-missing u-fs-2 u-failure" role="status">
        {problem}
      </p>
    </form>
  );
}

interface ResultProps {
  readonly ask: Ask;
  readonly own: StepProgress;
  readonly graded: Graded;
  readonly moving: boolean;
}
function Result({ ask, own, graded, moving }: ResultProps) {
  const t = useT();
  const again = useReview((s) => s.asked !== null);
  return (
    <div className="sl-lesson-result" data-right={graded.right} data-testid="result">
      {ask.number ? (
        <ul className="sl-lesson-options u-column u-gap-6 u-pad-0 u-border-0">
          <li>{t('lessons.yours', { value: withUnit(graded.given, ask.number.unit) })}</li>
          <li>{t('lessons.truth', { value: withUnit(graded.answer, ask.number.unit) })}</li>
        </ul>
      ) : (
        <ul className="sl-lesson-options u-column u-gap-6 u-pad-0 u-border-0">
          {ask.options.map((o) => {
            const right = o.value === graded.answer;
            const yours = o.value === graded.given;
            return (
              <li
                key={String(o.value)}
                className="sl-lesson-option u-line u-gap-10 u-border u-round"
                data-mark={right ? 'right' : yours ? 'wrong' : undefined}
              >
                <span className="sl-lesson-mark u-flex-none" aria-hidden="true">
                  {right ? '✓' : yours ? '✗' : ''}
                </span>
                <span>
                  <Inline text={o.text} values={own.entered?.values} />
                  {(right || yours) && (
                    <span className="sl-lesson-tags u-flex u-gap-10 u-fs-1">
                      {right && <span>{t('lessons.markRight')}</span>}
                      {yours && <span>{t('lessons.markYours')}</span>}
                    </span>
                  )}
                </span>
              </li>
            );
          })}
        </ul>
      )}
      <div className="sl-lesson-verdict u-pad-8 u-sunken">
        <strong>
          <span aria-hidden="true">{graded.right ? '✓ ' : '✗ '}</span>
          {t(graded.right ? 'lessons.right' : 'lessons.wrong')}
        </strong>
        <Reasons ask={ask} own={own} graded={graded} />
      </div>
      {!embedded && (again || !graded.right) && (
        <p className="u-fs-2 u-dim" data-testid="comes-back">
          {t(graded.right ? 'lessons.staysAway' : 'lessons.comesBack')}
        </p>
      )}
      {!again && (
        <button
          type="button"
          className="sl-button sl-quiet"
          disabled={moving}
          data-testid="retake"
          onClick={() => runCommand('lesson.retake')}
        >
          {t('lessons.retake')}
        </button>
      )}
    </div>
  );
}

/** Says why the answer was wrong, if it was, and why the right one is. */
export function Reasons({ ask, own, graded }: Omit<ResultProps, 'moving'>) {
  const wrong = graded.right ? undefined : ask.options.find((o) => o.value === graded.given)?.wrong;
  return (
    <>
      {wrong && <Paragraphs text={wrong} values={own.ended?.values} />}
      <Paragraphs text={ask.right} values={own.ended?.values} />
    </>
  );
}
