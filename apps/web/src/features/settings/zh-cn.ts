import type { en } from './en.js';

export const zhCN: Readonly<Record<keyof typeof en, string>> = {
  'find.settings.theme.dark': '深色 夜间 暗色 黑色',
  'find.settings.theme.light': '浅色 白天 亮色',
  'find.settings.theme.system': '自动 跟随系统',
  'find.settings.contrast': '无障碍 清晰',
  'find.settings.lang.zh': '中文 语言',
  'find.settings.lang.en': '英文 英语 语言',
  'find.settings.lang': '翻译 切换',
  'menu.language': '语言',
  'menu.theme': '配色',
  'menu.theme.system': '跟随系统',
  'menu.theme.light': '浅色',
  'menu.theme.dark': '深色',
  'command.langEn': 'English',
  'command.langZh': '简体中文',
  'command.contrast': '高对比度',
  'command.lang': '语言：English / 中文',
  'command.theme': '主题：跟随系统、浅色、深色',
  'command.theme.system': '主题：跟随系统',
  'command.theme.light': '主题：浅色',
  'command.theme.dark': '主题：深色',
};
