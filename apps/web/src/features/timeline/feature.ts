/** The timeline: all records in time, on lanes that can be zoomed and searched. */
import { lazy } from 'react';
import { words } from '../../i18n/index.js';
import type { Feature } from '../../shell/registry.js';
import { timelineCommands } from './commands.js';
import { en } from './en.js';

export const timeline: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [timelineCommands],
  bottom: [
    {
      id: 'timeline',
      order: 10,
      title: 'panel.timeline',
      command: 'view.timeline',
      filter: true,
      Body: lazy(async () => ({ default: (await import('./timeline.js')).Timeline })),
    },
  ],
};

declare module '../../page/ui-store.js' {
  interface BottomPanels {
    timeline: true;
  }
}
