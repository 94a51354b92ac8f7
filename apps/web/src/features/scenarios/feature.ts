/** The scenarios that a simulation can run. */
import { lazy } from 'react';
import { isAvailable, runCommand } from '../../commands/index.js';
import { inLang } from '../../i18n/in-lang.js';
import { words } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import type { Feature } from '../../shell/registry.js';
import { scenarioCommands } from './commands.js';
import { en } from './en.js';
import { followOutcomes } from './outcomes-store.js';

export const scenarios: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [scenarioCommands],
  left: [
    {
      id: 'scenarios',
      order: 20,
      icon: 'scenarios',
      title: 'panel.scenarios',
      command: 'view.scenarios',
      when: (can) => can.scenarios,
      Body: lazy(async () => ({ default: (await import('./scenarios-panel.js')).ScenariosPanel })),
    },
  ],
  palette: [
    {
      id: 'scenarios',
      order: 10,
      title: 'palette.scenarios',
      entries: () =>
        isAvailable('scenario.load')
          ? useSession.getState().scenarios.map(({ name, title, summary }) => ({
              key: name,
              title: inLang(title, useUI.getState().lang),
              also: `${name} ${inLang(summary, useUI.getState().lang)}`,
              run: () => runCommand('scenario.load', { name }),
            }))
          : [],
    },
  ],
  dialogs: {
    makeScenario: lazy(async () => ({ default: (await import('./make-dialog.js')).MakeScenarioDialog })),
    pastedScenario: lazy(async () => ({ default: (await import('./pasted-dialog.js')).PastedScenarioDialog })),
  },
  menus: [
    {
      menu: 'session',
      order: 115,
      id: 'scenario.fromRun',
      when: () => useSession.getState().info?.capabilities.scenarios ?? false,
    },
    {
      menu: 'session',
      order: 110,
      id: 'view.scenarios',
      title: 'menu.scenarios',
      when: () => useSession.getState().info?.capabilities.scenarios ?? true,
    },
  ],
  start: () => void followOutcomes(),
};

declare module '../../page/ui-store.js' {
  interface LeftPanels {
    scenarios: true;
  }
  interface Dialogs {
    makeScenario: true;
    pastedScenario: true;
  }
}
