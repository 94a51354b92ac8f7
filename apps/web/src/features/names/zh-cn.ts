import type { en } from './en.js';

export const zhCN: Readonly<Record<keyof typeof en, string>> = {
  'palette.names': 'kubelet 源码中的名字',
  'palette.topics': 'kubelet 的组成部分',
  'palette.terms': '术语',
  'command.nameStop': '在含有某个名字的版本中停在该处',
  'names.go': '{name}：它在图中的位置和源码',
  'names.goWithin': '{name} 用在 {fn} 中：它在图中的位置和源码',
  'names.source': '源码：{name}',
  'names.stop': '停在 {name}：{where}',
  'names.within': '停在用到 {name} 的地方：{where}',
  'names.set': '已为 {name} 设置断点：{where}',
  'names.other': '要停在 {name}，请运行 {other}：{where}',
  'names.became': '关于 {name}：{text}',
  'names.unsimulated': '没有模拟：{because}',
  'names.noBreakpoints': '此会话不支持断点',
  'names.part': '在图中查看：{title}',
  'names.lesson': '课程：{title}',
};
