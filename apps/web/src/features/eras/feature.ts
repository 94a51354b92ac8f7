/** What changed in the kubelet from version to version, as a page of its own. */
import { lazy } from 'react';
import { isAvailable, runCommand } from '../../commands/index.js';
import { inLang } from '../../i18n/in-lang.js';
import { words } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import type { Feature } from '../../shell/registry.js';
import { erasCommands } from './commands.js';
import { en } from './en.js';
import { loadChanges, useEras } from './eras-store.js';
import { erasOpener } from './opener.js';

export const eras: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [erasCommands],
  dialogs: { eras: lazy(async () => ({ default: (await import('./eras-page.js')).ErasPage })) },
  menus: [
    { menu: 'session', order: 118, id: 'view.eras' },
    { menu: 'view', order: 230, id: 'view.eras' },
  ],
  palette: [
    {
      id: 'eras',
      order: 60,
      title: 'palette.eras',
      entries: (typed) => {
        if (typed.trim() === '' || !isAvailable('eras.show')) return [];
        // The first letter asks for them; they are there with the next.
        loadChanges().catch(() => {});
        return (useEras.getState().list ?? []).map(({ id, title, names, since }) => ({
          key: id,
          title: `${since}: ${inLang({ ...title }, useUI.getState().lang)}`,
          also: `${names.join(' ')} ${title.en} ${title.zh}`,
          run: () => runCommand('eras.show', { change: id }),
        }));
      },
    },
  ],
  openers: [erasOpener],
};

declare module '../../page/ui-store.js' {
  interface Dialogs {
    eras: true;
  }
}
