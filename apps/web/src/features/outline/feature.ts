/** The node as text: all that the graph shows, as lines that can be read and searched. */
import { lazy } from 'react';
import { words } from '../../i18n/index.js';
import type { Feature } from '../../shell/registry.js';
import { outlineCommands } from './commands.js';
import { en } from './en.js';

export const outline: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [outlineCommands],
  bottom: [
    {
      id: 'outline',
      order: 40,
      title: 'panel.outline',
      command: 'view.outline',
      filter: true,
      Body: lazy(async () => ({ default: (await import('./outline.js')).Outline })),
    },
  ],
};

declare module '../../page/ui-store.js' {
  interface BottomPanels {
    outline: true;
  }
}
