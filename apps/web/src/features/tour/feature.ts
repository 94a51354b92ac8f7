/** A tour that follows one pod from its manifest to Running. */
import { createElement, lazy, Suspense } from 'react';
import { words } from '../../i18n/index.js';
import type { Feature } from '../../shell/registry.js';
import { tourCommands } from './commands.js';
import { en } from './en.js';
import { startTourKeys } from './keys.js';
import { leaveTour, useTour } from './tour-store.js';

const Bar = lazy(async () => ({ default: (await import('./tour-bar.js')).TourBar }));

export const tour: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [tourCommands],
  slots: [
    {
      at: 'below',
      order: 10,
      Component: () =>
        useTour((s) => s.at !== null) ? createElement(Suspense, { fallback: null }, createElement(Bar)) : null,
    },
  ],
  escapes: [{ order: 60, close: leaveTour }],
  start: (page) => {
    if (page === 'page') startTourKeys();
  },
};
