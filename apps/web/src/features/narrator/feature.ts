/** Tells what just happened, in one sentence, and what a newcomer could do next. */

import { words } from '../../i18n/index.js';
import type { Feature } from '../../shell/registry.js';
import { en } from './en.js';
import { followHints } from './hints.js';
import { Narrator } from './narrator.js';
import './narrator.css';

export const narrator: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  slots: [{ at: 'below', order: 20, Component: Narrator }],
  start: (page) => {
    if (page === 'page') followHints();
  },
};

declare module '../../shell/registry.js' {
  interface Slots {
    /** Next to the sentence: the state of the run. */
    'narrator.state': object;
    /** In the second line. */
    'narrator.line': object;
    /** At the end of the second line: the first one that has a suggestion. */
    'narrator.suggestion': object;
  }
}
