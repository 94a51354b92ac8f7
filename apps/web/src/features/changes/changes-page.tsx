import {
  type Change,
  type ChangePart,
  changeParts,
  changes,
  changesBetween,
  minorOf,
  oldNames,
  runningVersions,
} from '@syncloop/core/changes';
import { nearestEra } from '@syncloop/core/kubelet';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useT } from '../../i18n/index.js';
import { Modal } from '../../ui/modal.js';
import { ChangeCard } from './change-card.js';
import { seek, useChanges } from './changes-store.js';
import { findChanges } from './logic/find-changes.js';
import { OldNameCard } from './old-name-card.js';
import { addressOf, changeIn } from './opener.js';
import { Timeline } from './timeline.js';
import './changes.css';

/** The page of the changes from version to version. */
export function ChangesPage() {
  const t = useT();
  const open = useChanges((s) => s.open);
  const sought = useChanges((s) => s.sought);
  const [part, setPart] = useState<ChangePart | ''>('');
  const led = useChanges((s) => s.led);
  const deferred = useDeferredValue(sought);
  const found = useMemo(() => findChanges(changes, oldNames, deferred), [deferred]);
  const [about, setAbout] = useState('');
  const standsFor = about === '' ? null : nearestEra(about);
  const between = useMemo(() => betweenOf(about), [about]);
  const shown = found.changes.filter(
    (change) => (part === '' || change.part === part) && (between === null || between.has(change)),
  );
  const sections = byVersion(shown);
  useAddress(open);
  // The palette finds them, too.
  useEffect(() => useChanges.setState({ list: changes }), []);
  useEffect(() => {
    const change = led > 0 ? document.getElementById(`change-${useChanges.getState().open}`) : null;
    change?.scrollIntoView({ block: 'start' });
    change?.querySelector('button')?.focus({ preventScroll: true });
  }, [led]);
  // A change that was searched by its name, or is the only one, is open at once.
  const meant = found.names.length === 1 ? found.names[0]?.change : shown.length === 1 ? shown[0]?.id : undefined;
  return (
    <Modal label={t('changes.title')} className="sl-page-dialog sl-changes-page">
      <div className="sl-page-head sl-changes-head u-border-bottom">
        <h2>{t('changes.title')}</h2>
        <p className="sl-small">{t('changes.intro', { versions: inList(runningVersions) })}</p>
        <div className="sl-changes-tools u-row u-wrap u-gap-8">
          <input
            type="search"
            className="sl-input"
            value={sought}
            aria-label={t('changes.search')}
            placeholder={t('changes.searchHint')}
            data-testid="changes-search"
            onChange={(e) => seek(e.currentTarget.value)}
          />
          <select
            className="sl-input"
            value={part}
            aria-label={t('changes.parts')}
            data-testid="changes-part"
            onChange={(e) => setPart(e.currentTarget.value as ChangePart | '')}
          >
            <option value="">{t('changes.partsAll')}</option>
            {changeParts.map((one) => (
              <option key={one} value={one}>
                {t(`changes.part.${one}`)}
              </option>
            ))}
          </select>
          <select
            className="sl-input"
            value={about}
            aria-label={t('changes.about')}
            data-testid="changes-about"
            onChange={(e) => setAbout(e.currentTarget.value)}
          >
            <option value="">{t('changes.aboutAny')}</option>
            {articleVersions.map((version) => (
              <option key={version} value={version}>
                {version}
              </option>
            ))}
          </select>
          <span className="sl-small" role="status" data-testid="changes-count">
            {t(shown.length === 1 ? 'changes.countOne' : 'changes.count', { n: shown.length })}
          </span>
          <button type="button" className="sl-button sl-quiet u-push" onClick={() => window.print()}>
            {t('changes.print')}
          </button>
        </div>
        {standsFor !== null && (
          <p className="sl-small" data-testid="changes-stands-for">
            {standsFor === about
              ? t('changes.aboutOwn', { version: about })
              : t('changes.aboutRuns', { version: about, era: standsFor, n: between?.size ?? 0 })}
          </p>
        )}
      </div>
      <div className="sl-changes-main u-flex u-grow u-min-height-0">
        <Timeline
          changes={shown}
          onPick={(version) => {
            const section = document.getElementById(`changes-${version}`);
            section?.scrollIntoView({ block: 'start' });
            section?.focus({ preventScroll: true });
          }}
        />
        <div className="sl-changes-list u-grow u-min-width-0 u-min-height-0 u-relative">
          {found.names.map((name) => (
            <OldNameCard key={name.names.join()} name={name} />
          ))}
          {shown.length === 0 && (
            <div className="sl-empty">
              {found.names.length === 0 && <p>{t('changes.none', { sought })}</p>}
              <button
                type="button"
                className="sl-button"
                onClick={() => {
                  seek('');
                  setPart('');
                  setAbout('');
                }}
              >
                {t('changes.all')}
              </button>
            </div>
          )}
          {sections.map(([version, members]) => (
            <section key={version} aria-labelledby={`changes-${version}`}>
              <h3 id={`changes-${version}`} tabIndex={-1} className="sl-changes-version u-panel u-mono u-z-1">
                {version}
              </h3>
              {members.map((change) => (
                <ChangeCard key={change.id} change={change} open={change.id === (open ?? meant)} />
              ))}
            </section>
          ))}
        </div>
      </div>
    </Modal>
  );
}

/** Minor versions that an article may be about, oldest first: from the oldest kubelet here to the newest. */
const [OLDEST, NEWEST] = [runningVersions[0], runningVersions.at(-1)].map((v) => minorOf(v as Change['since'])) as [
  number,
  number,
];
const articleVersions = Array.from({ length: NEWEST - OLDEST + 1 }, (_, i) => `v1.${OLDEST + i}`);

/** The changes between a version and the kubelet that stands for it here; null for no version. */
function betweenOf(version: string): ReadonlySet<Change> | null {
  const era = nearestEra(version);
  if (era === null) return null;
  const minor = minorOf(version as Change['since']);
  return new Set(changesBetween({ since: minor, until: minor }, era));
}

const inList = (all: readonly string[]): string => all.join(', ');

/** The changes by the version that brought them, in their order. */
function byVersion(all: readonly Change[]): readonly (readonly [Change['since'], readonly Change[]])[] {
  const versions = [...new Set(all.map(({ since }) => since))];
  return versions.map((version) => [version, all.filter(({ since }) => since === version)]);
}

/** Puts the page's address into the address bar while it is open; afterwards the one before. */
function useAddress(open: string | null): void {
  useEffect(() => {
    const before = changeIn(location.href) === null ? location.href : location.href.replace(/#.*$/, '');
    return () => {
      if (changeIn(location.href) !== null) history.replaceState(history.state, '', before);
    };
  }, []);
  useEffect(() => {
    history.replaceState(history.state, '', addressOf(location.href, open));
  }, [open]);
}
