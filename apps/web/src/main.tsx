import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import '@xyflow/react/dist/base.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/layout.css';
import './styles/header.css';
import './styles/narrator.css';
import './styles/notices.css';
import './styles/dialogs.css';
import './styles/graph/frame.css';
import './styles/graph/channels.css';
import './styles/graph/select.css';
import './styles/graph/lanes.css';
import './styles/graph/lower.css';
import './styles/panels.css';
import './styles/branches.css';
import { App } from './app.js';
import { boot, classIn } from './app-logic/boot.js';
import { embedded } from './app-logic/embedded.js';
import { keepFocus } from './app-logic/focus-back.js';
import { startHotkeys } from './app-logic/hotkeys.js';
import { restoreView } from './app-logic/keep.js';
import { followSettings } from './app-logic/settings.js';
import { exposeForTests } from './app-logic/testing.js';
import { changeTexts, loadLang } from './i18n/index.js';
import { pseudo } from './i18n/pseudo.js';
import { startOffline } from './offline/offline.js';
import { BOTTOM_TABS } from './panels/bottom/tabs.js';
import { LEFT_TABS } from './panels/left/tabs.js';
import { useUI } from './store/ui-store.js';
import { ErrorBoundary } from './widgets/error-boundary.js';

// On its way while all else is made ready.
const texts = loadLang(useUI.getState().lang);
// Connections and listeners live outside components: StrictMode mounts those twice.
followSettings();
// A language for tests, which shows what is not in the catalogue, and what has too little room.
if (new URLSearchParams(location.search).get('lang') === 'pseudo') changeTexts(pseudo);
// A page that follows a class looks as its teacher's does.
if (classIn(location.href) === null)
  restoreView({ left: LEFT_TABS.map((tab) => tab.id), bottom: BOTTOM_TABS.map((tab) => tab.id) });
// A frame in an article has few keys, and only those that it needs.
if (!embedded) startHotkeys();
keepFocus();
exposeForTests();
boot();
startOffline();

const EmbedApp = lazy(async () => ({ default: (await import('./panels/embed/embed-app.js')).EmbedApp }));

function show(): void {
  const root = document.getElementById('root');
  if (!root) return;
  createRoot(root).render(
    <StrictMode>
      <ErrorBoundary where="crash.whole" whole>
        {embedded ? (
          <Suspense fallback={null}>
            <EmbedApp />
          </Suspense>
        ) : (
          <App />
        )}
      </ErrorBoundary>
    </StrictMode>,
  );
}
// Without them it speaks English.
void texts.then(show, show);
