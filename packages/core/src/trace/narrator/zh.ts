/** 旁白的中文。kubelet 自己的名字一律不译。 */

import { isAdmitted, SYNC_POD_TYPES } from '../kinds/common.js';
import type { RecordOf, Wait } from '../records.js';
import { apiObject } from './api.js';
import { settings } from './cgroup.js';
import { decisionWords } from './decisions.js';
import { decisionsZh } from './decisions-zh.js';
import { gapZh } from './gaps-zh.js';
import { effectWords, inputWords } from './outside.js';
import { outsideZh } from './outside-zh.js';
import {
  amount,
  at,
  duration,
  join,
  type Language,
  type Names,
  quote,
  type Sentence,
  type Sentences,
  say,
  values,
} from './parts.js';
import { podActions } from './pod-actions.js';
import { reasonZh } from './reasons-zh.js';
import { symptomsZh } from './symptoms-zh.js';
import { volumeZh } from './volume.js';
import { whyZh } from './why-zh.js';

const actionWords = {
  nothing: '没有，一切如期望',
  killPod: '杀掉 Pod',
  createSandbox: '创建沙箱',
  kill: (names: string) => `杀掉 ${names}`,
  init: (names: string) => `启动 init 容器 ${names}`,
  start: (names: string) => `启动 ${names}`,
  separator: '、',
} as const;

const workVerb = { sync: 'SyncPod', terminating: 'SyncTerminatingPod', terminated: 'SyncTerminatedPod' } as const;

const managerVerbs = { started: '启动', done: '已完成', stopped: '不运行' } as const;

const workerStates = {
  sync: '负责让它保持运行',
  terminating: '正在终止它',
  terminated: '已停掉它的容器，正在收尾',
  finished: '的工作已经完成',
  removed: '已被清除',
} as const;

const states: Readonly<Record<string, string>> = {
  running: '运行中',
  exited: '已退出',
  created: '已创建',
  unknown: '未知',
  'non-existent': '不存在',
};
const state = (name: string): string => (states[name] ? `${name}（${states[name]}）` : name);

function wait(on: Wait, n: Names): Sentence {
  switch (on.op) {
    case 'send':
      return say`在等 ${n.channels(on)} 腾出位置`;
    case 'receive':
      return say`在等 ${n.channels(on)} 上来消息`;
    case 'select':
      return say`在等 ${n.channels(on, ' 或 ')} 上来消息`;
    case 'sleep':
      return say`休眠到 ${at(on.until ?? 0)}`;
    case 'lock':
    case 'rlock':
      return say`在等锁 ${on.name ?? ''}`;
    case 'cond':
      return say`在等信号 ${on.name ?? ''}`;
    case 'waitgroup':
      return say`在等 ${on.name ?? ''} 全部完成`;
    case 'once':
      return say`在等 ${on.name ?? ''} 的首次调用结束`;
    case 'call':
      return say`在等 ${on.name ?? '调用'} 的应答`;
  }
}

const processWords = {
  started: '启动',
  running: '在此之前已在运行',
  stopped: '停止',
  killed: '被杀死',
  ended: '已经结束，没有来源说明是怎样结束的',
} as const;

const shown = (item: unknown, n: Names): Sentence => {
  const words = n.item(item);
  return words ? [' ', ...words, ' '] : ['一项'];
};

const sentences: Sentences = {
  'goroutine-start': (r, n) => say`${n.goroutine(r.parent)} 在 ${r.process} 中启动 goroutine ${n.goroutine(r.id)}。`,
  'goroutine-end': (r, n) =>
    r.panic
      ? say`${n.goroutine(r.id)} 发生 panic：${quote(r.panic.error)}。`
      : r.killed
        ? say`${n.goroutine(r.id)} 消失了：它所在的进程已结束。`
        : say`${n.goroutine(r.id)} 返回。`,
  wait: (r, n) => say`${n.who(r)} ${wait(r.on, n)}。`,
  'chan-make': (r, n) =>
    r.cap === 0
      ? say`创建通道 ${n.channel(r.chan)}，无缓冲，发送者直接交给接收者。`
      : say`创建通道 ${n.channel(r.chan)}，可容纳 ${r.cap} 项。`,
  send: (r, n) =>
    r.len === 0
      ? say`${n.who(r)} 通过 ${n.channel(r.chan)} 直接交出${shown(r.item, n)}。`
      : say`${n.who(r)} 把${shown(r.item, n)}放入 ${n.channel(r.chan)}，其中现有 ${r.len} 项。`,
  receive: (r, n) =>
    r.discarded
      ? say`${n.channel(r.chan)} 上一个无人取走的 tick 被丢弃。`
      : r.ok
        ? say`${n.who(r)} 从 ${n.channel(r.chan)} 取出${shown(r.item, n)}${(r.len ?? 0) > 0 ? `，还剩 ${r.len} 项` : ''}。`
        : say`${n.who(r)} 得知 ${n.channel(r.chan)} 已关闭。`,
  close: (r, n) => say`${n.who(r)} 关闭 ${n.channel(r.chan)}。`,
  select: (r, n) => {
    if (r.chosen < 0) return say`${n.who(r)} 发现没有通道就绪，继续往下走。`;
    const chosen = n.channel(r.cases[r.chosen] ?? 0);
    const others = (r.ready ?? []).filter((i) => i !== r.chosen).map((i) => n.channel(r.cases[i] ?? 0));
    return others.length > 0
      ? say`${n.who(r)} 选中 ${chosen}；同时就绪的还有 ${join(others, '、')}。`
      : say`${n.who(r)} 选中 ${chosen}。`;
  },
  enter: (r, n) =>
    n.isNamed(r.g, r.fn) ? say`${n.record(r.seq, r.fn)} 开始。` : say`${n.who(r)} 调用 ${n.record(r.seq, r.fn)}。`,
  exit: (r, n) =>
    r.error === undefined
      ? say`${n.record(r.of, r.fn)} 返回。`
      : say`${n.record(r.of, r.fn)} 失败：${quote(r.error)}。`,
  'call-step': (r, n) => {
    if (isAdmitted(r))
      return say`${r.name}：${n.pod({ pod: r.pod ?? '', uid: r.uid ?? '' })} 被接纳，没有处理器拒绝它。`;
    const about =
      r.uid === undefined
        ? ''
        : r.container === undefined
          ? say`对 ${n.pod({ pod: r.pod ?? '', uid: r.uid })} 的 `
          : say`对 ${n.pod({ pod: r.pod ?? '', uid: r.uid })} 的容器 ${n.containerOf({ pod: r.pod ?? '', uid: r.uid }, r.container)} 的 `;
    const found = values(r.found, n, 4, true);
    // 上游给 startContainer 编了四步；这些在它们之间。
    const step = r.fn === 'startContainer' ? '' : `，第 ${r.n} 步`;
    return say`${about}${r.fn}${step}：${r.name}${found ? `（${found}）` : ''}。`;
  },
  deadlock: (r, n) =>
    say`死锁，没有 goroutine 能继续：${join(
      r.waits.slice(0, 3).map((w) => say`${n.goroutine(w.g)} ${wait(w.on, n)}`),
      '；',
    )}${r.waits.length > 3 ? `；另有 ${r.waits.length - 3} 个` : ''}。`,
  log: (r, n) =>
    say`kubelet 记录${r.severity === 'E' ? '错误' : r.severity === 'W' ? '警告' : ''}日志：“${quote(r.msg)}”${inBrackets(values(r.kv, n, 3, true))}。`,
  'kube-event': (r, n) =>
    say`${n.object(r.object)} 的${r.type === 'Warning' ? '警告' : ''}事件 ${r.reason}${r.message === '' ? '' : `：“${quote(r.message)}”`}。`,
  source: (r, n) =>
    r.errors && r.errors.length > 0
      ? say`${r.source} 来源的输入未能全部读出：${quote(r.errors[0] ?? '')}。`
      : r.pods.length === 0
        ? say`${r.source} 来源不需要任何 Pod。`
        : say`${r.source} 来源想要 ${n.pods(r.pods)}。`,
  'pod-config': (r, n) =>
    r.pods.length === 0
      ? say`PodConfig 告诉主循环：${r.source} 来源没有 Pod（${r.op}）。`
      : say`PodConfig 与已知情况比较，为来自 ${r.source} 的 ${n.pods(r.pods)} 生成 ${r.op}。`,
  decision: (r, n) => {
    const words = decisionWords(decisionsZh, r, n, '：');
    if (words) return words;
    const pod = r.uid === undefined ? null : n.pod({ pod: r.pod ?? '', uid: r.uid });
    const about =
      pod === null
        ? ''
        : r.container === undefined
          ? say`对 ${pod} `
          : say`对 ${pod} 的容器 ${n.containerOf({ pod: r.pod ?? '', uid: r.uid ?? '' }, r.container)} `;
    const { why } = r.values;
    const because = typeof why === 'string' ? reasonZh(why) : '';
    const kv = values(r.values, n, 3);
    return say`${r.rule} ${about}的判断：${quote(r.verdict)}${because ? `，理由：${because}` : ''}${kv ? `（${kv}）` : ''}。`;
  },
  'pod-update': (r, n) =>
    r.dropped !== undefined
      ? say`发给 ${n.pod(r)} 的更新${r.updateType === undefined ? '' : ` “${r.updateType}”（${SYNC_POD_TYPES[r.updateType]}）`}被忽略：${quote(r.dropped)}。`
      : say`${n.pod(r)} 的 worker 收到${r.updateType === undefined ? '一个更新' : `更新 “${r.updateType}”（${SYNC_POD_TYPES[r.updateType]}）`}${r.overwrote ? '，覆盖了还在等待的那一个' : ''}。`,
  worker: (r, n) =>
    r.state === 'sync' && r.from === undefined
      ? say`${n.pod(r)} 有了自己的 worker：${reasonZh(r.reason)}。`
      : say`${n.pod(r)} 的 worker ${workerStates[r.state]}：${reasonZh(r.reason)}。`,
  'cache-wait': (r, n) =>
    r.newerThan <= 0
      ? say`${n.pod(r)} 的 worker 在等第一份状态。`
      : say`${n.pod(r)} 的 worker 在等比 ${at(r.newerThan)} 更新的状态。`,
  'work-start': (r, n) =>
    say`${n.pod(r)} 的 worker ${r.updateType === undefined ? '' : `因 “${r.updateType}” `}开始 ${workVerb[r.workType]}。`,
  'work-done': (r, n) =>
    r.error === undefined
      ? say`${n.pod(r)} 的 worker 完成了 ${workVerb[r.workType]}。`
      : say`${n.pod(r)} 的 ${workVerb[r.workType]} 失败：${quote(r.error)}。`,
  step: (r, n) =>
    say`${n.pod(r)} 的 ${r.fn}，第 ${r.n} 步：${reasonZh(r.name)}${r.container === undefined ? '' : say`（容器 ${n.containerOf(r, r.container)}）`}。`,
  part: (r) => say`${r.file} 的 ${r.fn} 代替 kubelet 自己的代码作出决定。`,
  'part-line': (r) => say`接下来执行 ${r.file} 第 ${r.line} 行${r.fn === '' ? '' : `（${r.fn}）`}。`,
  'part-failed': (r) =>
    say`运行到此为止：${r.file}${r.line > 0 ? ` 第 ${r.line} 行` : ''}的 ${r.fn} 出错（${r.message}）。`,
  'pod-actions': (r, n) => say`computePodActions 算出 ${n.pod(r)} 需要做的事：${podActions(r.actions, actionWords)}。`,
  queue: (r, n) => say`${n.pod(r)} 将在 ${at(r.due)} 再次检查：${reasonZh(r.why)}。`,
  'cri-call': (r, n) => say`kubelet 向运行时发出 ${r.method}${criObject(r, n)}。`,
  'cri-return': (r, n) =>
    r.error
      ? say`${n.record(r.call, r.method)}${criObject(r, n)}${r.took === undefined ? '' : ` 在 ${duration(r.took)} 后`}失败：${quote(r.error.details)}。`
      : say`运行时${r.took === undefined ? '' : `在 ${duration(r.took)} 后`}应答 ${n.record(r.call, r.method)}${criObject(r, n)}。`,
  relist: (r) =>
    r.scope === 'pod'
      ? say`PLEG 单独查看一个 Pod${r.changed ? '：有变化' : ''}。`
      : r.pods === undefined || r.changed === undefined
        ? say`PLEG 列出各个 Pod。`
        : r.changed === 0
          ? say`PLEG 列出 ${r.pods} 个 Pod，没有变化。`
          : say`PLEG 列出 ${r.pods} 个 Pod，其中 ${r.changed} 个有变化。`,
  'pleg-transition': (r, n) =>
    say`PLEG 看到 ${n.pod(r)} 的${r.sandbox ? say`${n.sandbox(r.id)}` : say`容器 ${n.containerById(r.id, r.name)}`}${r.old === undefined ? '' : ` 从 ${state(r.old)}`} 变为 ${state(r.new)}${r.exitCode === undefined ? '' : `，退出码 ${r.exitCode}`}。`,
  'pleg-event': (r, n) =>
    r.dropped
      ? say`plegCh 已满：${n.pod(r)} 的 ${r.type} 丢失。`
      : say`PLEG 把 ${n.pod(r)} 中${r.name === undefined ? say` ${n.containerById(r.data)} ` : r.name ? ` ${r.name} ` : '沙箱'}的 ${r.type} 放入 plegCh。`,
  cache: (r, n) =>
    r.op === 'delete'
      ? say`缓存不再保留 ${n.pod(r)}。`
      : r.error !== undefined
        ? say`缓存记下：${n.pod(r)} 的状态读取失败：${quote(r.error)}。`
        : say`缓存得到 ${n.pod(r)} 的新状态，截至 ${at(r.modified)}。`,
  probe: (r, n) =>
    say`${n.pod(r)} 中容器 ${n.containerOf(r, r.container)} 的 ${r.probeType} 探测：${r.outcome}${r.output ? `（${quote(r.output, 80)}）` : ''}${r.run === undefined ? '' : `，连续 ${r.threshold !== undefined && r.run < r.threshold ? `${r.run}/${r.threshold}` : r.run} 次`}。`,
  'probe-result': (r, n) =>
    say`${n.pod(r)} 中容器 ${n.containerOf(r, r.container)} 的 ${r.probeType} 结果变为 ${r.result}。`,
  kill: (r, n) =>
    say`kubelet 杀掉 ${n.pod(r)} 的容器 ${n.containerOf(r, r.container)}${r.reason === undefined ? '' : `（${r.reason}）`}${r.gracePeriod === undefined ? '' : `，给它 ${r.gracePeriod} 秒退出`}。`,
  backoff: (r, n) =>
    r.active
      ? say`${n.pod(r)} 的容器 ${n.containerOf(r, r.container)} 要等${r.until === undefined ? '退避结束' : `到 ${at(r.until)} `}才能${r.of === 'crash-loop' ? '重启' : '拉取镜像'}${r.delay === undefined ? '' : `（退避 ${duration(r.delay)}）`}。`
      : say`${n.pod(r)} 的容器 ${n.containerOf(r, r.container)} 现在可以${r.of === 'crash-loop' ? '启动' : '拉取镜像'}${r.delay === undefined ? '' : `；下一次退避为 ${duration(r.delay)}`}。`,
  volume: (r, n) => volumeZh(r, n),
  status: (r, n) =>
    say`${n.pod(r)} 的状态${r.version === undefined ? '有了变化' : `更新到版本 ${r.version}`}${phaseOf(r.status)}。`,
  eviction: (r, n) => eviction(r, n),
  'status-removed': (r, n) => say`状态管理器不再保留 ${n.pod(r)}。`,
  api: (r) => {
    const what = apiObject(r);
    if (r.phase === 'request') return say`kubelet 向 API server 发出 ${r.verb} ${what}。`;
    if (r.phase === 'end') return say`对 ${what} 的 watch 结束了。`;
    if (r.error !== undefined)
      return r.code === undefined
        ? say`${r.verb} ${what} 时连不上 API server：${quote(r.error)}。`
        : say`API server 对 ${r.verb} ${what} 回答 ${r.code}：${quote(r.error)}。`;
    return r.verb === 'watch'
      ? say`从现在起 API server 会告知 ${what} 的每个变化。`
      : say`API server 回答了 ${r.verb} ${what}${r.code === undefined ? '' : `（${r.code}）`}。`;
  },
  cgroup: (r) =>
    r.op === 'destroy'
      ? say`删除 cgroup ${r.path}。`
      : say`${r.op === 'create' ? '创建' : '设置'} cgroup ${r.path}${settings(r.config)}。`,
  manager: (r) =>
    r.state === 'failed'
      ? say`${r.name} 未能启动${r.detail ? `：${quote(r.detail)}` : ''}。`
      : say`${r.name} ${managerVerbs[r.state]}${r.detail ? `（${reasonZh(r.detail)}）` : ''}。`,
  devices: (r) => {
    const { resource, devices } = r;
    const sick = devices.filter((d) => !d.healthy).length;
    if (r.endpoint === 'removed') return say`已没有设备插件提供 ${resource}。`;
    if (r.endpoint === 'stopped') return say`${resource} 的设备插件已离开：它的设备都不算健康。`;
    const taken = devices.filter((d) => d.allocated).length;
    return say`${resource} 有 ${devices.length} 个设备：已分配 ${taken} 个，不健康 ${sick} 个。`;
  },
  'node-condition': (r) => say`节点的状况 ${r.type} 为 ${r.status}：${r.reason}${saying(r.message)}。`,
  'node-status': (r) =>
    r.op === 'registered'
      ? say`节点 ${r.node} 已在 API server 注册。`
      : r.op === 'reported'
        ? say`kubelet 把节点 ${r.node} 的状态发给 API server。`
        : r.op === 'failed'
          ? say`节点 ${r.node} 的状态未能发出：${quote(r.error ?? '')}。`
          : say`kubelet 算出节点 ${r.node} 是什么、有什么：可供 Pod 使用 ${values(r.allocatable ?? {}, null, 4)}。`,
  'node-lease': (r) =>
    r.op === 'failed'
      ? say`节点 ${r.name} 的租约未能续期：${quote(r.error ?? '')}。`
      : say`节点 ${r.name} 的租约${r.op === 'created' ? '已建立' : '已续期'}：节点还活着。`,
  'runtime-state': (r) =>
    r.errors.length > 0
      ? say`主循环停下${r.backoff ? ` ${duration(r.backoff)}` : ''}：${quote(r.errors.join('；'))}。`
      : r.networkError
        ? say`Pod 网络未就绪：${quote(r.networkError)}。`
        : say`运行时健康。`,
  'sources-ready': (r) =>
    r.all ? say`已收到 ${r.source} 来源的消息；至此所有来源都已就绪。` : say`已收到 ${r.source} 来源的消息。`,
  'actual-sandbox': (r, n) =>
    say`运行时中：${n.pod(r)} 的${n.sandbox(r.id)} ${r.state === 'ready' ? `就绪${r.ip ? `，地址 ${r.ip}` : ''}` : r.state === 'notready' ? '已停止' : '已删除'}。`,
  'actual-container': (r, n) =>
    say`运行时中：${n.pod({ pod: '', uid: r.uid })} 的容器 ${n.containerById(r.id, r.name)} ${
      r.state === 'created'
        ? '已创建'
        : r.state === 'running'
          ? '开始运行'
          : r.state === 'removed'
            ? '已删除'
            : `已退出${r.exitCode === undefined ? '' : `，退出码 ${r.exitCode}`}${r.reason ? `（${r.reason}）` : ''}`
    }。`,
  'actual-image': (r) =>
    say`运行时中：镜像 ${quote(r.image, 80)} ${
      r.state === 'pulling'
        ? '正在拉取'
        : r.state === 'present'
          ? '已就位'
          : r.state === 'removed'
            ? '已删除'
            : `拉取失败：${quote(r.error ?? '')}`
    }。`,
  input: (r, n) => say`${inputWords(outsideZh, r, n)}。`,
  fault: (r) => say`${effectWords(outsideZh, r)}。`,
  process: (r) => say`进程“${r.process}”${processWords[r.state]}。`,
  gap: (r) => say`缺少第 ${r.from} 到 ${r.to} 条记录，其间发生了什么无从得知。`,
  'evidence-source': (r) =>
    r.state === 'opened'
      ? say`从这里开始读取 ${r.name}${r.details ? `（${r.details}）` : ''}。`
      : r.state === 'ended'
        ? say`${r.name} 到此结束${r.details ? `（${r.details}）` : ''}。`
        : say`${r.name} 已无法读取${r.details ? `（${gapZh(r.details)}）` : ''}。`,
  'evidence-gap': (r) => say`此处缺少内容（${gapZh(r.why)}）。`,
  symptom: (r) => {
    const { error } = r.facts;
    const of = r.pod ? `（${r.pod}${r.container ? ` 的容器 ${r.container}` : ''}）` : '';
    return say`${r.program} 报告：${symptomsZh[r.code]}${of}${r.state === 'healed' ? '，现已恢复' : ''}${typeof error === 'string' ? `：${quote(error)}` : ''}。`;
  },
  'clock-offset': (r) =>
    say`${r.source} 的时钟比 ${r.against} ${r.offset < 0 ? '快' : '慢'} ${duration(Math.abs(r.offset))}，误差不超过 ${duration(r.uncertainty)}。`,
  disagreement: (r) =>
    say`各来源对 ${r.about} 的说法不一：${r.sides.map((side) => `${side.source} 说 ${JSON.stringify(side.value)}`).join('，')}。`,
  'telemetry-span': (r) =>
    say`${r.service} 导出了 span ${r.name}，时长 ${duration(r.took)}${r.error === undefined ? '' : `，错误为“${r.error}”`}。`,
  'pod-list': (r) =>
    r.scope === 'all'
      ? say`Pod 列表现在有 ${r.pods.length} 个 Pod。`
      : say`Pod 列表中的 ${r.pods.map(({ pod }) => pod).join('、')} ${r.removed ? '已消失' : '有变化'}。`,
  metrics: (r) => say`读取了 kubelet 的指标：${Object.keys(r.values).length} 个计数器。`,
  'runtime-answer': (r) =>
    r.error
      ? say`在 kubelet 之外向运行时查询 ${r.method} 失败：${quote(r.error.details)}。`
      : say`在 kubelet 之外向运行时查询，它应答了 ${r.method}。`,
  'metrics-check': (r) => {
    const differ = r.rows.filter(({ agrees }) => !agrees).length;
    const [one] = r.rows;
    return differ > 0
      ? say`kubelet 的 ${r.rows.length} 个计数器中有 ${differ} 个与所见不符。`
      : r.rows.length === 1 && one
        ? say`kubelet 的 ${one.name} 计数为 ${one.told}，见到 ${one.seen} 次。`
        : say`所见与 kubelet 的 ${r.rows.length} 个计数器相符${r.whole ? '' : '（就所见部分而言）'}。`;
  },
  'container-event': () => say`容器运行时报告了一个容器的变化。`,
};
export const chinese: Language = {
  lang: 'zh',
  sentences,
  why: whyZh,
  action: (action, names) => inputWords(outsideZh, action, names),
};

const saying = (message: string): string => (message === '' ? '' : `，“${quote(message)}”`);

const inBrackets = (text: string): string => (text === '' ? '' : `（${text}）`);

function criObject(r: RecordOf<'cri-call' | 'cri-return'>, n: Names): Sentence {
  if (r.container) {
    const pod = n.podOfContainer(r.container);
    return say`（${pod ? say`${pod} 的` : ''}容器 ${n.containerById(r.container)}）`;
  }
  if (r.uid) return say`（${n.pod({ pod: '', uid: r.uid })}）`;
  if (r.sandbox) {
    const pod = n.podOfContainer(r.sandbox);
    return say`（${pod ? say`${pod} 的` : ''}${n.sandbox(r.sandbox)}）`;
  }
  return say``;
}

function phaseOf(status: unknown): string {
  const phase = typeof status === 'object' && status !== null && 'phase' in status ? status.phase : undefined;
  return typeof phase === 'string' ? `，phase 为 ${phase}` : '';
}

const bytes = (x: number, resource: string): string =>
  resource === 'memory' || resource === 'ephemeral-storage' ? amount(x) : String(x);

function eviction(r: RecordOf<'eviction'>, n: Names): Sentence {
  const pod = n.pod({ pod: r.pod ?? '', uid: r.uid ?? '' });
  const resource = r.resource ?? '';
  switch (r.phase) {
    case 'signals': {
      const short = (r.signals ?? []).filter((x) => x.met).map((x) => x.signal);
      return short.length > 0
        ? say`eviction manager 测量节点：${[...new Set(short)].join('、')} 所剩太少。`
        : say`eviction manager 测量节点：各项都够用。`;
    }
    case 'conditions':
      return (r.conditions ?? []).length > 0
        ? say`节点现在处于 ${(r.conditions ?? []).join('、')}。`
        : say`节点不再有压力。`;
    case 'reclaim':
      return say`为了收回 ${resource}，先删除${r.what === 'images' ? '没有人用的镜像' : '已死的容器'}。`;
    case 'reclaimed':
      return say`这就够了：不必为 ${resource} 驱逐 Pod。`;
    case 'rank': {
      const first = r.ranked?.[0];
      return first
        ? say`按所用的 ${resource} 给 Pod 排序：最先要走的是 ${n.pod(first)}${first.usage === undefined ? '' : `（用了 ${bytes(first.usage, resource)}，申请了 ${bytes(first.request ?? 0, resource)}）`}。`
        : say`没有可以驱逐的 Pod${resource && `（${resource}）`}。`;
    }
    case 'evict':
      return say`驱逐 ${pod}，给它 ${r.gracePeriodSeconds ?? 0} 秒结束：${quote((r.message ?? '').trim().replace(/\.$/, ''))}。`;
    case 'evicted':
      return r.error === undefined ? say`${pod} 已被驱逐。` : say`${pod} 未能杀死：${quote(r.error)}。`;
    default:
      return r.error === undefined
        ? say`${pod} 留下的都清理完了；eviction manager 马上再看一遍。`
        : say`${pod} 留下的还在：${quote(r.error)}。`;
  }
}
