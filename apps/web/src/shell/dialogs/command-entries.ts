import { keyLabel } from '../../commands/hotkeys.js';
import { commandIds, commandOf, isAvailable, type PlainCommandId, runCommand } from '../../commands/index.js';
import { isMessageKey, type MessageKey, t, translate } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import type { PaletteEntry, PaletteProvider } from '../registry.js';

/**
 * The commands of all features, for the palette. What people also call a command is its text `find.` and its id, in
 * each language. Both languages are searched, whichever the page has.
 */
export const commandEntries: PaletteProvider = {
  id: 'commands',
  order: 0,
  title: 'palette.commands',
  always: true,
  entries: () =>
    commandIds().flatMap((id): PaletteEntry[] => {
      const { title, keys, hint, palette, group = 'page', fits } = commandOf(id);
      if (palette === false) return [];
      const open = isAvailable(id);
      const why = open ? null : (hint?.() ?? null);
      if (!open && why === null) return [];
      return [
        {
          ...(why !== null && { blocked: t(why) }),
          key: id,
          title: t(title),
          words: inBoth(`find.${id}`),
          also: `${id} ${inBoth(title)}`,
          heading: `shortcuts.${group}`,
          ...(open && fits && { fits: fits() }),
          ...(keys?.[0] && { keys: keyLabel(keys[0]) }),
          run: () => runCommand(id as PlainCommandId),
        },
      ];
    }),
};

/** Returns a text in every language whose texts are loaded; nothing if there is no such text. */
export function inBoth(key: string): string {
  if (!isMessageKey(key)) return '';
  const other = useUI.getState().lang === 'en' ? 'zh-CN' : 'en';
  return `${t(key)} ${translate(other, key as MessageKey)}`;
}
