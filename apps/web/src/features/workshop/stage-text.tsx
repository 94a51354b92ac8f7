import { progressIn, withStage } from '@syncloop/workshop/progress';
import type { Stage } from '@syncloop/workshop/stages';
import { inLang } from '../../i18n/in-lang.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { Prose } from './prose.js';
import { setProgress, useWorkshop } from './workshop-store.js';

/** The story of a stage, its task, and its hints, one at a time. */
export function StageText({ stage }: { readonly stage: Stage }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const { hints } = stage;
  const read = useWorkshop((s) => progressIn(s.progress, stage.name).hints);
  const shown = Math.min(read, hints.length);
  return (
    <section className="sl-workshop-text" aria-label={t('workshop.story')}>
      <h3>
        {stage.number}. {inLang({ ...stage.title }, lang)}
      </h3>
      <Prose text={inLang({ ...stage.story }, lang)} />
      <h4 className="u-fs-2 u-weight-600 u-dim">{t('workshop.hints')}</h4>
      <ol className="sl-workshop-hints">
        {hints.slice(0, shown).map((hint) => (
          <li key={hint.en}>
            <Prose text={inLang({ ...hint }, lang)} />
          </li>
        ))}
      </ol>
      {shown < hints.length && (
        <button
          type="button"
          className="sl-button"
          data-testid="workshop-hint"
          onClick={() => setProgress((progress) => withStage(progress, stage.name, { hints: shown + 1 }))}
        >
          {t('workshop.nextHint', { n: shown + 1, of: hints.length })}
        </button>
      )}
      <details className="sl-workshop-types">
        <summary className="u-pointer u-weight-600 u-dim">{t('workshop.types')}</summary>
        <pre className="sl-code u-scroll">{stage.files.types.trim()}</pre>
      </details>
    </section>
  );
}
