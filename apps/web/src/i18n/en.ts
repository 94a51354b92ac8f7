import { around } from './en/around.js';
import { branches } from './en/branches.js';
import { breakpoints } from './en/breakpoints.js';
import { classroom } from './en/class.js';
import { consoleTexts } from './en/console.js';
import { embed } from './en/embed.js';
import { faults } from './en/faults.js';
import { graph } from './en/graph.js';
import { held } from './en/held.js';
import { inspector } from './en/inspector.js';
import { lanes } from './en/lanes.js';
import { lessons } from './en/lessons.js';
import { levels } from './en/levels.js';
import { lists } from './en/lists.js';
import { manifests } from './en/manifests.js';
import { notes } from './en/notes.js';
import { offline } from './en/offline.js';
import { pictures } from './en/pictures.js';
import { recordings } from './en/recordings.js';
import { share } from './en/share.js';
import { shell } from './en/shell.js';
import { source } from './en/source.js';
import { timeline } from './en/timeline.js';
import { transport } from './en/transport.js';

/** Every text of the page, in English. Kubernetes' own names stay as they are in every language. */
export const en = {
  ...around,
  ...branches,
  ...breakpoints,
  ...classroom,
  ...consoleTexts,
  ...embed,
  ...faults,
  ...graph,
  ...held,
  ...inspector,
  ...lanes,
  ...lessons,
  ...levels,
  ...lists,
  ...manifests,
  ...offline,
  ...pictures,
  ...recordings,
  ...notes,
  ...share,
  ...shell,
  ...source,
  ...timeline,
  ...transport,
} as const;

export type MessageKey = keyof typeof en;
