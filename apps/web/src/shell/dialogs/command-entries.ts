import { keyLabel } from '../../commands/hotkeys.js';
import { commandIds, commandOf, isAvailable, type PlainCommandId, runCommand } from '../../commands/index.js';
import { t } from '../../i18n/index.js';
import type { PaletteEntry, PaletteProvider } from '../registry.js';

/** The commands of all features, for the palette. */
export const commandEntries: PaletteProvider = {
  id: 'commands',
  order: 0,
  title: 'palette.commands',
  entries: () =>
    commandIds().flatMap((id): PaletteEntry[] => {
      const { title, keys, hint, palette } = commandOf(id);
      if (palette === false) return [];
      const why = isAvailable(id) ? '' : (hint?.() ?? null);
      if (why === null) return [];
      return [
        {
          ...(why !== '' && { blocked: t(why) }),
          key: id,
          title: t(title),
          also: id,
          ...(keys?.[0] && { keys: keyLabel(keys[0]) }),
          run: () => runCommand(id as PlainCommandId),
        },
      ];
    }),
};
