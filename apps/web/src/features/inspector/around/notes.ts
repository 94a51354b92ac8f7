/**
 * Background notes about the parts around the loop, in both languages: the place at which each is shown, and its row
 * of the fidelity table.
 */
import type { TraceRecord } from '@syncloop/core/trace';
import type { Lang, Part, Selection } from '../../../page/ui-store.js';

type Text = Readonly<Record<Lang, string>>;
export interface Note {
  /** The row of docs/developers/fidelity.md. */
  readonly row: string;
  readonly part: Part;
  /** The rule or function that the note is about; it is shown only at records of that. Absent: the whole part. */
  readonly of?: string;
  /** The channel of the loop that the note is about; it is shown when that is selected. */
  readonly channel?: string;
  readonly text: Text;
}

/** The purpose of each part, in a sentence or two. */
export const ABOUT: Readonly<Partial<Record<Part, Text>>> = {
  managers: {
    en: 'Before the loop turns for the first time, the kubelet starts its parts one after the other. What needs the container runtime waits until the runtime has said once that it is well; everything else starts at once.',
    'zh-CN':
      '循环第一次转动之前，kubelet 依次启动它的各个部分。需要容器运行时的部分要等运行时第一次表示正常；其余的立刻启动。',
  },
  node: {
    en: 'What the kubelet says of its machine: how it is, what it has, and how much of that pods may use. With an API server it looks every 10 s and sends what has changed; if nothing has, it still reports every 5 min.',
    'zh-CN':
      'kubelet 对这台机器的描述：状况如何、有多少资源、其中多少可分给 Pod。有 API server 时，它每 10 s 检查一次，有变化就发送；没有变化也会每 5 min 报告一次。',
  },
  lease: {
    en: 'A tiny object in the namespace kube-node-lease whose only news is the time. Renewing it is cheaper than sending the whole status, so it is what the cluster goes by when it decides whether a node still lives.',
    'zh-CN':
      'kube-node-lease 命名空间里的一个很小的对象，唯一的新内容是时间。续约比发送整个状态便宜得多，所以集群据此判断节点是否还活着。',
  },
  apiServer: {
    en: 'Where the node gets its pods from and where it reports to. Lists come once and watches stay open; everything else is a request with an answer.',
    'zh-CN': '节点从这里得到 Pod，也向这里报告。列表取一次，watch 一直开着；其余的都是一问一答。',
  },
  volumes: {
    en: 'One loop writes down which volumes the pods that should run want, another compares that with what is mounted and makes up the difference. A pod worker only waits here: no container starts before its volumes are there.',
    'zh-CN':
      '一个循环记下应运行的 Pod 需要哪些卷，另一个循环把它与已挂载的相比并补上差别。Pod worker 在这里只是等待：卷没有准备好，容器就不会启动。',
  },
  eviction: {
    en: 'Measures every 10 s what is left of memory, disk and process ids. Below a threshold it says so as a node condition, frees disk where it can, and then ends one pod at a time: first those that use more than they asked for, by priority and by how much more.',
    'zh-CN':
      '每 10 s 测量内存、磁盘和进程号还剩多少。低于阈值时，先以节点状况说明，能清理磁盘就清理，然后一次结束一个 Pod：先是用量超过请求的，再按优先级和超出的多少。',
  },
  cgroups: {
    en: 'All pods live below the cgroup kubepods. Pods that were promised what they use (Guaranteed) stand directly below it; Burstable and BestEffort pods have a cgroup for their class, whose CPU shares are what those pods asked for in all.',
    'zh-CN':
      '所有 Pod 都在 cgroup kubepods 之下。资源得到保证的 Pod（Guaranteed）直接位于其下；Burstable 和 BestEffort 各有一个等级 cgroup，它的 CPU shares 是这些 Pod 请求量的总和。',
  },
  devices: {
    en: 'A device plug-in is a process of its own on the node. It registers at the kubelet’s socket, streams the list of its devices, and is asked to allocate some of them when a pod is admitted that wants its resource. What it answers, variables, mounts, device files, becomes part of the container. Who has which device is kept in a checkpoint file. When a device that a pod has changes its health, the pod’s UID goes to the sync loop on the channel containerManager.',
    'zh-CN':
      '设备插件是节点上的独立进程。它在 kubelet 的 socket 上注册，持续送来设备清单；需要其资源的 Pod 被准入时，kubelet 请它分配设备。它回答的环境变量、挂载和设备文件成为容器的一部分。谁有哪个设备记在检查点文件里。Pod 所用设备的健康状况变化时，Pod 的 UID 经通道 containerManager 送到循环。',
  },
  podKiller: {
    en: 'Kills removed pods, and pods that only the runtime still knows, apart from their workers: deletePod and housekeeping write into podKillingCh, and one goroutine for each pod kills it. In v1.21 a pod is marked as pending termination from the request on until it is killed; in v1.12 nobody else can ask. Since v1.22 a pod’s own worker ends it.',
    'zh-CN':
      '在 worker 之外终止被移除的 Pod 和只有运行时还知道的 Pod：deletePod 和 housekeeping 写入 podKillingCh，每个 Pod 由一个 goroutine 终止。v1.21 中，Pod 从请求起到终止完成都标记为 pending termination；v1.12 中别处无从得知。自 v1.22 起，由 Pod 自己的 worker 终止它。',
  },
  oom: {
    en: 'The kernel kills a process when memory runs out. Inside a container that is the runtime’s to tell (reason OOMKilled); only when it happened outside of every container does the kubelet report SystemOOM as an event of the node.',
    'zh-CN':
      '内存耗尽时内核会杀死一个进程。若发生在容器内，由运行时报告（原因 OOMKilled）；只有发生在所有容器之外时，kubelet 才以节点事件 SystemOOM 报告。',
  },
  shutdown: {
    en: 'Asks the machine’s init system to wait with a shutdown for as long as the pods need to end in order.',
    'zh-CN': '请机器的 init 系统在关机时等一等，好让 Pod 按顺序结束。',
  },
  stats: {
    en: 'Measures each pod’s volumes about once a minute, for the summary that the eviction manager and kubectl top read. What the machine and its containers use comes from cAdvisor in a real kubelet; here the host’s own figures stand in for it.',
    'zh-CN':
      '大约每分钟测量一次每个 Pod 的卷，供驱逐管理器和 kubectl top 读取的摘要使用。机器和容器的用量在真正的 kubelet 里来自 cAdvisor；这里由主机自己的数字代替。',
  },
};

export const NOTES: readonly Note[] = [
  {
    row: '1:A11',
    part: 'loop',
    channel: 'syncCh',
    text: {
      en: 'This ticker is not the pods’ resync itself. It only makes the loop ask the work queue once a second which pods are due; mostly none is, and then nothing is called or logged. When a pod is due was decided by its worker at the end of its last round.',
      'zh-CN':
        '这个定时器本身并不是 Pod 的再同步。它只让循环每秒问一次工作队列哪些 Pod 到期；多半没有，那就什么也不调用、不记日志。Pod 何时到期，由它的 worker 在上一轮结束时决定。',
    },
  },
  {
    row: '1:A18',
    part: 'loop',
    channel: 'housekeepingCh',
    text: {
      en: 'HandlePodCleanups runs on the loop’s own goroutine, so no other channel is read meanwhile; one that takes longer than 1 s is logged as an error. Until every source has spoken once it is skipped: what no source names may only be late.',
      'zh-CN':
        'HandlePodCleanups 在循环自己的 goroutine 上运行，其间不读别的通道；超过 1 s 会记为错误。在每个来源都说过一次之前它会被跳过：没有来源提到的，也许只是还没到。',
    },
  },
  {
    row: '3:BOOT-03',
    part: 'managers',
    text: {
      en: 'Up to v1.33 the kubelet had one more part between the log server and initializeModules, cloudResourceSyncManager: on a cloud it asked the provider for the node’s addresses. Since v1.34 it is gone; cloud controllers outside of the kubelet do that.',
      'zh-CN':
        '到 v1.33 为止，kubelet 在日志服务和 initializeModules 之间还有一个部分 cloudResourceSyncManager：在云上向云厂商询问节点的地址。自 v1.34 起没有了，改由 kubelet 之外的云控制器来做。',
    },
  },
  {
    row: '3:BOOT-04',
    part: 'managers',
    text: {
      en: 'The very first thing in Run is logServer, a server for log files: under /logs/ it hands out the node’s log folder. Since v1.27, with the gate NodeLogQuery and enableSystemLogQuery the same path answers questions to the journal; one that makes no sense gets 400, one that is not allowed 406.',
      'zh-CN':
        'Run 里最先做的是日志文件服务 logServer：在 /logs/ 下提供节点的日志目录。自 v1.27 起，开启特性门控 NodeLogQuery 和 enableSystemLogQuery 后，同一路径还能查询 journal；写错的查询得到 400，无效的得到 406。',
    },
  },
  {
    row: '3:BOOT-06',
    part: 'managers',
    text: {
      en: 'Checkpoints that a kubelet finds again after a restart: in its root directory allocated_pods_state and actuated_pods_state (resources that pods were granted, and that the runtime has taken), cpu_manager_state, memory_manager_state, dra_manager_state and, with a graceful shutdown, graceful_node_shutdown_state; in device-plugins, kubelet_internal_checkpoint. The folder checkpoints holds something else: archives of containers that were asked for by the API /checkpoint. No pod’s status is written down.',
      'zh-CN':
        'kubelet 重启后能找回的检查点：根目录下的 allocated_pods_state 和 actuated_pods_state（分配给 Pod 的资源、运行时已接受的资源）、cpu_manager_state、memory_manager_state、dra_manager_state，以及启用优雅关机时的 graceful_node_shutdown_state；device-plugins 里的 kubelet_internal_checkpoint。checkpoints 目录是另一回事：里面是通过 /checkpoint 接口要求的容器归档。Pod 的状态不会写盘。',
    },
  },
  {
    row: '3:BOOT-10',
    part: 'managers',
    text: {
      en: 'On Linux a real kubelet leaves two marks in iptables: the chain KUBE-IPTABLES-HINT, by which others see which flavour of iptables is in use, and KUBE-FIREWALL with a rule against packets that pretend to be local. It looks every minute whether they were flushed; up to v1.16 syncNetworkUtil made all rules anew each minute, since v1.17 initNetworkUtil makes them once and watches. A machine without iptables is no error.',
      'zh-CN':
        '在 Linux 上，真正的 kubelet 会在 iptables 里留下两处标记：链 KUBE-IPTABLES-HINT，让别的程序知道用的是哪种 iptables；以及 KUBE-FIREWALL，其中有一条丢弃冒充本机地址的包的规则。它每分钟检查它们是否被清掉；到 v1.16 为止由 syncNetworkUtil 每分钟重做所有规则，自 v1.17 起由 initNetworkUtil 做一次并监视。没有 iptables 的机器不算错误。',
    },
  },
  {
    row: '3:BOOT-12',
    part: 'managers',
    text: {
      en: 'Under systemd with WatchdogSec set, the kubelet pings systemd twice per interval, but only while its health checks pass, the one of the sync loop among them. A loop that hangs is so restarted from outside. The interval has to be longer than 1 s.',
      'zh-CN':
        '在设置了 WatchdogSec 的 systemd 下，kubelet 每个间隔向 systemd 报到两次，但只在健康检查（包括同步循环的检查）通过时才报到。循环卡住时，外面就会把它重启。间隔必须大于 1 s。',
    },
  },
  {
    row: '3:NODE-06',
    part: 'node',
    text: {
      en: 'The status has a boot id that changes with each start of the machine. If the one that the API server knows is another, the kubelet writes the event Rebooted: a warning, and only once per process.',
      'zh-CN':
        '状态里有一个 boot id，机器每次启动都会变。如果与 API server 记录的不同，kubelet 就写一个 Rebooted 事件：它是警告，每个进程只写一次。',
    },
  },
  {
    row: '3:NODE-11',
    part: 'node',
    text: {
      en: 'What the container manager would like but can do without does not make a node NotReady: it is appended to the message of Ready, for instance “. WARNING: CPU hardcapping unsupported”.',
      'zh-CN':
        '容器管理器希望有、但没有也行的东西不会让节点变成 NotReady：它只附在 Ready 的消息后面，例如 “. WARNING: CPU hardcapping unsupported”。',
    },
  },
  {
    row: '3:LEASE-02',
    part: 'lease',
    text: {
      en: 'A renewal writes the lease that is remembered, without reading it first; only a conflict makes it read. It tries five times in a round, and from the second failure it opens new connections, for the old one may be a dead one. The lease is first made when the Node can be read, since the Node is its owner.',
      'zh-CN':
        '续约时直接写入记住的租约，不先读取；只有冲突时才重新读。一轮最多试五次，从第二次失败起会重新建立连接，因为旧连接可能已经断了。租约的属主是 Node，所以要等能读到 Node 才创建。',
    },
  },
  {
    row: '3:LEASE-03',
    part: 'lease',
    text: {
      en: 'The lease has a context of its own, so it goes on being renewed while the node shuts down: the cluster must not give a node up for dead that is still ending its pods in order.',
      'zh-CN': '租约有自己的 context，所以节点关机期间仍继续续约：还在按顺序结束 Pod 的节点，集群不应当它已经死了。',
    },
  },
  {
    row: '3:ADM-10',
    part: 'loop',
    of: 'canAdmitPod',
    text: {
      en: 'HandlePodAdditions asks the admit handlers before a pod gets a worker. If nothing but the node’s labels is in the way, the kubelet does not trust its cache: it reads the Node from the API server at once and checks again before it refuses.',
      'zh-CN':
        'HandlePodAdditions 在给 Pod 分配 worker 之前先询问准入处理器。如果唯一不符的是节点标签，kubelet 不会相信缓存：它立刻从 API server 读取 Node，再检查一次，然后才拒绝。',
    },
  },
  {
    row: '5:D12',
    part: 'loop',
    of: 'UpdatePod',
    text: {
      en: 'A real kubelet takes podLock here, as in every other call of podWorkers, and gives it back when the call returns. Here no goroutine is interrupted between two of its waits, and nothing in UpdatePod waits: the lock would always be free, so it is not drawn. workerChannelFn (not yet in v1.21, there in v1.23) is for unit tests, which put a channel of their own between UpdatePod and the worker; in a running kubelet it is nil, and the worker reads podUpdates itself.',
      'zh-CN':
        '真正的 kubelet 在这里取得 podLock，podWorkers 的其他调用也一样，返回时释放。这里的 goroutine 在两次等待之间不会被打断，而 UpdatePod 里没有等待：锁总是空闲的，所以没有画出来。workerChannelFn（v1.21 还没有，v1.23 已有）供单元测试使用，用来在 UpdatePod 与 worker 之间插入自己的通道；运行中的 kubelet 里它是 nil，worker 直接读 podUpdates。',
    },
  },
  {
    row: '5:C13',
    part: 'loop',
    of: 'HandlePodAdditions',
    text: {
      en: 'From v1.27 to v1.33, and only with the gate InPlacePodVerticalScaling (off by default before v1.33), this handler held podResizeMutex from the sort to its end, so that no resize in a worker changed what is allocated while a pod was admitted. Without the gate nobody locks it. Since v1.34 the allocation manager has a lock of its own, allocationMutex.',
      'zh-CN':
        'v1.27 到 v1.33，且仅当特性门控 InPlacePodVerticalScaling 开启时（v1.33 之前默认关闭），这个处理函数从排序到结束都持有 podResizeMutex，以免准入一个 Pod 时有 worker 里的 resize 改动已分配的资源。门控关闭时没有人会锁它。自 v1.34 起，allocation manager 有自己的锁 allocationMutex。',
    },
  },
  {
    row: '3:QOS-12',
    part: 'cgroups',
    text: {
      en: 'kubepods gets the CPU shares and the memory limit of what is allocatable. If that fails it is tried again each minute until it holds, with the event FailedNodeAllocatableEnforcement, and then NodeAllocatableEnforced.',
      'zh-CN':
        'kubepods 得到可分配量对应的 CPU shares 和内存上限。如果失败，每分钟重试一次直到成功，事件先是 FailedNodeAllocatableEnforcement，成功后是 NodeAllocatableEnforced。',
    },
  },
  {
    row: '3:VOL-11',
    part: 'volumes',
    text: {
      en: 'emptyDir, hostPath, configMap, secret, projected, downwardAPI and image volumes work here. A real kubelet also registers nfs, iscsi, fc, local, csi, flexvolume and gitRepo, which need a cluster’s storage.',
      'zh-CN':
        '这里支持 emptyDir、hostPath、configMap、secret、projected、downwardAPI 和 image 卷。真正的 kubelet 还注册了 nfs、iscsi、fc、local、csi、flexvolume 和 gitRepo，它们需要集群的存储。',
    },
  },
  {
    row: '3:VOL-15',
    part: 'volumes',
    text: {
      en: 'Files of a configMap or secret change all at once: they are written into a new folder with a time in its name, then the link ..data is exchanged. Who reads sees the old files or the new ones, never a mixture.',
      'zh-CN':
        'configMap 或 secret 的文件是一起更换的：先写进名字里带时间的新目录，再替换链接 ..data。读者看到的要么全是旧文件，要么全是新文件，不会混杂。',
    },
  },
  {
    row: '3:VOL-17',
    part: 'volumes',
    text: {
      en: 'If a CSI driver has no room for another attachment on this node, waiting does not help. Since 1.36 the pod is rejected with the reason VolumeAttachmentLimitExceeded, so that it can be made anew elsewhere.',
      'zh-CN':
        '如果 CSI 驱动在这个节点上已无法再挂接，等待也没有用。从 1.36 起，Pod 会以 VolumeAttachmentLimitExceeded 为由被拒绝，以便在别处重建。',
    },
  },
  {
    row: '3:OOM-01',
    part: 'oom',
    text: {
      en: 'A kill inside a container’s cgroup is left out on purpose: the victim’s own cgroup is the root only when the machine as a whole had no memory left.',
      'zh-CN': '容器 cgroup 内的 OOM 被有意忽略：只有整台机器的内存都用完时，受害者所属的才是根 cgroup。',
    },
  },
  {
    row: '3:SHUT-01',
    part: 'shutdown',
    text: {
      en: 'Off until shutdownGracePeriod is set. Then the kubelet holds an inhibitor lock of systemd. When logind announces a shutdown, Ready turns false, every new pod is refused with NodeShutdown, and pods end by priority, the critical ones last, each group within its own seconds and with its volumes unmounted. They end as Failed with the reason Terminated and the condition DisruptionTarget.',
      'zh-CN':
        '设置 shutdownGracePeriod 之后才开启，这时 kubelet 持有 systemd 的抑制锁。logind 宣布关机后，Ready 变为 false，新的 Pod 一律以 NodeShutdown 拒绝，Pod 按优先级分组结束，关键的最后，每组有自己的秒数，并等待卷卸载。它们的阶段为 Failed，原因 Terminated，带有状况 DisruptionTarget。',
    },
  },
  {
    row: '3:HTTP-07',
    part: 'managers',
    text: {
      en: 'The kubelet’s own HTTPS server asks the API server whether a caller may: the verb comes from the method, the resource is nodes with the subresource stats, metrics, log, checkpoint, statusz or else proxy. pods, healthz and configz have names of their own that are tried before proxy. Without an identity the answer is 401, without permission 403.',
      'zh-CN':
        'kubelet 自己的 HTTPS 服务会询问 API server 调用者是否有权限：动词来自请求方法，资源是 nodes，子资源为 stats、metrics、log、checkpoint、statusz，否则为 proxy。Pod、healthz、configz 有自己的名字，先于 proxy 尝试。没有身份得到 401，没有权限得到 403。',
    },
  },
];

/**
 * Returns the notes about the selection: a part as a whole, or a record of the rule or function that a note is about.
 */
export function notesFor(selection: Selection, record: TraceRecord | undefined): readonly Note[] {
  if (selection.kind === 'channel') return NOTES.filter((n) => n.channel === selection.name);
  if (selection.kind === 'part')
    return NOTES.filter((n) => n.of === undefined && n.channel === undefined && n.part === selection.part);
  const of = record?.kind === 'decision' ? record.rule : record?.kind === 'enter' ? record.fn : undefined;
  return of === undefined ? [] : NOTES.filter((n) => n.of === of);
}
