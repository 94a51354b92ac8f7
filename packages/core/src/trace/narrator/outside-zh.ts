/** 从外部做的事，中文。 */

import type { Json } from '../records.js';
import {
  type Arguments,
  faultIn,
  type Loose,
  length,
  loose,
  methodName,
  type OutsideWords,
  ofContainer,
  text,
} from './outside.js';
import type { outsideEn } from './outside-en.js';
import type { Names, Sentence } from './parts.js';
import { say } from './parts.js';

const when = (f: Loose): string =>
  [
    f.after !== undefined && `，${length(f.after)} 后开始`,
    f.every !== undefined && `，每 ${length(f.every)} 一次`,
    f.for !== undefined && `，持续 ${length(f.for)}`,
    f.times !== undefined && `，共 ${text(f.times)} 次`,
  ]
    .filter(Boolean)
    .join('');

const answers: Readonly<Record<string, string>> = {
  serve: '提供该镜像',
  'not-found': '回答该镜像不存在',
  unauthorized: '要求登录',
  refused: '拒绝连接',
  timeout: '没有按时应答',
  'too-many-requests': '回答请求过多',
  'no-such-host': '的域名无法解析',
  hang: '一直不应答',
};
const answer = (kind: string): string => answers[kind] ?? `回答“${kind}”`;

const container = (n: Names, pod: Json | undefined, name: Json | undefined): Sentence =>
  text(name) === '' ? say`${n.podBy(text(pod))} 的沙箱` : say`${n.podBy(text(pod))} 的容器 ${text(name)}`;
const containerOf = (a: Arguments): Sentence => container(a.names, a.text(0), a.text(1));
const byPath = (path: string): string => {
  const { pod, container: name } = ofContainer(path);
  return name === '' ? `${pod.replace(/^sandbox of /, '')} 的沙箱` : `${pod} 的容器 ${name}`;
};

const resources: Readonly<Record<string, string>> = {
  memory: '内存',
  disk: '磁盘空间',
  inodes: 'inode',
  pid: '进程号',
};

function calls(rule: Loose): string {
  const effect = loose(rule.effect);
  const about = text(rule.pod) && `针对 ${text(rule.pod)} 的`;
  const method =
    text(rule.method) === '*' ? `${about}所有运行时调用` : `${about} ${methodName(rule.method)} 调用`.trim();
  switch (effect.kind) {
    case 'delay':
      return `${method}多用 ${length(effect.duration)}`;
    case 'hang':
      return `${method}得不到应答`;
    default:
      return `${method}失败`;
  }
}

const letters: Readonly<Record<string, string>> = { F: '失败', S: '成功', H: '卡住' };

const file = (a: Arguments): Sentence => (/\.\w+$/.test(a.text(0)) ? say`清单 ${a.text(0)}` : say`pod ${a.pod(0)}`);

const other: OutsideWords['other'] = (what) => say`从外部做了一件事（${what}）`;

const faults = {
  cri: (f) => say`${calls(loose(f.rule))}${when(f)}`,
  pull: (f) => say`${text(f.image) || '所有镜像'} 的镜像仓库${answer(text(f.answer))}${when(f)}`,
  kill: (f, n) => say`杀死 ${container(n, f.pod, f.container)}${when(f)}`,
  oom: (f, n) => say`${container(n, f.pod, f.container)} 用尽内存，被杀死${when(f)}`,
  killSandbox: (f, n) => say`杀死 ${container(n, f.pod, undefined)}${when(f)}`,
  runtime: (f) => say`容器运行时停止${when(f)}`,
  relist: (f) => say`PLEG 的列举多用 ${length(f.delay)}${when(f)}`,
  probe: (f, n) => {
    const pattern = text(f.pattern);
    const outcome = letters[pattern] ?? '时而失败时而成功';
    const which = text(f.probe) ? `${text(f.probe)} 探测` : '所有探测';
    const whose = text(f.pod) ? say`${n.podBy(text(f.pod))} 的` : say``;
    return say`${whose} ${which}${outcome}${when(f)}`;
  },
  network: (f) => say`Pod 网络不就绪${when(f)}`,
  pressure: (f) => say`节点缺少${resources[text(f.resource)] ?? text(f.resource)}${when(f)}`,
  kubelet: (f) => say`${f.how === 'crash' ? 'kubelet 崩溃后重新启动' : '重启 kubelet'}${when(f)}`,
  clock: (f) => {
    const jump = typeof f.jump === 'number' ? f.jump : 0;
    return say`时钟拨${jump < 0 ? '后' : '前'} ${length(Math.abs(jump))}${when(f)}`;
  },
  api: (f) => {
    if (f.how === 'restart') return say`重启 API server${when(f)}`;
    if (f.how === 'silent') return say`API server 没有任何应答${when(f)}`;
    return say`连不上 API server${when(f)}`;
  },
} satisfies OutsideWords['faults'];

export const outsideZh: OutsideWords<keyof typeof outsideEn.inputs, keyof typeof outsideEn.faults> = {
  inputs: {
    apply: (a) => say`应用清单 ${a.text(0)}`,
    raw: (a) => say`把文件 ${a.text(0)} 写入清单目录`,
    rmraw: (a) => say`从清单目录删除文件 ${a.text(0)}`,
    delete: (a) => say`删除${file(a)}`,
    edit: (a) => say`修改${file(a)}`,
    wait: () => say`等待一段时间`,
    waitFor: () => say`场景等待某件事发生`,
    assert: () => say`场景检查一切是否符合预期`,
    kill: (a) => say`杀死 ${containerOf(a)}`,
    killSandbox: (a) => say`杀死 ${a.pod(0)} 的沙箱`,
    oom: (a) => say`${containerOf(a)} 用尽内存，被杀死`,
    systemOOM: (a) => say`机器内存耗尽，内核杀死 ${a.text(0)}（进程 ${a.text(1)}）`,
    manifestURL: (a) =>
      a.text(1) === '200'
        ? say`清单 URL 从现在起提供 ${a.text(0)} 个 Pod`
        : say`清单 URL 从现在起以状态码 ${a.text(1)} 应答`,
    configCh: (a) =>
      a.text(0) === 'close'
        ? say`configCh 被关闭`
        : say`configCh 收到来源 ${a.text(1)} 的 ${a.text(0)}，来源自己不会发它`,
    devicePlugin: (a) => {
      const { devices, run, unhealthy, healthy, allocate } = a.object(1);
      const resource = a.text(0);
      const ids = (of: Json | undefined) => (Array.isArray(of) ? of.map((id) => text(id)).join('、') : '');
      const runs = { start: '启动', stop: '停止', restart: '重启' }[text(run)];
      return say`${[
        runs !== undefined && `${resource} 的设备插件${runs}`,
        Array.isArray(devices) && `${resource} 从现在起有 ${devices.length} 个设备`,
        unhealthy !== undefined && `${resource} 的设备 ${ids(unhealthy)} 变为不健康`,
        healthy !== undefined && `${resource} 的设备 ${ids(healthy)} 变为健康`,
        allocate !== undefined && `${resource} 的设备插件改变对 Allocate 的回答`,
      ]
        .filter(Boolean)
        .join('，')}`;
    },
    exec: (a) => say`在 ${containerOf(a)} 中执行“${a.line(2)}”`,
    life: (a) => {
      const [kind, by = ''] = a.text(3).split(' ');
      if (kind === 'oom') return say`按场景的设定，${containerOf(a)} 用尽内存，被杀死`;
      const how = kind === 'signal' ? `被信号 ${by} 结束` : `自行退出，退出码 ${by}`;
      return say`按场景的设定，${containerOf(a)} ${how}`;
    },
    execDone: (a) => say`在 ${containerOf(a)} 中执行的命令结束，退出码 ${a.text(2)}`,
    sh: () => say`执行一个脚本`,
    fault: (a) => faultIn({ faults, other }, a.object(0), a.names),
    clearFaults: (a) => (a.has(0) ? say`撤销故障“${a.text(0)}”` : say`撤销所有故障`),
    choose: (a) => (a.text(0) === 'goroutine' ? say`先运行 ${a.text(1)}` : say`先选中 ${a.text(1)}`),
    network: (a) => (a.text(0) === 'ready' ? say`Pod 网络恢复就绪` : say`Pod 网络不再就绪`),
    addImage: (a) => say`把镜像 ${a.text(0)} 放到节点上`,
    imageDoes: (a) => say`说明镜像 ${a.text(0)} 的容器做什么`,
    removeImage: (a) => say`从节点上删除镜像 ${a.text(0)}`,
    registry: (a) => say`从现在起，${a.text(0)} 的镜像仓库${answer(a.text(1))}`,
    restart: (a) =>
      a.text(0) === 'runtime' ? say`重启容器运行时` : a.has(1) ? say`kubelet 崩溃后重新启动` : say`重启 kubelet`,
    stopKubelet: () => say`停止 kubelet`,
    startKubelet: () => say`启动 kubelet`,
    restartKubelet: () => say`重启 kubelet`,
    stopRuntime: () => say`停止容器运行时`,
    startRuntime: () => say`启动容器运行时`,
    shutdown: () => say`机器即将关机`,
    cancelShutdown: () => say`机器取消关机`,
    explored: (a) => {
      switch (a.text(0)) {
        case 'invariant':
          return say`kubelet 的规则 ${a.text(1)} 被违反`;
        case 'never':
          return say`绝不该成立的条件成立了`;
        case 'finally':
          return say`结束时条件不成立`;
        case 'step':
          return say`运行与场景的预期不符`;
        case 'panic':
          return say`kubelet 发生 panic`;
        case 'deadlock':
          return say`所有 goroutine 都在等待`;
        default:
          return say`运行没有结束`;
      }
    },
    failed: (a) => {
      const [, inside] = /^exec: (.*)$/s.exec(a.text(0)) ?? [];
      const [, line] = /, line (\d+):/.exec(a.text(0)) ?? [];
      return inside !== undefined
        ? say`容器里的命令无法执行：${inside}`
        : line === undefined
          ? say`场景在这里预期的是另一种结果`
          : say`场景第 ${line} 行在这里预期的是另一种结果`;
    },
  },
  faults,
  effects: {
    over: (_, __, rule) => say`故障“${rule}”结束`,
    kill: (_, [path = '']) => say`杀死 ${byPath(path)}`,
    oom: (_, [path = '']) => say`${byPath(path)} 用尽内存，被杀死`,
    nothing: (_, [why = '']) => say`故障没有找到目标：${why}`,
    runtime: () => say`容器运行时停止`,
    network: () => say`Pod 网络不就绪`,
    pressure: (_, [resource = '', left = '']) =>
      say`节点缺少${resources[resource] ?? resource}${left && `：还剩 ${left}`}`,
    kubeletKilled: () => say`kubelet 被杀死`,
    kubeletStopped: () => say`kubelet 停止`,
    clock: (_, [by = '']) => say`时钟跳变 ${by}`,
    api: () => say`连不上 API server`,
    apiStopped: () => say`API server 停止`,
    apiSilent: () => say`API server 没有任何应答`,
    registry: (_, [kind = '']) => say`镜像仓库${answer(kind)}`,
    delay: (call, [by = '']) => say`注入的故障使 ${call} 多用 ${by}`,
    hang: (call) => say`注入的故障使 ${call} 得不到应答`,
    doneHang: (call) => say`注入的故障使 ${call} 做完却没有应答`,
    fails: (call) => say`故障使 ${call} 失败`,
    succeeds: (call) => say`故障使 ${call} 成功`,
    hangs: (call) => say`故障使 ${call} 卡住`,
    error: (call, [code = '', why = '']) => say`故障使 ${call} 以 ${code} 失败：${why}`,
  },
  other,
};
