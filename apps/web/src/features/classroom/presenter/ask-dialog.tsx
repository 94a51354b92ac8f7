import { FEWEST_OPTIONS, inLanguage, type LocalText, MOST_OPTIONS } from '@syncloop/core/classroom';
import { useId, useRef, useState } from 'react';
import { runCommand } from '../../../commands/index.js';
import { useT } from '../../../i18n/index.js';
import { useUI } from '../../../page/ui-store.js';
import { Icon } from '../../../ui/icons.js';
import { Modal } from '../../../ui/modal.js';
import {
  addOption,
  EMPTY_FORM,
  type Form,
  type FormProblem,
  formOf,
  pollOf,
  removeOption,
  setNumber,
  setOption,
  setQuestion,
  wantNumber,
} from './draft.js';
import { NumberFields } from './number-fields.js';
import { addPrepared } from './prepared.js';
import { PreparedList } from './prepared-list.js';
import { offeredQuestion } from './questions.js';

/** Asks a question of the presenter's own, or a lesson's. */
export function AskDialog() {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const id = useId();
  const first = useRef<HTMLTextAreaElement>(null);
  const [offered] = useState(offeredQuestion);
  const [form, setForm] = useState<Form>(() => (offered ? formOf(offered) : EMPTY_FORM));
  const [problem, setProblem] = useState<FormProblem | null>(null);
  const change = (next: Form) => {
    setForm(next);
    setProblem(null);
  };
  /** Returns the question if it is complete; else shows what is missing. */
  const checked = () => {
    const poll = pollOf(form);
    if (typeof poll !== 'string') return poll;
    setProblem(poll);
    first.current?.focus();
    return null;
  };
  const show = (text: LocalText) => inLanguage(text, lang);
  return (
    <Modal label={t('class.formTitle')} className="sl-class-ask">
      <h2>{t('class.formTitle')}</h2>
      <form
        className="sl-class-form u-column u-gap-4"
        data-testid="class-form"
        onSubmit={(e) => {
          e.preventDefault();
          const poll = checked();
          if (!poll) return;
          runCommand('class.ask', poll);
          useUI.setState({ dialog: null });
        }}
      >
        {offered && <p className="u-dim">{t('class.formLesson')}</p>}
        <label htmlFor={`${id}-question`}>{t('class.formQuestion')}</label>
        <textarea
          id={`${id}-question`}
          ref={first}
          // biome-ignore lint/a11y/noAutofocus: the dialog is for writing this
          autoFocus
          className="sl-input"
          rows={2}
          value={show(form.question)}
          aria-invalid={problem === 'needQuestion' || undefined}
          aria-describedby={`${id}-problem`}
          data-testid="class-form-question"
          onChange={(e) => change(setQuestion(form, e.currentTarget.value, lang))}
        />
        <label className="u-row u-gap-8 u-above-8 u-height-28 u-pointer">
          <input
            type="checkbox"
            checked={form.number !== null}
            data-testid="class-form-number"
            onChange={(e) => change(wantNumber(form, e.currentTarget.checked))}
          />
          <span>{t('class.formNumber')}</span>
        </label>
        {form.number && <NumberFields number={form.number} onChange={(more) => change(setNumber(form, more))} />}
        <fieldset className="u-min-width-0 u-pad-0 u-border-0 u-margin-0" hidden={form.number !== null}>
          <legend className="u-pad-0 u-above-8">{t('class.formOptions')}</legend>
          {form.options.map((option, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an answer is its place
            <div key={i} className="sl-class-row u-row u-wrap u-gap-8 u-above-8">
              <input
                type="radio"
                name={`${id}-right`}
                className="sl-class-right u-flex-none"
                aria-label={t('class.formRight', { n: i + 1 })}
                title={t('class.formRight', { n: i + 1 })}
                checked={form.right === i}
                onChange={() => change({ ...form, right: i })}
              />
              <input
                className="sl-input u-grow u-min-width-0"
                aria-label={t('class.formOption', { n: i + 1 })}
                placeholder={t('class.formOption', { n: i + 1 })}
                value={show(option)}
                aria-invalid={problem === 'needOptions' || undefined}
                data-testid={`class-form-option-${i}`}
                onChange={(e) => change(setOption(form, i, e.currentTarget.value, lang))}
              />
              <button
                type="button"
                className="sl-button sl-quiet sl-icon-button"
                aria-label={t('class.formRemove', { n: i + 1 })}
                title={t('class.formRemove', { n: i + 1 })}
                disabled={form.options.length <= FEWEST_OPTIONS}
                onClick={() => change(removeOption(form, i))}
              >
                <Icon name="close" />
              </button>
            </div>
          ))}
          <label className="sl-class-row sl-class-none u-row u-wrap u-gap-8 u-above-8 u-height-28 u-pointer">
            <input
              type="radio"
              name={`${id}-right`}
              className="sl-class-right u-flex-none"
              checked={form.right === null}
              onChange={() => change({ ...form, right: null })}
            />
            <span>{t('class.formNone')}</span>
          </label>
        </fieldset>
        <p className="u-dim">{t(form.number ? 'class.formNumberHint' : 'class.formRightHint')}</p>
        <p className="sl-bad" role="alert" id={`${id}-problem`}>
          {problem && t(`class.${problem}`)}
        </p>
        <div className="sl-class-row u-row u-wrap u-gap-8 u-above-8">
          {!form.number && (
            <button
              type="button"
              className="sl-button"
              disabled={form.options.length >= MOST_OPTIONS}
              onClick={() => change(addOption(form))}
            >
              {t('class.formAdd')}
            </button>
          )}
          <button
            type="button"
            className="sl-button sl-push"
            data-testid="class-form-keep"
            onClick={() => {
              const poll = checked();
              if (!poll) return;
              addPrepared([poll]);
              change(EMPTY_FORM);
              first.current?.focus();
            }}
          >
            {t('class.formKeep')}
          </button>
          <button type="submit" className="sl-button sl-primary" data-testid="class-form-send">
            {t('class.formSend')}
          </button>
        </div>
      </form>
      <PreparedList
        onEdit={(question) => {
          change(formOf(question));
          first.current?.focus();
        }}
      />
    </Modal>
  );
}
