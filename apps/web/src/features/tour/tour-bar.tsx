import { useEffect } from 'react';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { CommandButton } from '../../ui/command-button.js';
import { Icon } from '../../ui/icons.js';
import { Keys } from '../../ui/keys.js';
import { STOPS } from './stops.js';
import { setVoice, useTour } from './tour-store.js';
import { beSilent, canSpeak, speak } from './voice.js';
import './tour.css';

/** The present stop of the tour, in place of the narrator; at the end, what one could do now. */
export function TourBar() {
  const t = useT();
  const at = useTour((s) => s.at);
  const going = useTour((s) => s.going);
  const voice = useTour((s) => s.voice);
  const lang = useUI((s) => s.lang);
  const stop = at === null ? undefined : STOPS[at];
  const what = at === null ? '' : t(stop ? `tour.${stop.id}.what` : 'tour.end.what');
  const why = at === null ? '' : t(stop ? `tour.${stop.id}.why` : 'tour.end.why');
  useEffect(() => {
    if (voice && what !== '') speak(`${what} ${why}`, lang);
    return beSilent;
  }, [voice, what, why, lang]);
  if (at === null) return null;
  return (
    <section
      className="sl-tour u-relative u-border-top u-panel u-grid u-gap-6"
      aria-label={t('tour.title')}
      data-testid="tour"
      data-stop={stop?.id ?? 'end'}
    >
      <div className="sl-tour-text" aria-live="polite" aria-atomic="true" aria-busy={going}>
        <h2 className="u-fs-3">
          <span className="u-fs-1 u-dim sl-tabular">
            {stop ? t('tour.of', { n: at + 1, m: STOPS.length }) : t('tour.done')}
          </span>{' '}
          {t(stop ? `tour.${stop.id}.title` : 'tour.end.title')}
        </h2>
        <p>{what}</p>
        <p className="u-dim">
          {why}{' '}
          {stop && (
            <button
              type="button"
              className="sl-link sl-code"
              title={t('tour.source')}
              onClick={() => useUI.setState({ inspectorOpen: true, inspectorTab: 'source' })}
            >
              {stop.fn}
            </button>
          )}
        </p>
      </div>
      <div className="sl-tour-moves u-row u-wrap u-gap-6">
        <CommandButton id="tour.back" label={t('tour.back')} />
        {stop ? (
          <CommandButton id="tour.next" className="sl-primary" label={t('tour.next')} testId="tour-next" />
        ) : (
          <>
            <CommandButton id="try.kill" label={t('tour.kill')} />
            <CommandButton id="try.change" label={t('tour.change')} />
            <CommandButton id="view.lessons" label={t('tour.lessons')} />
          </>
        )}
        {canSpeak() && (
          <label className="u-row u-gap-4 u-fs-1">
            <input type="checkbox" checked={voice} onChange={(e) => setVoice(e.currentTarget.checked)} />
            {t('tour.voice')}
          </label>
        )}
        <span className="sl-only-keys u-fs-1 u-dim">
          <Keys text={t('tour.keys')} />
        </span>
        <CommandButton id="tour.leave" className="sl-tour-leave sl-quiet sl-icon-button" label={t('tour.leave')}>
          <Icon name="close" />
        </CommandButton>
      </div>
    </section>
  );
}
