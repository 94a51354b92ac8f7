import type { Change } from '../types.js';

/** Changes of what the kubelet says of pods, and how it gets to the API server. */
export const status: readonly Omit<Change, 'part'>[] = [
  {
    id: 'pod-failed-reason',
    since: 'v1.24',
    title: { en: 'A failed pod is unready because it failed', zh: '失败的 Pod 因失败而未就绪' },
    before: {
      en: 'The conditions Ready and ContainersReady of a Failed pod had the reason ContainersNotReady, as those of a pod that is still starting.',
      zh: 'Failed 的 Pod，Ready 和 ContainersReady 条件的原因是 ContainersNotReady，与还在启动的 Pod 相同。',
    },
    after: { en: 'The reason is PodFailed.', zh: '原因是 PodFailed。' },
    why: {
      en: 'Pods that were evicted or shut down were still reported as ready, or as unready for a reason that was not theirs.',
      zh: '被驱逐或关机的 Pod，以前仍会被报告为就绪，或者以与它们无关的原因被报告为未就绪。',
    },
    upstream: [{ issue: 108594 }],
    names: [
      'GeneratePodReadyCondition',
      'GenerateContainersReadyCondition',
      'PodFailed',
      'ContainersNotReady',
      'generateAPIPodStatus',
    ],
    code: { before: 'generateAPIPodStatus', since: 'generateAPIPodStatus' },
    shown: {
      scenario: 'run-to-completion',
      evidence: {
        what: { en: 'Statuses with the reason PodFailed', zh: '原因为 PodFailed 的状态' },
        kind: 'status',
        where: "any(status.conditions, c => c.type == 'Ready' && c.reason == 'PodFailed')",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'status', where: "status.phase == 'Failed'" },
    },
  },
  {
    id: 'status-signal',
    since: 'v1.27',
    title: { en: 'The status channel carries a signal', zh: '状态通道只传信号' },
    before: {
      en: 'Every new status went into `podStatusChannel`, with room for 1000, and each was sent to the API server in its turn, also when a newer one of the same pod was behind it. A full channel dropped it.',
      zh: '每个新状态都放进容量为 1000 的 `podStatusChannel`，依次发给 API server，哪怕后面已有同一 Pod 更新的状态。通道满了就丢弃。',
    },
    after: {
      en: 'The channel has room for one signal. `syncBatch` then sends the newest status of each pod that has changed.',
      zh: '通道只容一个信号。随后 `syncBatch` 把每个有变化的 Pod 的最新状态发出去。',
    },
    why: {
      en: 'Statuses that were out of date cost requests, and made those that mattered wait for half a minute.',
      zh: '过时的状态白白消耗请求，重要的状态却要等上半分钟。',
    },
    upstream: [{ pull: 116615 }, { pull: 115331 }],
    names: [
      'podStatusChannel',
      'podStatusSyncRequest',
      'syncBatch',
      'syncPod',
      'updateStatusInternal',
      'statusManager',
    ],
    code: { before: 'syncBatch', since: 'syncBatch' },
    shown: {
      scenario: 'api-pod',
      evidence: {
        what: { en: 'Channels `podStatusChannel` with room for 1000', zh: '容量为 1000 的 `podStatusChannel` 通道' },
        kind: 'chan-make',
        where: "name == 'podStatusChannel' && cap == 1000",
        before: { exactly: 1 },
        since: { exactly: 0 },
      },
      moment: { kind: 'enter', where: "fn == 'SetPodStatus'" },
    },
  },
  {
    id: 'terminal-phase',
    since: 'v1.27',
    title: { en: 'A deleted pod ends as Succeeded or Failed', zh: '被删除的 Pod 以 Succeeded 或 Failed 结束' },
    before: {
      en: 'A pod that was deleted could leave the API server as Running. It was deleted there as soon as its containers, volumes and cgroup were gone (`PodResourcesAreReclaimed`).',
      zh: '被删除的 Pod 可能以 Running 的样子离开 API server。只要容器、卷和 cgroup 都没了（`PodResourcesAreReclaimed`），就会在那里被删除。',
    },
    after: {
      en: 'When its containers have stopped, `SyncTerminatingPod` writes a second status with a terminal phase. The pod is deleted from the API server after `SyncTerminatedPod` is done and that status has arrived.',
      zh: '容器停止后，`SyncTerminatingPod` 再写一次带终结阶段的状态。`SyncTerminatedPod` 完成且该状态送达之后，Pod 才从 API server 删除。',
    },
    why: {
      en: 'Controllers such as Job count pods by their last phase; one that vanished while Running was neither a success nor a failure.',
      zh: 'Job 等控制器按最后的阶段统计 Pod；以 Running 消失的，既不算成功也不算失败。',
    },
    upstream: [{ pull: 115331 }],
    names: [
      'TerminatePod',
      'PodResourcesAreReclaimed',
      'canBeDeleted',
      'getPhase',
      'podIsFinished',
      'SyncTerminatingPod',
    ],
    code: { before: 'TerminatePod', since: 'TerminatePod' },
    shown: {
      scenario: 'api-pod',
      evidence: {
        what: { en: 'Statuses with the phase Succeeded or Failed', zh: '阶段为 Succeeded 或 Failed 的状态' },
        kind: 'status',
        where: "status.phase in ['Succeeded', 'Failed']",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'actual-container', where: "state == 'exited'" },
    },
  },
  {
    id: 'ready-to-start',
    since: 'v1.29',
    title: { en: 'The condition PodReadyToStartContainers', zh: 'PodReadyToStartContainers 条件' },
    before: {
      en: 'Four conditions: PodScheduled, Initialized, ContainersReady, Ready. None of them reported whether the sandbox and its network were ready. In v1.25 a fifth one, PodHasNetwork, could be switched on.',
      zh: '只有四个条件：PodScheduled、Initialized、ContainersReady、Ready。都不反映沙箱及其网络是否就绪。v1.25 可以打开第五个：PodHasNetwork。',
    },
    after: {
      en: 'The fifth condition is on, with the name PodReadyToStartContainers: true while the pod has a ready sandbox with an address.',
      zh: '第五个条件默认开启，名为 PodReadyToStartContainers：Pod 有就绪且带地址的沙箱时为真。',
    },
    why: {
      en: 'To tell a slow network or volume from a slow image.',
      zh: '为了分清慢的是网络、卷，还是镜像。',
    },
    upstream: [{ kep: 3085 }],
    names: [
      'PodReadyToStartContainers',
      'PodHasNetwork',
      'GeneratePodReadyToStartContainersCondition',
      'generateAPIPodStatus',
    ],
    code: { before: 'generateAPIPodStatus', since: 'generateAPIPodStatus' },
    shown: {
      scenario: 'hello',
      evidence: {
        what: { en: 'Statuses with the condition', zh: '带有该条件的状态' },
        kind: 'status',
        where: "any(status.conditions, c => c.type == 'PodReadyToStartContainers')",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'status', where: "status.phase == 'Running'" },
    },
  },
  {
    id: 'addresses-kept',
    since: 'v1.31',
    title: { en: 'A stopped pod keeps its addresses', zh: '停止的 Pod 保留地址' },
    before: {
      en: 'From v1.27 on, the status that reported the end of a pod had no IP address; the next one had it again. Versions before v1.27 had kept it.',
      zh: '从 v1.27 起，宣布 Pod 结束的那次状态没有 IP 地址，下一次又有了。v1.27 之前的版本一直保留。',
    },
    after: {
      en: '`SyncTerminatingPod` copies the addresses from before the stop (`preserveDataFromBeforeStopping`). Patch releases of v1.28 to v1.30 do so too.',
      zh: '`SyncTerminatingPod` 把停止前的地址复制过来（`preserveDataFromBeforeStopping`）。v1.28 到 v1.30 的补丁版本也是如此。',
    },
    why: {
      en: 'Controllers that watch addresses took the pod out and in again.',
      zh: '关注地址的控制器会把 Pod 移出又移入。',
    },
    upstream: [{ pull: 125404 }, { issue: 125370 }],
    names: ['preserveDataFromBeforeStopping', 'SyncTerminatingPod', 'podIP', 'podIPs', 'getPodIPs'],
    code: { since: 'SyncTerminatingPod' },
    shown: {
      not: {
        en: 'Addresses were lost in v1.27 to v1.30 without later patches; no kubelet of those runs here.',
        zh: '丢失地址的是 v1.27 到 v1.30 未打补丁的版本，这里没有那些版本的 kubelet。',
      },
    },
  },
  {
    id: 'device-health',
    since: 'v1.36',
    title: { en: 'The status tells the health of devices', zh: '状态写明设备的健康' },
    before: {
      en: 'That a device was broken could be seen on the node alone: it offered fewer of them. Since v1.31 the field was there, switched off.',
      zh: '设备坏了，只能从节点看出来：可分配数变少。v1.31 起有了这个字段，但默认关闭。',
    },
    after: {
      en: 'Each container status lists its devices with their health, in `allocatedResourcesStatus`. On by default.',
      zh: '每个容器的状态在 `allocatedResourcesStatus` 中列出它的设备及健康状况。默认开启。',
    },
    why: {
      en: 'A pod that fails because its device is broken should say so.',
      zh: '因为设备损坏而失败的 Pod，应当说明这一点。',
    },
    upstream: [{ kep: 4680 }],
    names: ['allocatedResourcesStatus', 'ResourceHealthStatus', 'UpdateAllocatedResourcesStatus', 'containerManager'],
    code: { before: 'generateAPIPodStatus', since: 'generateAPIPodStatus' },
    shown: {
      scenario: 'device-unhealthy',
      evidence: {
        what: { en: 'Statuses that tell the health of a device', zh: '写明设备健康的状态' },
        kind: 'status',
        where: 'any(status.containerStatuses, c => c.allocatedResourcesStatus != null)',
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'input', where: "verb == 'devicePlugin'" },
    },
  },
  {
    id: 'terminal-kept',
    since: 'v1.22',
    title: { en: 'An evicted pod keeps its conditions', zh: '被驱逐的 Pod 保留条件' },
    before: {
      en: 'The status of an evicted pod was made of phase, reason and message alone. Statuses were made anew from the containers each time: a terminal phase, a reason or a condition of before was not kept.',
      zh: '被驱逐 Pod 的状态只有阶段、原因和消息。状态每次都由容器重新推出：之前的终结阶段、原因和条件都不保留。',
    },
    after: {
      en: 'A status begins with the one before: a terminal phase stays, and so do its reason, its message and conditions that others have set.',
      zh: '新状态以上一次为基础：终结阶段保持不变，原因、消息以及他人设置的条件也都保留。',
    },
    why: {
      en: 'A pod that had failed could become Running again after its containers were collected as garbage.',
      zh: '失败的 Pod 在容器被回收之后，可能又变回 Running。',
    },
    upstream: [{ pull: 102344 }],
    names: ['generateAPIPodStatus', 'getPhase', 'ShouldEvict', 'mergePodStatus', 'PodSyncHandlers'],
    code: { before: 'generateAPIPodStatus', since: 'generateAPIPodStatus' },
    shown: {
      scenario: 'disk-pressure',
      evidence: {
        what: { en: 'Statuses of the evicted pod with conditions', zh: '被驱逐 Pod 带有条件的状态' },
        kind: 'status',
        where: "status.reason == 'Evicted' && len(status.conditions) > 0",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'status', where: "status.reason == 'Evicted'" },
    },
  },
  {
    id: 'disruption-target',
    since: 'v1.26',
    title: { en: 'The condition DisruptionTarget', zh: 'DisruptionTarget 条件' },
    before: {
      en: 'Whether a pod had failed by itself or was ended by the node could be read from its reason at best.',
      zh: 'Pod 是自己失败的，还是被节点结束的，最多只能从原因里猜。',
    },
    after: {
      en: 'A pod that the kubelet ends for want of resources, for a critical pod or for a shutdown has the condition DisruptionTarget.',
      zh: '因资源不足、为关键 Pod 让位或关机而被 kubelet 结束的 Pod，带有 DisruptionTarget 条件。',
    },
    why: {
      en: 'A Job should not count a disruption among the failures of its program.',
      zh: 'Job 不应把干扰算作程序自身的失败。',
    },
    upstream: [{ kep: 3329 }],
    names: ['DisruptionTarget', 'PodDisruptionConditions', 'TerminationByKubelet', 'evictPod', 'generateAPIPodStatus'],
    code: { before: 'generateAPIPodStatus', since: 'generateAPIPodStatus' },
    shown: {
      scenario: 'disk-pressure',
      evidence: {
        what: { en: 'Statuses with the condition', zh: '带有该条件的状态' },
        kind: 'status',
        where: "any(status.conditions, c => c.type == 'DisruptionTarget')",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'status', where: "status.reason == 'Evicted'" },
    },
  },
  {
    id: 'sandbox-ready-first',
    since: 'v1.36',
    title: { en: 'The status reports the sandbox before images are pulled', zh: '拉取镜像之前就报告沙箱就绪' },
    before: {
      en: 'The status was written at the beginning of a sync. That the sandbox was ready came out only with the next sync, after all images had been pulled and the containers started.',
      zh: '状态在同步开始时写入。沙箱已就绪这件事，要等镜像拉完、容器启动之后的下一次同步才写出。',
    },
    after: {
      en: 'Within `SyncPod` the runtime manager calls back as soon as the sandbox is there (`OnPodSandboxReady`), and PodReadyToStartContainers becomes true at once.',
      zh: '在 `SyncPod` 中，沙箱一就绪，runtime manager 就回调（`OnPodSandboxReady`），PodReadyToStartContainers 立即为真。',
    },
    why: {
      en: 'The condition was meant to distinguish a slow sandbox from a slow image pull, but it covered both.',
      zh: '这个条件本要区分沙箱慢还是镜像慢，却把两者一并计入。',
    },
    upstream: [{ kep: 3085 }, { pull: 134660 }],
    names: ['OnPodSandboxReady', 'PodReadyToStartContainers', 'kubeGenericRuntimeManager.SyncPod', 'RuntimeHelper'],
    code: { before: 'kuberuntime.SyncPod', since: 'kuberuntime.SyncPod' },
    shown: {
      scenario: 'slow-pull',
      evidence: {
        what: {
          en: 'Statuses of a Pending pod whose sandbox is ready while its containers wait',
          zh: '沙箱已就绪、容器仍在等待的 Pending 状态',
        },
        kind: 'status',
        where:
          "status.phase == 'Pending' && any(status.conditions, c => c.type == 'PodReadyToStartContainers' && c.status == 'True') && all(status.containerStatuses, c => c.state.waiting != null)",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'cri-call', where: "method == 'PullImage'" },
    },
  },
  {
    id: 'status-jitter',
    since: 'v1.23',
    title: { en: 'Updates of the node’s status are spread', zh: '节点状态的更新时间被打散' },
    before: {
      en: '`syncNodeStatus` ran every 10 s (`wait.Until`).',
      zh: '`syncNodeStatus` 每 10 秒运行一次（`wait.Until`）。',
    },
    after: {
      en: 'Each time it runs up to 4 % later (`wait.JitterUntil`).',
      zh: '每次最多晚 4 %（`wait.JitterUntil`）。',
    },
    why: {
      en: 'The requests of many nodes that had started together came together for ever.',
      zh: '同时启动的许多节点，请求会一直同时到来。',
    },
    upstream: [],
    names: ['syncNodeStatus', 'JitterUntil', 'nodeStatusUpdateFrequency'],
    code: {},
    shown: {
      not: {
        en: 'It is a fraction of a second in ten, in the times of `syncNodeStatus`.',
        zh: '差别只是每十秒里的零点几秒，要看 `syncNodeStatus` 的时间。',
      },
    },
  },
  {
    id: 'fast-status',
    since: 'v1.26',
    title: { en: 'A node that becomes ready is reported at once', zh: '节点一就绪就上报' },
    before: {
      en: '`fastStatusUpdateOnce` looked every 100 ms whether the node had been given addresses for its pods, and then updated the status. Where nobody gave it any, it looked for ever, and the node was reported ready up to 10 s late.',
      zh: '`fastStatusUpdateOnce` 每 100 毫秒看一次节点是否分到了 Pod 网段，分到了就更新状态。没有谁分配网段时它会一直看下去，节点就绪最多晚 10 秒才上报。',
    },
    after: {
      en: 'It checks the runtime every 100 ms and writes the status as soon as the node is ready, for 120 s at most (`fastNodeStatusUpdate`). Until then a runtime that is not ready is logged at `-v=4` only.',
      zh: '它每 100 毫秒检查一次运行时，节点一就绪就写状态，最多 120 秒（`fastNodeStatusUpdate`）。在那之前，运行时未就绪只在 `-v=4` 时记录。',
    },
    why: {
      en: 'A node should take pods as soon as it can.',
      zh: '节点应当一能用就开始接收 Pod。',
    },
    upstream: [],
    names: ['fastStatusUpdateOnce', 'fastNodeStatusUpdate', 'updatePodCIDR', 'nodeReadyGracePeriod'],
    code: {},
    shown: {
      scenario: 'api-pod',
      evidence: {
        what: { en: 'Log lines “Fast updating node status …”', zh: '日志行 “Fast updating node status …”' },
        kind: 'log',
        where: "startsWith(msg, 'Fast updating node status')",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'enter', where: "fn == 'fastStatusUpdateOnce'" },
    },
  },
  {
    id: 'runtime-before-status',
    since: 'v1.31',
    title: { en: 'The runtime is checked before the first status', zh: '写第一个状态之前先检查运行时' },
    before: {
      en: 'The goroutine of `syncNodeStatus` wrote at once. If it came before the goroutine of `updateRuntimeUp`, a kubelet that restarted reported its node as not ready.',
      zh: '`syncNodeStatus` 的 goroutine 立即写状态。如果它先于 `updateRuntimeUp` 的 goroutine，重启的 kubelet 就把节点报告为未就绪。',
    },
    after: {
      en: 'The goroutine of `syncNodeStatus` calls `updateRuntimeUp` itself before it begins.',
      zh: '`syncNodeStatus` 的 goroutine 开始之前自己调用 `updateRuntimeUp`。',
    },
    why: {
      en: 'Pods were moved away from nodes whose kubelet had only been restarted.',
      zh: '只是重启了 kubelet，节点上的 Pod 就被迁走。',
    },
    upstream: [],
    names: ['updateRuntimeUp', 'syncNodeStatus'],
    code: {},
    shown: {
      scenario: 'api-pod',
      evidence: {
        what: {
          en: 'Calls of `updateRuntimeUp` by the goroutine of the node’s status',
          zh: '节点状态的 goroutine 对 `updateRuntimeUp` 的调用',
        },
        kind: 'enter',
        where: "fn == 'updateRuntimeUp' && goroutine.name == 'nodeStatus'",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'enter', where: "fn == 'updateRuntimeUp'" },
    },
  },
];
