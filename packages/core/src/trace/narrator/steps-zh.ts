/** 每个编号的步骤做什么：按调用，再按步骤的名字。 */
import type { Steps } from './why.js';

const status = '根据运行时报告的容器情况重新计算状态：phase、conditions、每个容器的状态。';
const setStatus = '状态管理器先把状态放进缓存，稍后再写到 API server；worker 不等它写完。';
const killPod = '同时停止所有容器，各有自己的宽限期；随后停止沙箱。';

export const stepsZh: Steps = {
  SyncPod: {
    'resize condition': '如果正在就地调整运行中容器的资源，Pod 会带上 PodResizeInProgress 条件；否则去掉它。',
    generateAPIPodStatus: status,
    'pod IPs': '记下运行时分配给沙箱的地址，供后面的步骤使用。',
    'terminal check': 'phase 为 Succeeded 或 Failed 的 Pod 已经结束：只保存状态，不再启动任何东西。',
    'pending termination': '已经开始被杀掉的 Pod 不会再启动。',
    canRunPod: '软准入：此刻不允许在本节点运行的 Pod 会被阻止，稍后再看。',
    SetPodStatus: setStatus,
    kill: '已删除、已失败或未被准入的 Pod 会被杀掉，同步到此为止。',
    'kill what should not run': '已删除、已失败或未被准入的 Pod 会被杀掉，同步到此为止。',
    'network check': '网络未就绪时，只有使用宿主机网络的 Pod 可以启动；其他 Pod 的同步失败，稍后重试。',
    'register secrets and configmaps': '从现在起，kubelet 监听该 Pod 引用的 Secret 和 ConfigMap。',
    'pod cgroup': 'Pod 的 cgroup 限制其所有容器合计的资源，必须先于第一个容器存在。',
    'mirror pod': '静态 Pod 在 API server 上有一个镜像 Pod，kubectl 才能看到它；其他 Pod 无需处理。',
    'data directories': '在 /var/lib/kubelet/pods 下为 Pod、卷和插件创建目录。',
    volumes: 'worker 在这里等卷管理器挂接并挂载该 Pod 的所有卷，最多等 2 分 3 秒。',
    'pull secrets': '读取 imagePullSecrets 指定的 Secret，其中是镜像仓库的凭据。',
    probes: '探针管理器为容器的每个探针建立一个 worker。',
    'container runtime': '真正的工作：kuberuntime 比较实际与 spec，并通过 CRI 驱动运行时。',
    'reason cache': '记住容器为什么没能启动，供下次的状态使用，例如 ImagePullBackOff 或 CrashLoopBackOff。',
  },
  SyncTerminatingPod: {
    generateAPIPodStatus: status,
    SetPodStatus: setStatus,
    'stop liveness and startup probes': '正在结束的容器不能再被探针触发重启；readiness 探测仍继续。',
    killPod,
    'remove probes': '已没有东西在运行，也就不再探测。',
    'read final state': '再问一次运行时，避免丢失退出码和结束时间。',
    'generateAPIPodStatus, terminal': status,
    'SetPodStatus, terminal': '这个状态告诉外界：该 Pod 的容器都已停止。',
  },
  SyncTerminatingRuntimePod: { killPod },
  SyncTerminatedPod: {
    generateAPIPodStatus: status,
    SetPodStatus: setStatus,
    'unmount volumes': 'worker 等卷管理器卸载该 Pod 的所有卷。',
    'volume paths': '等到磁盘上不再有卷的目录。',
    'unregister secrets and configmaps': 'kubelet 不再监听该 Pod 的 Secret 和 ConfigMap。',
    'destroy cgroup': '删除 Pod 的 cgroup；其中残留的进程先被杀掉。',
    'release user namespace': '该 Pod 占用的用户 ID 区间可以给别人用了。',
    TerminatePod: '状态管理器现在可以从 API server 删除这个 Pod 了。',
  },
  'kuberuntime.SyncPod': {
    'compute sandbox and container changes': 'computePodActions 决定后面各步做什么：要不要杀、需不需要沙箱、启动哪些。',
    'kill pod': '如果沙箱已不可用，先停掉该 Pod 残留的一切。',
    'kill unwanted containers': '停掉探测失败或 spec 已变的容器。',
    'create sandbox': 'RunPodSandbox 创建网络命名空间和 pause 进程，由该 Pod 的所有容器共享。',
    'sandbox ready callback': '立即给 Pod 设置 PodReadyToStartContainers 条件，不等到下一次同步。',
    'start ephemeral container': '调试容器只启动一次，不管 Pod 进行到哪一步，也从不重启。',
    'start init container': 'init 容器逐个运行，这是下一个。',
    'resize running containers': '调整运行中容器的 limits 和 requests，而不重启它们。',
    'start container': '对每个要运行的容器：先看退避，再调用 startContainer。',
  },
  startContainer: {
    'pull image': 'EnsureImageExists：是否访问镜像仓库取决于 imagePullPolicy 和节点上已有的镜像。',
    'create container': 'CreateContainer 把完整的配置交给运行时；此时还没有进程在运行。',
    'start container': 'StartContainer 启动进程，容器从此开始运行。',
    'postStart hook': 'worker 等待钩子执行完；钩子失败则杀掉容器。',
  },
};
