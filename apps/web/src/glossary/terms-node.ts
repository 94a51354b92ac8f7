/** Terms of the node: the runtime, its managers and its resources. */
import { type Term, termsAt } from './term.js';

const cri = termsAt('cri', 'article-cri');
const startup = termsAt('managers', 'startup');
const volumes = termsAt('volumes', 'syncpod');

export const nodeTerms: readonly Term[] = [
  cri(
    'CRI',
    'container runtime interface gRPC containerd CRI-O 容器运行时接口',
    'createPodSandbox',
    'The CRI (container runtime interface) is the gRPC protocol between the kubelet and a runtime such as containerd.',
    'CRI（容器运行时接口）是 kubelet 与 containerd 等运行时之间的 gRPC 协议。',
  ),
  cri(
    'container runtime',
    'containerd CRI-O docker runc 容器运行时',
    'GetPodStatus',
    'The container runtime pulls images and runs sandboxes and containers when the kubelet asks it to.',
    '容器运行时按照 kubelet 的请求拉取镜像，运行沙箱和容器。',
  ),
  startup(
    'initializeModules',
    'startup modules 启动 模块',
    'initializeModules',
    'initializeModules starts what does not need the runtime, such as metrics, data directories and the image manager.',
    'initializeModules 启动不依赖运行时的部分，例如指标、数据目录和镜像管理器。',
  ),
  startup(
    'updateRuntimeUp',
    'runtime ready NetworkReady 运行时就绪',
    'updateRuntimeUp',
    'updateRuntimeUp asks the runtime every 5 s if it and its network are ready; until then no pod is synced.',
    'updateRuntimeUp 每 5 秒询问运行时及其网络是否就绪；在此之前不同步任何 Pod。',
  ),
  volumes(
    'volume manager',
    'mount attach volumes PVC 卷管理器 挂载',
    'WaitForAttachAndMount',
    'The volume manager mounts the volumes that pods need and unmounts those that none needs; a worker waits for it.',
    '卷管理器挂载 Pod 需要的卷，卸载不再需要的卷；worker 会等待它完成。',
  ),
  volumes(
    'desired state of world',
    'DSW actual state of world ASW populator reconciler 期望状态',
    'reconcile',
    'The volume manager lists which volumes should be mounted and which are, and its reconciler removes the difference.',
    '卷管理器记录哪些卷应当挂载、哪些已经挂载，由 reconciler 消除差异。',
  ),
  termsAt('eviction', 'housekeeping')(
    'eviction',
    'evicted pressure threshold memory disk 驱逐 压力',
    'evictionManager.synchronize',
    'If memory, disk or process numbers on a node run short, the eviction manager ends pods before the node fails.',
    '当节点的内存、磁盘或进程号不足时，驱逐管理器会在节点出问题之前终止 Pod。',
  ),
  termsAt('oom', 'restart')(
    'OOMKilled',
    'out of memory limit kernel 137 内存不足',
    'generateAPIPodStatus',
    'OOMKilled means that the kernel killed a process because its cgroup reached its memory limit.',
    'OOMKilled 表示进程所在的 cgroup 达到内存上限，内核终止了该进程。',
  ),
  termsAt('cgroups', 'syncpod')(
    'cgroup',
    'cgroups control group resources limits 控制组',
    'podContainerManager.EnsureExists',
    'A cgroup is how the kernel limits and counts the CPU and memory of a group of processes; each pod has one.',
    'cgroup 是内核限制和统计一组进程的 CPU 和内存的方式；每个 Pod 有一个。',
  ),
  termsAt('cgroups', 'syncpod')(
    'QoS class',
    'Guaranteed Burstable BestEffort quality of service 服务质量',
    'UpdateCgroups',
    'The QoS class of a pod follows from its requests and limits; when memory runs short, BestEffort pods are killed first.',
    'Pod 的 QoS 类别由其 requests 和 limits 得出；内存紧张时，BestEffort 的 Pod 最先被终止。',
  ),
  termsAt('cgroups', 'postmortem-out-of-cpu')(
    'allocatable',
    'reserved capacity node allocatable 可分配资源',
    'enforceNodeAllocatableCgroups',
    'Allocatable is what of a node is there for pods: its capacity without what is reserved for the system.',
    '可分配资源是节点可供 Pod 使用的部分：总容量减去为系统预留的部分。',
  ),
  termsAt('devices', 'devices')(
    'device plugin',
    'GPU device manager Allocate 设备插件',
    'deviceManager.PluginListAndWatchReceiver',
    'A device plugin tells the kubelet over a socket which devices there are, and prepares those that a container gets.',
    '设备插件通过套接字告诉 kubelet 有哪些设备，并准备分给容器的设备。',
  ),
  termsAt('images', 'images')(
    'image garbage collection',
    'imageGC disk usage threshold 镜像回收',
    'Images/GarbageCollect',
    'If the disk is fuller than 85 %, the kubelet removes images that no container uses, the longest unused first.',
    '磁盘使用率超过 85% 时，kubelet 移除没有容器使用的镜像，最久未用的先移除。',
  ),
  termsAt('images', 'housekeeping')(
    'container garbage collection',
    'containerGC dead containers 容器回收',
    'Containers/GarbageCollect',
    'Every minute the kubelet removes ended containers and sandboxes that nobody needs any more.',
    'kubelet 每分钟移除不再需要的已结束的容器和沙箱。',
  ),
  termsAt('node', 'startup')(
    'node status',
    'NodeReady NotReady conditions heartbeat 节点状态',
    'syncNodeStatus',
    'The kubelet reports its node in the API: capacity, addresses, images, and conditions such as Ready.',
    'kubelet 在 API 中报告节点：容量、地址、镜像，以及 Ready 等状况。',
  ),
  termsAt('lease', 'startup')(
    'node lease',
    'heartbeat Lease 节点租约 心跳',
    'nodeLeaseController.sync',
    'The node lease is the heartbeat of a node: a small object that the kubelet renews every 10 s.',
    '节点租约是节点的心跳：kubelet 每 10 秒续期的一个小对象。',
  ),
  termsAt('shutdown', 'termination')(
    'graceful node shutdown',
    'shutdown systemd inhibitor 节点关机',
    'processShutdownEvent',
    'When the machine shuts down, the kubelet delays it a little and ends pods by their priority.',
    '机器关机时，kubelet 会稍作延迟，并按优先级终止 Pod。',
  ),
];
