import { useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { CommandButton } from '../../ui/command-button.js';
import { Icon } from '../../ui/icons.js';
import { duration } from '../../units/text.js';
import { setMode, useTimeline } from './timeline-store.js';

/** The timeline's commands, the contents of the marked range, and the result of the search. */
export function TimelineBar() {
  const t = useT();
  const mode = useTimeline((s) => s.mode);
  const rewind = useSession((s) => s.info?.capabilities.rewind === true);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div
      className="sl-timeline-bar u-row u-wrap u-pad-chip u-border-bottom"
      role="group"
      aria-label={t('timeline.bar')}
    >
      <fieldset className="sl-timeline-modes u-flex u-pad-0 u-border-0">
        <legend className="sl-visually-hidden">{t('timeline.across')}</legend>
        {(['time', 'records'] as const).map((m) => (
          <button
            key={m}
            type="button"
            className="sl-button"
            aria-pressed={mode === m}
            title={t(`timeline.by.${m}.help`)}
            onClick={() => setMode(m)}
            data-testid={`timeline-${m}`}
          >
            {t(`timeline.by.${m}`)}
          </button>
        ))}
      </fieldset>
      <CommandButton id="timeline.zoomOut" className="sl-quiet sl-icon-button">
        <Icon name="minus" />
      </CommandButton>
      <CommandButton id="timeline.zoomIn" className="sl-quiet sl-icon-button">
        <Icon name="plus" />
      </CommandButton>
      <CommandButton id="timeline.fit" className="sl-quiet sl-icon-button">
        <Icon name="fit" />
      </CommandButton>
      {rewind && (
        <CommandButton id="transport.toEnd" className="sl-quiet" label={t('command.toEnd')}>
          {t('timeline.toEnd')}
        </CommandButton>
      )}
      <Found />
      <RangeCounts />
    </div>
  );
}

function Found() {
  const t = useT();
  const found = useTimeline((s) => s.found);
  if (!found) return null;
  return (
    <span className="sl-group" role="status" data-testid="timeline-found">
      <span className="sl-tabular">
        {found.at > 0
          ? t('timeline.foundAt', { at: found.at, n: found.hits })
          : t(found.looking ? 'timeline.looking' : 'timeline.found', { n: found.hits })}
      </span>
      <CommandButton id="timeline.previousHit" className="sl-quiet sl-icon-button">
        ‹
      </CommandButton>
      <CommandButton id="timeline.nextHit" className="sl-quiet sl-icon-button">
        ›
      </CommandButton>
    </span>
  );
}

function RangeCounts() {
  const t = useT();
  const range = useTimeline((s) => s.range);
  const counts = useTimeline((s) => s.counts);
  if (!range || !counts) return null;
  const { records, spans, calls, messages, failures } = counts;
  return (
    <span className="sl-group sl-timeline-range u-wrap u-border-left" role="status" data-testid="timeline-range">
      <span className="sl-tabular">
        <strong>{duration(counts.duration)}</strong> {t('timeline.counts', { records, spans, calls, messages })}
        {failures > 0 && <span className="sl-bad"> {t('timeline.failures', { n: failures })}</span>}
      </span>
      <CommandButton id="timeline.fitRange" className="sl-quiet">
        {t('timeline.fitRange')}
      </CommandButton>
      <CommandButton id="timeline.clearRange" className="sl-quiet sl-icon-button">
        <Icon name="close" />
      </CommandButton>
    </span>
  );
}
