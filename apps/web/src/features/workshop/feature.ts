/** The workshop: parts of the kubelet as exercises, judged by what the real one does. */
import { lazy } from 'react';
import { words } from '../../i18n/index.js';
import type { Feature } from '../../shell/registry.js';
import { workshopCommands } from './commands.js';
import { en } from './en.js';
import { workshopOpener } from './opener.js';

export const workshop: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [workshopCommands],
  dialogs: {
    workshop: lazy(async () => ({ default: await (await import('./load-page.js')).loadPage() })),
  },
  menus: [
    { menu: 'session', order: 119, id: 'view.workshop' },
    { menu: 'view', order: 231, id: 'view.workshop' },
  ],
  openers: [workshopOpener],
};

declare module '../../page/ui-store.js' {
  interface Dialogs {
    workshop: true;
  }
}
