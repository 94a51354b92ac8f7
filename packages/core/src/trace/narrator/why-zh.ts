/** 旁白第二行的中文：为什么这样。 */
import { isAdmitted } from '../kinds/common.js';
import { stepsZh } from './steps-zh.js';
import { known, stepWhy, type WhyRules } from './why.js';

const functions: { readonly [name: string]: string } = {
  syncLoopIteration:
    '每次迭代只从一个通道取一条消息，处理完再看下一条。syncLoop 在迭代前后各把时间存入 syncLoopMonitor，/healthz 据此发现卡住的循环。',
  HandlePodAdditions: '按创建时间从旧到新处理：发生冲突时，先来的 Pod 被接纳，后来的被拒绝。',
  HandlePodUpdates: '更新不再重新做准入检查，只交给该 Pod 的 worker。',
  HandlePodRemoves: '这个 Pod 不再需要，通知它的 worker 去终止。',
  HandlePodSyncs: 'Pod 可能有变化，让它的 worker 再看一遍。',
  HandlePodCleanups: '清理环节把 worker 和容器与期望的 Pod 对照，结束不再需要的。',
  SyncPod: '它让一个 Pod 向 spec 靠拢；每一步都先看现状，所以可以随时、反复执行。',
  SyncTerminatingPod: '在宽限期内停掉容器，不再启动任何东西。',
  SyncTerminatedPod: '容器都已停止，清理卷、cgroup 和状态。',
  computePodActions: '它比较 spec 与最近的状态，只给出要停什么、要启什么，自己不做改动。',
  Relist: 'PLEG 靠反复列举：把这次的清单与上次的比较。',
};

const decisions: { readonly [name: string]: string } = {
  isSyncPodWorthy: '除 ContainerRemoved 外，任何事件都会让已知 Pod 的 worker 再看一遍。',
  canAdmitPod: 'Pod 只在加入时做一次准入检查，第一个拒绝的处理器说了算。',
  allowPodStart: '同名的静态 Pod 不能同时运行：后来的要等前一个结束。',
  PodSandboxChanged: '如果没有恰好一个就绪且网络模式正确的沙箱，就要重建沙箱，容器也随之重建。',
  computePodActions: '容器是保留、重启还是就此结束，取决于 spec 哈希、探针结果和重启策略。',
  ShouldContainerBeRestarted: '只看 Pod 的重启策略和退出码。',
  getPodsToSync: '主循环每秒取出工作队列中到期的 Pod。',
  updateStatusInternal: '内容没有变化的状态不会产生新版本，也不会写出。',
  calculateEffectiveGracePeriod: '取到目前为止要求的宽限期中最短的一个，而且只会变短。',
  doBackOff: '等待从容器上次结束时算起；稳定运行超过最长退避的两倍后清零。',
  livenessManager: 'liveness 探测失败的容器会被杀掉，再由重启策略拉起。',
  getPhase: 'phase 是所有容器状态的汇总，每次同步都重新计算。',
  deletePod: '在所有来源都上报之前不删除任何 Pod：也许某个尚未上报的来源需要它。',
};

export const whyZh: WhyRules = {
  enter: (r) => known(functions, r.fn),
  decision: (r) => known(decisions, r.rule),
  step: (r) => stepWhy(stepsZh, r),
  'call-step': (r) => (isAdmitted(r) ? decisions.canAdmitPod : undefined),
  select: (r) =>
    r.ready !== undefined && r.ready.length > 1
      ? `有 ${r.ready.length} 个就绪：Go 随机选一个，通道之间没有先后。`
      : undefined,
  'pod-config': (r) =>
    r.op === 'DELETE'
      ? 'DELETE 表示开始优雅删除，主循环把它当作更新处理。'
      : r.op === 'RECONCILE'
        ? '只有状态不同，不需要 worker 动手。'
        : undefined,
  'pod-update': (r) => (r.overwrote ? 'worker 只有一个待处理的位置：新的更新覆盖旧的，不会排队。' : undefined),
  worker: (r) => (r.state === 'terminating' ? '这一步不可逆：同一个 uid 的 Pod 一旦开始终止就不会再运行。' : undefined),
  'cache-wait': () => '若用旧状态，它会重复自己上一次同步已经做过的事。',
  relist: (r) => (r.scope === 'global' && r.changed === 0 ? '没有差别就没有事件：空闲的节点是安静的。' : undefined),
  'pleg-event': (r) => (r.dropped ? '主循环没跟上；最迟到下一次定期同步仍会发现这一变化。' : undefined),
  probe: (r) =>
    r.run !== undefined && r.threshold !== undefined && r.run < r.threshold
      ? '只有连续次数达到阈值，结果才会改变。'
      : undefined,
  'probe-result': (r) =>
    r.probeType === 'liveness' && r.result === 'Failure'
      ? '下一次同步会杀掉这个容器并重新启动。'
      : r.probeType === 'readiness'
        ? '它决定 Pod 是否接收流量，容器本身不受影响。'
        : r.probeType === 'startup' && r.result === 'Success'
          ? '从现在起才进行 liveness 和 readiness 探测。'
          : undefined,
  backoff: (r) =>
    r.of === 'crash-loop'
      ? '每次崩溃等待时间翻倍，从 10 秒到 5 分钟，免得坏容器拖垮节点。'
      : '每次拉取失败等待时间翻倍，从 10 秒到 5 分钟。',
  volume: (r) =>
    r.error !== undefined
      ? '会再试，间隔从半秒起逐次加倍，最多 2 分 2 秒；其间 Pod 不能启动。'
      : r.op === 'volume_mount' && r.remount
        ? '每次同步 Pod，若来源有变化就重新写入这些文件。'
        : undefined,
  'runtime-state': (r) =>
    r.errors.length > 0 ? '有错误时主循环不读任何通道，隔越来越长的时间（最多 5 秒）再试。' : undefined,
  'sources-ready': (r) =>
    r.all ? '到这时 kubelet 才可以清除没有来源想要的 Pod：之前也许只是某个来源尚未上报。' : undefined,
  deadlock: () => '它们互相等待，只有对方才能让自己继续。',
};
