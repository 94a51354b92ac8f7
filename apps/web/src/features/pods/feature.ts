/** The pods of the node, and actions to try on one of them. */
import { lazy } from 'react';
import { words } from '../../i18n/index.js';
import type { Feature } from '../../shell/registry.js';
import { podCommands } from './commands.js';
import { en } from './en.js';
import { podEntries } from './palette-pods.js';
import { TryLine, useTrying } from './try-line.js';

export const pods: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [podCommands],
  left: [
    {
      id: 'pods',
      order: 40,
      icon: 'pods',
      title: 'panel.pods',
      command: 'view.pods',
      Body: lazy(async () => ({ default: (await import('./pods-panel.js')).PodsPanel })),
    },
  ],
  slots: [{ at: 'narrator.suggestion', order: 10, Component: TryLine, useWanted: useTrying }],
  palette: [podEntries],
};

declare module '../../page/ui-store.js' {
  interface LeftPanels {
    pods: true;
  }
}
