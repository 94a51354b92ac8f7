import { LEVELS, progressIn } from '@syncloop/workshop/progress';
import type { ListedStage } from '@syncloop/workshop/stages';
import { inLang } from '../../i18n/in-lang.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { openStage, useWorkshop } from './workshop-store.js';

/** The stages, with the levels that were passed. */
export function StageList({ stages }: { readonly stages: readonly ListedStage[] }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const open = useWorkshop((s) => s.stage);
  const progress = useWorkshop((s) => s.progress);
  return (
    <nav className="sl-workshop-stages u-border-right u-sunken" aria-label={t('workshop.stages')}>
      <ol className="u-pad-0 u-margin-0">
        {stages.map((stage) => {
          const { passed } = progressIn(progress, stage.name);
          return (
            <li key={stage.name}>
              <button
                type="button"
                className="sl-workshop-stage u-bare u-width-full u-text-left u-pointer u-row u-gap-8"
                aria-current={stage.name === open ? 'true' : undefined}
                data-testid={`stage-${stage.name}`}
                onClick={() => openStage(stage.name)}
              >
                <span className="sl-workshop-number u-flex-none u-tabular u-faint u-text-right">{stage.number}</span>
                <span className="u-grow">
                  {inLang({ ...stage.title }, lang)}
                  <span className="sl-workshop-dots u-block u-fs-1 u-dim">
                    <span aria-hidden="true">
                      {LEVELS.map((level) => (passed.includes(level) ? '●' : '○')).join(' ')}{' '}
                    </span>
                    {passed.length === LEVELS.length
                      ? t('workshop.allPassed')
                      : t('workshop.passedOf', { done: passed.length, of: LEVELS.length })}
                  </span>
                </span>
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
