import type { en } from './en.js';

export const zhCN: Readonly<Record<keyof typeof en, string>> = {
  'command.workshop': '工坊：自己编写 kubelet 的各个部分',
  'panel.code': '你的代码',
  'command.code': '本次运行中你的代码',
  'panel.sides': '真实与你的',
  'command.sides': '真实 kubelet 与你的代码',
  'find.view.workshop': '练习 挑战 代码 学习 评判 编写',
};
