/** The page without a network: its service worker, and its notice of a new version. */

import { words } from '../../i18n/index.js';
import type { Feature } from '../../shell/registry.js';
import { offlineCommands } from './commands.js';
import { en } from './en.js';
import { startOffline } from './offline.js';

export const offline: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [offlineCommands],
  start: startOffline,
};
