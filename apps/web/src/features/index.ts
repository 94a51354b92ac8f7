/** The features that the page has. A new one is a folder and a line here. */

import type { Feature } from '../shell/registry.js';
import { branches } from './branches/feature.js';
import { breakpoints } from './breakpoints/feature.js';
import { changes } from './changes/feature.js';
import { classroom } from './classroom/feature.js';
import { connection } from './connection/feature.js';
import { console } from './console/feature.js';
import { embed } from './embed/feature.js';
import { eras } from './eras/feature.js';
import { explore } from './explore/feature.js';
import { faults } from './faults/feature.js';
import { fleet } from './fleet/feature.js';
import { graph } from './graph/feature.js';
import { inspector } from './inspector/feature.js';
import { lessons } from './lessons/feature.js';
import { logs } from './logs/feature.js';
import { longWork } from './long-work/feature.js';
import { manifests } from './manifests/feature.js';
import { names } from './names/feature.js';
import { narrator } from './narrator/feature.js';
import { notes } from './notes/feature.js';
import { observed } from './observed/feature.js';
import { offline } from './offline/feature.js';
import { outline } from './outline/feature.js';
import { pictures } from './pictures/feature.js';
import { pods } from './pods/feature.js';
import { recordings } from './recordings/feature.js';
import { reload } from './reload/feature.js';
import { scenarios } from './scenarios/feature.js';
import { settings } from './settings/feature.js';
import { share } from './share/feature.js';
import { source } from './source/feature.js';
import { strip } from './strip/feature.js';
import { timeline } from './timeline/feature.js';
import { tour } from './tour/feature.js';
import { transport } from './transport/feature.js';
import { twin } from './twin/feature.js';
import { workshop } from './workshop/feature.js';

export const features: readonly Feature[] = [
  transport,
  tour,
  timeline,
  pods,
  manifests,
  scenarios,
  branches,
  eras,
  faults,
  explore,
  breakpoints,
  classroom,
  recordings,
  observed,
  fleet,
  strip,
  twin,
  offline,
  pictures,
  share,
  embed,
  notes,
  names,
  changes,
  console,
  logs,
  graph,
  inspector,
  source,
  outline,
  lessons,
  narrator,
  connection,
  longWork,
  reload,
  settings,
  workshop,
];
