/** The whole of an observed file along the top of the page. */
import { createElement, lazy, Suspense } from 'react';
import { words } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import type { Feature } from '../../shell/registry.js';
import { stripCommands } from './commands.js';
import { en } from './en.js';
import { isObserved } from './strip-store.js';

const Strip = lazy(async () => ({ default: (await import('./strip.js')).Strip }));

export const strip: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [stripCommands],
  slots: [
    {
      at: 'top',
      order: 15,
      Component: () =>
        useSession((s) => s.info?.capabilities.observed === true)
          ? createElement(Suspense, { fallback: null }, createElement(Strip))
          : null,
    },
  ],
  start: (page) => {
    if (page !== 'page') return;
    // Few pages show an observed run: what follows it is loaded with the first one.
    const stop = useSession.subscribe(() => {
      if (!isObserved()) return;
      stop();
      void import('./strip-follow.js').then(({ followStrip }) => followStrip());
    });
  },
};
