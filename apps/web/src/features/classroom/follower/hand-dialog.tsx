import { MAX_NAME } from '@syncloop/core/classroom';
import { type FormEvent, useId, useState } from 'react';
import { runCommand } from '../../../commands/index.js';
import { useT } from '../../../i18n/index.js';
import { recall } from '../../../page/storage.js';
import { useUI } from '../../../page/ui-store.js';
import { Modal } from '../../../ui/modal.js';

/** Raises a hand at this page's moment, with a name if its user wants to give one. */
export function HandDialog() {
  const t = useT();
  const id = useId();
  const [name, setName] = useState(recall('class.name') ?? '');
  const send = (event: FormEvent) => {
    event.preventDefault();
    useUI.setState({ dialog: null });
    runCommand('class.raise', name);
  };
  return (
    <Modal label={t('class.raise')}>
      <h2>{t('class.raise')}</h2>
      <p className="u-dim">{t('class.raiseHelp')}</p>
      <form onSubmit={send}>
        <label className="u-block" htmlFor={id}>
          {t('class.name')}
        </label>
        <div className="sl-class-row u-row u-wrap u-gap-8 u-above-8">
          <input
            id={id}
            className="sl-input"
            autoComplete="off"
            maxLength={MAX_NAME}
            value={name}
            data-testid="class-hand-name"
            onChange={(e) => setName(e.currentTarget.value)}
          />
          <button type="submit" className="sl-button sl-primary" data-testid="class-hand-send">
            {t('class.raise')}
          </button>
        </div>
      </form>
    </Modal>
  );
}
