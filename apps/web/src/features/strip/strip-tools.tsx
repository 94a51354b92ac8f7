import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { wallTime } from '../../run/wall-time.js';
import { CommandButton } from '../../ui/command-button.js';
import { Icon } from '../../ui/icons.js';
import { useStrip } from './strip-store.js';

/** The line below the strip: its times, its incidents, what was found, the marked part. */
export function StripTools({
  hover,
  from,
  to,
}: {
  readonly hover: string;
  readonly from: string;
  readonly to: string;
}) {
  return (
    <div className="sl-whole-tools sl-small u-row u-wrap u-tabular">
      <span className="sl-whole-span">{hover === '' ? `${from} – ${to}` : hover}</span>
      <Incidents />
      <Hits />
      <Marked />
    </div>
  );
}

function Incidents() {
  const t = useT();
  const n = useStrip((s) => s.incidents.length);
  return (
    <span className="sl-group" data-testid="strip-incident-count">
      <span>{n === 0 ? t('strip.noIncident') : n === 1 ? t('strip.incident') : t('strip.incidents', { n })}</span>
      {n > 0 && (
        <>
          <CommandButton id="strip.previousIncident" className="sl-quiet sl-icon-button">
            ‹
          </CommandButton>
          <CommandButton id="strip.nextIncident" className="sl-quiet sl-icon-button" testId="strip-next-incident">
            ›
          </CommandButton>
        </>
      )}
    </span>
  );
}

function Hits() {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const search = useStrip((s) => s.search);
  const here = useTrace((_, c) => c.seq);
  if (!search) return null;
  const n = search.hits.length.toLocaleString(lang);
  const at = search.hits.indexOf(here) + 1;
  const percent = search.last === 0 ? 0 : Math.floor((100 * search.looked) / search.last);
  const text = !search.done
    ? t('strip.looking', { n, percent })
    : search.cut
      ? t('strip.foundFirst', { n })
      : at > 0
        ? t('strip.foundAt', { at: at.toLocaleString(lang), n })
        : t('strip.found', { n });
  return (
    <span className="sl-group" data-testid="strip-found">
      <Icon name="search" />
      <span role="status">{text}</span>
      {search.hits.length > 0 && (
        <>
          <CommandButton id="strip.firstHit" className="sl-quiet" testId="strip-first-hit">
            {t('strip.first')}
          </CommandButton>
          <CommandButton id="strip.previousHit" className="sl-quiet sl-icon-button">
            ‹
          </CommandButton>
          <CommandButton id="strip.nextHit" className="sl-quiet sl-icon-button" testId="strip-next-hit">
            ›
          </CommandButton>
        </>
      )}
      {!search.done && (
        <CommandButton id="strip.stopSearch" className="sl-quiet">
          {t('strip.stop')}
        </CommandButton>
      )}
    </span>
  );
}

function Marked() {
  const t = useT();
  const range = useStrip((s) => s.range);
  const info = useSession((s) => s.info);
  const clock = useUI((s) => s.clock);
  if (!range || !info) return null;
  const at = (time: number) => wallTime(info, time, true, clock);
  return (
    <span className="sl-whole-marked sl-group u-wrap" data-testid="strip-marked">
      <span role="status">{t('strip.marked', { from: at(range.from), to: at(range.to) })}</span>
      <CommandButton id="strip.saveRecording" className="sl-quiet" testId="strip-save-recording">
        {t('strip.asRecording')}
      </CommandButton>
      <CommandButton id="strip.saveLines" className="sl-quiet" testId="strip-save-lines">
        {t('strip.asLines')}
      </CommandButton>
      <CommandButton id="strip.clearRange" className="sl-quiet sl-icon-button">
        <Icon name="close" />
      </CommandButton>
    </span>
  );
}
