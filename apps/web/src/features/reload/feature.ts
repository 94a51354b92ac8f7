/** Keeps what a reload of the tab must not lose: what is open, and the run's position. */

import { words } from '../../i18n/index.js';
import type { Feature } from '../../shell/registry.js';
import { momentIn } from '../share/opener.js';
import { en } from './en.js';
import { keep, restoreView } from './keep.js';
import { keptWithLink, keptWithoutLink } from './opener.js';

export const reload: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  openers: [keptWithLink, keptWithoutLink],
  start: (page) => {
    if (page !== 'page') return;
    restoreView();
    keep(() => momentIn(location.href) ?? '');
  },
};
