import type { CSSProperties } from 'react';
import { ClassPlace } from './features/classroom/class-place.js';
import { SessionBanner } from './features/connection/session-banner.js';
import { Graph } from './features/graph/graph.js';
import { Inspector } from './features/inspector/inspector.js';
import { HeldBar } from './features/long-work/held-bar.js';
import { Narrator, Notice } from './features/narrator/narrator.js';
import { DropZone } from './features/recordings/drop-zone.js';
import { ChoicePopover, StoppedBar } from './features/transport/transport.js';
import { useT } from './i18n/index.js';
import { useLayout } from './page/layout-store.js';
import { useUI } from './page/ui-store.js';
import { useProgress } from './run/progress-store.js';
import { useSession } from './run/session-store.js';
import { BottomPanel } from './shell/bottom/bottom-panel.js';
import { Dialogs } from './shell/dialogs/dialogs.js';
import { ErrorBoundary } from './shell/error-boundary.js';
import { Header } from './shell/header/header.js';
import { LeftPanel, Rail } from './shell/left/left-panel.js';
import { tabsFor } from './shell/left/tabs.js';
import { Separator } from './ui/separator.js';

/** Sizes for the style sheet. */
const px = (n: number) => `${n}px`;

/** Not by a link: the address's fragment is for moments. */
function goTo(id: string): void {
  const place = document.getElementById(id);
  (place?.querySelector<HTMLElement>('button:not(:disabled)') ?? place)?.focus();
}

/** Where the keyboard may want to go without all that is before it. */
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

export function App() {
  const size = useLayout();
  const inspecting = useUI((s) => s.inspectorOpen);
  const left = useUI((s) => s.left ?? '');
  const leftOpen = useSession((s) => tabsFor(s.info?.capabilities).some((x) => x.id === left));
  const bottom = useUI((s) => s.bottom ?? '');
  const inspected = useUI((s) => `${s.inspectorTab} ${JSON.stringify(s.selection)}`);
  const busy = useProgress((s) => s.work.length > 0);
  const sizes = {
    '--sl-left-width': px(size.left),
    '--sl-inspector-width': px(size.inspector),
    '--sl-bottom-height': px(size.bottom),
  } as CSSProperties;
  return (
    <div className="sl-app" style={sizes}>
      <SkipLinks />
      <Header />
      <Rail />
      <ErrorBoundary where="region.left" area="left" of={left}>
        <LeftPanel />
      </ErrorBoundary>
      <main id="sl-main" className="sl-main" tabIndex={-1} aria-busy={busy}>
        {leftOpen && <Separator side="left" controls="sl-left" />}
        <ErrorBoundary where="region.graph">
          <Graph />
        </ErrorBoundary>
        <SessionBanner />
        <ChoicePopover />
        <StoppedBar />
        <HeldBar />
        <Notice />
        {inspecting && <Separator side="inspector" controls="sl-inspector" />}
      </main>
      <ErrorBoundary where="region.inspector" area="inspector" of={inspected}>
        <Inspector />
      </ErrorBoundary>
      <div className="sl-below">
        <ClassPlace />
        <Narrator />
        <ErrorBoundary where="region.bottom" of={bottom}>
          <BottomPanel />
        </ErrorBoundary>
      </div>
      <Dialogs />
      <DropZone />
    </div>
  );
}
