/** The inspector: the selection, why it is so, its changes, and its past. */

import type { ComponentType } from 'react';
import { createElement, lazy } from 'react';
import { words } from '../../i18n/index.js';
import type { Selection } from '../../page/ui-store.js';
import { useUI } from '../../page/ui-store.js';
import type { Feature } from '../../shell/registry.js';
import { en as around } from './around/en.js';
import { en as card } from './card/en.js';
import { inspectorCommands } from './commands.js';
import { en } from './en.js';
import { InspectorColumn } from './inspector-column.js';

/** A part that is mounted again whenever another selection is made. */
const anew =
  <S extends Selection | null>(Part: ComponentType<{ readonly selection: S }>) =>
  ({ selection }: { readonly selection: S }) =>
    createElement(Part, { key: JSON.stringify(selection), selection });

export const inspector: Feature = {
  words: [
    words(en, () => import('./zh-cn.js')),
    words(around, () => import('./around/zh-cn.js')),
    words(card, () => import('./card/zh-cn.js')),
  ],
  commands: [inspectorCommands],
  inspector: [
    {
      id: 'what',
      order: 10,
      title: 'inspector.what',
      Body: anew(lazy(async () => ({ default: (await import('./what.js')).What }))),
    },
    {
      id: 'why',
      order: 20,
      title: 'inspector.why',
      lostRecords: 'past',
      Body: lazy(async () => ({ default: (await import('./why.js')).Why })),
    },
    {
      id: 'changed',
      order: 30,
      title: 'inspector.changed',
      withoutSelection: true,
      lostRecords: 'all',
      Body: lazy(async () => ({ default: (await import('./changed.js')).Changed })),
    },
    {
      id: 'history',
      order: 40,
      title: 'inspector.history',
      withoutSelection: true,
      Body: anew(lazy(async () => ({ default: (await import('./history.js')).History }))),
    },
  ],
  slots: [{ at: 'aside', order: 10, Component: InspectorColumn }],
  menus: [{ menu: 'view', order: 220, id: 'view.inspector', checked: () => useUI.getState().inspectorOpen }],
};

declare module '../../page/ui-store.js' {
  interface InspectorTabs {
    why: true;
    changed: true;
    history: true;
  }
}

declare module '../../shell/registry.js' {
  interface Slots {
    /** Next to the title of the selection. */
    'inspector.head': object;
    /** Below the values of the selection. */
    'inspector.details': { readonly selection: Selection };
  }
}
