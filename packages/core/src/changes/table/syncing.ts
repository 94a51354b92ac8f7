import type { Change } from '../types.js';

/** Changes of what a sync of a pod does, and when it is tried again. */
export const syncing: readonly Omit<Change, 'part'>[] = [
  {
    id: 'probes-in-sync',
    since: 'v1.24',
    title: { en: 'Probes begin and end within a sync', zh: '探针在同步中开始和结束' },
    before: {
      en: '`HandlePodAdditions` started the probes of a pod, and `HandlePodRemoves` ended all of them at once, while its containers were still stopping. Evicted pods were probed on.',
      zh: '`HandlePodAdditions` 启动 Pod 的探针，`HandlePodRemoves` 立即全部停掉，那时容器还在停止。被驱逐的 Pod 则继续被探测。',
    },
    after: {
      en: '`SyncPod` starts them before it goes to the runtime. `SyncTerminatingPod` ends liveness and startup probes before the kill, and readiness after it.',
      zh: '`SyncPod` 在进入运行时之前启动探针。`SyncTerminatingPod` 在终止之前停掉存活和启动探针，就绪探针在之后才停。',
    },
    why: {
      en: 'The probe of a stopping pod should report it as unready, and an evicted pod should no longer be probed.',
      zh: '正在停止的 Pod 应当由自己的探针判为未就绪；被驱逐的 Pod 不应再被探测。',
    },
    upstream: [{ pull: 110191 }, { issue: 105014 }],
    names: [
      'probeManager.AddPod',
      'probeManager.RemovePod',
      'StopLivenessAndStartup',
      'HandlePodAdditions',
      'HandlePodRemoves',
      'SyncPod',
      'syncTerminatingPod',
      'CleanupPods',
    ],
    code: { before: 'HandlePodAdditions', since: 'SyncPod' },
    shown: {
      scenario: 'readiness',
      evidence: {
        what: { en: 'Steps “probes” of a sync', zh: '同步中的 “probes” 步骤' },
        kind: 'step',
        where: "name == 'probes'",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'enter', where: "fn == 'HandlePodAdditions' && len(args) > 0" },
    },
  },
  {
    id: 'secrets-in-sync',
    since: 'v1.25',
    title: { en: 'A sync registers secrets and config maps', zh: '同步时登记 Secret 与 ConfigMap' },
    before: {
      en: 'The pod manager registered the secrets and config maps of a pod when it learned of the pod, and dropped them when the pod was removed from it, even while its containers still ran.',
      zh: 'pod manager 得知 Pod 时登记它的 Secret 与 ConfigMap，Pod 离开时就注销，哪怕容器还在运行。',
    },
    after: {
      en: 'A sync registers them before it needs them, and `syncTerminatedPod` drops them after the volumes are unmounted. v1.25 is the first version that was seen with it.',
      zh: '同步在需要之前登记，`syncTerminatedPod` 在卷卸载之后注销。v1.25 是查到的第一个这样做的版本。',
    },
    why: {
      en: 'The pod manager became a plain table of what is wanted; what a running pod uses belongs to its worker.',
      zh: 'pod manager 变成单纯记录“需要什么”的表；运行中的 Pod 所用的东西归它的 worker 管。',
    },
    upstream: [],
    names: [
      'secretManager.RegisterPod',
      'configMapManager.RegisterPod',
      'UnregisterPod',
      'podManager',
      'syncTerminatedPod',
    ],
    code: { before: 'SyncPod', since: 'SyncPod' },
    shown: {
      scenario: 'hello',
      evidence: {
        what: {
          en: 'Steps “register secrets and configmaps” of a sync',
          zh: '同步中的 “register secrets and configmaps” 步骤',
        },
        kind: 'step',
        where: "name == 'register secrets and configmaps'",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'enter', where: "fn == 'SyncPod'" },
    },
  },
  {
    id: 'soft-admission',
    since: 'v1.31',
    title: { en: 'Soft admission and the reason Blocked are gone', zh: '软准入与 Blocked 原因被移除' },
    before: {
      en: 'In each sync `canRunPod` asked the soft admit handlers. A pod that they did not admit stayed Pending, its containers waited with the reason Blocked, and the next sync asked again.',
      zh: '每次同步都由 `canRunPod` 询问软准入处理器。不被接纳的 Pod 停留在 Pending，容器以 Blocked 原因等待，下一次同步再问。',
    },
    after: {
      en: 'A pod that cannot run is rejected once, when it is added, and is Failed.',
      zh: '不能运行的 Pod 在加入时就被拒绝一次，成为 Failed。',
    },
    why: {
      en: 'Only AppArmor used it, for what no waiting would change. Such pods held their resources and were synced for ever.',
      zh: '只有 AppArmor 用到它，而那些情况等也没用。这样的 Pod 占着资源，永远被同步。',
    },
    upstream: [{ pull: 125776 }, { issue: 125393 }],
    names: ['canRunPod', 'softAdmitHandlers', 'Blocked', 'AppArmor'],
    code: { before: 'SyncPod', since: 'canAdmitPod' },
    shown: {
      scenario: 'apparmor-missing',
      evidence: {
        what: {
          en: 'Statuses in which a container waits with the reason Blocked',
          zh: '容器以 Blocked 原因等待的状态',
        },
        kind: 'status',
        where: "any(status.containerStatuses, c => c.state.waiting.reason == 'Blocked')",
        before: { atLeast: 1 },
        since: { exactly: 0 },
      },
      moment: { kind: 'status', where: "status.reason == 'AppArmor'" },
    },
  },
  {
    id: 'back-off-expiry',
    since: 'v1.35',
    title: { en: 'A crash loop is tried again when its back-off ends', zh: '崩溃循环在退避结束时重试' },
    before: {
      en: 'A sync that met a back-off failed like any other, and was tried again after 10 to 15 seconds. A back-off of 10 seconds took 14 to 16, and each try made an event and an error in the log.',
      zh: '遇到退避的同步和其他失败一样，10 到 15 秒后重试。10 秒的退避实际要 14 到 16 秒，每次重试都多一条事件和一条错误日志。',
    },
    after: {
      en: 'The error says when the back-off ends. The worker is due right then.',
      zh: '错误里带着退避的结束时间，worker 正好在那时到期。',
    },
    why: {
      en: 'The waiting time was longer than the one promised, and the tries in between could only fail. A line that was to pass over such errors had never worked.',
      zh: '等待比承诺的更久，其间的重试只会失败。本该略过这类错误的那段代码从未起过作用。',
    },
    upstream: [{ pull: 133066 }, { issue: 123602 }],
    names: [
      'completeWork',
      'wrapUp',
      'MinBackoffExpiration',
      'backOffPeriod',
      'doBackOff',
      'CrashLoopBackOff',
      'workQueue',
    ],
    code: { before: 'SyncPod', since: 'SyncPod' },
    shown: {
      scenario: 'crash-loop',
      evidence: {
        what: { en: 'Retries that are set to the end of a back-off', zh: '定在退避结束时刻的重试' },
        kind: 'queue',
        where: "why == 'back-off expires'",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'queue', where: "why == 'sync error'" },
    },
  },
  {
    id: 'startup-probes',
    since: 'v1.18',
    title: { en: 'Startup probes', zh: '启动探针' },
    before: {
      en: 'Containers had liveness and readiness probes. A container that starts slowly needed a long `initialDelaySeconds`, and was then found dead just as late.',
      zh: '容器只有存活和就绪探针。启动慢的容器需要很长的 `initialDelaySeconds`，之后死了也同样晚才被发现。',
    },
    after: {
      en: 'A startup probe holds the other two back until it has succeeded once. On by default since v1.18.',
      zh: '启动探针成功一次之前，另外两种不会开始。从 v1.18 起默认开启。',
    },
    why: {
      en: 'How long a start may take and how soon a failure is seen are two questions.',
      zh: '启动允许多久，与故障多快被发现，是两个问题。',
    },
    upstream: [{ kep: 950 }, { pull: 77807 }],
    names: ['startupProbe', 'startupManager', 'SetContainerStartup', 'doProbe', 'initialDelaySeconds'],
    code: { since: 'SetContainerStartup' },
    shown: {
      scenario: 'startup-probe',
      evidence: {
        what: { en: 'Startup probes', zh: '启动探针的执行' },
        kind: 'probe',
        where: "probeType == 'startup'",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'cri-call', where: "method == 'StartContainer'" },
    },
  },
];
