/** Other ways that a run could have gone: its branches, their comparison, the cases that were not taken. */
import { lazy } from 'react';
import { words } from '../../i18n/index.js';
import type { Feature } from '../../shell/registry.js';
import { followBranchMarks } from './branch-marks.js';
import { branchCommands } from './commands.js';
import { en } from './en.js';
import './branches.css';
import { WaysNotTaken } from './ways-not-taken.js';

export const branches: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [branchCommands],
  bottom: [
    {
      id: 'branches',
      order: 80,
      title: 'panel.branches',
      command: 'view.branches',
      Body: lazy(async () => ({ default: (await import('./branches-panel.js')).BranchesPanel })),
    },
  ],
  slots: [{ at: 'inspector.details', order: 10, Component: WaysNotTaken }],
  start: () => void followBranchMarks(),
};

declare module '../../page/ui-store.js' {
  interface BottomPanels {
    branches: true;
  }
}
