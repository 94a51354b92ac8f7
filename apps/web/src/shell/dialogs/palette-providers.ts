/** What the palette finds. To have it find more, add a provider. */

import { keyLabel } from '../../commands/hotkeys.js';
import { COMMANDS, type CommandId, isAvailable, type PlainCommandId, runCommand } from '../../commands/index.js';
import { useLessons } from '../../features/lessons/lessons-store.js';
import { inLang } from '../../i18n/in-lang.js';
import { type MessageKey, t } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';

export interface PaletteEntry {
  /** Of this entry alone, among those of its provider. */
  readonly key: string;
  readonly title: string;
  /** Searched too. */
  readonly also?: string;
  /** The key that does the same, as people read it. */
  readonly keys?: string;
  /** Why it cannot be run now. */
  readonly blocked?: string;
  readonly run: () => void;
}
export interface PaletteProvider {
  readonly id: string;
  /** What its entries are. */
  readonly title: MessageKey;
  /** Those of now; what could do nothing now is left out, unless it says why. */
  readonly entries: () => readonly PaletteEntry[];
}

export const paletteProviders: PaletteProvider[] = [
  {
    id: 'commands',
    title: 'palette.commands',
    entries: () =>
      (Object.keys(COMMANDS) as CommandId[])
        .filter((id) => COMMANDS[id].palette !== false)
        .flatMap((id) => {
          const { title, keys, hint } = COMMANDS[id];
          const why = isAvailable(id) ? '' : (hint?.() ?? null);
          if (why === null) return [];
          return {
            ...(why !== '' && { blocked: t(why) }),
            key: id,
            title: t(title),
            also: id,
            ...(keys?.[0] && { keys: keyLabel(keys[0]) }),
            run: () => runCommand(id as PlainCommandId),
          };
        }),
  },
  {
    id: 'scenarios',
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
  {
    id: 'lessons',
    title: 'palette.lessons',
    entries: () =>
      isAvailable('lesson.open')
        ? useLessons.getState().list.map(({ name, title, summary }) => ({
            key: name,
            title: inLang({ ...title }, useUI.getState().lang),
            also: `${name} ${inLang({ ...summary }, useUI.getState().lang)}`,
            run: () => runCommand('lesson.open', { name }),
          }))
        : [],
  },
  {
    id: 'pods',
    title: 'palette.pods',
    entries: () =>
      Object.values(trace.state.pods).map(({ uid, pod, phase }) => ({
        key: uid,
        title: pod,
        also: phase,
        run: () => runCommand('view.select', { kind: 'pod', uid }),
      })),
  },
];
