import { useId } from 'react';
import { download } from '../../files/pick-and-save.js';
import { useT } from '../../i18n/index.js';
import { CopyButton } from '../../ui/copy-button.js';
import { isScenarioName } from './make-scenario.js';

export const saveScenario = (name: string, text: string): void =>
  download(`${name}.yaml`, new TextEncoder().encode(text));

interface NameProps {
  readonly name: string;
  readonly onChange: (name: string) => void;
  readonly testId: string;
}

/** Asks for the name of a new scenario, and shows what is wrong with it. */
export function ScenarioNameField({ name, onChange, testId }: NameProps) {
  const t = useT();
  const id = useId();
  const named = isScenarioName(name);
  return (
    <>
      <label htmlFor={id}>{t('scenarios.make.name')}</label>{' '}
      <input
        id={id}
        className="sl-input"
        value={name}
        aria-invalid={!named}
        data-testid={testId}
        onChange={(e) => onChange(e.currentTarget.value)}
      />
      {!named && <p className="sl-bad">{t('scenarios.make.badName')}</p>}
    </>
  );
}

/** The file of a new scenario, below a fold. */
export function ScenarioFile({ text, testId }: { readonly text: string; readonly testId: string }) {
  const t = useT();
  return (
    <details>
      <summary>{t('scenarios.make.text')}</summary>
      <textarea
        className="sl-input sl-code sl-link-text u-width-full u-break"
        aria-label={t('scenarios.make.text')}
        readOnly
        rows={10}
        value={text}
        data-testid={testId}
      />
      <CopyButton text={text} />
    </details>
  );
}
