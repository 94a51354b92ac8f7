import type { Change } from '../types.js';

/** Changes of the sync loop: what its select waits for. */
export const loop: readonly Omit<Change, 'part'>[] = [
  {
    id: 'probe-channels',
    since: 'v1.21',
    title: {
      en: 'Readiness and startup results come into the loop',
      zh: '就绪与启动探针的结果进入循环',
    },
    before: {
      en: 'The select of `syncLoopIteration` had five cases. Of the probes, only liveness results were among them. Goroutines of the prober manager wrote readiness and startup results into the status themselves, and nobody synced the pod because of them.',
      zh: '`syncLoopIteration` 的 select 只有五个分支，探针里只有存活结果在其中。就绪和启动的结果由探针管理器自己的 goroutine 写进状态，没有谁因此去同步 Pod。',
    },
    after: {
      en: 'Two more cases take the results of readiness and startup probes. The loop writes them into the status manager and then syncs the pod, by `handleProbeSync`, as it does for a failed liveness probe.',
      zh: '多了两个分支，接收就绪和启动探针的结果。循环先把结果写进状态管理器，再通过 `handleProbeSync` 同步 Pod，与存活探针失败时一样。',
    },
    why: {
      en: 'A pod whose startup probe had failed, or that had become ready, was only looked at when something else happened to sync it.',
      zh: '启动探针已失败、或者已经就绪的 Pod，要等别的事情碰巧引起一次同步，才会被处理。',
    },
    upstream: [{ pull: 98376 }],
    names: [
      'syncLoopIteration',
      'handleProbeSync',
      'readinessManager',
      'startupManager',
      'livenessManager',
      'updateReadiness',
      'updateStartup',
      'SetContainerReadiness',
      'SetContainerStartup',
    ],
    code: { before: 'syncLoopIteration', since: 'syncLoopIteration' },
    shown: {
      scenario: 'readiness',
      evidence: {
        what: {
          en: 'Times that the select takes the case `readinessManager`',
          zh: 'select 选中 `readinessManager` 分支的次数',
        },
        kind: 'select',
        where: "channel.name == 'readinessManager'",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'probe-result', where: "probeType == 'readiness'" },
    },
  },
  {
    id: 'container-manager-channel',
    since: 'v1.31',
    title: { en: 'An eighth case: containerManager', zh: '第八个分支：containerManager' },
    before: {
      en: 'The select had seven cases. When a device that a pod uses turned unhealthy, the device manager noticed it and offered fewer devices, but the loop did not learn of it.',
      zh: 'select 有七个分支。Pod 正在用的设备变得不健康时，设备管理器知道，并减少可分配的设备数，但循环一无所知。',
    },
    after: {
      en: 'A case before `housekeepingCh` takes UIDs from `containerManager.Updates()`: pods whose devices have changed their health. The loop syncs them.',
      zh: '在 `housekeepingCh` 之前多了一个分支，从 `containerManager.Updates()` 接收 UID：这些 Pod 的设备健康状况变了，循环就同步它们。',
    },
    why: {
      en: 'The status of a pod can then say which of its devices is broken, soon after it breaks.',
      zh: '为了在设备损坏后不久，Pod 的状态就能写明坏的是哪块设备。',
    },
    upstream: [{ kep: 4680 }, { pull: 126243 }],
    names: ['syncLoopIteration', 'containerManager', 'containerManager.Updates', 'HandlePodSyncs'],
    code: { before: 'syncLoopIteration', since: 'syncLoopIteration' },
    shown: {
      scenario: 'device-unhealthy',
      evidence: {
        what: { en: 'Selects with eight cases', zh: '有八个分支的 select' },
        kind: 'select',
        where: 'len(cases) == 8',
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
    },
  },
  {
    id: 'housekeeping-warning',
    since: 'v1.27',
    title: { en: 'Housekeeping is logged as slow after one second', zh: 'housekeeping 超过一秒就告警' },
    before: {
      en: 'Housekeeping runs within the loop, which receives nothing meanwhile. Up to v1.21 its duration was not reported. From v1.22 on a log line reported a duration of more than 15 seconds.',
      zh: 'housekeeping 在循环内部运行，期间循环什么也不接收。到 v1.21 为止没有任何记录说明它花了多久；从 v1.22 起，超过 15 秒会写一行日志。',
    },
    after: {
      en: 'It still runs within the loop. The log line is written when it takes more than one second.',
      zh: '它仍在循环内部运行。超过一秒就写日志。',
    },
    why: {
      en: 'A loop that stands still for seconds delays every pod of the node, but looked healthy in the log.',
      zh: '循环停顿几秒，会拖延节点上的每一个 Pod，日志里却看不出异常。',
    },
    upstream: [],
    names: ['HandlePodCleanups', 'housekeepingCh', 'housekeepingWarningDuration', 'syncLoopIteration'],
    code: { before: 'syncLoopIteration', since: 'syncLoopIteration' },
    shown: {
      scenario: 'slow-runtime',
      evidence: {
        what: { en: 'Log lines “Housekeeping took longer …”', zh: '日志行 “Housekeeping took longer …”' },
        kind: 'log',
        where: "msg =~ 'Housekeeping took longer*'",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'input', where: "verb == 'fault'" },
    },
  },
  {
    id: 'ticker-channels',
    since: 'v1.32',
    title: { en: 'Ticker channels have no room in Go 1.23', zh: 'Go 1.23 的 ticker 通道没有容量' },
    before: {
      en: '`syncCh` and `housekeepingCh` are channels of Go tickers. Built with Go before 1.23 they had room for one tick, as `len` and `cap` showed.',
      zh: '`syncCh` 与 `housekeepingCh` 是 Go ticker 的通道。用 1.23 之前的 Go 编译时，它们能存一个 tick，`len` 和 `cap` 看得出来。',
    },
    after: {
      en: '`len` and `cap` are 0. One tick that nobody has taken is kept all the same, within the Go runtime.',
      zh: '`len` 和 `cap` 都是 0。没人取走的一个 tick 仍会保留，只是存在 Go 运行时内部。',
    },
    why: {
      en: 'Go made stopped and reset timers free of old ticks.',
      zh: 'Go 借此让已停止或重置的定时器不再留下旧的 tick。',
    },
    upstream: [],
    names: ['syncCh', 'housekeepingCh', 'syncTicker', 'housekeepingTicker'],
    code: {},
    shown: {
      not: {
        en: 'What the loop does is the same. The simulation draws the one tick that is kept in every version.',
        zh: '循环的行为没有区别。模拟在每个版本里都画出被保留的那一个 tick。',
      },
    },
  },
  {
    id: 'structured-log',
    since: 'v1.21',
    title: { en: 'Log lines with keys and values', zh: '带键值的日志行' },
    before: {
      en: 'Each line was one printed text: `SyncLoop (ADD, "file"): "web_default(UID)"`.',
      zh: '每行都是打印出来的一段文字：`SyncLoop (ADD, "file"): "web_default(UID)"`。',
    },
    after: {
      en: 'A line is a message and its values: `"SyncLoop ADD" source="file" pods=[default/web]`. The other lines of the kubelet followed until about v1.22.',
      zh: '一行由消息和键值组成：`"SyncLoop ADD" source="file" pods=[default/web]`。kubelet 的其他日志行到大约 v1.22 陆续跟上。',
    },
    why: {
      en: 'Programs that read logs should not have to take sentences apart.',
      zh: '读日志的程序不必再拆解句子。',
    },
    upstream: [{ kep: 1602 }],
    names: ['SyncLoop (ADD', 'SyncLoop ADD', 'klog.Infof', 'klog.InfoS'],
    code: {},
    shown: {
      scenario: 'hello',
      evidence: {
        what: { en: 'Lines with the message “SyncLoop ADD”', zh: '消息为 “SyncLoop ADD” 的日志行' },
        kind: 'log',
        where: "msg == 'SyncLoop ADD'",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'log', where: "msg =~ 'SyncLoop (ADD*'" },
    },
  },
  {
    id: 'readiness-word',
    since: 'v1.32',
    title: { en: 'The log says “not ready”', zh: '日志写出 “not ready”' },
    before: {
      en: 'For a container that was no longer ready, the loop logged `SyncLoop (probe)` with an empty status (`status=""`).',
      zh: '容器不再就绪时，循环记录的 `SyncLoop (probe)` 里状态是空的（`status=""`）。',
    },
    after: {
      en: 'The status is “not ready”.',
      zh: '状态写作 “not ready”。',
    },
    why: {
      en: 'An empty field looked like a field that had been forgotten.',
      zh: '空字段看上去像是忘了填。',
    },
    upstream: [],
    names: ['syncLoopIteration', 'handleProbeSync', 'SetContainerReadiness', 'readinessManager'],
    code: { before: 'syncLoopIteration', since: 'syncLoopIteration' },
    shown: {
      scenario: 'readiness',
      evidence: {
        what: { en: 'Log lines of a probe with the status “not ready”', zh: '状态为 “not ready” 的探针日志行' },
        kind: 'log',
        where: "msg == 'SyncLoop (probe)' && kv.status == 'not ready'",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'log', where: "msg == 'SyncLoop (probe)' && kv.probe == 'readiness'" },
    },
  },
];
