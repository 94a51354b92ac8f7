import type { CSSProperties } from 'react';
import { ClassPlace } from './class/class-place.js';
import { useT } from './i18n/index.js';
import { BottomPanel } from './panels/bottom/bottom-panel.js';
import { Dialogs } from './panels/dialogs/dialogs.js';
import { Graph } from './panels/graph/graph.js';
import { Header } from './panels/header/header.js';
import { Inspector } from './panels/inspector/inspector.js';
import { LeftPanel, Rail } from './panels/left/left-panel.js';
import { Narrator, Notice, SessionBanner } from './panels/narrator/narrator.js';
import { ChoicePopover, StoppedBar } from './panels/transport/transport.js';
import { useLayout } from './store/layout-store.js';
import { useUI } from './store/ui-store.js';
import { Separator } from './widgets/separator.js';

/** Sizes for the style sheet. */
const px = (n: number) => `${n}px`;

export function App() {
  const t = useT();
  const { left, inspector, bottom } = useLayout();
  const inspecting = useUI((s) => s.inspectorOpen);
  const sizes = {
    '--sl-left-width': px(left),
    '--sl-inspector-width': px(inspector),
    '--sl-bottom-height': px(bottom),
  } as CSSProperties;
  return (
    <div className="sl-app" style={sizes}>
      <a className="sl-skip" href="#transport">
        {t('app.skip')}
      </a>
      <Header />
      <Rail />
      <LeftPanel />
      <main className="sl-main">
        <Graph />
        <SessionBanner />
        <ChoicePopover />
        <StoppedBar />
        <Notice />
      </main>
      <Inspector />
      {inspecting && <Separator side="inspector" controls="sl-inspector" />}
      <div className="sl-below">
        <ClassPlace />
        <Narrator />
        <BottomPanel />
      </div>
      <Dialogs />
    </div>
  );
}
