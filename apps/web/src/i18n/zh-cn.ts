import { chinese } from '@syncloop/core/trace';
import { branches } from '../features/branches/zh-cn.js';
import { breakpoints } from '../features/breakpoints/zh-cn.js';
import { classroom } from '../features/classroom/zh-cn.js';
import { consoleTexts } from '../features/console/zh-cn.js';
import { embed } from '../features/embed/zh-cn.js';
import { faults } from '../features/faults/zh-cn.js';
import { levels } from '../features/graph/everything/zh-cn.js';
import { lanes } from '../features/graph/lanes/zh-cn.js';
import { graph } from '../features/graph/zh-cn.js';
import { around } from '../features/inspector/around/zh-cn.js';
import { inspector } from '../features/inspector/zh-cn.js';
import { lessons } from '../features/lessons/zh-cn.js';
import { lists } from '../features/logs/zh-cn.js';
import { held } from '../features/long-work/zh-cn.js';
import { manifests } from '../features/manifests/zh-cn.js';
import { notes } from '../features/notes/zh-cn.js';
import { offline } from '../features/offline/zh-cn.js';
import { pictures } from '../features/pictures/zh-cn.js';
import { recordings } from '../features/recordings/zh-cn.js';
import { share } from '../features/share/zh-cn.js';
import { source } from '../features/source/zh-cn.js';
import { timeline } from '../features/timeline/zh-cn.js';
import { transport } from '../features/transport/zh-cn.js';
import { shell } from '../shell/zh-cn.js';
import type { MessageKey } from './en.js';
import type { Texts } from './index.js';

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
