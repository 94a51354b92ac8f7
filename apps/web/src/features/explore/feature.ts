/** The run under many schedules: its possible outcomes, and the smallest way to what breaks it. */
import { lazy } from 'react';
import { words } from '../../i18n/index.js';
import type { Feature } from '../../shell/registry.js';
import { canExplore, exploreCommands } from './commands.js';
import { en } from './en.js';

export const explore: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [exploreCommands],
  bottom: [
    {
      id: 'explore',
      order: 85,
      title: 'panel.explore',
      command: 'view.explore',
      when: (can) => can.choose === true && can.rewind === true,
      Body: lazy(async () => ({ default: (await import('./explore-panel.js')).ExplorePanel })),
    },
  ],
  menus: [{ menu: 'session', order: 130, id: 'view.explore', when: canExplore }],
};

declare module '../../page/ui-store.js' {
  interface BottomPanels {
    explore: true;
  }
}
