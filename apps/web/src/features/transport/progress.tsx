import { useT } from '../../i18n/index.js';
import { useProgress } from '../../run/progress-store.js';

/** Shows what is under way and its progress, with a way to end it if there is one. */
export function Progress() {
  const t = useT();
  const work = useProgress((s) => s.work[0]);
  const more = useProgress((s) => s.work.length - 1);
  return (
    <div className="sl-progress-place" role="status" data-testid="progress">
      {work && (
        <>
          <span>
            {t(work.title)}
            {more > 0 && ` +${more}`}
          </span>
          <progress aria-label={t('progress.title')} max={1} value={work.done} />
          {work.cancel && (
            <button type="button" className="sl-button" onClick={work.cancel} data-testid="progress-cancel">
              {t('progress.cancel')}
            </button>
          )}
        </>
      )}
    </div>
  );
}
