/** A presenter shows a run to a class, and the pages of the class follow it. */

import { lazy } from 'react';
import { words } from '../../i18n/index.js';
import type { Feature } from '../../shell/registry.js';
import { ClassPlace } from './class-place.js';
import { canPresent, classCommands, presentAgain } from './commands.js';
import { en } from './en.js';
import { classOpener } from './opener.js';

export const classroom: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [classCommands],
  slots: [
    { at: 'below', order: 10, Component: ClassPlace },
    {
      at: 'workshop.head',
      order: 10,
      Component: lazy(async () => ({ default: (await import('./stage-note.js')).StageNote })),
    },
  ],
  menus: [{ menu: 'share', order: 410, id: 'class.present', when: canPresent }],
  openers: [classOpener],
  start: (page) => {
    if (page === 'page') presentAgain();
  },
};

declare module '../../page/ui-store.js' {
  interface Dialogs {
    'class-poll': true;
    'class-link': true;
    'class-audience': true;
    'class-join': true;
    'class-hand': true;
    'class-hands': true;
    'class-answers': true;
    'class-stage': true;
  }
}
