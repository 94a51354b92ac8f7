import { chinese } from '@syncloop/core/trace';
import type { MessageKey } from './en.js';
import type { Texts } from './index.js';
import { around } from './zh-cn/around.js';
import { branches } from './zh-cn/branches.js';
import { breakpoints } from './zh-cn/breakpoints.js';
import { classroom } from './zh-cn/class.js';
import { consoleTexts } from './zh-cn/console.js';
import { embed } from './zh-cn/embed.js';
import { faults } from './zh-cn/faults.js';
import { graph } from './zh-cn/graph.js';
import { held } from './zh-cn/held.js';
import { inspector } from './zh-cn/inspector.js';
import { lanes } from './zh-cn/lanes.js';
import { lessons } from './zh-cn/lessons.js';
import { levels } from './zh-cn/levels.js';
import { lists } from './zh-cn/lists.js';
import { manifests } from './zh-cn/manifests.js';
import { notes } from './zh-cn/notes.js';
import { offline } from './zh-cn/offline.js';
import { pictures } from './zh-cn/pictures.js';
import { recordings } from './zh-cn/recordings.js';
import { share } from './zh-cn/share.js';
import { shell } from './zh-cn/shell.js';
import { source } from './zh-cn/source.js';
import { timeline } from './zh-cn/timeline.js';
import { transport } from './zh-cn/transport.js';

/** 简体中文。Kubernetes 自己的名字保持原样。 */
const catalogue: Readonly<Record<MessageKey, string>> = {
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
};

export const zhCN: Texts = { catalogue, narrator: chinese };
