import { useT } from '../../i18n/index.js';
import { useSession } from '../../store/session-store.js';
import { useUI } from '../../store/ui-store.js';
import { CommandButton } from '../../widgets/command-button.js';
import { Icon } from '../../widgets/icons.js';
import { inLang } from '../left/scenarios-panel.js';
import { Transport } from '../transport/transport.js';

const THEME_SIGN = { system: '◐', light: '○', dark: '●' } as const;

export function Header() {
  const t = useT();
  const info = useSession((s) => s.info);
  const left = useUI((s) => s.left);
  const lang = useUI((s) => s.lang);
  const scenario = useSession((s) => s.scenarios.find((x) => x.name === s.info?.scenario));
  const title = scenario ? inLang(scenario.title, lang) : info?.title;
  const theme = useUI((s) => s.theme);
  return (
    <header className="sl-header">
      <div className="sl-brand">
        <h1 title={t('app.tagline')}>syncloop</h1>
        <span className="sl-session" title={info ? `${title} · ${info.runtime} · ${info.node}` : undefined}>
          {title}
        </span>
        {info && !info.capabilities.control && (
          <span className="sl-read-only" title={t('session.readOnlyHow')}>
            {t('session.readOnly')}
          </span>
        )}
      </div>
      <nav className="sl-group sl-nav">
        {(!info || info.capabilities.scenarios) && (
          <CommandButton id="view.scenarios" expanded={left === 'scenarios'} testId="open-scenarios" />
        )}
        {(!info || info.capabilities.apply) && (
          <CommandButton id="view.manifests" expanded={left === 'manifests'} testId="open-manifests" />
        )}
        <CommandButton id="view.pods" expanded={left === 'pods'} />
        {info?.capabilities.intervene && info.capabilities.rewind && (
          <CommandButton
            id="faults.open"
            className="sl-nav-faults"
            label={`${t('faults.open')}: ${t('command.faults')}`}
            testId="open-faults"
          >
            {t('faults.open')}
          </CommandButton>
        )}
      </nav>
      <Transport />
      <div className="sl-group sl-tools">
        <CommandButton id="view.fit" className="sl-icon-button sl-wide-only">
          <Icon name="fit" />
        </CommandButton>
        {info?.capabilities.scenarios && info.capabilities.rewind && (
          <CommandButton id="link.copy" className="sl-icon-button sl-wide-only" testId="copy-link">
            <Icon name="link" />
          </CommandButton>
        )}
        <CommandButton id="view.palette" className="sl-icon-button">
          <Icon name="search" />
        </CommandButton>
        <CommandButton id="settings.lang" className="sl-icon-button" testId="lang">
          {lang === 'en' ? '中' : 'EN'}
        </CommandButton>
        <CommandButton
          id="settings.theme"
          className="sl-icon-button"
          label={t(`command.theme.${theme}`)}
          testId="theme"
        >
          <span aria-hidden="true">{THEME_SIGN[theme]}</span>
        </CommandButton>
        <CommandButton id="view.shortcuts" className="sl-icon-button sl-wide-only">
          ?
        </CommandButton>
      </div>
    </header>
  );
}
