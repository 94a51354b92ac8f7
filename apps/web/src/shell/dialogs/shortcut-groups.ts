import { COMMANDS, type CommandId } from '../../commands/index.js';
import type { MessageKey } from '../../i18n/index.js';

export interface ShortcutGroup {
  readonly title: MessageKey;
  readonly commands: readonly CommandId[];
}

/** Groups by how the ids of commands begin, the longest beginning that fits. */
const GROUPS: readonly { readonly title: MessageKey; readonly begins: readonly string[] }[] = [
  { title: 'shortcuts.run', begins: ['transport.', 'step.', 'back.', 'lesson.'] },
  { title: 'shortcuts.ask', begins: ['inspector.', 'view.why', 'view.inspector', 'breakpoint.', 'source.'] },
  {
    title: 'shortcuts.change',
    begins: ['faults.', 'try.', 'pod.', 'manifest.', 'branch.', 'edit.', 'link.', 'recording.'],
  },
  {
    title: 'shortcuts.graph',
    begins: [
      'view.level.',
      'view.fit',
      'view.zoom',
      'view.follow',
      'view.legend',
      'view.minimap',
      'view.fold',
      'lanes.',
    ],
  },
  { title: 'shortcuts.panels', begins: ['view.', 'timeline.', 'console.'] },
  { title: 'shortcuts.page', begins: ['view.palette', 'view.shortcuts', 'view.close', 'settings.', 'session.', ''] },
];

/** All commands that have keys, by what they are for. */
export function shortcutGroups(): readonly ShortcutGroup[] {
  const withKeys = (Object.keys(COMMANDS) as CommandId[]).filter(
    (id) => (COMMANDS[id] as { readonly keys?: readonly string[] }).keys?.length,
  );
  const fit = (id: string, { begins }: (typeof GROUPS)[number]) =>
    Math.max(-1, ...begins.filter((b) => id.startsWith(b)).map((b) => b.length));
  const groupOf = (id: string) => GROUPS.reduce((best, g) => (fit(id, g) > fit(id, best) ? g : best));
  return GROUPS.map((group) => ({
    title: group.title,
    commands: withKeys.filter((id) => groupOf(id) === group),
  })).filter(({ commands }) => commands.length > 0);
}
