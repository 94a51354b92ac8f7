import { StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import '@xyflow/react/dist/base.css';
import './ui/styles/tokens.css';
import './ui/styles/base.css';
import './ui/styles/utilities.css';
import './shell/styles/layout.css';
import './shell/styles/header.css';
import './shell/styles/notices.css';
import './ui/styles/dialogs.css';
import './shell/styles/panels.css';
import { features } from './features/index.js';
import { changeTexts, loadLang } from './i18n/index.js';
import { pseudo } from './i18n/pseudo.js';
import { embedded } from './page/embedded.js';
import { useUI } from './page/ui-store.js';
import { boot } from './shell/boot.js';
import { shell } from './shell/feature.js';
import { frameOf, register } from './shell/registry.js';
import { Shell } from './shell/shell.js';
import { exposeForTests } from './shell/testing.js';
import { ErrorBoundary } from './ui/error-boundary.js';

register(shell, ...features);
// The texts load while all else is made ready.
const texts = loadLang(useUI.getState().lang);
// A language for tests, which shows texts outside of the catalogue, and texts with too little room.
if (new URLSearchParams(location.search).get('lang') === 'pseudo') changeTexts(pseudo);
exposeForTests();
// Connections and listeners live outside components: StrictMode mounts those twice.
boot();

function show(): void {
  const root = document.getElementById('root');
  if (!root) return;
  const Frame = embedded ? frameOf() : undefined;
  createRoot(root).render(
    <StrictMode>
      <ErrorBoundary where="crash.whole" whole>
        {Frame ? (
          <Suspense fallback={null}>
            <Frame />
          </Suspense>
        ) : (
          <Shell />
        )}
      </ErrorBoundary>
    </StrictMode>,
  );
}
// Without them it speaks English.
void texts.then(show, show);
