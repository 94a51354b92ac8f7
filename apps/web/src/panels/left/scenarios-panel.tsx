import { useState } from 'react';
import { runCommand } from '../../app-logic/commands/index.js';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../store/session-store.js';
import { useUI } from '../../store/ui-store.js';

/** A scenario's text in the page's language, in whatever way its languages are named. */
export function inLang(texts: Readonly<Record<string, string>> | string, lang: string): string {
  if (typeof texts === 'string') return texts;
  return texts[lang] ?? texts[lang.split('-')[0] ?? ''] ?? texts.en ?? Object.values(texts)[0] ?? '';
}

export function ScenariosPanel() {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const scenarios = useSession((s) => s.scenarios);
  const loaded = useSession((s) => s.info?.scenario);
  const seed = useSession((s) => s.info?.seed ?? 1);
  const [typed, setTyped] = useState<string | null>(null);
  const value = typed ?? String(seed);
  const wanted = /^\d{1,9}$/.test(value) ? Number(value) : undefined;
  if (scenarios.length === 0) return <p className="sl-empty">{t('scenarios.none')}</p>;
  return (
    <div className="sl-scroll">
      <label className="sl-field" title={t('scenarios.seedHelp')}>
        {t('scenarios.seed')}
        <input
          inputMode="numeric"
          value={value}
          aria-invalid={wanted === undefined}
          onChange={(e) => setTyped(e.currentTarget.value)}
          className="sl-input sl-short"
        />
      </label>
      <p className="sl-small sl-pad">{t('scenarios.seedHelp')}</p>
      <ul className="sl-cards">
        {scenarios.map((s) => (
          <li key={s.name} className="sl-card" data-current={s.name === loaded || undefined}>
            <h3>{inLang(s.title, lang) || s.name}</h3>
            <p>{inLang(s.summary, lang)}</p>
            <div className="sl-group">
              <button
                type="button"
                className="sl-button"
                data-testid={`load-${s.name}`}
                onClick={() =>
                  runCommand('scenario.load', { name: s.name, ...(wanted === undefined ? {} : { seed: wanted }) })
                }
              >
                {t('scenarios.load')}
              </button>
              <code className="sl-small">{s.name}</code>
              {s.name === loaded && <span className="sl-small sl-strong">✓ {t('scenarios.loaded')}</span>}
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}
