/** The connection of the page: the simulation in this browser, or the agent of a live node. */
import { lazy } from 'react';
import { words } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { leftAgent } from '../../session/connect.js';
import { answerTabs } from '../../session/link.js';
import type { Feature } from '../../shell/registry.js';
import { canHandOn, connectionCommands } from './commands.js';
import { en } from './en.js';
import { JoinBar } from './join-bar.js';
import { askToJoin } from './join-store.js';
import { linkOpener, rememberedAgent } from './opener.js';
import { MovedByOther, PagesButton } from './pages.js';
import { SessionBanner } from './session-banner.js';

export const connection: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [connectionCommands],
  slots: [
    { at: 'top', order: 5, Component: JoinBar },
    { at: 'stage', order: 20, Component: SessionBanner },
    { at: 'header.session', order: 10, Component: PagesButton },
    { at: 'narrator.state', order: 15, Component: MovedByOther },
  ],
  dialogs: {
    liveNode: lazy(async () => ({ default: (await import('./live-node-dialog.js')).LiveNodeDialog })),
    pages: lazy(async () => ({ default: (await import('./pages-dialog.js')).PagesDialog })),
  },
  menus: [
    {
      menu: 'session',
      order: 130,
      id: 'session.simulate',
      // Shown with an agent, or a recording.
      when: () => {
        const { kind, info } = useSession.getState();
        return kind === 'agent' || info?.capabilities.scenarios === false;
      },
    },
    {
      menu: 'session',
      order: 131,
      id: 'session.own',
      when: () => {
        const { kind, info } = useSession.getState();
        return kind === 'agent' && info?.virtual === true;
      },
    },
    { menu: 'session', order: 132, id: 'session.rejoin', when: () => leftAgent() !== null },
    { menu: 'session', order: 135, id: 'session.link', when: canHandOn },
    { menu: 'session', order: 140, id: 'session.liveNode' },
  ],
  openers: [linkOpener, rememberedAgent],
  start: (page) => {
    answerTabs();
    const [navigation] = performance.getEntriesByType('navigation');
    const reloaded = navigation instanceof PerformanceNavigationTiming && navigation.type !== 'navigate';
    if (page === 'page') askToJoin(reloaded);
  },
};

declare module '../../page/ui-store.js' {
  interface Dialogs {
    liveNode: true;
    pages: true;
  }
}
