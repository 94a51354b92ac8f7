import type { en } from './en.js';

export const zhCN: Readonly<Record<keyof typeof en, string>> = {
  'keep.restored': '已恢复到重新载入之前的样子。',
  'keep.dropped': '本标签页保存的运行无法恢复，已丢弃：{why}',
};
