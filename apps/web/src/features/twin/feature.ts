/** An observed run, re-enacted by our kubelet, and the comparison of both. */
import type { Incident } from '@syncloop/core/debug/incidents';
import { createElement, lazy, Suspense } from 'react';
import { words } from '../../i18n/index.js';
import type { Selection } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import type { Feature } from '../../shell/registry.js';
import { twinCommands } from './commands.js';
import { en } from './en.js';
import { canReenact, followTwin, stopTwinWork } from './twin.js';

const Bar = lazy(async () => ({ default: (await import('./twin-bar.js')).TwinBar }));
const Values = lazy(async () => ({ default: (await import('./twin-values.js')).TwinValues }));
const Prevention = lazy(async () => ({ default: (await import('./prevention.js')).Prevention }));
const useMade = () => useSession((s) => (s.run.twin?.made ?? 0) > 0);

export const twin: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [twinCommands],
  bottom: [
    {
      id: 'twin',
      order: 75,
      title: 'panel.twin',
      command: 'view.twin',
      when: (can) => can.twin === true,
      Body: lazy(async () => ({ default: (await import('./twin-panel.js')).TwinPanel })),
    },
  ],
  slots: [
    {
      at: 'top',
      order: 11,
      Component: () => {
        const wanted = useSession((s) => (s.run.twin?.made ?? 0) > 0 || s.run.twin?.doing !== undefined);
        return wanted ? createElement(Suspense, { fallback: null }, createElement(Bar)) : null;
      },
    },
    {
      at: 'incident',
      order: 1,
      Component: ({ incident }: { readonly incident: Incident }) => {
        const can = useSession((s) => s.info?.capabilities.twin === true);
        return can ? createElement(Suspense, { fallback: null }, createElement(Prevention, { incident })) : null;
      },
    },
    {
      at: 'inspector.details',
      order: 4,
      Component: ({ selection }: { readonly selection: Selection }) =>
        useMade() ? createElement(Suspense, { fallback: null }, createElement(Values, { selection })) : null,
    },
  ],
  escapes: [{ order: 21, close: stopTwinWork }],
  menus: [
    { menu: 'session', order: 307, id: 'twin.make', when: canReenact },
    { menu: 'session', order: 308, id: 'view.twin', when: canReenact },
  ],
  start: (page) => {
    if (page === 'page') followTwin();
  },
};

declare module '../../page/ui-store.js' {
  interface BottomPanels {
    twin: true;
  }
}
