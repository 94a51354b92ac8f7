import type { en } from './en.js';

export const zhCN: Readonly<Record<keyof typeof en, string>> = {
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
