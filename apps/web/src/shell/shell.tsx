import type { CSSProperties } from 'react';
import { useT } from '../i18n/index.js';
import { useLayout } from '../page/layout-store.js';
import { useUI } from '../page/ui-store.js';
import { useProgress } from '../run/progress-store.js';
import { useSession } from '../run/session-store.js';
import { ErrorBoundary } from '../ui/error-boundary.js';
import { Separator } from '../ui/separator.js';
import { BottomPanel } from './bottom/bottom-panel.js';
import { Dialogs } from './dialogs/dialogs.js';
import { DropZone } from './files/drop-zone.js';
import { Header } from './header/header.js';
import { LeftPanel, Rail } from './left/left-panel.js';
import { Notice } from './notice.js';
import { registered, tabsFor } from './registry.js';
import { Slot } from './slot.js';

/** Sizes for the style sheet. */
const px = (n: number) => `${n}px`;

/** Moves the focus without a link: the address's fragment is for moments. */
function goTo(id: string): void {
  const place = document.getElementById(id);
  (place?.querySelector<HTMLElement>('button:not(:disabled)') ?? place)?.focus();
}

/** Links by which keyboard users skip to a part of the page. */
function SkipLinks() {
  const t = useT();
  return (
    <nav className="sl-skips" aria-label={t('app.skips')}>
      <button type="button" className="sl-skip" onClick={() => goTo('transport')}>
        {t('app.skip')}
      </button>
      <button type="button" className="sl-skip" onClick={() => goTo('sl-main')}>
        {t('app.skipGraph')}
      </button>
      <button type="button" className="sl-skip" onClick={() => goTo('sl-bottom')}>
        {t('app.skipBottom')}
      </button>
    </nav>
  );
}

/** The page: its regions, with what features have registered for them. */
export function Shell() {
  const size = useLayout();
  const inspecting = useUI((s) => s.inspectorOpen);
  const left = useUI((s) => s.left ?? '');
  const leftOpen = useSession((s) => tabsFor(registered('left'), s.info?.capabilities).some((x) => x.id === left));
  const bottom = useUI((s) => s.bottom ?? '');
  const busy = useProgress((s) => s.work.length > 0);
  const sizes = {
    '--sl-left-width': px(size.left),
    '--sl-inspector-width': px(size.inspector),
    '--sl-bottom-height': px(size.bottom),
  } as CSSProperties;
  return (
    <div className="sl-app u-grid u-relative u-hidden-overflow" style={sizes}>
      <SkipLinks />
      <Header />
      <div className="sl-top u-min-width-0">
        <Slot at="top" />
      </div>
      <Rail />
      <ErrorBoundary where="region.left" area="left" of={left}>
        <LeftPanel />
      </ErrorBoundary>
      <main id="sl-main" className="sl-main u-min-width-0 u-min-height-0 u-relative" tabIndex={-1} aria-busy={busy}>
        {leftOpen && <Separator side="left" controls="sl-left" />}
        <Slot at="stage" />
        <Notice />
        {inspecting && <Separator side="inspector" controls="sl-inspector" />}
      </main>
      <Slot at="aside" />
      <div className="sl-below u-column u-min-width-0 u-relative u-panel">
        <Slot at="below" />
        <ErrorBoundary where="region.bottom" of={bottom}>
          <BottomPanel />
        </ErrorBoundary>
      </div>
      <Dialogs />
      <DropZone />
    </div>
  );
}
