import { branches } from '../features/branches/en.js';
import { breakpoints } from '../features/breakpoints/en.js';
import { classroom } from '../features/classroom/en.js';
import { consoleTexts } from '../features/console/en.js';
import { embed } from '../features/embed/en.js';
import { faults } from '../features/faults/en.js';
import { graph } from '../features/graph/en.js';
import { levels } from '../features/graph/everything/en.js';
import { lanes } from '../features/graph/lanes/en.js';
import { around } from '../features/inspector/around/en.js';
import { inspector } from '../features/inspector/en.js';
import { lessons } from '../features/lessons/en.js';
import { lists } from '../features/logs/en.js';
import { held } from '../features/long-work/en.js';
import { manifests } from '../features/manifests/en.js';
import { notes } from '../features/notes/en.js';
import { offline } from '../features/offline/en.js';
import { pictures } from '../features/pictures/en.js';
import { recordings } from '../features/recordings/en.js';
import { share } from '../features/share/en.js';
import { source } from '../features/source/en.js';
import { timeline } from '../features/timeline/en.js';
import { transport } from '../features/transport/en.js';
import { shell } from '../shell/en.js';

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
