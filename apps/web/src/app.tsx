import { useT } from './i18n/index.js';
import { BottomPanel } from './panels/bottom/bottom-panel.js';
import { Dialogs } from './panels/dialogs/dialogs.js';
import { Graph } from './panels/graph/graph.js';
import { Header } from './panels/header/header.js';
import { Inspector } from './panels/inspector/inspector.js';
import { LeftPanel } from './panels/left/left-panel.js';
import { Narrator, Notice, SessionBanner } from './panels/narrator/narrator.js';
import { ChoicePopover, StoppedBar } from './panels/transport/transport.js';

export function App() {
  const t = useT();
  return (
    <div className="sl-app">
      <a className="sl-skip" href="#transport">
        {t('app.skip')}
      </a>
      <Header />
      <LeftPanel />
      <main className="sl-main">
        <Graph />
        <SessionBanner />
        <ChoicePopover />
        <StoppedBar />
        <Notice />
      </main>
      <Inspector />
      <div className="sl-below">
        <Narrator />
        <BottomPanel />
      </div>
      <Dialogs />
    </div>
  );
}
