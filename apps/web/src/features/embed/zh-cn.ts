import type { en } from './en.js';

export const zhCN: Readonly<Record<keyof typeof en, string>> = {
  'find.share.embed': '网页 博客 嵌入',
  'command.embed': '嵌入文章或幻灯片…',
  'embed.open': '在 syncloop 中打开',
  'embed.title': '嵌入这一刻',
  'embed.how':
    '把这个元素放进网页：读者会看到图、正在发生的事和控制按钮，从这一刻开始。它不需要账号、存储，除了本页面的服务器也不需要别的服务器。',
  'embed.name': '标题（供屏幕阅读器使用）',
  'embed.size': '大小',
  'embed.size.small': '{width} × {height}',
  'embed.size.medium': '{width} × {height}',
  'embed.size.large': '{width} × {height}',
  'embed.size.wide': '与容器同宽，高 {height}',
  'embed.level': '图的详细程度',
  'embed.level.fit': '按大小而定',
  'embed.controls': '控制',
  'embed.controls.all': '步进按钮和图的工具',
  'embed.controls.steps': '步进按钮',
  'embed.controls.none': '无：由你的网页通过 postMessage 控制',
  'embed.snippet': '要复制的 HTML',
  'embed.note':
    '{n} 个字符。在带 sandbox 的框架里需要 allow-scripts 和 allow-same-origin。读者必须能访问本页面的地址。',
  'embed.parameters': '可调的值',
  'embed.vary': '读者可以调的值，每行一个',
  'embed.vary.hint': 'constants.genericPlegRelistPeriod:1s,3s,10s|relist 周期',
  'embed.notVaried': '无法用这个值运行：{why}',
  'embed.preview': '预览',
  'embed.blocked':
    '框架没有回应。本页面的服务器可能禁止被嵌入（Content-Security-Policy: frame-ancestors）：请嵌入放在静态服务器上的 syncloop。',
};
