/** The purpose of each numbered step of a sync, in both languages: by the call, then by the name of the step. */
import type { Why } from './parts.js';

const status: Why = {
  en: 'It computes the status anew from what the runtime reports of the containers: phase, conditions, a state for each.',
  zh: '根据运行时报告的容器情况重新计算状态：phase、conditions、每个容器的状态。',
};
const setStatus: Why = {
  en: 'The status manager takes the status into its cache and writes it to the API server later; the worker does not wait for that.',
  zh: '状态管理器先把状态放进缓存，稍后再写到 API server；worker 不等它写完。',
};
const killPod: Why = {
  en: 'All containers are stopped at the same time, each within its grace period; then the sandbox is stopped.',
  zh: '同时停止所有容器，各有自己的宽限期；随后停止沙箱。',
};

const steps: { readonly [fn: string]: { readonly [name: string]: Why } } = {
  SyncPod: {
    'resize condition': {
      en: 'If the resources of running containers are being changed in place, the pod gets the condition PodResizeInProgress; else it loses it.',
      zh: '如果正在就地调整运行中容器的资源，Pod 会带上 PodResizeInProgress 条件；否则去掉它。',
    },
    generateAPIPodStatus: status,
    'pod IPs': {
      en: 'The addresses that the runtime gave to the sandbox are noted for the steps that follow.',
      zh: '记下运行时分配给沙箱的地址，供后面的步骤使用。',
    },
    'terminal check': {
      en: 'A pod whose phase is Succeeded or Failed has ended: its status is kept, and nothing of it is started.',
      zh: 'phase 为 Succeeded 或 Failed 的 Pod 已经结束：只保存状态，不再启动任何东西。',
    },
    'pending termination': {
      en: 'A pod whose killing has begun is not started any more.',
      zh: '已经开始被杀掉的 Pod 不会再启动。',
    },
    canRunPod: {
      en: 'Soft admission: a pod that may not run on this node now is blocked, and looked at again later.',
      zh: '软准入：此刻不允许在本节点运行的 Pod 会被阻止，稍后再看。',
    },
    SetPodStatus: setStatus,
    kill: {
      en: 'A pod that is deleted, failed or not admitted is killed, and the sync ends here.',
      zh: '已删除、已失败或未被准入的 Pod 会被杀掉，同步到此为止。',
    },
    'kill what should not run': {
      en: 'A pod that is deleted, failed or not admitted is killed, and the sync ends here.',
      zh: '已删除、已失败或未被准入的 Pod 会被杀掉，同步到此为止。',
    },
    'network check': {
      en: 'Without a ready network only pods of the host network may start; for any other one the sync fails and is tried again.',
      zh: '网络未就绪时，只有使用宿主机网络的 Pod 可以启动；其他 Pod 的同步失败，稍后重试。',
    },
    'register secrets and configmaps': {
      en: 'From now on the kubelet watches the Secrets and ConfigMaps that the pod refers to.',
      zh: '从现在起，kubelet 监听该 Pod 引用的 Secret 和 ConfigMap。',
    },
    'pod cgroup': {
      en: 'The cgroup of the pod bounds what all its containers together may use. It must exist before the first of them.',
      zh: 'Pod 的 cgroup 限制其所有容器合计的资源，必须先于第一个容器存在。',
    },
    'mirror pod': {
      en: 'A static pod has a copy on the API server, so that kubectl shows it. For other pods there is nothing to do.',
      zh: '静态 Pod 在 API server 上有一个镜像 Pod，kubectl 才能看到它；其他 Pod 无需处理。',
    },
    'data directories': {
      en: 'Directories for the pod, its volumes and its plugins are created below /var/lib/kubelet/pods.',
      zh: '在 /var/lib/kubelet/pods 下为 Pod、卷和插件创建目录。',
    },
    volumes: {
      en: 'The worker waits here, for up to 2 min 3 s, until the volume manager has attached and mounted all volumes of the pod.',
      zh: 'worker 在这里等卷管理器挂接并挂载该 Pod 的所有卷，最多等 2 分 3 秒。',
    },
    'pull secrets': {
      en: 'The Secrets of imagePullSecrets are read: they hold the credentials for the registry.',
      zh: '读取 imagePullSecrets 指定的 Secret，其中是镜像仓库的凭据。',
    },
    probes: {
      en: 'The probe manager gets a worker for each probe that the containers have.',
      zh: '探针管理器为容器的每个探针建立一个 worker。',
    },
    'container runtime': {
      en: 'The work itself: kuberuntime compares what runs with the spec, and drives the runtime over the CRI.',
      zh: '真正的工作：kuberuntime 比较实际与 spec，并通过 CRI 驱动运行时。',
    },
    'reason cache': {
      en: 'Why a container could not be started is kept for the next status, as ImagePullBackOff or CrashLoopBackOff.',
      zh: '记住容器为什么没能启动，供下次的状态使用，例如 ImagePullBackOff 或 CrashLoopBackOff。',
    },
  },
  SyncTerminatingPod: {
    generateAPIPodStatus: status,
    SetPodStatus: setStatus,
    'stop liveness and startup probes': {
      en: 'A container that ends must not be restarted by its probes. Readiness is probed on.',
      zh: '正在结束的容器不能再被探针触发重启；readiness 探测仍继续。',
    },
    killPod,
    'remove probes': {
      en: 'Nothing runs any more, so nothing is probed any more.',
      zh: '已没有东西在运行，也就不再探测。',
    },
    'read final state': {
      en: 'The runtime is asked once more, so that exit codes and times of the end are not lost.',
      zh: '再问一次运行时，避免丢失退出码和结束时间。',
    },
    'generateAPIPodStatus, terminal': status,
    'SetPodStatus, terminal': {
      en: 'With this status the world learns that no container of the pod runs.',
      zh: '这个状态告诉外界：该 Pod 的容器都已停止。',
    },
  },
  SyncTerminatingRuntimePod: { killPod },
  SyncTerminatedPod: {
    generateAPIPodStatus: status,
    SetPodStatus: setStatus,
    'unmount volumes': {
      en: 'The worker waits until the volume manager has unmounted all volumes of the pod.',
      zh: 'worker 等卷管理器卸载该 Pod 的所有卷。',
    },
    'volume paths': {
      en: 'It waits until no directory of a volume is left on the disk.',
      zh: '等到磁盘上不再有卷的目录。',
    },
    'unregister secrets and configmaps': {
      en: 'The kubelet no longer watches the Secrets and ConfigMaps of the pod.',
      zh: 'kubelet 不再监听该 Pod 的 Secret 和 ConfigMap。',
    },
    'destroy cgroup': {
      en: 'The cgroup of the pod is removed; what is left in it is killed first.',
      zh: '删除 Pod 的 cgroup；其中残留的进程先被杀掉。',
    },
    'release user namespace': {
      en: 'The range of user ids that the pod had is free for others.',
      zh: '该 Pod 占用的用户 ID 区间可以给别人用了。',
    },
    TerminatePod: {
      en: 'The status manager may now delete the pod from the API server.',
      zh: '状态管理器现在可以从 API server 删除这个 Pod 了。',
    },
  },
  'kuberuntime.SyncPod': {
    'compute sandbox and container changes': {
      en: 'computePodActions decides what the following steps do: whether to kill, whether a sandbox is needed, what to start.',
      zh: 'computePodActions 决定后面各步做什么：要不要杀、需不需要沙箱、启动哪些。',
    },
    'kill pod': {
      en: 'If the sandbox is not usable any more, what is left of the pod is stopped first.',
      zh: '如果沙箱已不可用，先停掉该 Pod 残留的一切。',
    },
    'kill unwanted containers': {
      en: 'Containers that failed a probe, or whose spec has changed, are stopped.',
      zh: '停掉探测失败或 spec 已变的容器。',
    },
    'create sandbox': {
      en: 'RunPodSandbox makes the network namespace and the pause process, which all containers of the pod share.',
      zh: 'RunPodSandbox 创建网络命名空间和 pause 进程，由该 Pod 的所有容器共享。',
    },
    'sandbox ready callback': {
      en: 'The pod gets the condition PodReadyToStartContainers at once, not only with the next sync.',
      zh: '立即给 Pod 设置 PodReadyToStartContainers 条件，不等到下一次同步。',
    },
    'start ephemeral container': {
      en: 'A debug container is started once, however far the pod is, and never restarted.',
      zh: '调试容器只启动一次，不管 Pod 进行到哪一步，也从不重启。',
    },
    'start init container': {
      en: 'Init containers run one after the other; this is the next one.',
      zh: 'init 容器逐个运行，这是下一个。',
    },
    'resize running containers': {
      en: 'Limits and requests of running containers are changed without restarting them.',
      zh: '调整运行中容器的 limits 和 requests，而不重启它们。',
    },
    'start container': {
      en: 'For each container that is to run: a look at its back-off, then startContainer.',
      zh: '对每个要运行的容器：先看退避，再调用 startContainer。',
    },
  },
  startContainer: {
    'pull image': {
      en: 'EnsureImageExists: whether the registry is asked depends on imagePullPolicy and on what is on the node.',
      zh: 'EnsureImageExists：是否访问镜像仓库取决于 imagePullPolicy 和节点上已有的镜像。',
    },
    'create container': {
      en: 'CreateContainer gives the whole configuration to the runtime. No process runs yet.',
      zh: 'CreateContainer 把完整的配置交给运行时；此时还没有进程在运行。',
    },
    'start container': {
      en: 'StartContainer starts the process. From now on the container runs.',
      zh: 'StartContainer 启动进程，容器从此开始运行。',
    },
    'postStart hook': {
      en: 'The worker waits for the hook. If it fails, the container is killed.',
      zh: 'worker 等待钩子执行完；钩子失败则杀掉容器。',
    },
  },
};

const own = <T>(table: { readonly [key: string]: T }, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/** Returns what a step does; undefined for one that is not known. */
export const stepWhy = (fn: string, name: string): Why | undefined => own(own(steps, fn) ?? {}, name);
