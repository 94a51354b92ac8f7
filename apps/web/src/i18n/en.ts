import { branches } from './en/branches.js';
import { breakpoints } from './en/breakpoints.js';
import { faults } from './en/faults.js';
import { graph } from './en/graph.js';
import { inspector } from './en/inspector.js';
import { lists } from './en/lists.js';
import { share } from './en/share.js';
import { shell } from './en/shell.js';
import { timeline } from './en/timeline.js';
import { transport } from './en/transport.js';

/** Every text of the page, in English. Kubernetes' own names stay as they are in every language. */
export const en = {
  ...branches,
  ...breakpoints,
  ...faults,
  ...graph,
  ...inspector,
  ...lists,
  ...share,
  ...shell,
  ...timeline,
  ...transport,
} as const;

export type MessageKey = keyof typeof en;
