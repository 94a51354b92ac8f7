import type { OldName } from '../types.js';

/** The fate of the names of the classic walk-throughs, in the order in which these report them. */
export const oldNames: readonly OldName[] = [
  {
    names: ['configCh', 'plegCh', 'syncCh', 'housekeepingCh'],
    became: {
      en: 'Unchanged: the channels of `syncLoopIteration` (`kubelet/sync-loop.ts`), under these names in the graph.',
      zh: '没有变：`syncLoopIteration` 的通道（`kubelet/sync-loop.ts`），图中也用这些名字。',
    },
  },
  {
    names: ['livenessManager', 'readinessManager', 'startupManager'],
    became: {
      en: 'Unchanged: one results manager each (`kubelet/prober/results.ts`); its `updates()` is the channel. Up to v1.20 only liveness is in the loop.',
      zh: '没有变：各有一个结果管理器（`kubelet/prober/results.ts`），其 `updates()` 就是通道。到 v1.20 为止循环里只有存活探针。',
    },
    change: 'probe-channels',
  },
  {
    names: ['containerManager'],
    became: {
      en: 'The eighth input of the loop: health of devices (`kubelet/cm`).',
      zh: '循环的第八个输入：设备的健康（`kubelet/cm`）。',
    },
    change: 'container-manager-channel',
  },
  {
    names: ['ADD', 'UPDATE', 'REMOVE', 'RECONCILE', 'DELETE'],
    became: {
      en: 'Unchanged (`kubelet/config/pod-config.ts`). DELETE goes to `HandlePodUpdates`: a graceful deletion is an update.',
      zh: '没有变（`kubelet/config/pod-config.ts`）。DELETE 交给 `HandlePodUpdates`：优雅删除是一次更新。',
    },
  },
  {
    names: ['SET'],
    became: {
      en: 'No longer an operation of the loop. Sources send whole snapshots, and the merge makes the other operations of the difference.',
      zh: '不再是循环的操作。来源发送完整快照，由合并把差异变成其他操作。',
    },
    change: 'snapshots-only',
  },
  {
    names: ['RESTORE'],
    became: {
      en: 'Gone. Once it carried check-pointed pods to `HandlePodAdditions`, without marking the source as ready.',
      zh: '已移除。它曾把检查点里的 Pod 送到 `HandlePodAdditions`，且不把来源标记为就绪。',
    },
    change: 'restore',
  },
  {
    names: [
      'HandlePodAdditions',
      'HandlePodUpdates',
      'HandlePodRemoves',
      'HandlePodReconcile',
      'HandlePodSyncs',
      'HandlePodCleanups',
    ],
    became: {
      en: 'Unchanged in name (`kubelet/handlers.ts`, `kubelet/kubelet-pods-cleanup.ts`).',
      zh: '名字没有变（`kubelet/handlers.ts`、`kubelet/kubelet-pods-cleanup.ts`）。',
    },
  },
  {
    names: ['dispatchWork'],
    became: {
      en: 'Gone: the handlers call `podWorkers.UpdatePod` themselves (`kubelet/podworkers/pod-workers.ts`).',
      zh: '已移除：处理函数自己调用 `podWorkers.UpdatePod`（`kubelet/podworkers/pod-workers.ts`）。',
    },
    change: 'dispatch-gone',
  },
  {
    names: ['UpdatePod'],
    became: {
      en: 'Unchanged in name; now it owns the whole life cycle of a pod.',
      zh: '名字没有变；现在它掌管 Pod 的整个生命周期。',
    },
    change: 'worker-owns-life',
  },
  {
    names: ['managePodLoop'],
    became: {
      en: 'Now `podWorkerLoop` (`kubelet/podworkers/pod-worker-loop.ts`): a channel of signals instead of a channel of updates.',
      zh: '现在叫 `podWorkerLoop`（`kubelet/podworkers/pod-worker-loop.ts`）：通道里是信号，不再是更新。',
    },
    change: 'worker-signal',
  },
  {
    names: ['lastUndeliveredWorkUpdate', 'isWorking'],
    became: {
      en: 'Now `pendingUpdate`, `activeUpdate` and `working` in one record per pod.',
      zh: '现在是每个 Pod 一条记录中的 `pendingUpdate`、`activeUpdate` 和 `working`。',
    },
    change: 'worker-signal',
  },
  {
    names: ['podKiller', 'podKillingCh'],
    became: {
      en: 'Gone: killing is an update of type `kill`, and the worker does it.',
      zh: '已移除：终止是一种 `kill` 类型的更新，由 worker 执行。',
    },
    change: 'pod-killer',
  },
  {
    names: ['syncPod'],
    became: {
      en: '`SyncPod`, with siblings `SyncTerminatingPod`, `SyncTerminatingRuntimePod` and `SyncTerminatedPod` (`kubelet/sync-pod.ts`).',
      zh: '`SyncPod`，以及 `SyncTerminatingPod`、`SyncTerminatingRuntimePod` 和 `SyncTerminatedPod`（`kubelet/sync-pod.ts`）。',
    },
    change: 'worker-owns-life',
  },
  {
    names: ['kubeGenericRuntimeManager.SyncPod'],
    became: {
      en: 'Its eight steps are nine: the sandbox-ready call-back is new (v1.36), and resize stands before the regular containers (`kubelet/kuberuntime`).',
      zh: '原来的八步变成九步：新增沙箱就绪的回调（v1.36），resize 排在普通容器之前（`kubelet/kuberuntime`）。',
    },
  },
  {
    names: ['startContainer'],
    became: {
      en: 'Its four steps are unchanged: pull the image, create, start, postStart.',
      zh: '四个步骤没有变：拉取镜像、创建、启动、postStart。',
    },
  },
  {
    names: ['initializeModules', 'updateRuntimeUp'],
    became: {
      en: 'Unchanged (`kubelet/kubelet-run.ts`, `kubelet/kubelet-runtime-up.ts`). Since v1.31 the goroutine of `syncNodeStatus` calls `updateRuntimeUp` first.',
      zh: '没有变（`kubelet/kubelet-run.ts`、`kubelet/kubelet-runtime-up.ts`）。v1.31 起，`syncNodeStatus` 的 goroutine 先调用 `updateRuntimeUp`。',
    },
    change: 'runtime-before-status',
  },
  {
    names: ['fastStatusUpdateOnce'],
    became: {
      en: 'Still there. Up to v1.25 it waited for addresses of pods, since v1.26 for a node that becomes ready.',
      zh: '仍在。v1.25 及以前它等 Pod 网段，v1.26 起等节点就绪。',
    },
    change: 'fast-status',
  },
  {
    names: ['canRunPod', 'Blocked'],
    became: { en: 'Gone with soft admission.', zh: '随软准入一起移除。' },
    change: 'soft-admission',
  },
];
