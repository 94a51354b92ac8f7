import { type ClassPoll, inLanguage, LARGEST_NUMBER } from '@syncloop/core/classroom';
import { useEffect, useState } from 'react';
import { runCommand } from '../../../commands/index.js';
import { useT } from '../../../i18n/index.js';
import { useUI } from '../../../page/ui-store.js';
import { numberFrom } from '../../../units/typed-number.js';
import { Bars, RightNumber } from '../bars.js';
import { useClass } from '../class-store.js';
import { answeredBy } from '../counted.js';
import { HidePoll } from '../hide-poll.js';
import { canAnswer } from './follow.js';

/** Shows the presenter's question. It takes no focus: a user who types or steps goes on, and hears of it. */
export function FollowerPoll() {
  const t = useT();
  const poll = useClass((s) => s.following.poll);
  const hidden = useClass((s) => s.hidden);
  const lang = useUI((s) => s.lang);
  const said = poll
    ? poll.phase === 'open'
      ? t('class.asked', { question: inLanguage(poll.question, lang) })
      : t(poll.phase === 'closed' ? 'class.pollClosed' : 'class.pollRevealed', { n: answeredBy(poll) })
    : '';
  return (
    <>
      <p className="sl-visually-hidden" role="status">
        {said}
      </p>
      {poll && poll.id !== hidden && <Card key={poll.id} poll={poll} />}
    </>
  );
}

function Card({ poll }: { readonly poll: ClassPoll }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const answer = useClass((s) => s.following.answer);
  const can = useClass((s) => canAnswer(s.following));
  const [chosen, setChosen] = useState<number | null>(answer);
  const [typed, setTyped] = useState(answer === null ? '' : String(answer));
  // The answer may be from before a reload, or from another page of the same follower.
  useEffect(() => {
    if (answer === null) return;
    setChosen(answer);
    setTyped(String(answer));
  }, [answer]);
  const type = (text: string) => {
    setTyped(text);
    const number = numberFrom(text);
    setChosen(number !== undefined && Math.abs(number) <= LARGEST_NUMBER ? number : null);
  };
  const question = inLanguage(poll.question, lang);
  return (
    <section
      className="sl-class-poll u-absolute u-scroll u-border-strong u-round-6 u-raised u-shadow"
      id="sl-class-poll"
      aria-label={t('class.poll')}
      tabIndex={-1}
      data-testid="class-poll"
    >
      <HidePoll id={poll.id} />
      {poll.phase !== 'open' ? (
        <>
          <h2 className="u-break u-weight-600">{question}</h2>
          <Bars poll={poll} own={answer} />
          <RightNumber poll={poll} />
          <p className="u-dim" data-testid="class-result">
            {t(poll.phase === 'closed' ? 'class.pollClosed' : 'class.pollRevealed', { n: answeredBy(poll) })}
          </p>
        </>
      ) : (
        <form
          onSubmit={(e) => {
            e.preventDefault();
            if (chosen !== null) runCommand('class.answer', chosen);
          }}
        >
          <fieldset className="u-min-width-0 u-pad-0 u-border-0 u-margin-0">
            <legend className="u-break u-weight-600">{question}</legend>
            {poll.number && (
              <NumberField
                unit={poll.number.unit}
                typed={typed}
                wrong={typed !== '' && chosen === null}
                onType={type}
              />
            )}
            {poll.options.map((option, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: an answer is its place
              <label key={i} className="sl-class-choice u-row u-gap-8 u-break u-height-28 u-round u-pointer">
                <input
                  className="u-flex-none"
                  type="radio"
                  name={`class-poll-${poll.id}`}
                  value={i}
                  checked={chosen === i}
                  onChange={() => setChosen(i)}
                />
                <span>{inLanguage(option, lang)}</span>
              </label>
            ))}
          </fieldset>
          <div className="sl-class-row u-row u-wrap u-gap-8 u-above-8">
            <button
              type="submit"
              className="sl-button sl-primary"
              disabled={!can || chosen === null || chosen === answer}
              data-testid="class-answer"
            >
              {t(answer === null ? 'class.answer' : 'class.change')}
            </button>
            <span className="u-dim" role="status" data-testid="class-answered">
              {chosen === null
                ? poll.number && typed !== ''
                  ? t('class.notNumber')
                  : ''
                : t(chosen === answer ? 'class.answered' : 'class.unsaved')}
            </span>
          </div>
        </form>
      )}
    </section>
  );
}

interface NumberFieldProps {
  readonly unit: string;
  readonly typed: string;
  readonly wrong: boolean;
  readonly onType: (text: string) => void;
}
function NumberField({ unit, typed, wrong, onType }: NumberFieldProps) {
  const t = useT();
  return (
    <label className="sl-class-number u-row u-gap-8 u-break">
      {t('class.yourNumberAnswer')}
      <input
        className="sl-input sl-short"
        inputMode="decimal"
        autoComplete="off"
        maxLength={24}
        value={typed}
        aria-invalid={wrong}
        data-testid="class-number-answer"
        onChange={(e) => onType(e.currentTarget.value)}
      />
      {unit}
    </label>
  );
}
