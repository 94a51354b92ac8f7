/** Faults that can be made in a simulation, now or later. */
import { lazy } from 'react';
import { words } from '../../i18n/index.js';
import type { Feature } from '../../shell/registry.js';
import { faultCommands } from './commands.js';
import { en } from './en.js';
import { FaultsButton } from './faults-button.js';

export const faults: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [faultCommands],
  slots: [{ at: 'rail', order: 10, Component: FaultsButton }],
  dialogs: { faults: lazy(async () => ({ default: (await import('./faults-dialog.js')).FaultsDialog })) },
};

declare module '../../page/ui-store.js' {
  interface Dialogs {
    faults: true;
  }
}
