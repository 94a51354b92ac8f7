/** The workshop: parts of the kubelet as exercises, judged by what the real one does. */
import { createElement, lazy } from 'react';
import { words } from '../../i18n/index.js';
import type { Selection } from '../../page/ui-store.js';
import { trace } from '../../run/trace-store.js';
import type { Feature } from '../../shell/registry.js';
import { workshopCommands } from './commands.js';
import { en } from './en.js';
import { workshopOpener } from './opener.js';

const LineDetails = lazy(async () => ({ default: await (await import('./load-page.js')).loadLineDetails() }));
/** The variables of a record that is a line of a learner's code. */
function OfLine({ selection }: { readonly selection: Selection }) {
  const record = selection.kind === 'record' ? trace.records.get(selection.seq) : undefined;
  return record?.kind === 'part-line' ? createElement(LineDetails, { line: record }) : null;
}

export const workshop: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [workshopCommands],
  dialogs: {
    workshop: lazy(async () => ({ default: await (await import('./load-page.js')).loadPage() })),
  },
  bottom: [
    {
      id: 'code',
      order: 95,
      title: 'panel.code',
      command: 'view.code',
      // The workshop opens it.
      opener: 'elsewhere',
      Body: lazy(async () => ({ default: await (await import('./load-page.js')).loadCodePanel() })),
    },
    {
      id: 'sides',
      order: 96,
      title: 'panel.sides',
      command: 'view.sides',
      opener: 'elsewhere',
      Body: lazy(async () => ({ default: await (await import('./load-page.js')).loadSidesPanel() })),
    },
  ],
  slots: [{ at: 'inspector.details', order: 20, Component: OfLine }],
  menus: [
    { menu: 'session', order: 119, id: 'view.workshop' },
    { menu: 'view', order: 231, id: 'view.workshop' },
  ],
  openers: [workshopOpener],
};

declare module '../../shell/registry.js' {
  interface Slots {
    /** In the workshop's head; `stage`: the one that is open. */
    'workshop.head': { readonly stage: string | null };
  }
}

declare module '../../page/ui-store.js' {
  interface Dialogs {
    workshop: true;
  }
  interface BottomPanels {
    code: true;
    sides: true;
  }
}
