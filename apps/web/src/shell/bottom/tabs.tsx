import type { Capabilities } from '@syncloop/core/debug';
import { type ComponentType, lazy } from 'react';
import type { PlainCommandId } from '../../commands/index.js';
import type { MessageKey } from '../../i18n/index.js';
import type { BottomPanel } from '../../page/ui-store.js';

export interface BottomTab {
  readonly id: BottomPanel;
  readonly title: MessageKey;
  /** Opens and closes it. */
  readonly command: PlainCommandId;
  /** It takes the filter field's text. */
  readonly filter?: boolean;
  /** For which sessions it is there; for all, where this is left out. */
  readonly when?: (can: Capabilities) => boolean;
  /** All are React.lazy: none is open at first. */
  readonly Body: ComponentType<{ readonly filter: string }>;
}

/** The tabs of the bottom panel, in their order. */
export const BOTTOM_TABS: readonly BottomTab[] = [
  {
    id: 'timeline',
    title: 'panel.timeline',
    command: 'view.timeline',
    filter: true,
    Body: lazy(async () => ({ default: (await import('../../features/timeline/timeline.js')).Timeline })),
  },
  {
    id: 'records',
    title: 'panel.records',
    command: 'view.records',
    filter: true,
    Body: lazy(async () => ({ default: (await import('../../features/logs/records-list.js')).RecordsList })),
  },
  {
    id: 'log',
    title: 'panel.log',
    command: 'view.log',
    filter: true,
    Body: lazy(async () => ({ default: (await import('../../features/logs/log-list.js')).LogList })),
  },
  {
    id: 'outline',
    title: 'panel.outline',
    command: 'view.outline',
    filter: true,
    Body: lazy(async () => ({ default: (await import('../../features/outline/outline.js')).Outline })),
  },
  {
    id: 'events',
    title: 'panel.events',
    command: 'view.events',
    filter: true,
    Body: lazy(async () => ({ default: (await import('../../features/logs/events-list.js')).EventsList })),
  },
  {
    id: 'podTable',
    title: 'panel.podTable',
    command: 'view.podTable',
    filter: true,
    Body: lazy(async () => ({ default: (await import('../../features/console/pod-table.js')).PodTable })),
  },
  {
    id: 'console',
    title: 'panel.console',
    command: 'view.console',
    Body: lazy(async () => ({ default: (await import('../../features/console/console-panel.js')).ConsolePanel })),
  },
  {
    id: 'branches',
    title: 'panel.branches',
    command: 'view.branches',
    Body: lazy(async () => ({ default: (await import('../../features/branches/branches-panel.js')).BranchesPanel })),
  },
  {
    id: 'breakpoints',
    title: 'panel.breakpoints',
    command: 'view.breakpoints',
    Body: lazy(async () => ({
      default: (await import('../../features/breakpoints/breakpoints-panel.js')).BreakpointsPanel,
    })),
  },
  {
    id: 'notes',
    title: 'panel.notes',
    command: 'view.notes',
    filter: true,
    Body: lazy(async () => ({ default: (await import('../../features/notes/notes-panel.js')).NotesPanel })),
  },
];

export function bottomTabsFor(can: Capabilities | undefined): readonly BottomTab[] {
  return BOTTOM_TABS.filter((tab) => !can || !tab.when || tab.when(can));
}
