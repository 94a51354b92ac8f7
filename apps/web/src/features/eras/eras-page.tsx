import { type Change, type ChangePart, changeParts, changes, oldNames } from '@syncloop/core/changes';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { useT } from '../../i18n/index.js';
import { Modal } from '../../ui/modal.js';
import { ChangeCard } from './change-card.js';
import { useEras } from './eras-store.js';
import { findChanges } from './logic/find-changes.js';
import { OldNameCard } from './old-name-card.js';
import { addressOf, erasIn } from './opener.js';
import { Timeline } from './timeline.js';
import './eras.css';

/** The page of what changed from version to version. */
export function ErasPage() {
  const t = useT();
  const open = useEras((s) => s.open);
  const sought = useEras((s) => s.sought);
  const [part, setPart] = useState<ChangePart | ''>('');
  const list = useRef<HTMLDivElement>(null);
  const deferred = useDeferredValue(sought);
  const found = useMemo(() => findChanges(changes, oldNames, deferred), [deferred]);
  const shown = part === '' ? found.changes : found.changes.filter((change) => change.part === part);
  const sections = byVersion(shown);
  useAddress(open);
  // A link to a change brings it into sight.
  useEffect(() => {
    if (open !== null) document.getElementById(`change-${open}`)?.scrollIntoView({ block: 'nearest' });
  }, [open]);
  const only = shown.length === 1 ? shown[0]?.id : undefined;
  return (
    <Modal label={t('eras.title')} className="sl-eras-page">
      <div className="sl-eras-head">
        <h2>{t('eras.title')}</h2>
        <p className="sl-small">{t('eras.intro')}</p>
        <div className="sl-eras-tools">
          <input
            type="search"
            className="sl-input"
            value={sought}
            aria-label={t('eras.search')}
            placeholder={t('eras.searchHint')}
            data-testid="eras-search"
            onChange={(e) => useEras.setState({ sought: e.currentTarget.value })}
          />
          <select
            className="sl-input"
            value={part}
            aria-label={t('eras.parts')}
            data-testid="eras-part"
            onChange={(e) => setPart(e.currentTarget.value as ChangePart | '')}
          >
            <option value="">{t('eras.partsAll')}</option>
            {changeParts.map((one) => (
              <option key={one} value={one}>
                {t(`eras.part.${one}`)}
              </option>
            ))}
          </select>
          <span className="sl-small" role="status" data-testid="eras-count">
            {t(shown.length === 1 ? 'eras.countOne' : 'eras.count', { n: shown.length })}
          </span>
          <button type="button" className="sl-button sl-quiet sl-eras-print" onClick={() => window.print()}>
            {t('eras.print')}
          </button>
        </div>
      </div>
      <div className="sl-eras-body">
        <Timeline
          changes={shown}
          onPick={(version) => {
            const section = document.getElementById(`eras-${version}`);
            section?.scrollIntoView({ block: 'start' });
            section?.focus({ preventScroll: true });
          }}
        />
        <div className="sl-eras-list" ref={list}>
          {found.names.map((name) => (
            <OldNameCard key={name.names.join()} name={name} />
          ))}
          {shown.length === 0 && (
            <div className="sl-empty">
              {found.names.length === 0 && <p>{t('eras.none', { sought })}</p>}
              <button
                type="button"
                className="sl-button"
                onClick={() => {
                  useEras.setState({ sought: '' });
                  setPart('');
                }}
              >
                {t('eras.all')}
              </button>
            </div>
          )}
          {sections.map(([version, members]) => (
            <section key={version} aria-labelledby={`eras-${version}`}>
              <h3 id={`eras-${version}`} tabIndex={-1} className="sl-eras-version">
                {version}
              </h3>
              {members.map((change) => (
                <ChangeCard key={change.id} change={change} open={change.id === (open ?? only)} />
              ))}
            </section>
          ))}
        </div>
      </div>
    </Modal>
  );
}

/** The changes by the version that brought them, in their order. */
function byVersion(all: readonly Change[]): readonly (readonly [Change['since'], readonly Change[]])[] {
  const versions = [...new Set(all.map(({ since }) => since))];
  return versions.map((version) => [version, all.filter(({ since }) => since === version)]);
}

/** While the page is open the address bar has its address; afterwards what stood there before. */
function useAddress(open: string | null): void {
  useEffect(() => {
    const before = erasIn(location.href) === null ? location.href : location.href.replace(/#.*$/, '');
    return () => {
      if (erasIn(location.href) !== null) history.replaceState(history.state, '', before);
    };
  }, []);
  useEffect(() => {
    history.replaceState(history.state, '', addressOf(location.href, open));
  }, [open]);
}
