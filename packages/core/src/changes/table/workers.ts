import type { Change } from '../types.js';

/** Changes of the pod workers. */
export const workers: readonly Omit<Change, 'part'>[] = [
  {
    id: 'worker-owns-life',
    since: 'v1.22',
    title: { en: 'The worker owns the life of its pod', zh: 'worker 掌管 Pod 的一生' },
    before: {
      en: 'A worker only synced. The main loop, housekeeping or `syncPod` decided that a pod ends; the pod killer ended it in parallel with the worker, which was forgotten at once. No component knew whether a pod was stopping or had stopped.',
      zh: 'worker 只管同步。Pod 何时结束由主循环、housekeeping 或 `syncPod` 决定，由 pod killer 在 worker 之外执行，worker 随即被遗忘。谁也不知道某个 Pod 是正在停止还是已经停止。',
    },
    after: {
      en: 'A worker takes its pod through three states and never back: `sync`, `terminating`, `terminated`. Each has a function of its own: `syncPod`, `syncTerminatingPod`, `syncTerminatedPod`. Whoever wants a pod to end sends an update of type `kill` to `UpdatePod`.',
      zh: 'worker 带着 Pod 依次走过三个状态，从不后退：`sync`、`terminating`、`terminated`。每个状态有自己的函数：`syncPod`、`syncTerminatingPod`、`syncTerminatedPod`。谁想结束 Pod，就给 `UpdatePod` 发一个 `kill` 类型的更新。',
    },
    why: {
      en: 'Two hands worked on one pod without knowing of each other: one could start what the other had just stopped, and pods that had not begun were taken for pods that had ended.',
      zh: '两只手同时处理一个 Pod，互不知情：一只刚停下的，另一只又启动；还没开始的 Pod 会被当成已经结束。',
    },
    upstream: [{ pull: 102344 }],
    names: [
      'podWorkers',
      'UpdatePod',
      'managePodLoop',
      'syncPod',
      'syncTerminatingPod',
      'syncTerminatedPod',
      'podSyncStatus',
      'SyncTerminatingPod',
      'SyncTerminatedPod',
      'completeTerminating',
      'completeTerminated',
    ],
    code: { before: 'UpdatePod', since: 'UpdatePod' },
    shown: {
      scenario: 'graceful-delete',
      evidence: {
        what: { en: 'Workers that go to `terminating`', zh: '进入 `terminating` 的 worker' },
        kind: 'worker',
        where: "state == 'terminating'",
        before: { exactly: 0 },
        since: { atLeast: 2 },
      },
      moment: { kind: 'enter', where: "fn == 'podKiller.KillPod' || fn == 'killPod'" },
    },
  },
  {
    id: 'known-pods',
    since: 'v1.22',
    title: { en: 'Housekeeping asks before it forgets a worker', zh: 'housekeeping 先问清楚再遗忘 worker' },
    before: {
      en: '`ForgetNonExistingPodWorkers` closed the channel of each worker whose pod was not wanted any more, also while its sync was still running.',
      zh: '只要 Pod 不再被需要，`ForgetNonExistingPodWorkers` 就关闭它的 worker 的通道，哪怕同步还在进行。',
    },
    after: {
      en: '`SyncKnownPods` removes a worker only after it has finished, and tells housekeeping in which state each of the others is.',
      zh: '`SyncKnownPods` 只移除已经完成的 worker，并告诉 housekeeping 其余每个 worker 处于什么状态。',
    },
    why: {
      en: 'A worker that was forgotten in the middle of a sync went on working, and a second one could be created at the same time.',
      zh: '同步到一半被遗忘的 worker 仍会继续工作，同时可能又新建一个。',
    },
    upstream: [{ pull: 102344 }],
    names: ['ForgetNonExistingPodWorkers', 'ForgetWorker', 'removeWorker', 'SyncKnownPods', 'HandlePodCleanups'],
    code: { before: 'ForgetNonExistingPodWorkers', since: 'SyncKnownPods' },
    shown: {
      scenario: 'graceful-delete',
      evidence: {
        what: { en: 'Workers that are removed without having finished', zh: '没有完成就被移除的 worker' },
        kind: 'worker',
        where: "state == 'removed' && from == 'sync'",
        before: { atLeast: 1 },
        since: { exactly: 0 },
      },
      moment: { kind: 'worker', where: "state == 'removed'" },
    },
  },
  {
    id: 'uid-again',
    since: 'v1.22',
    title: { en: 'A pod that comes back while it stops has to wait', zh: '还在停止就回来的 Pod 必须等待' },
    before: {
      en: 'A removed pod that came back with the same UID got a new worker at once. Its syncs ran in parallel with the kill of its own containers; in v1.21 they failed with “pending termination” until that was over.',
      zh: '被移除又以同一 UID 回来的 Pod 立即得到新的 worker，它的同步与对自己容器的终止并行；在 v1.21 里，这些同步以 “pending termination” 失败，直到终止结束。',
    },
    after: {
      en: '`UpdatePod` sees that this UID is terminating, remembers that a restart was asked for, and drops the update. The worker ends first; then housekeeping starts the pod again.',
      zh: '`UpdatePod` 看到这个 UID 正在终止，记下有人要求重启，然后丢弃这次更新。worker 先走完，housekeeping 再重新启动这个 Pod。',
    },
    why: {
      en: 'A static pod with a fixed UID that was removed and put back did not come up again in v1.22.0.',
      zh: '在 v1.22.0 中，UID 固定的静态 Pod 删掉再放回，就起不来了。',
    },
    upstream: [{ pull: 104847 }, { issue: 104648 }],
    names: [
      'UpdatePod',
      'restartRequested',
      'TerminatedAndRecreatedPod',
      'SyncKnownPods',
      'TemporarilyTerminatedPodWork',
    ],
    code: { before: 'UpdatePod', since: 'UpdatePod' },
    shown: {
      scenario: 'same-uid-again',
      evidence: {
        what: { en: 'Updates that are dropped because the UID is terminating', zh: '因 UID 正在终止而被丢弃的更新' },
        kind: 'pod-update',
        where: "contains(dropped, 'restart')",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'work-done', where: 'error != null' },
    },
  },
  {
    id: 'recreated-in-housekeeping',
    since: 'v1.27',
    title: { en: 'Housekeeping starts wanted pods without a worker', zh: 'housekeeping 启动没有 worker 的 Pod' },
    before: {
      en: 'At the end of housekeeping, pods that `SyncKnownPods` had reported as terminated and wanted again were dispatched once more. A wanted pod that no worker knew for another reason was not found.',
      zh: 'housekeeping 最后，把 `SyncKnownPods` 报告为“已终止但又被需要”的 Pod 再派发一次。因为别的原因没有 worker 的 Pod 则不会被发现。',
    },
    after: {
      en: 'Housekeeping compares the wanted pods with the known workers, and sends `SyncPodCreate` for each that has none.',
      zh: 'housekeeping 把需要的 Pod 与已知的 worker 对照，为没有 worker 的每个 Pod 发送 `SyncPodCreate`。',
    },
    why: {
      en: 'Pods that were force-deleted, or came back quickly, could be left with nobody who works for them.',
      zh: '被强制删除、或很快又回来的 Pod，可能再没有谁为它们干活。',
    },
    upstream: [{ pull: 113145 }],
    names: ['HandlePodCleanups', 'SyncKnownPods', 'SyncPodCreate', 'TerminatedAndRecreatedPod', 'PodWorkerSync'],
    code: { before: 'HandlePodCleanups', since: 'HandlePodCleanups' },
    shown: {
      scenario: 'same-uid-again',
      evidence: {
        what: {
          en: 'Log lines “Pod will be restarted because it is in the desired set and not known to the pod workers …”',
          zh: '日志行 “Pod will be restarted because it is in the desired set and not known to the pod workers …”',
        },
        kind: 'log',
        where: "msg =~ 'Pod will be restarted because*'",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'worker', where: "state == 'removed'" },
    },
  },
  {
    id: 'worker-signal',
    since: 'v1.27',
    title: { en: 'The worker’s channel carries a signal, not the work', zh: 'worker 的通道只传信号，不传工作' },
    before: {
      en: '`managePodLoop` read the update itself from a channel of capacity 1. An update that came while the worker was busy was kept in `lastUndeliveredWorkUpdate`, one per pod; `isWorking` showed that it was busy.',
      zh: '`managePodLoop` 从容量为 1 的通道里读到更新本身。worker 忙时到来的更新放在 `lastUndeliveredWorkUpdate`，每个 Pod 一个；`isWorking` 表示它正忙。',
    },
    after: {
      en: '`podWorkerLoop` reads an empty signal. The work lies in one record per pod: `pendingUpdate` is what comes next, `activeUpdate` what is being done, `working` whether it is busy. `startPodSync` takes it from there.',
      zh: '`podWorkerLoop` 读到的是空信号。工作放在每个 Pod 的一条记录里：`pendingUpdate` 是接下来的，`activeUpdate` 是正在做的，`working` 表示是否忙。`startPodSync` 从那里取。',
    },
    why: {
      en: 'An update in a channel cannot be looked at or replaced. In one record, what is pending can be merged with what comes, and orphans found in the runtime need no special handling.',
      zh: '放进通道里的更新既看不到也换不掉。放在一条记录里，等待中的更新可以与新来的合并，运行时里发现的孤儿也不需要特殊途径。',
    },
    upstream: [{ pull: 113145 }],
    names: [
      'managePodLoop',
      'podWorkerLoop',
      'lastUndeliveredWorkUpdate',
      'isWorking',
      'pendingUpdate',
      'activeUpdate',
      'working',
      'startPodSync',
      'checkForUpdates',
      'wrapUp',
      'completeWork',
      'podUpdates',
    ],
    code: { before: 'UpdatePod', since: 'UpdatePod' },
    shown: {
      scenario: 'hello',
      evidence: {
        what: {
          en: 'Items with content that are sent into the worker’s channel `podUpdates`',
          zh: '送进 worker 通道 `podUpdates` 的非空内容',
        },
        kind: 'send',
        where: "channel.name =~ 'podUpdates*' && len(item) > 0",
        before: { atLeast: 1 },
        since: { exactly: 0 },
      },
      moment: { kind: 'send', where: "channel.name =~ 'podUpdates*'" },
    },
  },
  {
    id: 'static-order',
    since: 'v1.22',
    title: { en: 'Static pods of one name start one after the other', zh: '同名的静态 Pod 依次启动' },
    before: {
      en: 'Only the pod killer’s marks held the next version of a static pod back (v1.21), or nothing did. Middle versions of a manifest that was edited several times cost an error and a wait each.',
      zh: '能让下一版静态 Pod 等待的只有 pod killer 的标记（v1.21），或者什么都没有。清单连改几次，中间的每一版都要付出一次错误和一次等待。',
    },
    after: {
      en: 'Workers of one full name queue: `allowPodStart` lets the next start when the one before has ended. One that is removed while it waits never starts.',
      zh: '全名相同的 worker 排队：前一个结束了，`allowPodStart` 才让下一个启动。等待中被移除的，永远不会启动。',
    },
    why: {
      en: 'Two versions of one static pod must not run at the same time: they would fight for ports and files.',
      zh: '同一个静态 Pod 的两个版本不能同时运行，否则会争抢端口和文件。',
    },
    upstream: [{ pull: 104743 }, { pull: 107900 }],
    names: [
      'allowPodStart',
      'allowStaticPodStart',
      'startedStaticPodsByFullname',
      'waitingToStartStaticPodsByFullname',
      'podWorkers',
    ],
    code: { before: 'SyncPod', since: 'UpdatePod' },
    shown: {
      scenario: 'static-pod-edited',
      evidence: {
        what: { en: 'Answers “not yet” of `allowPodStart`', zh: '`allowPodStart` 回答 “not yet” 的次数' },
        kind: 'decision',
        where: "rule == 'allowPodStart' && verdict == 'not yet'",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'work-done', where: "error =~ 'pending termination'" },
    },
  },
];
