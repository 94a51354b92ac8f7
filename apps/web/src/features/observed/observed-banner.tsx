import { isOfEra } from '@syncloop/core/version';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { wallTime } from '../../run/wall-time.js';
import { CommandButton } from '../../ui/command-button.js';
import { Icon } from '../../ui/icons.js';
import { bytesText } from '../../units/sizes.js';
import { linesRead } from './logic/lines-read.js';
import { versionText } from './logic/version-text.js';
import { sourceWord } from './logic/would-add.js';
import { NodeChoice } from './node-choice.js';
import { useObserved } from './observed-store.js';
import './observed.css';

/** Names the observed kubelet in a line; a click opens the rest. */
export function ObservedBanner() {
  const t = useT();
  const lang = useUI((s) => s.lang);
  useUI((s) => s.clock);
  const overview = useObserved((s) => s.overview);
  const info = useSession((s) => s.info);
  if (!info) return null;
  const span = overview
    ? t('observed.span', {
        from: wallTime(info, overview.first, true),
        to: wallTime(info, overview.last, true),
      })
    : '';
  const pid = overview?.pids.at(-1);
  const kinds = [...new Set(overview?.sources.filter((s) => s.state !== 'lost' || s.pieces > 0).map((s) => s.kind))];
  return (
    <section
      className="sl-observed u-row u-pad-chip u-height-36 u-sunken"
      aria-label={t('observed.banner')}
      data-testid="observed-banner"
    >
      <button
        type="button"
        className="sl-observed-line u-row u-wrap u-grow u-min-width-0 u-height-28 u-bare u-pointer u-text-left u-text"
        title={t('command.observedDetails')}
        onClick={() => useUI.setState({ dialog: 'observed' })}
        data-testid="observed-details"
      >
        <Icon name="observed" />
        <strong>
          {t('observed.kubelet')} {overview ? versionText(t, lang, overview.kubelet) : t('observed.unknownVersion')}
        </strong>
        {overview && !isOfEra(overview.kubelet, overview.kubelet.era) && (
          <span data-testid="observed-nearest">{t('observed.nearest', { era: overview.kubelet.era })}</span>
        )}
        {pid !== undefined && <span className="sl-tabular">{t('observed.pid', { pid })}</span>}
        {overview && overview.starts > 1 && <span>{t('observed.starts', { n: overview.starts })}</span>}
        <span className="sl-tabular sl-observed-span">{span}</span>
        <span>{kinds.map((kind) => t(`observed.source.${sourceWord(kind)}`)).join(' + ')}</span>
        {overview && linesRead(overview) && (
          <span className="sl-tabular" data-testid="observed-read">
            {t('observed.read', linesRead(overview) ?? {})}
          </span>
        )}
        <span className="sl-observed-more u-inline-flex u-center u-gap-2 u-dim">
          {t('observed.details')}
          <Icon name="down" />
        </span>
      </button>
      <NodeChoice node={overview?.node ?? ''} />
      <Reading />
      <Reenact />
      <CommandButton id="session.simulate" testId="observed-leave">
        {t('observed.leave')}
      </CommandButton>
    </section>
  );
}

/** The way to its twin, if there is none yet. */
function Reenact() {
  const t = useT();
  const can = useSession((s) => s.run.twin?.made === 0 && s.run.twin.doing === undefined);
  if (!can) return null;
  return (
    <CommandButton
      id="twin.make"
      className="sl-primary"
      label={`${t('twin.make')}. ${t('twin.what')}`}
      testId="reenact"
    >
      {t('twin.make')}
    </CommandButton>
  );
}

function Reading() {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const reading = useSession((s) => s.run.reading);
  if (!reading || reading.ended) return null;
  const { read, total, records } = reading;
  // Records that come one after the other have no bytes that are still to be read.
  if (read === 0 && total === null)
    return (
      <span
        className="sl-observed-reading sl-small sl-tabular u-inline-flex u-center u-gap-6 u-nowrap"
        data-testid="observed-live"
      >
        ● {t('observed.live', { records: records.toLocaleString(lang) })}
      </span>
    );
  const percent = total ? Math.min(100, Math.floor((100 * read) / total)) : 0;
  const text = t('observed.readingOf', {
    read: bytesText(read, lang),
    total: total === null ? '?' : bytesText(total, lang),
    records: records.toLocaleString(lang),
  });
  return (
    <span
      className="sl-observed-reading sl-small sl-tabular u-inline-flex u-center u-gap-6 u-nowrap"
      title={text}
      data-testid="observed-reading"
    >
      <progress max={100} value={total ? percent : undefined} aria-label={t('observed.reading', { percent })} />
      {total ? `${percent} %` : bytesText(read, lang)}
    </span>
  );
}
