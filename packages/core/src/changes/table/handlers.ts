import type { Change } from '../types.js';

/** Changes of the handlers, and of what they do before a worker gets to work. */
export const handlers: readonly Omit<Change, 'part'>[] = [
  {
    id: 'dispatch-filter',
    since: 'v1.22',
    title: { en: 'dispatchWork no longer holds pods back', zh: 'dispatchWork 不再拦下 Pod' },
    before: {
      en: '`dispatchWork` looked at the status first. A pod that was Failed or Succeeded, or deleted with no container running, got no further: its worker never heard of it. For a deleted one `dispatchWork` called `TerminatePod` itself.',
      zh: '`dispatchWork` 先看状态。已经 Failed 或 Succeeded 的 Pod，或者已被删除且没有容器在运行的 Pod，就到此为止，它的 worker 根本不会知道。对被删除的 Pod，`dispatchWork` 自己调用 `TerminatePod`。',
    },
    after: {
      en: 'It hands every update on to `podWorkers.UpdatePod`. The worker decides what is left to do.',
      zh: '它把每个更新都交给 `podWorkers.UpdatePod`，还要做什么由 worker 决定。',
    },
    why: {
      en: 'Containers that had not started yet looked like containers that had ended, so that a pod could be taken for finished before it had begun.',
      zh: '还没启动的容器看上去和已经结束的一样，于是 Pod 可能还没开始就被当成已结束。',
    },
    upstream: [{ pull: 102344 }],
    names: ['dispatchWork', 'podIsTerminated', 'podAndContainersAreTerminal', 'TerminatePod', 'UpdatePod'],
    code: { before: 'dispatchWork', since: 'dispatchWork' },
    shown: {
      scenario: 'run-to-completion',
      evidence: {
        what: { en: 'Updates that `dispatchWork` ignores', zh: '被 `dispatchWork` 忽略的更新' },
        kind: 'decision',
        where: "rule == 'dispatchWork' && verdict == 'ignore'",
        before: { atLeast: 1 },
        since: { exactly: 0 },
      },
      moment: { kind: 'worker', where: "state == 'terminating'" },
    },
  },
  {
    id: 'dispatch-gone',
    since: 'v1.27',
    title: { en: 'dispatchWork is gone', zh: 'dispatchWork 被移除' },
    before: {
      en: 'Every handler called `dispatchWork(pod, type, mirror, start)`, which called `podWorkers.UpdatePod`.',
      zh: '每个处理函数都调用 `dispatchWork(pod, type, mirror, start)`，由它再调用 `podWorkers.UpdatePod`。',
    },
    after: {
      en: 'The handlers call `podWorkers.UpdatePod` themselves.',
      zh: '处理函数自己调用 `podWorkers.UpdatePod`。',
    },
    why: {
      en: 'Since v1.22 it only handed its arguments on.',
      zh: '从 v1.22 起，它只是转交参数。',
    },
    upstream: [{ pull: 113145 }],
    names: [
      'dispatchWork',
      'UpdatePod',
      'HandlePodAdditions',
      'HandlePodUpdates',
      'HandlePodRemoves',
      'HandlePodReconcile',
      'HandlePodSyncs',
    ],
    code: { before: 'dispatchWork', since: 'HandlePodSyncs' },
    shown: {
      scenario: 'hello',
      evidence: {
        what: { en: 'Calls of `dispatchWork`', zh: '对 `dispatchWork` 的调用' },
        kind: 'enter',
        where: "fn == 'dispatchWork'",
        before: { atLeast: 1 },
        since: { exactly: 0 },
      },
      moment: { kind: 'enter', where: "fn == 'UpdatePod'" },
    },
  },
  {
    id: 'mirror-handler',
    since: 'v1.27',
    title: { en: 'Mirror pods have no handler of their own', zh: '镜像 Pod 不再有单独的处理函数' },
    before: {
      en: 'When a mirror pod came, changed or went, each handler passed it to `handleMirrorPod`, which looked for its static pod and dispatched that.',
      zh: '镜像 Pod 出现、变化或消失时，各个处理函数把它交给 `handleMirrorPod`，由它找到对应的静态 Pod 并派发。',
    },
    after: {
      en: 'The handlers ask `podManager.GetPodAndMirrorPod` for both, and update the worker of the static pod.',
      zh: '处理函数用 `podManager.GetPodAndMirrorPod` 同时取得两者，并更新静态 Pod 的 worker。',
    },
    why: {
      en: 'One rule for every handler: a worker gets the pod together with its mirror.',
      zh: '所有处理函数遵循同一条规则：worker 同时拿到 Pod 和它的镜像。',
    },
    upstream: [{ pull: 113145 }],
    names: ['handleMirrorPod', 'GetPodAndMirrorPod', 'GetMirrorPodByPod', 'HandlePodUpdates'],
    code: { before: 'handleMirrorPod', since: 'HandlePodUpdates' },
    shown: {
      scenario: 'mirror-pod',
      evidence: {
        what: { en: 'Calls of `handleMirrorPod`', zh: '对 `handleMirrorPod` 的调用' },
        kind: 'enter',
        where: "fn == 'handleMirrorPod'",
        before: { atLeast: 1 },
        since: { exactly: 0 },
      },
      moment: { kind: 'pod-config', where: "source == 'api' && op == 'ADD' && len(pods) == 1" },
    },
  },
  {
    id: 'allocation-manager',
    since: 'v1.34',
    title: { en: 'Admission moves to the allocation manager', zh: '准入移到 allocation manager' },
    before: {
      en: '`HandlePodAdditions` asked `(*Kubelet).canAdmitPod`, a method of the kubelet itself. Resources of admitted pods were kept by the status manager (v1.27 to v1.32).',
      zh: '`HandlePodAdditions` 调用 kubelet 自己的方法 `(*Kubelet).canAdmitPod`。已准入 Pod 的资源由状态管理器保存（v1.27 到 v1.32）。',
    },
    after: {
      en: 'It asks `allocationManager.AddPod`. The allocation manager keeps what each pod got, and tries waiting resizes again.',
      zh: '它调用 `allocationManager.AddPod`。allocation manager 保存每个 Pod 得到的资源，并重试等待中的 resize。',
    },
    why: {
      en: 'Admission and in-place resize answer the same question: does this pod, of this size, fit the node?',
      zh: '准入与原地 resize 回答的是同一个问题：这么大的 Pod，节点放得下吗？',
    },
    upstream: [{ kep: 1287 }],
    names: [
      'canAdmitPod',
      'allocationManager',
      'AddPod',
      'HandlePodAdditions',
      'handlePodResourcesResize',
      'retryPendingResizes',
    ],
    code: { since: 'canAdmitPod' },
    shown: {
      scenario: 'hello',
      evidence: {
        what: {
          en: 'Starts of a manager named allocationManager',
          zh: '启动的名为 allocationManager 的管理器',
        },
        kind: 'manager',
        where: "name == 'allocationManager' && record.state == 'started'",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'decision', where: "rule == 'canAdmitPod'" },
    },
  },
  {
    id: 'rejection-words',
    since: 'v1.26',
    title: { en: 'A rejected pod says “Pod was rejected”', zh: '被拒绝的 Pod 写明 “Pod was rejected”' },
    before: {
      en: 'The message of a pod that was not admitted began with “Pod ”, and the reason followed as part of the sentence.',
      zh: '未被接纳的 Pod，消息以 “Pod ” 开头，原因接在句子里。',
    },
    after: {
      en: 'It begins with “Pod was rejected: ”.',
      zh: '它以 “Pod was rejected: ” 开头。',
    },
    why: {
      en: 'The old sentence was one only for some of the reasons.',
      zh: '旧的句式只有接上某些原因时才通顺。',
    },
    upstream: [],
    names: ['rejectPod', 'HandlePodAdditions', 'canAdmitPod'],
    code: { before: 'HandlePodAdditions', since: 'HandlePodAdditions' },
    shown: {
      scenario: 'admission-refused',
      evidence: {
        what: {
          en: 'Statuses whose message begins with “Pod was rejected: ”',
          zh: '消息以 “Pod was rejected: ” 开头的状态',
        },
        kind: 'status',
        where: "status.message =~ 'Pod was rejected: *'",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'status', where: "status.phase == 'Failed'" },
    },
  },
];
