import { type CommandId, commandIds, commandOf } from '../../commands/index.js';
import type { KeyGroup } from '../../commands/types.js';
import type { MessageKey } from '../../i18n/index.js';

export interface ShortcutGroup {
  readonly title: MessageKey;
  readonly commands: readonly CommandId[];
}

/** The groups in the order in which they are listed. */
export const KEY_GROUPS: readonly KeyGroup[] = ['run', 'ask', 'change', 'graph', 'panels', 'page'];

/** Returns all commands that have keys, by their purpose. */
export function shortcutGroups(): readonly ShortcutGroup[] {
  const withKeys = commandIds().filter((id) => commandOf(id).keys?.length);
  return KEY_GROUPS.map((group) => ({
    title: `shortcuts.${group}` as const,
    commands: withKeys.filter((id) => (commandOf(id).group ?? 'page') === group),
  })).filter(({ commands }) => commands.length > 0);
}
