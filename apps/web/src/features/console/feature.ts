/** A console for kubectl, crictl and the debugger, and the pods as a table. */
import { lazy } from 'react';
import { words } from '../../i18n/index.js';
import type { Feature } from '../../shell/registry.js';
import { consoleCommands } from './commands.js';
import { en } from './en.js';

export const console: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [consoleCommands],
  bottom: [
    {
      id: 'podTable',
      order: 60,
      title: 'panel.podTable',
      command: 'view.podTable',
      // The panel of the pods has its button.
      opener: 'elsewhere',
      filter: true,
      Body: lazy(async () => ({ default: (await import('./pod-table.js')).PodTable })),
    },
    {
      id: 'console',
      order: 70,
      title: 'panel.console',
      command: 'view.console',
      Body: lazy(async () => ({ default: (await import('./console-panel.js')).ConsolePanel })),
    },
  ],
};

declare module '../../page/ui-store.js' {
  interface BottomPanels {
    podTable: true;
    console: true;
  }
}
