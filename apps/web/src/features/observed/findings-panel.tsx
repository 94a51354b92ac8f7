import type { RunFinding } from '@syncloop/core/debug';
import { useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { useWhen } from '../../run/wall-time.js';
import { IncidentsList, VerdictLine } from './incidents-list.js';
import { matching, momentsOf, weightOf } from './logic/findings-view.js';
import { useObserved } from './observed-store.js';
import './observed.css';

/** From this number on there is a field to filter them by. */
const MANY = 6;

/** Shows the verdict, the incidents, and below them the findings; each leads to its moment and its why. */
export function FindingsPanel() {
  const t = useT();
  const lang = useUI((s) => (s.lang === 'zh-CN' ? 'zh' : 'en'));
  const answer = useObserved((s) => s.findings);
  const reading = useSession((s) => s.run.reading?.ended === false);
  const incidents = useObserved((s) => s.incidents);
  const [filter, setFilter] = useState('');
  if (!answer || (answer.findings.length === 0 && !incidents))
    return (
      <p className="sl-empty" role="status" data-testid="findings-none">
        {t(reading || !answer ? 'findings.noneYet' : 'findings.none')}
      </p>
    );
  const shown = matching(answer, filter, lang);
  return (
    <div className="sl-scroll sl-findings u-grow u-min-height-0 u-scroll" data-testid="findings">
      {incidents && <VerdictLine answer={incidents} />}
      {incidents && <IncidentsList answer={incidents} />}
      {answer.findings.length > 0 && (
        <h3 className="sl-small sl-findings-head">{t('findings.some', { n: answer.findings.length })}</h3>
      )}
      {answer.findings.length >= MANY && (
        <input
          type="search"
          className="sl-input sl-findings-filter"
          aria-label={t('findings.filter')}
          placeholder={t('findings.filter')}
          value={filter}
          data-testid="findings-filter"
          onChange={(e) => setFilter(e.currentTarget.value)}
        />
      )}
      {shown.length === 0 && answer.findings.length > 0 && <p className="sl-empty">{t('findings.noMatch')}</p>}
      <ol className="u-border-top" aria-label={t('findings.title')}>
        {shown.map((finding) => (
          <Finding key={finding.id} finding={finding} text={finding.text[lang]} />
        ))}
      </ol>
      {answer.more > 0 && <p className="sl-small">{t('findings.more', { n: answer.more })}</p>}
    </div>
  );
}

const SIGNS = { bad: '✕', warn: '▲', note: '●' } as const;

function Finding({ finding, text }: { readonly finding: RunFinding; readonly text: string }) {
  const t = useT();
  const when = useWhen();
  const moments = momentsOf(finding);
  const at = useObserved((s) => s.moments[finding.id]);
  const { first, last } = finding;
  const weight = weightOf(finding.code);
  const go = (i: number) => runCommand('findings.go', { id: finding.id, i, seq: moments[i] as number });
  return (
    <li
      className="sl-finding u-grid u-center u-border-bottom"
      data-weight={weight}
      data-here={at !== undefined || undefined}
      data-testid="finding"
    >
      <span className="sl-finding-sign u-fs-1 u-dim" aria-hidden="true">
        {SIGNS[weight]}
      </span>
      <button
        type="button"
        className="sl-finding-text u-hidden-overflow u-break u-pad-0 u-target u-bare u-pointer u-text-left u-text"
        onClick={() => go(at ?? 0)}
        title={text}
        data-testid="finding-go"
      >
        {text}
      </button>
      <span className="sl-finding-when sl-small sl-tabular u-line u-wrap u-dim">
        {first.seq === last.seq
          ? when(first.time)
          : t('findings.between', { from: when(first.time), to: when(last.time) })}
        {finding.concluded && (
          <span className="sl-basis" data-known="concluded">
            {t('findings.concluded')}
          </span>
        )}
      </span>
      <span className="sl-finding-tools u-row u-gap-4">
        {moments.length > 1 && (
          <>
            <button
              type="button"
              className="sl-button sl-quiet sl-icon-button u-target"
              aria-label={t('findings.previous')}
              title={t('findings.previous')}
              disabled={at === undefined || at === 0}
              onClick={() => go((at ?? 1) - 1)}
            >
              ‹
            </button>
            <span className="sl-small sl-tabular" title={t('findings.nth', { i: (at ?? 0) + 1, n: moments.length })}>
              {at === undefined ? moments.length : `${at + 1}/${moments.length}`}
            </span>
            <button
              type="button"
              className="sl-button sl-quiet sl-icon-button u-target"
              aria-label={t('findings.next')}
              title={t('findings.next')}
              disabled={at === moments.length - 1}
              data-testid="finding-next"
              onClick={() => go(at === undefined ? 0 : at + 1)}
            >
              ›
            </button>
          </>
        )}
        <button
          type="button"
          className="sl-button u-target"
          aria-label={t('findings.whyOf', { text })}
          data-testid="finding-why"
          onClick={() => runCommand('findings.why', { id: finding.id, i: at ?? 0, seq: moments[at ?? 0] as number })}
        >
          {t('findings.why')}
        </button>
      </span>
    </li>
  );
}
