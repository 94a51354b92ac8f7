import type { en } from './en.js';

export const zhCN: Readonly<Record<keyof typeof en, string>> = {
  'region.narrator': '刚刚发生了什么',
  'hint.step': '[→] 走到下一件看得见的事，[Space] 运行。',
  'hint.back': '[←] 后退一步，[Shift+→] 走一整次迭代，[Space] 运行。',
  'hint.select': '点击任何东西查看内部：方框、消息、这句话里的名字。',
  'hint.why': '[W] 问它为什么这样。',
  'hint.touch.step': '运行，或走到下一件看得见的事。',
  'hint.touch.back': '左边的按钮后退一步；双箭头走一整次迭代。',
  'hint.touch.select': '点按任何东西查看内部：方框、消息、这句话里的名字。',
  'hint.touch.why': '“为什么”标签说明它为什么这样。',
  'hint.end': '不再提示',
  'narrator.opensFolder': '清单目录里有了一份清单 {file}。',
  'narrator.opensAPI': 'API server 里创建了一个 Pod：{pod}。',
  'narrator.follow': '按 [→]，跟着它走。',
  'narrator.followTouch': '单步执行，跟着它走。',
  'narrator.fast': '快速运行中：到目前为止 syncLoop 迭代 {n} 次，共 {records} 条记录。',
  'narrator.lastReported': '较近的一件事（{time}）：',
  'narrator.way': '途中：',
  'narrator.before': '还什么都没有发生。kubelet 尚未启动。',
};
