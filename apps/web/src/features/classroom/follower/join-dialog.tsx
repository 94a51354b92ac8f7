import { CODE_LENGTH } from '@syncloop/core/classroom';
import { type FormEvent, useId, useState } from 'react';
import { type MessageKey, useT } from '../../../i18n/index.js';
import { useUI } from '../../../page/ui-store.js';
import { Modal } from '../../../ui/modal.js';
import { joinWith } from './follower.js';
import { codeFrom, codeText, exchange, JoinError } from './join.js';

/** The server's answers that have words of their own. */
const PROBLEMS: Readonly<Record<number, MessageKey>> = {
  0: 'class.codeNoAnswer',
  401: 'class.codeWrong',
  429: 'class.codeMany',
};

/** Asks for the code that the presenter shows; whoever has it follows. */
export function JoinDialog() {
  const t = useT();
  const id = useId();
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState('');
  const [asking, setAsking] = useState(false);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const code = codeFrom(typed);
    if (asking) return;
    if (code.length < CODE_LENGTH) return setProblem(t('class.codeShort', { n: CODE_LENGTH }));
    setAsking(true);
    setProblem('');
    try {
      joinWith(await exchange(code));
      useUI.setState({ dialog: null });
    } catch (error) {
      const { status = 0, message = '' } = error instanceof JoinError ? error : {};
      const key = PROBLEMS[status];
      setProblem(key ? t(key) : t('class.codeRefused', { why: message }));
      setAsking(false);
    }
  };
  return (
    <Modal label={t('class.join')} className="sl-class-join">
      <h2>{t('class.join')}</h2>
      <form onSubmit={send} noValidate>
        <label className="u-block" htmlFor={id}>
          {t('class.codeLabel', { n: CODE_LENGTH })}
        </label>
        <div className="sl-class-row u-row u-wrap u-gap-8 u-above-8">
          <input
            id={id}
            className="sl-input sl-class-code-input"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            // biome-ignore lint/a11y/noAutofocus: the dialog is there for this field alone
            autoFocus
            value={typed}
            aria-invalid={problem !== ''}
            aria-describedby={`${id}-problem`}
            data-testid="class-code-input"
            onChange={(e) => {
              const code = codeFrom(e.currentTarget.value);
              setTyped(code.length > CODE_LENGTH / 2 ? codeText(code) : code);
            }}
          />
          <button type="submit" className="sl-button sl-primary" disabled={asking} data-testid="class-code-send">
            {t('class.join')}
          </button>
        </div>
        <p id={`${id}-problem`} className="u-failure u-above-8" role="status" data-testid="class-code-problem">
          {problem}
        </p>
      </form>
    </Modal>
  );
}
