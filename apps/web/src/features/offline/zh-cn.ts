import type { en } from './en.js';

export const zhCN: Readonly<Record<keyof typeof en, string>> = {
  'command.pageUpdate': '用 syncloop 的新版本重新加载',
  'offline.ready': 'syncloop 有新版本。下次打开时启用，也可以现在启用。',
  'offline.reload': '重新加载',
};
