import { Suspense } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { CommandButton } from '../../ui/command-button.js';
import { Icon } from '../../ui/icons.js';
import { Loading } from '../../ui/loading.js';
import { PHONE, useMedia } from '../../ui/use-media.js';
import { registered, tabsFor } from '../registry.js';
import { Slot } from '../slot.js';

/** The rail at the left edge: a button for each tab of the left panel, and what features put below them. */
export function Rail() {
  const t = useT();
  const left = useUI((s) => s.left);
  const can = useSession((s) => s.info?.capabilities);
  // A phone has no room for it: there its buttons stand in the strip at the bottom.
  const phone = useMedia(PHONE);
  if (phone) return null;
  return (
    <nav className="sl-rail" aria-label={t('region.left')}>
      {tabsFor(registered('left'), can).map((tab) => (
        <CommandButton
          key={tab.id}
          id={tab.command}
          expanded={left === tab.id}
          className="sl-quiet sl-rail-button"
          testId={`open-${tab.id}`}
        >
          <Icon name={tab.icon} />
          <span>{t(tab.title)}</span>
        </CommandButton>
      ))}
      <Slot at="rail" props={{ tab: false }} />
    </nav>
  );
}

export function LeftPanel() {
  const t = useT();
  const left = useUI((s) => s.left);
  const can = useSession((s) => s.info?.capabilities);
  const tabs = tabsFor(registered('left'), can);
  const tab = tabs.find((x) => x.id === left);
  if (!tab) return null;
  const { Body } = tab;
  const closing = t('panel.close', { name: t(tab.title) });
  return (
    <aside id="sl-left" className="sl-panel sl-left" aria-label={t('region.left')}>
      <div className="sl-panel-head sl-left-head">
        <div className="sl-tabs" role="tablist" aria-label={t('region.left')}>
          {tabs.map((x, i) => (
            <button
              key={x.id}
              type="button"
              role="tab"
              id={`sl-left-${x.id}`}
              className="sl-tab"
              aria-selected={x === tab}
              aria-controls="sl-left-body"
              tabIndex={x === tab ? 0 : -1}
              onClick={() => useUI.setState({ left: x.id })}
              onKeyDown={(e) => {
                const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
                const to =
                  e.key === 'Home' ? 0 : e.key === 'End' ? tabs.length - 1 : by && (i + by + tabs.length) % tabs.length;
                const next = to === undefined ? undefined : tabs[to];
                if (!next) return;
                e.preventDefault();
                useUI.setState({ left: next.id });
                document.getElementById(`sl-left-${next.id}`)?.focus();
              }}
            >
              {t(x.title)}
            </button>
          ))}
        </div>
        <button
          type="button"
          className="sl-button sl-quiet sl-icon-button"
          aria-label={closing}
          title={closing}
          onClick={() => runCommand(tab.command)}
        >
          <Icon name="close" />
        </button>
      </div>
      <div id="sl-left-body" className="sl-left-body" role="tabpanel" aria-labelledby={`sl-left-${tab.id}`}>
        <h2 className="sl-visually-hidden">{t(tab.title)}</h2>
        <Suspense fallback={<Loading />}>
          <Body key={tab.id} />
        </Suspense>
      </div>
    </aside>
  );
}
