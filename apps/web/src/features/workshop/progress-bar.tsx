import { LEVELS, mergeProgress, progressIn, readProgress, shareText, writeProgress } from '@syncloop/workshop/progress';
import type { ListedStage } from '@syncloop/workshop/stages';
import { download, pickFile } from '../../files/pick-and-save.js';
import { useT } from '../../i18n/index.js';
import { notify } from '../../page/ui-store.js';
import { addressOf } from './opener.js';
import { setProgress, useWorkshop } from './workshop-store.js';

/** How far the learner is, what somebody shared, and the ways to take progress along. */
export function ProgressBar({ stages }: { readonly stages: readonly ListedStage[] }) {
  const t = useT();
  const progress = useWorkshop((s) => s.progress);
  const shared = useWorkshop((s) => s.shared);
  const levels = stages.flatMap((stage) => LEVELS.map((level) => ({ stage, level })));
  const done = levels.filter(({ stage, level }) => progressIn(progress, stage.name).passed.includes(level)).length;
  const of = levels.length;
  const theirs = shared && levels.filter(({ stage, level }) => shared.get(stage.name)?.includes(level)).length;
  const bring = async () => {
    const file = await pickFile('.json');
    if (!file) return;
    try {
      const other = readProgress(await file.text());
      setProgress((mine) => mergeProgress(mine, other));
      notify(t('workshop.imported'));
    } catch (error) {
      notify(t('workshop.notImported', { file: file.name, why: (error as Error).message }), true);
    }
  };
  const share = async () => {
    const link = addressOf(location.href, shareText(progress));
    try {
      await navigator.clipboard.writeText(link);
      notify(t('workshop.linkCopied'));
    } catch {
      notify(t('workshop.linkByHand', { link }));
    }
  };
  return (
    <div className="u-row u-wrap u-gap-8">
      <progress value={done} max={of} aria-label={t('workshop.progress')} />
      <span className="u-fs-2 u-tabular" data-testid="workshop-progress">
        {t('workshop.levelsOf', { done, of })}
      </span>
      {theirs !== null && (
        <span className="u-fs-2 u-dim" data-testid="workshop-shared">
          {t('workshop.shared', { done: theirs, of })}
        </span>
      )}
      <span className="u-push u-row u-wrap u-gap-6">
        <button
          type="button"
          className="sl-button sl-quiet"
          data-testid="workshop-export"
          onClick={() =>
            download('syncloop-workshop.json', new Blob([writeProgress(progress)], { type: 'application/json' }))
          }
        >
          {t('workshop.export')}
        </button>
        <button type="button" className="sl-button sl-quiet" data-testid="workshop-import" onClick={() => void bring()}>
          {t('workshop.import')}
        </button>
        <button
          type="button"
          className="sl-button sl-quiet"
          disabled={done === 0}
          title={t('workshop.linkHelp')}
          data-testid="workshop-link"
          onClick={() => void share()}
        >
          {t('workshop.link')}
        </button>
      </span>
    </div>
  );
}
