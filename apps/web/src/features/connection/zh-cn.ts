import type { en } from './en.js';

export const zhCN: Readonly<Record<keyof typeof en, string>> = {
  'find.session.liveNode': '真实 集群 节点 连接',
  'command.liveNode': '连接到真实节点',
  'liveNode.how': '在节点上以 root 启动 syncloop 的 kubelet。它会打印一个网址：打开它，或粘贴到这里。',
  'liveNode.url': '带令牌的网址',
  'liveNode.open': '打开',
  'liveNode.bad': '这不是 agent 的网址。这样的网址形如 http://127.0.0.1:7330/#token=…',
  'command.simulate': '使用浏览器里的模拟',
  'session.starting': '正在启动模拟……',
  'session.connecting': '正在连接 agent……',
  'session.workerTitle': '模拟已结束',
  'session.refusedTitle': 'agent 拒绝了这个页面',
  'session.lostTitle': 'agent 没有回应',
  'session.otherUrl': '输入另一个网址',
  'session.lostAgent': '{reason}。页面会继续尝试。如果 agent 已停止，请重新启动它并打开它打印的网址。',
  'session.badToken': '{reason}。请打开 agent 启动时打印的网址，其中带有令牌。',
  'session.ended': '它结束了连接',
  'session.broke': '连接断开了',
  'session.nobody': '它的地址上没有程序在监听',
  'session.workerFailed': '{reason}。如果根本无法启动，可能是浏览器太旧：Chrome 123、Firefox 120 或 Safari 17.5 均可。',
};
