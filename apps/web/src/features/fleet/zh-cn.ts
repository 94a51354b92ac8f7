import type { en } from './en.js';

export const zhCN: Readonly<Record<keyof typeof en, string>> = {
  'command.fleet': '同一时钟下的所有节点',
  'find.view.fleet': '集群 多节点 泳道 共同原因 时钟',
};
