/** The source that runs: the inspector's tab with the code of the open calls. */
import { lazy } from 'react';
import { words } from '../../i18n/index.js';
import type { Feature } from '../../shell/registry.js';
import { sourceCommands } from './commands.js';
import { en } from './en.js';

export const source: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [sourceCommands],
  inspector: [
    {
      id: 'source',
      order: 50,
      title: 'inspector.source',
      withoutSelection: true,
      Body: lazy(async () => ({ default: (await import('./source.js')).Source })),
    },
  ],
};

declare module '../../page/ui-store.js' {
  interface InspectorTabs {
    source: true;
  }
}
