/** Long work: the page shows it, and it can always be stopped. */

import { words } from '../../i18n/index.js';
import type { Feature } from '../../shell/registry.js';
import { en } from './en.js';
import { LongWorkBar } from './long-work-bar.js';
import { followWork, stopOnEscape } from './stop-work.js';

export const longWork: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  slots: [{ at: 'stage', order: 50, Component: LongWorkBar }],
  escapes: [{ order: 20, close: stopOnEscape }],
  start: (page) => {
    if (page !== 'follower') followWork();
  },
};
