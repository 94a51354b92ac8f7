import { inLanguage } from '@syncloop/core/classroom';
import { lessons } from '@syncloop/core/lessons/library';
import { inLang } from '../../../i18n/in-lang.js';
import { useT } from '../../../i18n/index.js';
import { useUI } from '../../../page/ui-store.js';
import { Modal } from '../../../ui/modal.js';
import { Bars, RightNumber } from '../bars.js';
import { answeredBy } from '../counted.js';
import { type Answered, byTrouble, forgetAnswers, rightCount, useAnswers } from './answers.js';

/** Shows what the class got wrong, and how it answered: per question, never per person. */
export function AnswersDialog() {
  const t = useT();
  const answers = useAnswers((s) => s.answers);
  return (
    <Modal label={t('class.answers')}>
      <h2>{t('class.answers')}</h2>
      <p className="u-dim">{t(answers.length === 0 ? 'class.answersNone' : 'class.answersHelp')}</p>
      <ol className="sl-class-answers u-scroll u-above-8 u-pad-0" data-testid="class-answers">
        {byTrouble(answers).map((one, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a question may be asked twice
          <Question key={i} one={one} />
        ))}
      </ol>
      {answers.length > 0 && (
        <div className="sl-class-row u-row u-wrap u-gap-8 u-above-8">
          <button type="button" className="sl-button sl-quiet" onClick={forgetAnswers}>
            {t('class.answersForget')}
          </button>
        </div>
      )}
    </Modal>
  );
}

function Question({ one }: { readonly one: Answered }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const { poll, ...counts } = one;
  const { right, lesson } = poll;
  const counted = { ...poll, ...counts };
  const all = answeredBy(counts);
  const title = lesson && lessons.find((l) => l.name === lesson.name)?.title;
  return (
    <li className="u-border-top">
      <p className="u-weight-600 u-break">{inLanguage(poll.question, lang)}</p>
      <p className="u-dim u-tabular">
        {right === undefined ? t('class.answersCount', { all }) : t('class.answersRight', { n: rightCount(one), all })}
        {title && lesson && ` · ${t('class.answersLesson', { name: inLang({ ...title }, lang), n: lesson.step + 1 })}`}
      </p>
      <Bars poll={counted} />
      <RightNumber poll={counted} />
    </li>
  );
}
