/** The graph as a picture or a screencast. */
import { lazy } from 'react';
import { words } from '../../i18n/index.js';
import type { Feature } from '../../shell/registry.js';
import { pictureCommands } from './commands.js';
import { en } from './en.js';

export const pictures: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [pictureCommands],
  dialogs: { picture: lazy(async () => ({ default: (await import('./picture-dialog.js')).PictureDialog })) },
  menus: [{ menu: 'share', order: 310, id: 'picture.open' }],
};

declare module '../../page/ui-store.js' {
  interface Dialogs {
    picture: true;
  }
}
