import type { Change } from '../types.js';

/** Changes of what the kubelet asks of the container runtime, and how it tells of it. */
export const runtime: readonly Omit<Change, 'part'>[] = [
  {
    id: 'sandbox-resources',
    since: 'v1.22',
    title: { en: 'RunPodSandbox tells the size of the pod', zh: 'RunPodSandbox 说明 Pod 的大小' },
    before: {
      en: 'The request for a sandbox said nothing of the resources of its containers.',
      zh: '创建沙箱的请求不包含其中容器的资源。',
    },
    after: {
      en: '`linux.resources` and `linux.overhead` have the sums of what the pod asks for.',
      zh: '`linux.resources` 与 `linux.overhead` 给出 Pod 所需的总量。',
    },
    why: {
      en: 'Runtimes that put a pod into a virtual machine must know how big to make it.',
      zh: '把 Pod 放进虚拟机的运行时，需要知道虚拟机该多大。',
    },
    upstream: [],
    names: ['RunPodSandbox', 'applySandboxResources', 'generatePodSandboxConfig', 'LinuxPodSandboxConfig'],
    code: { before: 'generatePodSandboxConfig', since: 'generatePodSandboxConfig' },
    shown: {
      scenario: 'hello',
      evidence: {
        what: { en: 'Requests RunPodSandbox with `linux.resources`', zh: '带 `linux.resources` 的 RunPodSandbox 请求' },
        kind: 'cri-call',
        where: "method == 'RunPodSandbox' && request.config.linux.resources != null",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'cri-call', where: "method == 'RunPodSandbox'" },
    },
  },
  {
    id: 'cri-v1',
    since: 'v1.26',
    title: { en: 'CRI v1 alone', zh: '只剩 CRI v1' },
    before: {
      en: 'The kubelet spoke `runtime.v1alpha2`; from v1.23 on it tried `runtime.v1` first. Up to v1.23 it had the Docker shim within itself.',
      zh: 'kubelet 使用 `runtime.v1alpha2`；从 v1.23 起先尝试 `runtime.v1`。到 v1.23 为止，它内置 Docker shim。',
    },
    after: {
      en: 'It speaks `runtime.v1` and nothing else.',
      zh: '它只使用 `runtime.v1`。',
    },
    why: {
      en: 'Two versions of one protocol had to be kept the same by hand.',
      zh: '同一协议的两个版本要靠人工保持一致。',
    },
    upstream: [{ pull: 110618 }],
    names: ['runtime.v1alpha2', 'runtime.v1', 'dockershim', 'RuntimeService', 'CRI'],
    code: {},
    shown: {
      not: {
        en: 'The simulated runtime has one protocol for all versions. What the requests of a version lack is left out of them.',
        zh: '模拟的运行时对所有版本使用同一协议。某个版本的请求所没有的字段会被省去。',
      },
    },
  },
  {
    id: 'back-off-event',
    since: 'v1.26',
    title: { en: 'The back-off event names its container', zh: '退避事件写明容器' },
    before: {
      en: 'The event BackOff said “Back-off restarting failed container”, of whichever container of the pod.',
      zh: 'BackOff 事件只说 “Back-off restarting failed container”，不说是哪个容器。',
    },
    after: {
      en: 'It goes on: “… app in pod web_default(UID)”.',
      zh: '后面加上：“… app in pod web_default(UID)”。',
    },
    why: {
      en: 'In a pod of several containers one could not tell which one crashed.',
      zh: '多容器的 Pod 里看不出是哪个在崩溃。',
    },
    upstream: [],
    names: ['doBackOff', 'BackOff', 'CrashLoopBackOff'],
    code: { before: 'kuberuntime.SyncPod', since: 'kuberuntime.SyncPod' },
    shown: {
      scenario: 'crash-loop',
      evidence: {
        what: { en: 'Events that name no container', zh: '没有写明容器的事件' },
        kind: 'kube-event',
        where: "reason == 'BackOff' && message == 'Back-off restarting failed container'",
        before: { atLeast: 1 },
        since: { exactly: 0 },
      },
      moment: { kind: 'kube-event', where: "reason == 'BackOff'" },
    },
  },
  {
    id: 'image-credentials',
    since: 'v1.33',
    title: { en: 'An image that is there may still be refused', zh: '镜像在本地也可能不许用' },
    before: {
      en: 'With `imagePullPolicy: IfNotPresent` a pod could use whatever image was on the node, also one that another pod had pulled with a secret of its own.',
      zh: '`imagePullPolicy: IfNotPresent` 时，Pod 可以使用节点上的任何镜像，哪怕是别的 Pod 用自己的凭证拉取的。',
    },
    after: {
      en: 'The kubelet remembers with which credentials an image was pulled, and asks `MustAttemptImagePull`. The event says “… already present on machine and can be accessed by the pod”. On by default since v1.35.',
      zh: 'kubelet 记住镜像是用哪些凭证拉取的，并询问 `MustAttemptImagePull`。事件写作 “… already present on machine and can be accessed by the pod”。从 v1.35 起默认开启。',
    },
    why: {
      en: 'A private image must not be open to everybody on the node.',
      zh: '私有镜像不应对节点上的所有 Pod 开放。',
    },
    upstream: [{ kep: 2535 }, { pull: 128152 }],
    names: [
      'EnsureImageExists',
      'MustAttemptImagePull',
      'imagePullPrecheck',
      'KubeletEnsureSecretPulledImages',
      'Pulled',
    ],
    code: { before: 'EnsureImageExists', since: 'EnsureImageExists' },
    shown: {
      scenario: 'hello',
      evidence: {
        what: { en: 'Events that tell of access', zh: '提到访问权限的事件' },
        kind: 'kube-event',
        where: "message =~ 'can be accessed by the pod'",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'kube-event', where: "reason == 'Pulled'" },
    },
  },
  {
    id: 'event-words',
    since: 'v1.35',
    title: { en: 'Events of containers in new words', zh: '容器事件换了措辞' },
    before: {
      en: '“Created container app” up to v1.28, “Created container: app” from v1.29 on; “Started container app”.',
      zh: 'v1.28 及以前是 “Created container app”，v1.29 起是 “Created container: app”；“Started container app”。',
    },
    after: {
      en: '“Container created” and “Container started”. The container is in the event’s object.',
      zh: '“Container created” 与 “Container started”。容器写在事件的对象里。',
    },
    why: {
      en: 'Events of one kind with one text can be counted together.',
      zh: '同类事件文字相同，便于合并计数。',
    },
    upstream: [],
    names: ['startContainer', 'CreatedContainer', 'StartedContainer', 'Created', 'Started'],
    code: { before: 'startContainer', since: 'startContainer' },
    shown: {
      scenario: 'hello',
      evidence: {
        what: { en: 'Events “Container created”', zh: '“Container created” 事件' },
        kind: 'kube-event',
        where: "message == 'Container created'",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'kube-event', where: "reason == 'Created'" },
    },
  },
  {
    id: 'restart-all',
    since: 'v1.36',
    title: { en: 'A container’s exit can restart the whole pod', zh: '一个容器退出可以重启整个 Pod' },
    before: {
      en: 'A container was restarted alone, by the restart policy of its pod.',
      zh: '容器按 Pod 的重启策略单独重启。',
    },
    after: {
      en: 'Rules at a container say by exit code whether it is restarted (v1.35), or whether all containers of the pod begin anew in the same sandbox (`RestartAllContainers`, on since v1.36).',
      zh: '容器上的规则按退出码决定是否重启它（v1.35），或者让 Pod 的所有容器在同一沙箱里重新开始（`RestartAllContainers`，v1.36 起默认开启）。',
    },
    why: {
      en: 'Jobs whose containers belong together had to give up the pod, with its place on the node, to begin again.',
      zh: '容器互相依赖的作业，以前只能放弃整个 Pod 和它在节点上的位置才能重来。',
    },
    upstream: [],
    names: [
      'RestartAllContainers',
      'AllContainersRestarting',
      'restartPolicyRules',
      'ContainerRestartRules',
      'computePodActions',
      'restartingAllContainers',
    ],
    code: { before: 'computePodActions', since: 'computePodActions' },
    shown: {
      scenario: 'restart-rules',
      evidence: {
        what: { en: 'Decisions to begin all containers anew', zh: '让所有容器重新开始的决定' },
        kind: 'decision',
        where: "rule == 'RestartAllContainers' && verdict == 'reset'",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
    },
  },
];
