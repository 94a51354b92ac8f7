import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { sentence } from '../../run/narration.js';
import { useWhen } from '../../run/wall-time.js';
import { duration } from '../../units/text.js';
import { feed } from './controller.js';
import { useTimeline } from './timeline-store.js';

/** Returns how long what a record began took; null while it goes on, or if it began nothing. */
function took(seq: number): string | null {
  const { model } = feed;
  const end = model.endOf(seq);
  return end > seq ? duration(model.timeAt(end) - model.timeAt(seq)) : null;
}

/** Shows the record under the pointer, as a sentence. */
export function Tooltip() {
  const lang = useUI((s) => s.lang);
  const when = useWhen();
  const hover = useTimeline((s) => s.hover);
  const record = hover ? feed.record(hover.seq) : undefined;
  if (!hover || !record) return null;
  const length = took(record.seq);
  return (
    <div
      className="sl-timeline-tip u-absolute u-border-strong u-round u-raised u-shadow u-no-pointer"
      aria-hidden="true"
      // Next to the pointer, on the side with enough room; the style sheet defines the exact place.
      data-flip={hover.x > 420 || undefined}
      style={{ '--x': `${hover.x}px`, '--y': `${hover.y}px` } as React.CSSProperties}
    >
      <span className="sl-tabular sl-small">
        #{record.seq} · {when(record.time)}
        {length && ` · ${length}`} · {record.kind}
      </span>
      <p className="u-hidden-overflow">{sentence(record, lang).text}</p>
    </div>
  );
}

/** The selected record as text for screen readers. */
export function Spoken() {
  const t = useT();
  const when = useWhen();
  const lang = useUI((s) => s.lang);
  const seq = useUI((s) => (s.selection?.kind === 'record' ? s.selection.seq : 0));
  const record = seq > 0 ? feed.record(seq) : undefined;
  const lane = record && feed.model.laneAt(seq)?.name;
  const length = record && took(seq);
  return (
    <p className="sl-visually-hidden" aria-live="polite" data-testid="timeline-spoken">
      {record &&
        t('timeline.spoken', {
          text: sentence(record, lang).text,
          lane: lane ?? '',
          t: when(record.time),
          took: length ? t('timeline.took', { t: length }) : '',
        })}
    </p>
  );
}
