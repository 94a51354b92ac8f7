/** The changes of the kubelet from version to version, as a page of their own. */
import { lazy } from 'react';
import { isAvailable, runCommand } from '../../commands/index.js';
import { inLang } from '../../i18n/in-lang.js';
import { words } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import type { Feature } from '../../shell/registry.js';
import { loadChanges, useChanges } from './changes-store.js';
import { changesCommands } from './commands.js';
import { en } from './en.js';
import { changesOpener } from './opener.js';

export const changes: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [changesCommands],
  dialogs: { changes: lazy(async () => ({ default: (await import('./changes-page.js')).ChangesPage })) },
  menus: [
    { menu: 'session', order: 118, id: 'view.changes' },
    { menu: 'view', order: 230, id: 'view.changes' },
  ],
  palette: [
    {
      id: 'changes',
      order: 60,
      title: 'palette.changes',
      load: loadChanges,
      entries: (typed) => {
        if (!isAvailable('change.show')) return [];
        if (typed.trim() === '') return [];
        return (useChanges.getState().list ?? []).map(({ id, title, names, since }) => ({
          key: id,
          title: `${since}: ${inLang({ ...title }, useUI.getState().lang)}`,
          also: `${names.join(' ')} ${title.en} ${title.zh}`,
          run: () => runCommand('change.show', { change: id }),
        }));
      },
    },
  ],
  openers: [changesOpener],
};

declare module '../../page/ui-store.js' {
  interface Dialogs {
    changes: true;
  }
}
