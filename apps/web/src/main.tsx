import { StrictMode } from 'react';
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
import { boot } from './app-logic/boot.js';
import { startHotkeys } from './app-logic/hotkeys.js';
import { followSettings } from './app-logic/settings.js';
import { exposeForTests } from './app-logic/testing.js';

// Connections and listeners live outside components: StrictMode mounts those twice.
followSettings();
startHotkeys();
exposeForTests();
boot();

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
