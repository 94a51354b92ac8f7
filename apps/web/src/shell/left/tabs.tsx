import type { Capabilities } from '@syncloop/core/debug';
import { type ComponentType, lazy } from 'react';
import type { PlainCommandId } from '../../commands/index.js';
import type { MessageKey } from '../../i18n/index.js';
import type { LeftPanel } from '../../page/ui-store.js';
import type { IconName } from '../../ui/icons.js';

export interface LeftTab {
  readonly id: LeftPanel;
  readonly icon: IconName;
  readonly title: MessageKey;
  /** Opens and closes it. */
  readonly command: PlainCommandId;
  /** For which sessions it is there; for all, where this is left out. */
  readonly when?: (can: Capabilities) => boolean;
  /** All are React.lazy: none is open at first. */
  readonly Body: ComponentType;
}

/** The tabs of the left panel, in their order. */
export const LEFT_TABS: readonly LeftTab[] = [
  {
    id: 'lessons',
    icon: 'lessons',
    title: 'panel.lessons',
    command: 'view.lessons',
    when: (can) => can.scenarios && can.rewind === true && can.control,
    Body: lazy(async () => ({ default: (await import('../../features/lessons/lessons-panel.js')).LessonsPanel })),
  },
  {
    id: 'scenarios',
    icon: 'scenarios',
    title: 'panel.scenarios',
    command: 'view.scenarios',
    when: (can) => can.scenarios,
    Body: lazy(async () => ({ default: (await import('../../features/scenarios/scenarios-panel.js')).ScenariosPanel })),
  },
  {
    id: 'manifests',
    icon: 'manifests',
    title: 'panel.manifests',
    command: 'view.manifests',
    when: (can) => can.apply,
    Body: lazy(async () => ({ default: (await import('../../features/manifests/manifests-panel.js')).ManifestsPanel })),
  },
  {
    id: 'pods',
    icon: 'pods',
    title: 'panel.pods',
    command: 'view.pods',
    Body: lazy(async () => ({ default: (await import('../../features/pods/pods-panel.js')).PodsPanel })),
  },
  {
    id: 'recordings',
    icon: 'recordings',
    title: 'panel.recordings',
    command: 'view.recordings',
    Body: lazy(async () => ({
      default: (await import('../../features/recordings/recordings-panel.js')).RecordingsPanel,
    })),
  },
];

/** Those that a session has. Before it says what it can, all of them. */
export function tabsFor(can: Capabilities | undefined): readonly LeftTab[] {
  return LEFT_TABS.filter((tab) => !can || !tab.when || tab.when(can));
}
