import type { en } from './en.js';

export const zhCN: Readonly<Record<keyof typeof en, string>> = {
  'command.pageUpdate': '用 syncloop 的新版本重新加载',
  'offline.ready': 'syncloop 有新版本。下次打开时启用；要现在启用，请重新载入。',
  'offline.reload': '重新加载',
};
