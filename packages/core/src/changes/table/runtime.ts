import type { Change } from '../types.js';

/** Changes of what the kubelet asks of the container runtime, and how it reports it. */
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
        what: { en: 'Events that are about access', zh: '提到访问权限的事件' },
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
      en: '“Created container app”, and “Created container: app” since v1.29.14, v1.30.10, v1.31.6 and v1.32; “Started container app”.',
      zh: '“Created container app”，从 v1.29.14、v1.30.10、v1.31.6 和 v1.32 起是 “Created container: app”；“Started container app”。',
    },
    after: {
      en: '“Container created” and “Container started”. The container is in the event’s object.',
      zh: '“Container created” 与 “Container started”。容器写在事件的对象里。',
    },
    why: {
      en: 'Events of one kind with one text can be counted together.',
      zh: '同类事件文字相同，便于合并计数。',
    },
    upstream: [{ pull: 134043 }],
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
      en: 'Rules of a container decide by exit code whether it is restarted (v1.35), or whether all containers of the pod start anew in the same sandbox (`RestartAllContainers`, on since v1.36).',
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
        what: { en: 'Decisions to start all containers again', zh: '让所有容器重新开始的决策' },
        kind: 'decision',
        where: "rule == 'RestartAllContainers' && verdict == 'reset'",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
    },
  },
  {
    id: 'ephemeral-containers',
    since: 'v1.23',
    title: { en: 'Ephemeral containers', zh: '临时容器' },
    before: {
      en: 'The containers of a pod were those that it was made with.',
      zh: 'Pod 的容器就是创建时的那些。',
    },
    after: {
      en: 'A container for debugging can be added to a running pod. `SyncPod` starts it in a step of its own and never restarts it. On by default since v1.23.',
      zh: '可以给运行中的 Pod 加一个用于调试的容器。`SyncPod` 用单独的一步启动它，且从不重启。从 v1.23 起默认开启。',
    },
    why: {
      en: 'Small images have no shell to look around with.',
      zh: '精简的镜像里没有可用来查看的 shell。',
    },
    upstream: [{ kep: 277 }],
    names: ['ephemeralContainers', 'EphemeralContainersToStart', 'computePodActions', 'kubectl debug'],
    code: { before: 'computePodActions', since: 'computePodActions' },
    shown: {
      scenario: 'debug-container',
      evidence: {
        what: {
          en: 'Containers that are created for a pod with one of its own',
          zh: '为只有一个自身容器的 Pod 创建的容器',
        },
        kind: 'cri-call',
        where: "method == 'CreateContainer'",
        before: { exactly: 1 },
        since: { atLeast: 2 },
      },
    },
  },
  {
    id: 'sidecars',
    since: 'v1.29',
    title: { en: 'Sidecars: init containers that keep running', zh: '边车：一直运行的 init 容器' },
    before: {
      en: 'Init containers ran one after the other, each to its end. Containers had no `restartPolicy`: an init container that never ends kept the pod from starting.',
      zh: 'init 容器逐个运行到结束。容器的 `restartPolicy` 还不存在：永不结束的 init 容器会让 Pod 无法启动。',
    },
    after: {
      en: 'An init container with `restartPolicy: Always` counts as done once it has started. It runs alongside the other containers, is restarted, and is stopped after them, in reverse order. On by default since v1.29.',
      zh: '带 `restartPolicy: Always` 的 init 容器一启动就算完成。它与其他容器一起运行，会被重启，并在它们之后按相反顺序停止。从 v1.29 起默认开启。',
    },
    why: {
      en: 'Proxies and log shippers have to be there before the program and until after it, and must not keep a Job from ending.',
      zh: '代理和日志收集器要先于程序就位、后于程序退出，又不能妨碍 Job 结束。',
    },
    upstream: [{ kep: 753 }, { pull: 116429 }],
    names: [
      'SidecarContainers',
      'restartableInitContainer',
      'computeInitContainerActions',
      'terminationOrdering',
      'findNextInitContainerToRun',
      'initContainers',
    ],
    code: { before: 'computePodActions', since: 'computePodActions' },
    shown: {
      scenario: 'sidecar-order',
      evidence: {
        what: { en: 'Times that the container `app` starts', zh: '容器 `app` 启动的次数' },
        kind: 'actual-container',
        where: "name == 'app' && state == 'running'",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'actual-container', where: "state == 'running'" },
    },
  },
  {
    id: 'image-name',
    since: 'v1.29',
    title: { en: 'CreateContainer names the image as the pod does', zh: 'CreateContainer 写明 Pod 里的镜像名' },
    before: {
      en: 'The request had the ID of the image alone.',
      zh: '请求里只有镜像的 ID。',
    },
    after: {
      en: '`userSpecifiedImage` has the name from the pod besides.',
      zh: '另有 `userSpecifiedImage`，是 Pod 里写的名字。',
    },
    why: {
      en: 'A runtime that checks images by name could not see it.',
      zh: '按名字检查镜像的运行时以前看不到它。',
    },
    upstream: [],
    names: ['CreateContainer', 'userSpecifiedImage', 'ImageSpec', 'generateContainerConfig'],
    code: { before: 'startContainer', since: 'startContainer' },
    shown: {
      scenario: 'hello',
      evidence: {
        what: { en: 'Requests CreateContainer with that name', zh: '带有该名字的 CreateContainer 请求' },
        kind: 'cri-call',
        where: "method == 'CreateContainer' && len(request.config.image.userSpecifiedImage) > 0",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'cri-call', where: "method == 'CreateContainer'" },
    },
  },
  {
    id: 'resize',
    since: 'v1.33',
    title: { en: 'A running pod can be resized', zh: '可以调整运行中 Pod 的大小' },
    before: {
      en: 'CPU and memory of a container were fixed; another size needed another pod. A gate for more was there since v1.27, off by default.',
      zh: '容器的 CPU 和内存是固定的，要改就得换一个 Pod。v1.27 起有一个默认关闭的开关。',
    },
    after: {
      en: '`SyncPod` compares what is wanted with what the containers have, and calls `UpdateContainerResources`. On by default.',
      zh: '`SyncPod` 比较想要的与容器已有的资源，并调用 `UpdateContainerResources`。默认开启。',
    },
    why: {
      en: 'To make a pod larger should not cost its connections and its memory.',
      zh: '给 Pod 加大资源，不应以断开连接、丢失内存为代价。',
    },
    upstream: [{ kep: 1287 }, { pull: 102884 }],
    names: [
      'doPodResizeAction',
      'UpdateContainerResources',
      'InPlacePodVerticalScaling',
      'resizePolicy',
      'handlePodResourcesResize',
      'retryPendingResizes',
    ],
    code: { since: 'doPodResizeAction' },
    shown: {
      not: {
        en: 'An API server of those versions refuses such a change of a pod, so that no kubelet of them sees it; the simulated API server is that of v1.36.',
        zh: '那些版本的 API server 会拒绝这样的修改，kubelet 不会见到；模拟的 API server 是 v1.36 的。',
      },
    },
  },
  {
    id: 'user-namespaces',
    since: 'v1.33',
    title: { en: 'Requests name the user namespace', zh: '请求写明用户命名空间' },
    before: {
      en: 'Only with a gate that was off by default did the kubelet tell the runtime which user namespace a pod is in.',
      zh: '只有打开默认关闭的开关，kubelet 才会告诉运行时 Pod 在哪个用户命名空间。',
    },
    after: {
      en: '`usernsOptions` is in each request: NODE, or a mapping for a pod with `hostUsers: false`.',
      zh: '每个请求都有 `usernsOptions`：NODE，或者为 `hostUsers: false` 的 Pod 给出映射。',
    },
    why: {
      en: 'root within a pod need not be root on the node.',
      zh: 'Pod 里的 root 不必是节点上的 root。',
    },
    upstream: [{ kep: 127 }],
    names: ['usernsOptions', 'UserNamespacesSupport', 'hostUsers', 'GetOrCreateUserNamespaceMappings', 'RunPodSandbox'],
    code: { before: 'generatePodSandboxConfig', since: 'generatePodSandboxConfig' },
    shown: {
      scenario: 'hello',
      evidence: {
        what: { en: 'Requests RunPodSandbox with `usernsOptions`', zh: '带 `usernsOptions` 的 RunPodSandbox 请求' },
        kind: 'cri-call',
        where:
          "method == 'RunPodSandbox' && request.config.linux.securityContext.namespaceOptions.usernsOptions != null",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'cri-call', where: "method == 'RunPodSandbox'" },
    },
  },
  {
    id: 'masked-paths',
    since: 'v1.36',
    title: { en: 'More of /proc is hidden from containers', zh: '对容器隐藏更多 /proc 内容' },
    before: {
      en: 'Up to v1.25 nine paths were masked by default; `/proc/asound` could be read.',
      zh: '到 v1.25 为止默认屏蔽九个路径；`/proc/asound` 可读。',
    },
    after: {
      en: '`/proc/asound`, `/proc/interrupts` and others are masked, too. v1.36 is the first version that was seen with it.',
      zh: '`/proc/asound`、`/proc/interrupts` 等也被屏蔽。v1.36 是查到的第一个这样做的版本。',
    },
    why: {
      en: 'What these files say about the machine helps to attack it.',
      zh: '这些文件透露的机器信息有助于攻击。',
    },
    upstream: [],
    names: ['maskedPaths', 'readonlyPaths', 'defaultMaskedPaths', 'procMount'],
    code: {},
    shown: {
      not: {
        en: 'Which of the lists v1.32 has was not looked at; the simulation gives it that of v1.36.',
        zh: 'v1.32 用的是哪份列表没有查过；模拟给它的是 v1.36 的。',
      },
    },
  },
  {
    id: 'event-names',
    since: 'v1.14',
    title: { en: 'Events name their container', zh: '事件写出容器名' },
    before: {
      en: '“Created container”, “Started container”; after the end “Killing container with id containerd://app:Need to kill Pod”. A container whose probe failed was “killed and recreated”.',
      zh: '“Created container”、“Started container”；结束之后才有 “Killing container with id containerd://app:Need to kill Pod”。探针失败的容器写作 “killed and recreated”。',
    },
    after: {
      en: '“Created container app”, “Started container app”; before the `preStop` hook runs “Stopping container app”. A container whose probe failed “will be restarted”.',
      zh: '“Created container app”、“Started container app”；`preStop` 钩子运行之前就有 “Stopping container app”。探针失败的容器写作 “will be restarted”。',
    },
    why: {
      en: 'Only the object of an event said which container it was about, and a kill was reported when it was over.',
      zh: '以前只有事件的对象说明是哪个容器，而且杀容器的事件要等杀完才有。',
    },
    upstream: [{ pull: 73892 }, { issue: 65149 }],
    names: ['startContainer', 'killContainer', 'recordContainerEvent', 'KillingContainer', 'Killing'],
    code: { before: 'killContainer', since: 'killContainer' },
    shown: {
      scenario: 'graceful-delete',
      evidence: {
        what: { en: 'Events “Stopping container …”', zh: '“Stopping container …” 事件' },
        kind: 'kube-event',
        where: "startsWith(message, 'Stopping container ')",
        before: { exactly: 0 },
        since: { atLeast: 1 },
      },
      moment: { kind: 'kube-event', where: "reason == 'Killing'" },
    },
  },
];
