import { type Lane, lanesOf } from '@syncloop/observe/fleet';
import { useMemo } from 'react';
import { inLang } from '../../i18n/in-lang.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { Modal } from '../../ui/modal.js';
import { Causes } from './causes.js';
import { Details } from './details.js';
import { useFleet } from './fleet-store.js';
import { FleetTools } from './fleet-tools.js';
import { Lanes } from './lanes.js';
import { lanesShown } from './logic/lanes-shown.js';
import { stopReading } from './read-fleet.js';
import './fleet.css';

const NO_LANES: readonly Lane[] = [];

/** All nodes on one clock: the verdict, what several of them share, and a lane for each. */
export function FleetPage() {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const story = useFleet((s) => s.story);
  const failed = useFleet((s) => s.failed);
  const search = useFleet((s) => s.search);
  const filter = useFleet((s) => s.filter);
  const sort = useFleet((s) => s.sort);
  const lanes = useMemo(() => (story ? lanesOf(story) : NO_LANES), [story]);
  const shown = useMemo(() => lanesShown(lanes, { search, filter, sort }), [lanes, search, filter, sort]);
  return (
    <Modal label={t('fleet.title')} className="sl-page-dialog sl-fleet">
      <header className="sl-fleet-head u-border-bottom">
        <h2 data-testid="fleet-verdict">{story ? inLang({ ...story.verdict.text }, lang) : t('fleet.title')}</h2>
        <p className="sl-small u-dim u-margin-0">{story && inLang({ ...story.verdict.read }, lang)}</p>
        <Reading />
        {failed !== '' && <p className="sl-error u-failure">{t('fleet.failed', { why: failed })}</p>}
      </header>
      {story && (
        <>
          <Causes story={story} />
          <FleetTools lanes={lanes} shown={shown.length} story={story} />
          <Lanes lanes={shown} story={story} />
          <Details lanes={lanes} story={story} />
        </>
      )}
    </Modal>
  );
}

function Reading() {
  const t = useT();
  const { done, of, reading, story } = useFleet();
  if (reading === '')
    return story && done < of ? <p className="sl-small u-margin-0">{t('fleet.stopped', { done, of })}</p> : null;
  return (
    <p className="sl-fleet-reading u-row u-wrap u-gap-8 u-margin-0" role="status" data-testid="fleet-reading">
      <progress max={of || 1} value={of === 0 ? undefined : done} aria-label={t('fleet.title')} />
      <span>{of === 0 ? t('fleet.starting') : t('fleet.reading', { node: reading, done, of })}</span>
      <button type="button" className="sl-button u-target" onClick={stopReading}>
        {t('fleet.stop')}
      </button>
    </p>
  );
}
