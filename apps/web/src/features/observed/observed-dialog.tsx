import type { Overview } from '@syncloop/core/debug';
import { nodesText, shareText } from '@syncloop/core/debug/findings';
import { gapZh } from '@syncloop/core/trace';
import { useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { wallTime, zoneOf } from '../../run/wall-time.js';
import { Modal } from '../../ui/modal.js';
import { duration, visible } from '../../units/text.js';
import { KnownLegend } from './known-legend.js';
import { versionText } from './logic/version-text.js';
import { lowVerbosity, missingSources, sourceWord } from './logic/would-add.js';
import { useObserved } from './observed-store.js';
import { refusedText } from './open-observed.js';
import { VersionNote } from './version-note.js';
import './observed.css';

/** Shows all facts about the observed kubelet, and about its sources. */
export function ObservedDialog() {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const overview = useObserved((s) => s.overview);
  const refused = useObserved((s) => s.refused);
  const info = useSession((s) => s.info);
  const clock = useUI((s) => s.clock);
  if (!overview || !info) return <Modal label={t('observed.banner')}>{t('findings.noneYet')}</Modal>;
  const { kubelet, node, runtime, pids, starts, sources, offsets } = overview;
  const zone = zoneOf(info, info.epochMillis, clock);
  const sign = zone < 0 ? '-' : '+';
  const hours = `${sign}${String(Math.floor(Math.abs(zone) / 60)).padStart(2, '0')}:${String(Math.abs(zone) % 60).padStart(2, '0')}`;
  const share = shareText(overview);
  const nodes = nodesText(overview);
  const low = lowVerbosity(overview);
  const missing = missingSources(overview);
  return (
    <Modal label={t('observed.banner')} className="sl-observed-dialog">
      <div data-testid="observed-dialog">
        <h2>
          {t('observed.kubelet')} {versionText(t, lang, kubelet)}
        </h2>
        <VersionNote kubelet={kubelet} />
        <p>
          {[
            node && t('observed.node', { node }),
            runtime,
            pids.length > 0 && t('observed.pid', { pid: pids.join(', ') }),
            starts > 1 && t('observed.starts', { n: starts }),
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
        <p className="sl-tabular">
          {t('observed.span', {
            from: wallTime(info, overview.first, true),
            to: wallTime(info, overview.last, true),
          })}
          {'. '}
          {t('observed.zone', { zone: zone === 0 ? '' : hours })}
        </p>
        <p>
          {t('observed.counts', {
            seen: overview.seen,
            concluded: overview.concluded,
            disagreements: overview.disagreements,
            gaps: overview.gaps,
          })}
        </p>
        {share && <p data-testid="observed-share">{share[lang === 'en' ? 'en' : 'zh']}</p>}
        {nodes && <p data-testid="observed-nodes">{nodes[lang === 'en' ? 'en' : 'zh']}</p>}
        {overview.duplicates > 0 && <p>{t('observed.duplicates', { n: overview.duplicates.toLocaleString(lang) })}</p>}
        {overview.oldest > 1 && (
          <p className="sl-error u-break u-failure">{t('observed.dropped', { oldest: overview.oldest })}</p>
        )}
        <KnownLegend />
        <h3>{t('observed.sources')}</h3>
        <ul className="sl-observed-sources">
          {sources.map((s) => (
            <li className="u-break u-above-6" key={s.id}>
              <strong className="sl-code">{s.name}</strong>{' '}
              <span className="sl-small">
                {t(`observed.source.${sourceWord(s.kind)}`)}
                {s.state === 'lost' &&
                  ` · ${t('observed.state.lost')}: ${lang === 'zh-CN' ? gapZh(s.details) : s.details}`}
              </span>
              <br />
              <span className="sl-small sl-tabular">{t('observed.pieces', { n: s.pieces, records: s.records })}</span>
              <br />
              <span className="sl-small">{t(`observed.adds.${sourceWord(s.kind)}`)}</span>
            </li>
          ))}
        </ul>
        {refused.length > 0 && (
          <>
            <h3>{t('observed.refused.title')}</h3>
            <ul>
              {refused.map((file) => (
                <li key={file.name}>{refusedText(file)}</li>
              ))}
            </ul>
          </>
        )}
        <h3>{t('observed.would.title')}</h3>
        <ul className="sl-observed-sources">
          {low !== null && <li className="u-break u-above-6">{t('observed.would.v4', { v: low })}</li>}
          {missing.map((kind) => (
            <li className="u-break u-above-6" key={kind}>
              <strong>{t(`observed.source.${kind}`)}</strong>: {t(`observed.adds.${kind}`)}
            </li>
          ))}
          {missing.length === 0 && low === null && <li className="u-break u-above-6">{t('observed.would.nothing')}</li>}
        </ul>
        {offsets.length > 0 && (
          <>
            <h3>{t('observed.clocks')}</h3>
            <ul>
              {offsets.map((o) => (
                <li key={`${o.source} ${o.against}`}>
                  {t('observed.clock', {
                    source: o.source,
                    against: o.against,
                    offset: duration(Math.abs(o.offset)),
                    // Its times plus the offset are the other's.
                    dir: t(o.offset < 0 ? 'observed.ahead' : 'observed.behind'),
                    uncertainty: duration(o.uncertainty),
                    n: o.samples,
                  })}
                </li>
              ))}
            </ul>
          </>
        )}
        <LinesLeft overview={overview} />
      </div>
    </Modal>
  );
}

/** Lines that no record was made of: by message, to be searched, each a click from its place. */
function LinesLeft({ overview }: { readonly overview: Overview }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const [filter, setFilter] = useState('');
  const { unread, lines, unreadLines } = overview;
  const wanted = filter.trim().toLowerCase();
  const shown = unreadLines.filter((line) => line.msg.toLowerCase().includes(wanted));
  return (
    <>
      <h3>{t('observed.left')}</h3>
      {unread === 0 ? (
        <p>{t('observed.leftNone')}</p>
      ) : (
        <>
          <p>{t('observed.leftHow', { n: unread.toLocaleString(lang), lines: lines.toLocaleString(lang) })}</p>
          <input
            type="search"
            className="sl-input"
            aria-label={t('observed.leftFilter')}
            placeholder={t('observed.leftFilter')}
            value={filter}
            data-testid="lines-left-filter"
            onChange={(e) => setFilter(e.currentTarget.value)}
          />
          <ul className="sl-lines-left u-scroll u-above-8" data-testid="lines-left">
            {shown.map((line) => (
              <li className="u-line u-gap-10" key={`${line.severity}${line.msg}`}>
                <span className="sl-tabular sl-lines-left-count u-flex-none u-text-right u-dim">
                  {line.count.toLocaleString(lang)}
                </span>
                <button
                  type="button"
                  className="sl-link sl-code u-break u-target u-text-left"
                  data-severity={line.severity}
                  title={t('observed.leftGo', { msg: visible(line.msg) })}
                  onClick={() => {
                    useUI.setState({ dialog: null });
                    runCommand('observed.go', line.first.seq);
                  }}
                >
                  {line.msg === '…' ? t('observed.leftMore') : visible(line.msg)}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
