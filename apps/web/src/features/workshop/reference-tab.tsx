import { LEVELS, progressIn, withStage } from '@syncloop/workshop/progress';
import type { Stage } from '@syncloop/workshop/stages';
import { useT } from '../../i18n/index.js';
import { CodeView } from './code-editor.js';
import { setProgress, useWorkshop } from './workshop-store.js';

/** Our own solution: after the learner's has passed, or on request. */
export function ReferenceTab({ stage }: { readonly stage: Stage }) {
  const t = useT();
  const { passed, revealed } = useWorkshop((s) => progressIn(s.progress, stage.name));
  const isOpen = revealed || LEVELS.every((level) => passed.includes(level));
  if (!isOpen)
    return (
      <div className="sl-empty">
        <p>{t('workshop.referenceLater')}</p>
        <button
          type="button"
          className="sl-button"
          data-testid="workshop-reveal"
          onClick={() => setProgress((progress) => withStage(progress, stage.name, { revealed: true }))}
        >
          {t('workshop.reveal')}
        </button>
      </div>
    );
  const { upstream } = stage;
  return (
    <>
      {upstream.map(({ path, symbol }) => (
        <p key={symbol} className="u-margin-0">
          {t('workshop.upstream')}{' '}
          <a
            href={`https://github.com/kubernetes/kubernetes/blob/master/${path}`}
            target="_blank"
            rel="noopener noreferrer"
            className="u-desired u-break"
          >
            <code>{symbol}</code> <span aria-hidden="true">↗</span>
            <span className="sl-visually-hidden">{t('changes.newTab')}</span>
          </a>
        </p>
      ))}
      <CodeView code={stage.files.reference} label={t('workshop.reference')} />
    </>
  );
}
