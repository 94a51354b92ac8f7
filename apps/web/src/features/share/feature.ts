/** Links to a moment of a simulation, and the same as a file; the story so far as text. */
import { lazy } from 'react';
import { words } from '../../i18n/index.js';
import { simulationReady } from '../../session/connect.js';
import type { Feature } from '../../shell/registry.js';
import { setReopeners } from '../long-work/stop-work.js';
import { shareCommands } from './commands.js';
import { en } from './en.js';
import { canLink } from './link.js';
import { momentOpener } from './opener.js';

export const share: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [shareCommands],
  dialogs: {
    link: lazy(async () => ({ default: (await import('./link-dialog.js')).LinkDialog })),
    story: lazy(async () => ({ default: (await import('./story-dialog.js')).StoryDialog })),
  },
  menus: [
    { menu: 'share', order: 110, id: 'link.copy', when: canLink },
    { menu: 'share', order: 130, id: 'share.saveMoment', when: canLink },
    { menu: 'share', order: 220, id: 'share.copyStory' },
  ],
  importers: [
    {
      takes: (kind) => kind === 'moment',
      open: async (file) => (await import('./share-file.js')).openMomentFile(file, simulationReady),
    },
  ],
  openers: [momentOpener],
  start: () =>
    setReopeners({
      run: async (run, to) => {
        const { atStart, openSaid } = await import('./share-open.js');
        const begin = atStart(run);
        await openSaid(() => (to ? { ...begin, load: { ...begin.load, to } } : begin), simulationReady);
      },
    }),
};

declare module '../../page/ui-store.js' {
  interface Dialogs {
    link: true;
    story: true;
  }
}
