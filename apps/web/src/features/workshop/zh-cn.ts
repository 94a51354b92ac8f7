import type { en } from './en.js';

export const zhCN: Readonly<Record<keyof typeof en, string>> = {
  'command.workshop': '工坊：自己编写 kubelet 的各个部分',
  'find.view.workshop': '练习 挑战 代码 学习 评判 编写',
};
