import type { share as en } from '../en/share.js';

export const share: Readonly<Record<keyof typeof en, string>> = {
  'share.copied': '链接已复制。打开它就是这一刻。',
  'share.copiedLong': '链接已复制。它有 {n} 个字符，有些程序会截断这么长的链接。',
  'share.title': '指向这一刻的链接',
  'share.byHand': '这个浏览器不允许页面复制。请选中链接自行复制。',
  'share.link': '链接',
  'share.opened': '这就是链接指向的那一刻。可以前进，也可以后退。',
  'share.notOpened': '无法到达链接指向的那一刻：{why}。会话保持原样。',
  'share.bad.newer': '这个链接由更新版本的 syncloop 生成：{why}。请在生成它的地方打开。',
  'share.bad.damaged': '链接已损坏：{why}。请重新索取，并完整复制。',
  'share.bad.long': '内容太多，无法放进链接：{why}。请改为保存录制文件。',
  'share.bad.browser': '这里无法打开这个链接：{why}。请使用更新的浏览器：Chrome 103、Firefox 113、Safari 16.4。',
};
