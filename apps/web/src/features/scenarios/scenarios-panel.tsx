import type { ScenarioEntry } from '@syncloop/core/debug';
import './scenarios.css';
import { useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { inLang } from '../../i18n/in-lang.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { grouped, type ScenarioGroup } from './logic/scenario-groups.js';
import { useOutcomes } from './outcomes-store.js';

/**
 * The scenarios by subject. Open are the first group and that of the scenario that is loaded; while something is
 * sought, all.
 */
export function ScenariosPanel() {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const scenarios = useSession((s) => s.scenarios);
  const loaded = useSession((s) => s.info?.scenario);
  const seed = useSession((s) => s.info?.seed ?? 1);
  const [typed, setTyped] = useState<string | null>(null);
  const [sought, setSought] = useState('');
  const [toggled, setToggled] = useState<Readonly<Partial<Record<ScenarioGroup, boolean>>>>({});
  const value = typed ?? String(seed);
  const wanted = /^\d{1,9}$/.test(value) ? Number(value) : undefined;
  if (scenarios.length === 0) return <p className="sl-empty">{t('scenarios.none')}</p>;
  const groups = grouped(
    scenarios,
    sought,
    (s, group) => `${inLang(s.title, lang)} ${inLang(s.summary, lang)} ${t(`scenarios.group.${group}`)}`,
  );
  return (
    <>
      <div className="sl-gallery-head u-flex u-wrap u-gap-8 u-pad-8 u-border-bottom u-dim">
        <input
          type="search"
          className="sl-input"
          aria-label={t('scenarios.filter')}
          placeholder={t('scenarios.filter')}
          value={sought}
          data-testid="scenario-filter"
          onChange={(e) => setSought(e.currentTarget.value)}
        />
        <label title={t('scenarios.seedHelp')}>
          {t('scenarios.seed')}{' '}
          <input
            inputMode="numeric"
            value={value}
            aria-invalid={wanted === undefined}
            onChange={(e) => setTyped(e.currentTarget.value)}
            className="sl-input sl-short"
          />
        </label>
      </div>
      <div className="sl-scroll sl-gallery u-grow u-min-height-0 u-scroll">
        {groups.map(({ group, scenarios: members }) => {
          const open =
            sought.trim() !== '' || (toggled[group] ?? (group === 'first' || members.some((s) => s.name === loaded)));
          return (
            <section key={group}>
              <h3>
                <button
                  type="button"
                  className="sl-gallery-group u-line u-gap-6 u-width-full u-bare u-pointer u-fs-2 u-weight-600 u-text-left"
                  aria-expanded={open}
                  onClick={() => setToggled({ ...toggled, [group]: !open })}
                >
                  <span aria-hidden="true">{open ? '▾' : '▸'}</span> {t(`scenarios.group.${group}`)}
                  <span className="sl-small">{members.length}</span>
                </button>
              </h3>
              {open && (
                <ul className="sl-cards u-pad-8">
                  {members.map((s) => (
                    <ScenarioCard key={s.name} scenario={s} current={s.name === loaded} seed={wanted} />
                  ))}
                </ul>
              )}
            </section>
          );
        })}
        {groups.length === 0 && <p className="sl-empty">{t('scenarios.noMatch')}</p>}
        <p className="sl-small sl-pad">{t('scenarios.seedHelp')}</p>
      </div>
    </>
  );
}

function ScenarioCard({
  scenario: { name, title, summary },
  current,
  seed,
}: {
  readonly scenario: ScenarioEntry;
  readonly current: boolean;
  readonly seed: number | undefined;
}) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const outcome = useOutcomes((s) => s.byName.get(name));
  return (
    <li className="sl-card u-border-top" data-current={current || undefined} aria-current={current || undefined}>
      <h4>{inLang(title, lang) || name}</h4>
      <p>{inLang(summary, lang)}</p>
      <div className="sl-group">
        <button
          type="button"
          className="sl-button"
          data-testid={`load-${name}`}
          onClick={() => runCommand('scenario.load', { name, ...(seed === undefined ? {} : { seed }) })}
        >
          {t('scenarios.load')}
        </button>
        <code className="sl-small">{name}</code>
        {current && <span className="sl-small sl-strong">✓ {t('scenarios.loaded')}</span>}
        {outcome && (
          <span
            className={`sl-small sl-last-outcome u-flex-none u-nowrap u-fs-1 u-dim ${outcome.state === 'failed' ? 'sl-bad' : ''}`}
            title={outcome.failures.join('\n') || undefined}
            data-testid={`outcome-${name}`}
          >
            {outcome.state === 'failed' ? '▲ ' : '● '}
            {t(outcome.state === 'failed' ? 'scenarios.failedLast' : 'scenarios.passed')}
          </span>
        )}
      </div>
    </li>
  );
}
