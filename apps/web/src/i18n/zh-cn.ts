import type { MessageKey } from './en.js';
import { branches } from './zh-cn/branches.js';
import { breakpoints } from './zh-cn/breakpoints.js';
import { faults } from './zh-cn/faults.js';
import { graph } from './zh-cn/graph.js';
import { inspector } from './zh-cn/inspector.js';
import { lists } from './zh-cn/lists.js';
import { share } from './zh-cn/share.js';
import { shell } from './zh-cn/shell.js';
import { timeline } from './zh-cn/timeline.js';
import { transport } from './zh-cn/transport.js';

/** 简体中文。Kubernetes 自己的名字保持原样。 */
export const zhCN: Readonly<Record<MessageKey, string>> = {
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
};
