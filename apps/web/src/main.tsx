import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import '@xyflow/react/dist/base.css';
import './ui/styles/tokens.css';
import './ui/styles/base.css';
import './shell/styles/layout.css';
import './shell/styles/header.css';
import './features/narrator/narrator.css';
import './shell/styles/notices.css';
import './ui/styles/dialogs.css';
import './features/graph/styles/frame.css';
import './features/graph/styles/channels.css';
import './features/graph/styles/select.css';
import './features/graph/lanes/lanes.css';
import './features/graph/styles/lower.css';
import './shell/styles/panels.css';
import './features/branches/branches.css';
import { App } from './app.js';
import { startHotkeys } from './commands/hotkeys.js';
import { startOffline } from './features/offline/offline.js';
import { restoreView } from './features/reload/keep.js';
import { followSettings } from './features/settings/settings.js';
import { changeTexts, loadLang } from './i18n/index.js';
import { pseudo } from './i18n/pseudo.js';
import { embedded } from './page/embedded.js';
import { useUI } from './page/ui-store.js';
import { boot, classIn } from './shell/boot.js';
import { BOTTOM_TABS } from './shell/bottom/tabs.js';
import { ErrorBoundary } from './shell/error-boundary.js';
import { keepFocus } from './shell/focus-back.js';
import { LEFT_TABS } from './shell/left/tabs.js';
import { exposeForTests } from './shell/testing.js';

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

const EmbedApp = lazy(async () => ({ default: (await import('./features/embed/embed-app.js')).EmbedApp }));

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
