/** Breakpoints: places at which a run stops, or writes a line, and the list of them. */
import { lazy } from 'react';
import { words } from '../../i18n/index.js';
import type { Feature } from '../../shell/registry.js';
import { BreakOn } from './break-on.js';
import { followBreakpoints, markBreakpoints } from './breakpoints.js';
import { breakpointCommands } from './commands.js';
import { en } from './en.js';

export const breakpoints: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [breakpointCommands],
  bottom: [
    {
      id: 'breakpoints',
      order: 90,
      title: 'panel.breakpoints',
      command: 'view.breakpoints',
      Body: lazy(async () => ({ default: (await import('./breakpoints-panel.js')).BreakpointsPanel })),
    },
  ],
  slots: [{ at: 'inspector.head', order: 10, Component: BreakOn }],
  start: () => {
    followBreakpoints();
    markBreakpoints();
  },
};

declare module '../../page/ui-store.js' {
  interface BottomPanels {
    breakpoints: true;
  }
}
