import { inLang } from '../../i18n/in-lang.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { CommandButton } from '../../ui/command-button.js';
import { Icon } from '../../ui/icons.js';
import { MenuButton } from '../../ui/menu-button.js';
import { Slot } from '../slot.js';
import { menuGroups } from './menus.js';

export function Header() {
  const t = useT();
  return (
    <header className="sl-header u-row u-min-width-0 u-border-bottom u-panel">
      <div className="sl-brand u-row u-gap-6 u-min-width-0">
        <h1 className="u-fs-3" title={t('app.tagline')}>
          syncloop
        </h1>
        <SessionName />
        <Slot at="header.session" />
      </div>
      <Slot at="header" />
      <div className="sl-group sl-tools u-flex-none u-push">
        <CommandButton id="files.choose" className="sl-quiet sl-wide-only" testId="open-file">
          <Icon name="open" />
          <span className="sl-open-word">{t('header.open')}</span>
        </CommandButton>
        <CommandButton id="view.palette" className="sl-icon-button sl-quiet">
          <Icon name="search" />
        </CommandButton>
        <MenuButton
          groups={menuGroups('share')}
          label={t('menu.share')}
          testId="menu-share"
          className="sl-icon-button sl-quiet"
          align="end"
        >
          <Icon name="share" />
        </MenuButton>
        <MenuButton
          groups={menuGroups('view')}
          label={t('menu.view')}
          testId="menu-view"
          className="sl-icon-button sl-quiet"
          align="end"
        >
          <Icon name="view" />
        </MenuButton>
        <CommandButton id="view.shortcuts" className="sl-icon-button sl-quiet sl-wide-only">
          ?
        </CommandButton>
      </div>
    </header>
  );
}

/** Shows the name of the run; its menu opens others. */
function SessionName() {
  const t = useT();
  const info = useSession((s) => s.info);
  const lang = useUI((s) => s.lang);
  const title = info ? inLang(info.titles ?? info.title, lang) : t('menu.session');
  const label = info ? `${t('menu.session')}: ${title} · ${info.runtime} · ${info.node}` : title;
  return (
    <>
      <MenuButton groups={menuGroups('session')} label={label} testId="menu-session" className="sl-quiet sl-session">
        <span className="u-ellipsis">{title}</span>
        <Icon name="down" />
      </MenuButton>
      {info && !info.capabilities.control && (
        <span className="u-nowrap u-pad-tag u-border u-round u-fs-1 u-dim" title={t('session.readOnlyHow')}>
          {t('session.readOnly')}
        </span>
      )}
    </>
  );
}
