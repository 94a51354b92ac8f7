/** Any name of the kubelet's source, line of its log or heading of a walk-through, in the palette. */
import { words } from '../../i18n/index.js';
import type { Feature } from '../../shell/registry.js';
import { nameCommands } from './commands.js';
import { en } from './en.js';

let entries: typeof import('./palette-names.js') | null = null;
const load = async (): Promise<void> => {
  entries ??= await import('./palette-names.js');
};

export const names: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [nameCommands],
  palette: [
    { id: 'names', order: 15, title: 'palette.names', load, entries: (typed) => entries?.nameEntries(typed) ?? [] },
    { id: 'terms', order: 17, title: 'palette.terms', load, entries: (typed) => entries?.termEntries(typed) ?? [] },
    { id: 'topics', order: 16, title: 'palette.topics', load, entries: (typed) => entries?.topicEntries(typed) ?? [] },
  ],
};
