/** A frame for articles: the graph, the narrator and a few controls, and a dialog that writes its HTML. */
import { lazy } from 'react';
import { words } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import type { Feature } from '../../shell/registry.js';
import { useGraph } from '../graph/index.js';
import { canLink } from '../share/link.js';
import { embedCommands } from './commands.js';
import { embedOptions } from './embed-options.js';
import { en } from './en.js';

/** Narrower than this (CSS px) the graph's usual level is not whole. */
const WHOLE_LOOP = 940;

export const embed: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [embedCommands],
  dialogs: { embed: lazy(async () => ({ default: (await import('./embed-dialog.js')).EmbedDialog })) },
  menus: [{ menu: 'share', order: 120, id: 'share.embed', when: canLink }],
  frame: lazy(async () => ({ default: (await import('./embed-app.js')).EmbedApp })),
  start: (page) => {
    if (page !== 'frame') return;
    const { level, theme } = embedOptions(location.search);
    useUI.setState({ theme });
    // A small frame begins with the Story, which can be read in it.
    useGraph.setState({ chosen: level ?? (innerWidth < WHOLE_LOOP ? 'story' : 'loop') });
  },
};

declare module '../../page/ui-store.js' {
  interface Dialogs {
    embed: true;
  }
}
