import { inLanguage, type PollDraft } from '@syncloop/core/classroom';
import { lessons, parseLesson } from '@syncloop/core/lessons';
import { useId, useState } from 'react';
import { runCommand } from '../../../commands/index.js';
import { download, pickFile } from '../../../files/pick-and-save.js';
import { inLang } from '../../../i18n/in-lang.js';
import { useT } from '../../../i18n/index.js';
import { useUI } from '../../../page/ui-store.js';
import {
  addPrepared,
  type FileProblem,
  fileOf,
  MAX_FILE,
  MOST_PREPARED,
  questionsOf,
  questionsOfLesson,
  removePrepared,
  usePrepared,
} from './prepared.js';

/** Questions to ask with one click; they come from the form, a file, or a lesson, and are kept in this browser. */
export function PreparedList({ onEdit }: { readonly onEdit: (question: PollDraft) => void }) {
  const t = useT();
  const id = useId();
  const lang = useUI((s) => s.lang);
  const questions = usePrepared((s) => s.questions);
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState('');
  const add = (more: readonly PollDraft[]) => {
    setProblem('');
    setSaid(t('class.preparedAdded', { n: addPrepared(more) }));
  };
  const refuse = (p: FileProblem) => {
    setSaid('');
    setProblem(
      p.why === 'question'
        ? t('class.fileQuestion', { n: p.n, why: p.text })
        : t(`class.file.${p.why}`, { most: MOST_PREPARED }),
    );
  };
  const open = async () => {
    const file = await pickFile('.json,application/json');
    if (!file) return;
    const found = file.size > MAX_FILE * 3 ? ({ why: 'large' } as const) : questionsOf(await file.text());
    if ('why' in found) refuse(found);
    else add(found);
  };
  const fromLesson = async (name: string) => {
    const entry = lessons.find((l) => l.name === name);
    if (!entry) return;
    try {
      add(questionsOfLesson(parseLesson(await entry.load(), name)));
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <section aria-labelledby={`${id}-title`} data-testid="class-prepared">
      <h3 id={`${id}-title`}>{t('class.prepared')}</h3>
      {questions.length === 0 && <p className="u-dim">{t('class.preparedNone')}</p>}
      <ol className="sl-class-prepared u-scroll">
        {questions.map((question, i) => {
          const title = inLanguage(question.question, lang);
          return (
            <li key={JSON.stringify(question)}>
              <span className="u-grow u-min-width-0">{title}</span>
              <button
                type="button"
                className="sl-button sl-primary"
                aria-label={t('class.preparedAsk', { question: title })}
                data-testid={`class-prepared-ask-${i}`}
                onClick={() => {
                  runCommand('class.ask', question);
                  useUI.setState({ dialog: null });
                }}
              >
                {t('class.formSend')}
              </button>
              <button
                type="button"
                className="sl-button sl-quiet"
                aria-label={t('class.preparedEdit', { question: title })}
                onClick={() => onEdit(question)}
              >
                {t('class.edit')}
              </button>
              <button
                type="button"
                className="sl-button sl-quiet"
                aria-label={t('class.preparedRemove', { question: title })}
                data-testid={`class-prepared-remove-${i}`}
                onClick={() => removePrepared(i)}
              >
                {t('class.remove')}
              </button>
            </li>
          );
        })}
      </ol>
      <div className="sl-class-row u-row u-wrap u-gap-8 u-above-8">
        <button type="button" className="sl-button" data-testid="class-prepared-import" onClick={() => void open()}>
          {t('class.import')}
        </button>
        <button
          type="button"
          className="sl-button"
          disabled={questions.length === 0}
          data-testid="class-prepared-export"
          onClick={() => download('class-questions.json', new Blob([fileOf(questions)], { type: 'application/json' }))}
        >
          {t('class.export')}
        </button>
        <select
          className="sl-input u-grow u-min-width-0"
          aria-label={t('class.fromLesson')}
          data-testid="class-prepared-lesson"
          value=""
          onChange={(e) => void fromLesson(e.currentTarget.value)}
        >
          <option value="">{t('class.fromLesson')}</option>
          {lessons.map(({ name, title }) => (
            <option key={name} value={name}>
              {inLang({ ...title }, lang)}
            </option>
          ))}
        </select>
      </div>
      <p className="u-dim" role="status" data-testid="class-prepared-said">
        {said}
      </p>
      {problem !== '' && (
        <p className="sl-bad" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}
