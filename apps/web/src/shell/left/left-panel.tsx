import { Suspense } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { CommandButton } from '../../ui/command-button.js';
import { Icon } from '../../ui/icons.js';
import { Loading } from '../../ui/loading.js';
import { PanelHead } from '../../ui/panel-head.js';
import { PHONE, useMedia } from '../../ui/use-media.js';
import { registered, tabsFor } from '../registry.js';
import { Slot } from '../slot.js';

/** The rail at the left edge: a button for each tab of the left panel, and the features' parts below them. */
export function Rail() {
  const t = useT();
  const left = useUI((s) => s.left);
  const can = useSession((s) => s.info?.capabilities);
  // A phone has no room for it: there its buttons are in the strip at the bottom.
  const phone = useMedia(PHONE);
  if (phone) return null;
  return (
    <nav className="sl-rail u-column u-gap-2 u-border-right u-panel" aria-label={t('region.left')}>
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

/** The panel that the rail opens. Only the rail lists the panels, or on a phone the strip below. */
export function LeftPanel() {
  const t = useT();
  const left = useUI((s) => s.left);
  const can = useSession((s) => s.info?.capabilities);
  const tab = tabsFor(registered('left'), can).find((x) => x.id === left);
  if (!tab) return null;
  const { Body } = tab;
  return (
    <aside
      id="sl-left"
      className="sl-panel sl-left u-column u-min-height-0 u-border-right u-panel"
      aria-label={t(tab.title)}
    >
      <PanelHead title={t(tab.title)} onClose={() => runCommand(tab.command)} />
      <div id="sl-left-body" className="sl-left-body u-column u-grow u-min-height-0">
        <Suspense fallback={<Loading />}>
          <Body key={tab.id} />
        </Suspense>
      </div>
    </aside>
  );
}
