/** Language, colours and contrast. */

import { words } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { hasWallTime } from '../../run/wall-time.js';
import type { Feature } from '../../shell/registry.js';
import { settingsCommands } from './commands.js';
import { en } from './en.js';
import { followSettings } from './settings.js';

/** Only times of a real clock are in a zone. */
const realTime = () => hasWallTime(useSession.getState().info);
const theme = (is: string) => () => useUI.getState().theme === is;
const clock = (is: string) => () => useUI.getState().clock === is;
const lang = (is: string) => () => useUI.getState().lang === is;

export const settings: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [settingsCommands],
  menus: [
    { menu: 'view', order: 310, heading: 'menu.language', id: 'settings.lang.en', radio: true, checked: lang('en') },
    { menu: 'view', order: 320, id: 'settings.lang.zh', radio: true, checked: lang('zh-CN') },
    {
      menu: 'view',
      order: 350,
      heading: 'menu.clock',
      id: 'settings.clock.log',
      title: 'menu.clock.log',
      radio: true,
      checked: clock('log'),
      when: realTime,
    },
    {
      menu: 'view',
      order: 360,
      id: 'settings.clock.utc',
      title: 'menu.clock.utc',
      radio: true,
      checked: clock('utc'),
      when: realTime,
    },
    {
      menu: 'view',
      order: 370,
      id: 'settings.clock.browser',
      title: 'menu.clock.browser',
      radio: true,
      checked: clock('browser'),
      when: realTime,
    },
    {
      menu: 'view',
      order: 410,
      heading: 'menu.theme',
      id: 'settings.theme.system',
      title: 'menu.theme.system',
      radio: true,
      checked: theme('system'),
    },
    {
      menu: 'view',
      order: 420,
      id: 'settings.theme.light',
      title: 'menu.theme.light',
      radio: true,
      checked: theme('light'),
    },
    {
      menu: 'view',
      order: 430,
      id: 'settings.theme.dark',
      title: 'menu.theme.dark',
      radio: true,
      checked: theme('dark'),
    },
    { menu: 'view', order: 440, id: 'settings.contrast', checked: () => useUI.getState().contrast },
  ],
  start: followSettings,
};
