/** The run as lists: all records, the log, the events. */
import { lazy } from 'react';
import { words } from '../../i18n/index.js';
import type { Feature } from '../../shell/registry.js';
import { logCommands } from './commands.js';
import { en } from './en.js';

export const logs: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [logCommands],
  palette: [
    {
      id: 'records',
      order: 90,
      title: 'palette.records',
      entries: () => [],
      later: async (typed, wanted) => (await import('./palette-records.js')).recordEntries(typed, wanted),
    },
  ],
  bottom: [
    {
      id: 'records',
      order: 20,
      title: 'panel.records',
      command: 'view.records',
      filter: true,
      Body: lazy(async () => ({ default: (await import('./records-list.js')).RecordsList })),
    },
    {
      id: 'log',
      order: 30,
      title: 'panel.log',
      command: 'view.log',
      filter: true,
      Body: lazy(async () => ({ default: (await import('./log-list.js')).LogList })),
    },
    {
      id: 'events',
      order: 50,
      title: 'panel.events',
      command: 'view.events',
      filter: true,
      Body: lazy(async () => ({ default: (await import('./events-list.js')).EventsList })),
    },
  ],
};

declare module '../../page/ui-store.js' {
  interface BottomPanels {
    records: true;
    log: true;
    events: true;
  }
}
