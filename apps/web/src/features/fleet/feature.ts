/** Many nodes on one clock: a lane for each, with its incidents, and what several of them share. */
import { lazy } from 'react';
import { words } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import type { Feature } from '../../shell/registry.js';
import { useObserved } from '../observed/observed-store.js';
import { fleetCommands } from './commands.js';
import { en } from './en.js';
import { NO_FLEET, useFleet } from './fleet-store.js';

export const fleet: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [fleetCommands],
  dialogs: {
    fleet: lazy(async () => ({ default: await (await import('./load-page.js')).loadPage() })),
  },
  menus: [{ menu: 'session', order: 307, id: 'view.fleet', when: () => useFleet.getState().story !== null }],
  start: (page) => {
    if (page !== 'page') return;
    useObserved.subscribe(followFiles);
    useSession.subscribe(({ info }, before) => {
      if (info?.capabilities.fleet && info.id !== before.info?.id)
        void import('./open-node.js').then(({ takeServed }) => takeServed()).catch(() => {});
    });
  },
};

/** Files of several nodes are read as a fleet; others end it. */
function followFiles({ files, nodes }: ReturnType<typeof useObserved.getState>, before: { readonly files: unknown }) {
  if (files === before.files || files.length === 0) return;
  const { files: known } = useFleet.getState();
  const isKnown = known.length === files.length && known.every((blob, i) => blob === files[i]?.blob);
  if (isKnown) return;
  if (nodes.length < 2) {
    if (known.length === 0) return;
    void import('./read-fleet.js').then(({ stopReading }) => {
      stopReading();
      useFleet.setState(NO_FLEET);
    });
    return;
  }
  void import('./read-fleet.js').then(({ readFleet }) => {
    readFleet(files);
    useUI.setState({ dialog: 'fleet' });
  });
}

declare module '../../page/ui-store.js' {
  interface Dialogs {
    fleet: true;
  }
}
