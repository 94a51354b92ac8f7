/** Any name of the kubelet's source, line of its log or heading of a walk-through, in the palette. */
import { words } from '../../i18n/index.js';
import type { Feature } from '../../shell/registry.js';
import { nameCommands } from './commands.js';
import { en } from './en.js';
import { nameEntries, topicEntries } from './palette-names.js';

export const names: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [nameCommands],
  palette: [nameEntries, topicEntries],
};
